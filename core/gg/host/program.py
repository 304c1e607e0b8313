"""Running one program: the poll loop over its worker, from submission to what became of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from gg import wording
from gg.errors import ArmUnavailable, ProtocolError
from gg.host.sharing import Follower
from gg.host.workers import Worker, WorkerGone, describe
from gg.operations.bracket import MAX_CALLS_OF_PROGRAM, CallDesk
from gg.protocol import Call, ChannelClosed, ChannelTimeout, Done, Log, Ready, Run, Started
from gg.stream.stream import Stream
from gg.types import ArmInfo, Limits
from gg.window.messages import COMPILER_ERROR, NOTICE, RUNTIME_ERROR
from gg_rust_ext import LogCapture, apply_ranges, clean

__all__ = ["COMPILE_TIMEOUT_S", "NeverBegan", "ProgramResult", "run_program"]

_GRACE_S = 0.25
"""How long past its deadline a worker may be silent before it is killed."""
COMPILE_TIMEOUT_S = 180.0
"""How long a program's preparation and compilation may take before its worker is killed."""
_MAX_BODY_BYTES = 16_384


@dataclass
class ProgramResult:
    """What became of a program. ``heading`` is None for one that returned normally.

    ``end`` is an `OutcomeKind`, or ``compile_rejected``, ``toolchain_failed``, ``call_limit``, ``died`` or
    ``cancelled``.
    """

    heading: str | None = None
    body: str = ""
    duration_ms: float | None = None
    compile_ms: float = 0.0
    compile_wait_ms: float | None = None
    logs: list[str] | None = None
    logs_suppressed: int = 0
    worker_spent: bool = False
    end: str = ""
    stderr_told: bool = False
    toolchain_wait_ms: float = 0.0


class NeverBegan(Exception):
    """The worker ended without having read the program: another one can run it."""


class _CallsSpent(Exception):
    """The program has made all the calls it may."""


class _Clock:
    """The host's own reading of how long a program has run, parked time excluded."""

    def __init__(self) -> None:
        self._used = 0.0
        self._since: float | None = None

    def resume(self) -> None:
        self._since = time.perf_counter()

    def park(self) -> None:
        if self._since is not None:
            self._used += time.perf_counter() - self._since
            self._since = None

    @property
    def used_s(self) -> float:
        return self._used + (time.perf_counter() - self._since if self._since is not None else 0.0)


def run_program(
    worker: Worker,
    run: Run,
    limits: Limits,
    make_desk: Callable[[ArmInfo], CallDesk],
    stream: Stream,
    follower: Follower,
    cancelled: Callable[[], bool] = lambda: False,
) -> ProgramResult:
    """Run one program to its end and say what became of it; never raises for what the program or worker did."""
    result = ProgramResult()
    capture = LogCapture()
    clock = _Clock()
    began = time.perf_counter()
    started = heard = False
    try:
        waited = not worker.poll_ready()
        info = worker.hello().info
        if info.guest == "per_program":
            result.compile_wait_ms = 0.0
        ready = worker.wait_ready()
        if waited:
            _take_wait(result, (time.perf_counter() - began) * 1000, info, ready, stream)
        desk = make_desk(info)
        worker.channel.send(run)
        if info.starts_at_once:
            started = True
            clock.resume()
        while True:
            left = max(limits.timeout_s + _GRACE_S - clock.used_s, 0.0) if started else COMPILE_TIMEOUT_S
            frame = worker.channel.receive(left)
            heard = True
            if isinstance(frame, Call):
                clock.park()
                follower.follow(frame.cpu)
                if desk.spent:
                    raise _CallsSpent
                worker.channel.send(desk.answer(frame))
                clock.resume()
            elif isinstance(frame, Log):
                capture.write_records(frame.records)
            elif isinstance(frame, Started):
                started = True
                result.compile_ms = frame.compile_ms
                if info.guest == "per_program":
                    result.compile_wait_ms = frame.load_ms
                clock.resume()
            elif isinstance(frame, Done):
                _finish(result, frame, stream)
                break
            else:
                raise ProtocolError(f"{type(frame).__name__} was not due")
    except ChannelTimeout:
        clock.park()
        worker.kill()
        if started:
            _stopped(result, clock, "time_limit", wording.time_limit(limits.timeout_s))
        else:
            _toolchain_failed(result, f"it had not compiled after {COMPILE_TIMEOUT_S:g} s", stream)
    except _CallsSpent:
        worker.kill()
        _stopped(result, clock, "call_limit", wording.call_limit(MAX_CALLS_OF_PROGRAM))
    except WorkerGone as gone:
        _toolchain_failed(result, describe(gone.died), stream)
    except ArmUnavailable as error:
        _toolchain_failed(result, error.reason, stream)
    except (ChannelClosed, ProtocolError) as error:
        if isinstance(error, ChannelClosed) and error.unread and not heard and not cancelled():
            raise NeverBegan(f"{error}; {describe(worker.died())}") from None
        clock.park()
        detail = f"{error}; {describe(worker.died())}"
        if cancelled():
            _stopped(result, clock, "cancelled", wording.CANCELLED)
            stream.log("info", "session_cancelled", "the program was stopped: its session was cancelled")
        elif started:
            _stopped(result, clock, "died", wording.sandbox_died())
            stream.log("error", "worker_died", f"the worker ended while a program ran: {detail}")
        else:
            _toolchain_failed(result, detail, stream)
    result.compile_ms += result.toolchain_wait_ms
    _take_logs(result, capture)
    if result.heading == RUNTIME_ERROR and not result.stderr_told:
        result.body = _with_stderr(result.body, capture)
    return result


