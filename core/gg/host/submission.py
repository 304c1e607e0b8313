"""One submission: a program and those it hands over to, in a chain, and the one event of them all.

Counts, calls, logs, views and times add up over the chain; the result and the ending are the last program's (code
execution page; messages page, notices).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import UNSET

from gg import wording
from gg.host.calls import TurnState, make_desk, objections
from gg.host.on_use import UsedCode
from gg.host.program import NeverBegan, ProgramResult, run_program
from gg.library import Entry
from gg.operations.bracket import CallDesk
from gg.operations.ending import Ending
from gg.operations.gate import Gate
from gg.operations.programs import HandOver
from gg.protocol import Run
from gg.stream.events import CodeExecution
from gg.stream.record import ProgramRecord
from gg.types import ArmInfo
from gg.window.messages import NOTICE, RUNTIME_ERROR
from gg.window.views import Views

if TYPE_CHECKING:
    from gg.host.session import Session

__all__ = ["MAX_HANDED_OVER", "Submission", "SubmissionResult"]

MAX_HANDED_OVER = 3
"""How many programs that were handed over to a turn runs at most, beside those it submitted."""
MAX_LOG_LINES = 200
MAX_LOG_BYTES = 16 << 10


@dataclass
class SubmissionResult:
    """What became of a submission. ``heading`` is None when its last program returned normally."""

    heading: str | None
    body: str
    notices: list[str]


class Submission:
    """Runs one submission of a turn. ``id`` is its receipt's, where a library is kept."""

    def __init__(self, session: Session, state: TurnState, index: int, id: str | None, source: str) -> None:
        self._session = session
        self._stream = session.stream
        self._state = state
        self._index = index
        self._id = id
        self._source = source
        self._record = ProgramRecord(session.stream.emit)
        self._record.documented = state.documented
        self._views = Views(session.window, self._record.view, index, state.composed_bytes)
        self._notices: list[str] = []
        self._used = UsedCode(session, self._record, self._views, index, self._desk, self._run_in_worker, self._notices)
        self._runs = 0

    def run(self) -> SubmissionResult:
        """Run the chain to its end, and emit its event."""
        state = self._state
        try:
            result = self._after_last_link(self._chain())
        except Exception as error:
            self._stream.emit(CodeExecution(ok=False, tool_calls=self._record.tool_calls, error=f"gg failed: {error}"))
            raise
        self._session.tell_of_warm_up()
        state.run_ms += result.duration_ms or 0.0
        event = self._event(result)
        self._record.fill(event)
        self._settle_ending(result, event)
        if self._session.library is not None and self._id is not None:
            said = result.body if result.heading is not None else None
            entry = Entry(self._id, self._session.window.turn, self._source, result.heading is None, said)
            self._session.library.add(entry)
        self._stream.emit(event)
        return SubmissionResult(result.heading, result.body, self._notices)

    # -- the chain ----------------------------------------------------------------------------------------------------

    def _chain(self) -> ProgramResult:
        state, total = self._state, None
        while True:
            hand_over = HandOver()
            result = self._run_link(hand_over)
            total = result if total is None else _added(total, result)
            total = _beside(total, self._used.load())
            if hand_over.source is None:
                return total
            if result.heading is not None:
                reason: Literal["failed", "ended", "exhausted"] = "failed"
            elif state.ending.summary is not None:
                reason = "ended"
            elif state.handed_over >= MAX_HANDED_OVER:
                reason = "exhausted"
            elif self._session.stopped():  # between two programs: the next one is stopped before it starts
                self._stream.log("info", "session_cancelled", "the replacement was not run: its session was cancelled")
                return _added(total, ProgramResult(RUNTIME_ERROR, wording.CANCELLED))
            else:
                state.handed_over += 1
                self._source = hand_over.source
                continue
            notice = wording.hand_over_not_run(reason, MAX_HANDED_OVER)
            self._notices.append(notice)
            self._stream.log("warn", "handover_not_run", notice, reason=reason)
            return total

    def _after_last_link(self, total: ProgramResult) -> ProgramResult:
        """Run the on-use scripts that wait; the result stays the program's."""
        try:
            return _beside(total, self._used.run_scripts())
        finally:
            self._state.composed_bytes = self._views.composed_bytes

    def _desk(self, info: ArmInfo, gate: Gate, ending: Ending, hand_over: HandOver) -> CallDesk:
        return make_desk(
            self._session, self._state, info, hand_over, self._views, self._record, gate=gate, ending=ending
        )

    def _run_link(self, hand_over: HandOver) -> ProgramResult:
        session = self._session

        def desk(info: ArmInfo) -> CallDesk:
            return self._desk(info, session.gate, self._state.ending, hand_over)

        limits, modules = session.limits, session.knowledge.code.modules
        run = Run(self._source, self._index, session.guest_context(), modules, limits.timeout_s, limits.memory_bytes)
        try:
            result = self._run_in_worker(run, desk)
        finally:
            self._state.composed_bytes = self._views.composed_bytes
        if result.worker_spent:
            session.drop_worker()
        return result

    def _run_in_worker(self, run: Run, desk: Callable[[ArmInfo], CallDesk]) -> ProgramResult:
        session, number = self._session, self._runs
        self._runs += 1

        def attempt() -> ProgramResult:
            with session.host.sharing.program() as follower:
                fixed = session.fixed_world(self._index, number)
                ours = msgspec.structs.replace(run, share_cpu=follower.allowed, fixed=fixed)
                return run_program(
                    session.worker(), ours, session.limits, desk, self._stream, follower, lambda: session.cancelled
                )

        def run_it() -> ProgramResult:
            try:
                return attempt()
            except NeverBegan as error:
                self._stream.log("warn", "worker_died", f"an idle worker ended: {error}")
                session.drop_worker()
            try:
                return attempt()
            except NeverBegan as error:
                self._stream.log("error", "toolchain_failed", f"the program was not run: {error}", detail=str(error))
                return ProgramResult(NOTICE, wording.TOOLCHAIN_FAILED, worker_spent=True, end="toolchain_failed")

        return session.tape.program(self._index, number, run.source, run_it)

    # -- its event ----------------------------------------------------------------------------------------------------

    def _event(self, result: ProgramResult) -> CodeExecution:
        event = CodeExecution(ok=result.heading is None, tool_calls=0)
        if result.duration_ms is not None:
            event.duration_ms = result.duration_ms
        if result.heading is not None:
            event.error = result.body
        if result.logs is not None:
            event.logs, event.logs_suppressed = result.logs, result.logs_suppressed
        if result.compile_wait_ms is not None:
            event.compile_wait_ms = result.compile_wait_ms
        if self._session.info.compiles:
            event.compile_ms = result.compile_ms
        return event

    def _settle_ending(self, result: ProgramResult, event: CodeExecution) -> None:
        ending = self._state.ending
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
            return
        reasons = objections(self._session, ending)
        if reasons:
            event.finished = UNSET
            self._notices += [wording.ending_rejected(reason) for reason in reasons]


