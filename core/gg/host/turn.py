"""One turn: receipts, programs in order, then notices, and errors last (messages page)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET

from gg import wording
from gg.host.program import NeverBegan, ProgramResult, run_program
from gg.host.reply import Reply, read_submission
from gg.operations.bracket import CallDesk
from gg.operations.context import CallContext
from gg.operations.ending import Ending
from gg.protocol import Run
from gg.stream.events import CodeExecution, ContextBreakdown, Event, TurnOutcome, TurnTiming
from gg.stream.record import ProgramRecord
from gg.types import ArmInfo
from gg.window.clean import clean_call, clean_text
from gg.window.messages import COMPILER_ERROR, NOTICE, Message, ToolCall
from gg.window.views import Views

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


class TurnRunner:
    """Runs one turn of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._stream = session.stream
        self._window = session.window
        self._composed_bytes = 0
        self._notices: list[tuple[str, int | None]] = []
        self._errors: list[tuple[str, str, int]] = []
        self._run_ms = 0.0
        self._first_failure: str | None = None
        self._failures = 0
        self._begun = 0

    def take(self, reply: Reply) -> Turn:
        """Take the reply to its end."""
        session, stream, window = self._session, self._stream, self._window
        began = time.perf_counter()
        session.cancelled = False
        window.turn += 1
        stream.turn = window.turn
        window.push(self._said(reply))
        programs = self._acknowledge(reply)
        ending = Ending()
        outcome: Literal["continue", "finished", "fatal"] = "continue"
        try:
            self._run_all(programs, ending)
            if ending.summary is not None:
                outcome = "finished"
        except Exception as error:  # noqa: BLE001 - gg's own defect: the turn still answers, and says so
            stream.log("error", "gg_failed", f"gg failed: {type(error).__name__}: {error}")
            outcome = "fatal"
            self._skip(range(self._begun, len(programs)), wording.NOT_RUN_AFTER_DEFECT)
        self._push_results(outcome, ran=bool(programs))
        stream.emit(TurnOutcome(outcome=outcome, error=self._first_failure or UNSET))
        stream.emit(TurnTiming(total_ms=(time.perf_counter() - began) * 1000, run_ms=self._run_ms))
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

    def _acknowledge(self, reply: Reply) -> list[str]:
        programs: list[str] = []
        for call in reply.tool_calls:
            submission = read_submission(call)
            receipt = submission.reason
            program = None
            if submission.program is not None:
                program = len(programs)
                programs.append(submission.program)
                receipt = self._session.mint_id() or "ok"
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
        return programs

    # -- programs -----------------------------------------------------------------------------------------------------

    def _run_all(self, programs: list[str], ending: Ending) -> None:
        stream = self._stream
        for index, source in enumerate(programs):
            if ending.summary is not None:
                self._skip(range(index, len(programs)), wording.NOT_RUN_AFTER_ENDING)
                break
            if self._session.cancelled:
                self._skip(range(index, len(programs)), wording.NOT_RUN_AFTER_CANCEL)
                break
            stream.program, self._begun = index, index + 1
            try:
                self._run_one(index, source, ending)
            finally:
                stream.program = None
        if ending.summary is not None:
            stream.log("info", "session_ending", f"the session ends: {ending.summary}", summary=ending.summary)

    def _skip(self, left: range, why: str) -> None:
        stream = self._stream
        if not left:
            return
        for index in left:
            stream.program = index
            event = CodeExecution(ok=False, tool_calls=0, error=why)
            if self._session.info.compiles:
                event.compile_ms = 0.0
            stream.emit(event)
        stream.program = None
        message = f"{len(left)} {'program was' if len(left) == 1 else 'programs were'} {why}"
        stream.log("warn", "programs_not_run", message, count=len(left))
        self._failures += len(left)

    def _run_one(self, index: int, source: str, ending: Ending) -> None:
        session, stream = self._session, self._stream
        record = ProgramRecord(stream.emit)
        views = Views(self._window, record.view, index, self._composed_bytes)

        def make_desk(info: ArmInfo) -> CallDesk:
            context = CallContext(session.workspace, views, ending, info)
            return CallDesk(session.host.table, session.gate, context, record, session.run_ends)

        limits = session.limits
        record.documented = frozenset()  # no documentation view stands in the window of this gg yet
        run = Run(source, index, session.guest_context(), (), limits.timeout_s, limits.memory_bytes)
        try:
            result = self._run_in_worker(run, make_desk)
        except Exception as error:
            stream.emit(CodeExecution(ok=False, tool_calls=record.tool_calls, error=f"gg failed: {error}"))
            raise
        session.tell_of_warm_up()
        if result.worker_spent:
            session.drop_worker()
        self._composed_bytes = views.composed_bytes
        self._run_ms += result.duration_ms or 0.0
        event = self._event(result, session.info)
        record.fill(event)
        self._settle_ending(result, ending, event)
        stream.emit(event)
        if result.heading is not None:
            self._failures += 1
            self._first_failure = self._first_failure or _slug(result.heading)
            if result.heading == NOTICE:
                self._notices.append((result.body, index))
            else:
                self._errors.append((result.heading, result.body, index))

    def _run_in_worker(self, run: Run, make_desk: Callable[[ArmInfo], CallDesk]) -> ProgramResult:
        session = self._session

        def attempt() -> ProgramResult:
            with session.host.sharing.program() as follower:
                ours = msgspec.structs.replace(run, share_cpu=follower.allowed)
                return run_program(
                    session.worker(), ours, session.limits, make_desk, self._stream, follower, lambda: session.cancelled
                )

        try:
            return attempt()
        except NeverBegan as error:
            self._stream.log("warn", "worker_died", f"an idle worker ended: {error}")
            session.drop_worker()
        try:
            return attempt()
        except NeverBegan as error:
            self._stream.log("error", "toolchain_failed", f"the program was not run: {error}", detail=str(error))
            return ProgramResult(NOTICE, wording.TOOLCHAIN_FAILED, worker_spent=True)

    def _event(self, result: ProgramResult, info: ArmInfo) -> CodeExecution:
        event = CodeExecution(ok=result.heading is None, tool_calls=0)
        if result.duration_ms is not None:
            event.duration_ms = result.duration_ms
        if result.heading is not None:
            event.error = result.body
        if result.logs is not None:
            event.logs, event.logs_suppressed = result.logs, result.logs_suppressed
        if result.compile_wait_ms is not None:
            event.compile_wait_ms = result.compile_wait_ms
        if info.compiles:
            event.compile_ms = result.compile_ms
        return event

    def _settle_ending(self, result: ProgramResult, ending: Ending, event: CodeExecution) -> None:
        if ending.summary is None:
            return
        event.finished = ending.summary
        if ending.replaced:
            times = "once" if ending.replaced == 1 else f"{ending.replaced} times"
            message = f"a later ending replaced an earlier one {times}"
            self._stream.log("warn", "ending_replaced", message, times=ending.replaced)
            ending.replaced = 0
        if result.heading is not None:
            summary = ending.revoke()
            message = "the ending was revoked: the program then failed"
            self._stream.log("warn", "ending_revoked", message, summary=summary)

    # -- what the model reads -----------------------------------------------------------------------------------------

    def _push_results(self, outcome: str, *, ran: bool) -> None:
        for body, program in self._notices:
            self._push(NOTICE, body, program, "system")
        for heading, body, program in self._errors:
            self._push(heading, body, program, "compiler_errors" if heading == COMPILER_ERROR else "runtime_errors")
        if ran and outcome == "continue" and self._window.ends_on_assistant():
            self._push(NOTICE, wording.nothing_shown(self._session.info.print_call), None, "system")

    def _push(self, heading: str, body: str, program: int | None, band: Any) -> None:
        self._window.push(Message("user", body, band, heading, program=program))


def _slug(heading: str) -> str:
    return {COMPILER_ERROR: "compiler_error", NOTICE: "toolchain_failed"}.get(heading, "runtime_error")