def _take_wait(result: ProgramResult, waited_ms: float, info: ArmInfo, ready: Ready, stream: Stream) -> None:
    """Account for the time a program waited until its worker was ready: for its toolchain, then for its guest."""
    if not info.compilers:
        if info.guest == "shared":
            result.compile_wait_ms = waited_ms
        return
    guest_ms = min(waited_ms, ready.guest_ms)
    result.toolchain_wait_ms = waited_ms - guest_ms
    if info.guest == "shared":
        result.compile_wait_ms = guest_ms
    if ready.built:
        message = "the program waited until the arm's toolchain was built"
        stream.log("warn", "toolchain_waited", message, waitedMs=result.toolchain_wait_ms)


def _finish(result: ProgramResult, done: Done, stream: Stream) -> None:
    if not all(math.isfinite(ms) and ms >= 0 for ms in (done.compile_ms, done.duration_ms or 0.0)):
        raise ProtocolError("the worker's times are no times")
    result.end = done.kind
    result.compile_ms = done.compile_ms
    result.duration_ms = done.duration_ms
    result.worker_spent = done.recycle
    result.stderr_told = done.stderr_told
    if done.facts:
        stream.log("debug", "worker_note", "noted by the worker's plugins", facts=dict(done.facts))
    if done.kind == "toolchain_failed":
        result.duration_ms = None
        _toolchain_failed(result, done.detail, stream)
        result.worker_spent = False
        return
    if done.kind == "returned":
        return
    result.heading = COMPILER_ERROR if done.kind in ("rejected", "compile_rejected") else RUNTIME_ERROR
    if done.kind == "compile_rejected":
        result.duration_ms = None
    try:
        result.body = apply_ranges(done.text, done.ranges)
    except (ValueError, OverflowError) as error:
        raise ProtocolError(f"the worker's ranges are no ranges of its text: {error}") from None
    lines, diagnostics, frames = done.dropped
    if lines or diagnostics or frames:
        message = f"{lines} lines, {diagnostics} diagnostics and {frames} frames were trimmed"
        stream.log("debug", "trimmed", message, lines=lines, diagnostics=diagnostics, frames=frames)


def _stopped(result: ProgramResult, clock: _Clock, end: str, words: str) -> None:
    result.heading, result.body, result.end = RUNTIME_ERROR, words, end
    result.duration_ms = clock.used_s * 1000
    result.worker_spent = True


def _toolchain_failed(result: ProgramResult, detail: str, stream: Stream) -> None:
    result.heading, result.body, result.end = NOTICE, wording.TOOLCHAIN_FAILED, "toolchain_failed"
    result.worker_spent = True
    stream.log("error", "toolchain_failed", f"the program was not run: {detail}", detail=detail)


def _take_logs(result: ProgramResult, capture: LogCapture) -> None:
    tail = capture.finish()
    if tail.logged:
        result.logs, result.logs_suppressed = tail.lines, tail.suppressed


def _with_stderr(body: str, capture: LogCapture) -> str:
    """Put what the program wrote to standard error under its error; whole lines, first and last, within the bound."""
    written, _ = clean(capture.stderr_ends())
    written = written.rstrip("\n")
    if not written:
        return body
    room = _MAX_BODY_BYTES - len(body.encode()) - 1
    lines = written.split("\n")
    while lines and len("\n".join(lines).encode()) > room:
        del lines[len(lines) // 2]
    return f"{body}\n" + "\n".join(lines) if lines and body else body or "\n".join(lines)
