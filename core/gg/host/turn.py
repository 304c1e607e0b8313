"""One turn: receipts, programs in order, then notices, and errors last (messages page)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from msgspec import UNSET

from gg import wording
from gg.host.calls import TurnState
from gg.host.compaction import CompactionFailed, compact
from gg.host.reply import Reply, read_submission
from gg.host.submission import Submission
from gg.library import Entry
from gg.stream.events import CodeExecution, ContextBreakdown, Event, TurnOutcome, TurnTiming
from gg.window.clean import clean_call, clean_text
from gg.window.messages import COMPILER_ERROR, NOTICE, Message, ToolCall

if TYPE_CHECKING:
    from gg.host.session import Session

__all__ = ["Turn", "TurnRunner"]


@dataclass
class Turn:
    """What a turn came to. ``messages`` are what the model reads of it, in window order; ``summary`` an ending's."""

    outcome: Literal["continue", "finished", "fatal"]
    messages: list[Message]
    events: list[Event]
    summary: str | None = None
    number: int = 0
    failures: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class _Submitted:
    """A program the reply submitted, and the id it was answered with, where a library is kept."""

    id: str | None
    source: str


class TurnRunner:
    """Runs one turn of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._stream = session.stream
        self._window = session.window
        self._state = TurnState(session.window.documented())
        self._notices: list[tuple[str, int | None]] = []
        self._errors: list[tuple[str, str, int]] = []
        self._first_failure: str | None = None
        self._failures = 0
        self._begun = 0
        self._programs: list[_Submitted] = []

    def take(self, reply: Reply) -> Turn:
        """Take the reply to its end."""
        stream, window = self._stream, self._window
        began = time.perf_counter()
        window.turn += 1
        stream.turn = window.turn
        window.push(self._said(reply))
        self._acknowledge(reply)
        ending = self._state.ending
        outcome: Literal["continue", "finished", "fatal"] = "continue"
        try:
            self._run_all()
            if ending.summary is not None:
                outcome = "finished"
                message = f"the session ends: {ending.summary}" if ending.summary else "the session ends"
                stream.log("info", "session_ending", message, summary=ending.summary)
        except Exception as error:  # noqa: BLE001 - gg's own defect: the turn still answers, and says so
            stream.log("error", "gg_failed", f"gg failed: {type(error).__name__}: {error}")
            outcome = "fatal"
            self._skip(self._begun, wording.NOT_RUN_AFTER_DEFECT)
        if outcome == "continue":
            self._compact()
        self._push_results(outcome)
        stream.emit(TurnOutcome(outcome=outcome, error=self._first_failure or UNSET))
        stream.emit(TurnTiming(total_ms=(time.perf_counter() - began) * 1000, run_ms=self._state.run_ms))
        stream.emit(ContextBreakdown(bands=window.bands()))
        stream.turn = None
        number = window.turn
        events: list[Event] = []
        for event in stream.take():  # what belongs to no turn stays with the session
            (stream.events if event.turn is UNSET else events).append(event)
        return Turn(outcome, window.of_turn(number), events, ending.summary, number, self._failures)

    def _said(self, reply: Reply) -> Message:
        """Return the assistant's message as the window keeps it."""
        content, deleted = clean_text(reply.content)
        calls: list[ToolCall] = []
        for call in reply.tool_calls:
            kept, lost = clean_call(call)
            calls.append(kept)
            deleted += lost
        self._session.tell_of_cleaning(deleted)
        return Message("assistant", content, "assistant", tool_calls=tuple(calls))

    # -- receipts -----------------------------------------------------------------------------------------------------

    def _acknowledge(self, reply: Reply) -> None:
        programs = self._programs
        library = self._session.library
        for call in reply.tool_calls:
            submission = read_submission(call)
            receipt = submission.reason
            program = None
            if submission.program is not None:
                program = len(programs)
                id = library.mint(self._session.tape) if library is not None else None
                programs.append(_Submitted(id, submission.program))
                receipt = id or "ok"
            else:
                self._first_failure = self._first_failure or "no_program"
                self._failures += 1
                self._stream.log("warn", "no_program", f"a call of {call.name!r} ran nothing: {receipt}")
            self._window.push(Message("tool", receipt or "", "tool_output", tool_call_id=call.id, program=program))
        if not any(call.name == "submit_program" for call in reply.tool_calls):
            self._notices.append((wording.NO_SUBMISSION, None))
            self._first_failure = self._first_failure or "no_submission"
            self._failures += 1
            self._stream.log("warn", "no_submission", "the reply carried no submission")

    # -- programs -----------------------------------------------------------------------------------------------------

    def _run_all(self) -> None:
        stream, ending = self._stream, self._state.ending
        for index, submitted in enumerate(self._programs):
            if ending.summary is not None:
                self._skip(index, wording.NOT_RUN_AFTER_ENDING)
                break
            if self._session.stopped():
                self._skip(index, wording.NOT_RUN_AFTER_CANCEL)
                break
            stream.program, self._begun = index, index + 1
            try:
                self._run_one(index, submitted)
            finally:
                stream.program = None

    def _skip(self, first: int, why: str) -> None:
        """Tell of the programs from ``first`` on, which are not run."""
        stream, library, left = self._stream, self._session.library, self._programs[first:]
        if not left:
            return
        for index, submitted in enumerate(left, first):
            stream.program = index
            event = CodeExecution(ok=False, tool_calls=0, error=why)
            if self._session.info.compiles:
                event.compile_ms = 0.0
            stream.emit(event)
            if library is not None and submitted.id is not None:
                library.add(Entry(submitted.id, self._window.turn, submitted.source, False, why))
        stream.program = None
        message = f"{len(left)} {'program was' if len(left) == 1 else 'programs were'} {why}"
        stream.log("warn", "programs_not_run", message, count=len(left))
        self._failures += len(left)

    def _run_one(self, index: int, submitted: _Submitted) -> None:
        result = Submission(self._session, self._state, index, submitted.id, submitted.source).run()
        self._notices += [(notice, index) for notice in result.notices]
        if result.heading is not None:
            self._failures += 1
            self._first_failure = self._first_failure or _slug(result.heading)
            if result.heading == NOTICE:
                self._notices.append((result.body, index))
            else:
                self._errors.append((result.heading, result.body, index))

    # -- what the model reads -----------------------------------------------------------------------------------------

    def _compact(self) -> None:
        """Do the compaction that the turn's programs asked for, now that they have run."""
        request = self._state.compaction
        if request.summary is None:
            return
        try:
            compact(self._session, request.summary, request.files)
        except CompactionFailed:
            self._notices.append((wording.COMPACTION_FAILED, None))

    def _push_results(self, outcome: str) -> None:
        deferred = self._session.deferred
        come = self._session.tape.fact("deferred", lambda: deferred.take(self._deferred_failed), list[str]())
        for text in come:
            self._push(NOTICE, clean_text(text)[0], None, "system")
        for body, program in self._notices:
            self._push(NOTICE, body, program, "system")
        for heading, body, program in self._errors:
            self._push(heading, body, program, "compiler_errors" if heading == COMPILER_ERROR else "runtime_errors")
        if self._programs and outcome == "continue" and self._window.ends_on_assistant():
            self._push(NOTICE, wording.nothing_shown(self._session.info.print_call), None, "system")

    def _deferred_failed(self, operation: str, error: BaseException) -> None:
        message = f"a result that {operation} deferred was lost: {type(error).__name__}: {error}"
        self._stream.log("error", "operation_failed", message, operation=operation)

    def _push(self, heading: str, body: str, program: int | None, band: Any) -> None:
        self._window.push(Message("user", body, band, heading, program=program))


def _slug(heading: str) -> str:
    return {COMPILER_ERROR: "compiler_error", NOTICE: "toolchain_failed"}.get(heading, "runtime_error")