def _added(total: ProgramResult, last: ProgramResult) -> ProgramResult:
    """Return the result of a chain so far: the last program's, with the times and logs of all."""
    logs = total.logs if last.logs is None else (total.logs or []) + last.logs
    suppressed = total.logs_suppressed + last.logs_suppressed
    durations = [ms for ms in (total.duration_ms, last.duration_ms) if ms is not None]
    waits = [ms for ms in (total.compile_wait_ms, last.compile_wait_ms) if ms is not None]
    if logs:
        kept = _tail(logs)
        suppressed += len(logs) - len(kept)
        logs = kept
    return ProgramResult(
        last.heading,
        last.body,
        sum(durations) if durations else None,
        total.compile_ms + last.compile_ms,
        sum(waits) if waits else None,
        logs,
        suppressed,
    )


def _beside(total: ProgramResult, others: Iterable[ProgramResult]) -> ProgramResult:
    """Return a submission's result with the times and logs of code that ran beside its programs."""
    for other in others:
        total = replace(_added(total, other), heading=total.heading, body=total.body)
    return total


def _tail(lines: list[str]) -> list[str]:
    """Return the newest lines that the caps of one program's logs hold."""
    kept, size = 0, 0
    for line in reversed(lines[-MAX_LOG_LINES:]):
        size += len(line.encode())
        if size > MAX_LOG_BYTES:
            break
        kept += 1
    return lines[len(lines) - kept :]
