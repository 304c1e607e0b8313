"""`Player`: the tape that answers a session from a record, and leaves it at the first divergence."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import msgspec

from gg.errors import UsageError
from gg.operations.table import OperationFailure
from gg.record.divergence import Diverged, Divergence, RecordEnds, describe, first_difference
from gg.record.effects import apply_effect
from gg.record.lines import Answer, Call, Ended, EventLine, Fact, Input, Line, Program, Ran, TurnLine
from gg.record.pool import json_bytes, read_json
from gg.record.reader import Numbered, RecordReader
from gg.record.shapes import comparable_event, window_line
from gg.record.tape import Served, Tape

if TYPE_CHECKING:
    from gg.host.program import ProgramResult
    from gg.host.session import Session
    from gg.operations.context import CallContext
    from gg.stream.events import Event
    from gg.window.messages import Message

__all__ = ["Player"]

T = TypeVar("T")


class _StopProgram(BaseException):
    """Leaves a program whose last recorded call has been answered, and whose end is the record's to decide."""

    def __init__(self, ran: Ran) -> None:
        super().__init__()
        self.ran = ran


class Player(Tape):
    """Plays one record. ``turns``, ``calls`` and ``fed`` count what was replayed; ``fed`` are ends of programs."""

    replays = True

    def __init__(self, reader: RecordReader) -> None:
        self._header = reader.header
        self._logs = reader.header.seed is not None
        self.has_skills = any(id.startswith("skills.") for id in reader.header.operations)
        self._lines = iter(reader)
        self._ahead: deque[Numbered] = deque()
        self._session: Session | None = None
        self._context: CallContext | None = None
        self._playing = True
        self._last = 1
        self._from_record = False
        self.turns = 0
        self.calls = 0
        self.fed = 0

    # -- what drives a replay -----------------------------------------------------------------------------------------

    def next_input(self) -> Input | Ended | None:
        """Return what came into the session next, or None where the record ends."""
        while (numbered := self._peek()) is not None:
            line = numbered.line
            if isinstance(line, Input | Ended):
                self._take()
                return line
            if isinstance(line, EventLine) and line.event.get("type") == "session_ended":
                self._take()
                continue
            self._diverge(numbered, "nothing more of the turn")
        return None

    def stop(self) -> None:
        """Compare nothing from here on."""
        self._playing = False

    # -- the tape -----------------------------------------------------------------------------------------------------

    def attach(self, session: Session) -> None:
        """Check that the session holds the operations that the recorded one held.

        :raises UsageError: naming those that are not there, or there beside them.
        """
        self._session = session
        held, recorded = {row.id for row in session.operations()}, set(self._header.operations)
        for which, names in (("held", recorded - held), ("did not hold", held - recorded)):
            if names:
                does = "does not have" if which == "held" else "adds"
                raise UsageError(f"the recorded session {which} {', '.join(sorted(names))}, which this host {does}")

    def fact(self, kind: str, find: Callable[[], T], nothing: T) -> T:  # noqa: ARG002 - nobody is asked again
        """Return what the outside answered then."""
        if not self._playing:
            return nothing
        numbered = self._peek()
        if numbered is not None and isinstance(numbered.line, Fact) and numbered.line.kind == kind:
            self._take()
            return cast("T", numbered.line.value)
        if kind == "minted":
            self._expect(Fact(kind=kind, value="an id of the library"))
        return nothing

    def program(self, program: int, run: int, source: str, attempt: Callable[[], ProgramResult]) -> ProgramResult:
        """Run the program, as far as its end is its own; take the end from the record otherwise."""
        turn = self._session.stream.turn if self._session is not None else None
        self._expect(Program(turn=turn or 0, program=program, run=run, source=source))
        try:
            self._stop_where_fed()
            result = attempt()
        except _StopProgram as stop:
            return self._feed(stop.ran)
        self._expect(Ran(end=result.end))
        return result

    def context(self, context: CallContext) -> CallContext:
        """Keep the services: what an operation did to them is done again."""
        self._context = context
        return context

    def call(self, operation: str, arguments: msgspec.Raw | None, fault: str | None) -> Served | None:
        """Compare the call, and answer it where its answer came from outside."""
        session = self._session
        assert session is not None
        value = msgspec.UNSET if arguments is None else read_json(bytes(arguments))
        self._expect(
            Call(
                turn=session.stream.turn or 0, program=session.stream.program or 0, operation=operation,
                arguments=value, fault=fault,
            )
        )  # fmt: skip
        self.calls += 1
        numbered = self._answer_ahead()
        answer = numbered.line
        assert isinstance(answer, Answer)
        self._from_record = answer.outside
        if not answer.outside:
            return None
        self._ahead.remove(numbered)
        for effect in answer.effects:
            assert self._context is not None
            try:
                apply_effect(self._context, effect)
            except ValueError as error:
                self._diverge(numbered, str(error))
        return Served(json_bytes(answer.reply), _failure_of(answer.reply), answer.dispatched, True)

    def answered(self, served: Served) -> None:
        """Compare the answer of a call that was served again."""
        if not self._from_record:
            self._expect(Answer(outside=False, dispatched=served.dispatched, reply=read_json(served.reply)))

    def request_answered(self) -> None:
        """Leave the program where it made its last call, when it was stopped then."""
        self._stop_where_fed()

    def window(self, action: str, message: Message) -> None:
        """Compare a change of the window."""
        if self._playing:
            self._expect(window_line(action, message))

    def event(self, event: Event) -> None:
        """Compare an event, but for times and what tells of the machine."""
        if not self._playing:
            return
        kept = comparable_event(event, logs=self._logs)
        if kept is None:
            return
        numbered = self._next()
        line = numbered.line
        if not isinstance(line, EventLine):
            self._diverge(numbered, describe(EventLine(event=kept)))
        then = comparable_event(line.event, logs=self._logs)
        if then != kept:
            self._diverge(numbered, describe(EventLine(event=kept)), EventLine(event=then or {}), EventLine(event=kept))

    def turn(self, turn: int, outcome: str, summary: str | None) -> None:
        """Compare how the turn ended."""
        self._expect(TurnLine(turn=turn, outcome=outcome, summary=summary))
        self.turns += 1

    # -- the record ---------------------------------------------------------------------------------------------------

    def _stop_where_fed(self) -> None:
        numbered = self._peek()
        if numbered is None:
            raise RecordEnds
        if isinstance(numbered.line, Ran) and numbered.line.fed:
            self._take()
            raise _StopProgram(numbered.line)

    def _feed(self, ran: Ran) -> ProgramResult:
        from gg.host.program import ProgramResult

        self.fed += 1
        return ProgramResult(
            ran.heading, ran.body, logs=ran.logs, logs_suppressed=ran.logs_suppressed, worker_spent=True, end=ran.end
        )

    def _answer_ahead(self) -> Numbered:
        """Return the answer to the call that was taken last; what lies between stays ahead."""
        for numbered in self._ahead:
            if isinstance(numbered.line, Answer):
                return numbered
        for numbered in self._lines:
            self._ahead.append(numbered)
            if isinstance(numbered.line, Answer):
                return numbered
        raise RecordEnds

    def _peek(self) -> Numbered | None:
        """Return the next line that a replay reaches again."""
        while True:
            if not self._ahead:
                numbered = next(self._lines, None)
                if numbered is None:
                    return None
                self._ahead.append(numbered)
            numbered = self._ahead[0]
            line = numbered.line
            if not isinstance(line, EventLine) or comparable_event(line.event, logs=self._logs) is not None:
                return numbered
            self._ahead.popleft()

    def _take(self) -> None:
        self._last = self._ahead.popleft().number

    def _next(self) -> Numbered:
        numbered = self._peek()
        if numbered is None:
            raise RecordEnds
        self._take()
        return numbered

    def _expect(self, came: Line) -> None:
        numbered = self._next()
        if numbered.line != came:
            self._diverge(numbered, describe(came), numbered.line, came)

    def _diverge(self, at: Numbered, came: str, old: Line | None = None, new: Line | None = None) -> NoReturn:
        stream = self._session.stream if self._session is not None else None
        difference = None if old is None or new is None else first_difference(old, new)
        divergence = Divergence(
            (stream.turn if stream else None) or 0, stream.program if stream else None, at.number, describe(at.line),
            came, difference,
        )  # fmt: skip
        raise Diverged(divergence)


def _failure_of(reply: Any) -> OperationFailure | None:
    """Return the failure that an answer tells the program of."""
    if not isinstance(reply, dict):
        return None
    error = cast("dict[str, Any]", reply).get("error")
    if not isinstance(error, dict):
        return None
    fields = cast("dict[str, Any]", error)
    return OperationFailure(fields.get("code", "other"), str(fields.get("message", "")))
