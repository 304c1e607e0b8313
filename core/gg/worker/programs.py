"""One program in a worker: prepare, compile, run, trim. The only place that takes the time of an arm's steps."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Sequence

import msgspec

from gg.protocol import Channel, Done, ModulePrepared, PrepareModule, Run, Started, Trim, Trimmed
from gg.protocol._frames import ToWorker
from gg.types import (
    CompileRejected,
    Limits,
    Outcome,
    Prepared,
    PreparedModule,
    Program,
    ToolchainFailed,
    TrimKind,
    Trimming,
)
from gg.worker.engine import Engine
from gg.worker.membrane import Membrane
from gg.worker.plugins import Arm
from gg.worker.workspace import Preparations
from gg.worker.world import FixedWorld, World

__all__ = ["answer_trim", "prepare_module", "run_program"]

_ROLES_WITH_FRAMES = frozenset({"stack", "trap", "stderr"})


def run_program(
    channel: Channel[ToWorker], arm: Arm, engine: Engine, preparations: Preparations | None, frame: Run
) -> bool:
    """Run one program and answer `Done`.

    :param preparations: makes its workspace, for arms that declare compilers.
    :returns: whether the worker must be replaced.
    """
    with contextlib.ExitStack() as after:  # what a preparation leaves is removed when the outcome is known
        return _run(channel, arm, engine, preparations, frame, after)


def _run(
    channel: Channel[ToWorker],
    arm: Arm,
    engine: Engine,
    preparations: Preparations | None,
    frame: Run,
    after: contextlib.ExitStack,
) -> bool:
    limits = Limits(frame.timeout_s, frame.memory_bytes)
    program = Program(frame.source, frame.index)
    began = time.perf_counter()
    prepared: object = arm.kept.get(frame.keep) if frame.keep else None
    if prepared is None:
        try:
            workspace = None if preparations is None else after.enter_context(preparations.make())
            prepared = arm.hook.gg_prepare(program=program, modules=frame.modules, workspace=workspace)
        except Exception as error:  # noqa: BLE001 - an arm's defect is its toolchain's failure, never gg's
            prepared = ToolchainFailed(f"gg_prepare raised {type(error).__name__}: {error}")
        compile_ms = (time.perf_counter() - began) * 1000
        if frame.keep and isinstance(prepared, Prepared):
            arm.kept[frame.keep] = prepared
    else:
        compile_ms = 0.0
    if isinstance(prepared, CompileRejected):
        text = prepared.diagnostic
        trimming = _trim(arm, "compile", text, [], prepared.exit_status, prepared.signal)
        if trimming.band == "Notice":
            channel.send(Done("toolchain_failed", None, compile_ms, detail=_how(prepared)))
            return False
        channel.send(_done("compile_rejected", None, compile_ms, text, trimming))
        return False
    if not isinstance(prepared, Prepared):
        detail = prepared.detail if isinstance(prepared, ToolchainFailed) else _wrong("gg_prepare", prepared)
        channel.send(Done("toolchain_failed", None, compile_ms, detail=detail))
        return False
    began = time.perf_counter()
    try:
        artifact = arm.hook.gg_compile(prepared=prepared, engine=engine, limits=limits)
        if arm.info.guest_path is not None:
            engine.shared_guest().make_next(limits)
    except Exception as error:  # noqa: BLE001 - as above
        channel.send(
            Done("toolchain_failed", None, compile_ms, detail=f"gg_compile raised {type(error).__name__}: {error}")
        )
        return False
    load_ms = (time.perf_counter() - began) * 1000
    world = World() if frame.fixed is None else FixedWorld(*frame.fixed)
    context = arm.complete_context(frame.context, frame.modules, frame.load)
    membrane = Membrane(channel, engine.clock, context, world)
    engine.share_cpu(allowed=frame.share_cpu)
    membrane.facts.update(arm.facts)
    if not arm.info.starts_at_once:
        channel.send(Started(compile_ms, load_ms))
    outcome = arm.hook.gg_run(artifact=artifact, membrane=membrane, limits=limits)
    if not isinstance(outcome, Outcome):
        raise TypeError(_wrong("gg_run", outcome))
    duration_ms = engine.clock.stop() * 1000
    engine.share_cpu(allowed=False)
    if frame.unseen:
        outcome = Outcome(outcome.kind, tuple(part for part in outcome.parts if part[0] != "stack"), outcome.status)
    text, protected = _compose(outcome)
    kind: TrimKind = "compile" if outcome.kind == "rejected" else "runtime"
    trimming = _trim(arm, kind, text, protected) if text else Trimming("Runtime error")
    recycle = engine.clock.stray
    if outcome.kind == "rejected" and trimming.band == "Notice":  # nothing of the program was judged
        detail = text[-2048:].decode("utf-8", "ignore")
        channel.send(Done("toolchain_failed", None, compile_ms, detail=detail, recycle=recycle))
        return recycle
    done = _done(outcome.kind, duration_ms, compile_ms, text, trimming, outcome.status, recycle)
    told = any(role == "stderr" for role, _ in outcome.parts)
    if membrane.facts or told:
        done = msgspec.structs.replace(done, facts=membrane.facts, stderr_told=told)
    channel.send(done)
    if arm.info.guest_path is not None and not recycle:
        engine.shared_guest().make_next(limits)
    return recycle


def prepare_module(
    channel: Channel[ToWorker], arm: Arm, preparations: Preparations | None, frame: PrepareModule
) -> None:
    """Prepare the code half of a skill or memory and answer `ModulePrepared`."""
    with contextlib.ExitStack() as after:
        _prepare_module(channel, arm, preparations, frame, after)


def _prepare_module(
    channel: Channel[ToWorker],
    arm: Arm,
    preparations: Preparations | None,
    frame: PrepareModule,
    after: contextlib.ExitStack,
) -> None:
    began = time.perf_counter()
    try:
        workspace = None if preparations is None else after.enter_context(preparations.make())
        prepared = arm.hook.gg_prepare_module(module=frame.module, workspace=workspace)
    except Exception as error:  # noqa: BLE001 - an arm's defect is its toolchain's failure, never gg's
        prepared = ToolchainFailed(f"gg_prepare_module raised {type(error).__name__}: {error}")
    compile_ms = (time.perf_counter() - began) * 1000
    if prepared is None:  # the arm has no such hook
        answer = ModulePrepared("prepared", compile_ms)
    elif isinstance(prepared, PreparedModule):
        answer = ModulePrepared("prepared", compile_ms, prepared.built)
    elif isinstance(prepared, CompileRejected):
        text = prepared.diagnostic
        trimming = _trim(arm, "compile", text, [], prepared.exit_status, prepared.signal)
        if trimming.band == "Notice":
            answer = ModulePrepared("toolchain_failed", compile_ms, detail=_how(prepared))
        else:
            answer = ModulePrepared("rejected", compile_ms, text=text, ranges=trimming.ranges)
    else:
        detail = prepared.detail if isinstance(prepared, ToolchainFailed) else _wrong("gg_prepare_module", prepared)
        answer = ModulePrepared("toolchain_failed", compile_ms, detail=detail)
    channel.send(answer)


def answer_trim(channel: Channel[ToWorker], arm: Arm, frame: Trim) -> None:
    """Answer ``gg trim``."""
    trimming: Trimming = arm.hook.gg_trim(
        kind=frame.kind, text=frame.text, protected=[], exit_status=frame.exit_status, signal=frame.signal
    )
    channel.send(Trimmed(trimming.band, trimming.ranges, _dropped(trimming)))


def _compose(outcome: Outcome) -> tuple[bytes, list[tuple[int, int]]]:
    """Join an outcome's parts by newlines, and say which bytes hold no frame."""
    text, protected = bytearray(), list[tuple[int, int]]()
    for role, part in outcome.parts:
        data = (
            part.encode("utf-8", "ignore").rstrip(b"\n")
            if role in _ROLES_WITH_FRAMES
            else part.encode("utf-8", "ignore")
        )
        if text and data:
            text += b"\n"
        if role not in _ROLES_WITH_FRAMES:
            protected.append((len(text), len(text) + len(data)))
        text += data
    return bytes(text), protected


def _how(rejected: CompileRejected) -> str:
    """Say how a compiler that judged nothing ended, and the last of its words: for the operator."""
    ended = ""
    if rejected.signal is not None:
        ended = f"the compiler ended by signal {rejected.signal}; "
    elif rejected.exit_status is not None:
        ended = f"the compiler ended with status {rejected.exit_status}; "
    return ended + rejected.diagnostic[-2048:].decode("utf-8", "ignore")


def _trim(
    arm: Arm,
    kind: TrimKind,
    text: bytes,
    protected: Sequence[tuple[int, int]],
    exit_status: int | None = None,
    signal: int | None = None,
) -> Trimming:
    trimming = arm.hook.gg_trim(kind=kind, text=text, protected=protected, exit_status=exit_status, signal=signal)
    if not isinstance(trimming, Trimming):
        raise TypeError(_wrong("gg_trim", trimming))
    if not _in_order(trimming.ranges, len(text)):
        print(f"gg_trim answered ranges that are not ascending ranges of its {len(text)} bytes", file=sys.stderr)
        return Trimming(trimming.band, ((0, len(text)),))
    return trimming


def _in_order(ranges: Sequence[tuple[int, int]], size: int) -> bool:
    last = 0
    for start, end in ranges:
        if not last <= start <= end <= size:
            return False
        last = end
    return True


def _dropped(trimming: Trimming) -> tuple[int, int, int]:
    return trimming.dropped_lines, trimming.dropped_diagnostics, trimming.dropped_frames


def _done(
    kind: str,
    duration_ms: float | None,
    compile_ms: float,
    text: bytes,
    trimming: Trimming,
    status: int | None = None,
    recycle: bool = False,
) -> Done:
    dropped = _dropped(trimming)
    return Done(kind, duration_ms, compile_ms, text, trimming.ranges, dropped, status, "", recycle)  # type: ignore[arg-type]


def _wrong(hook: str, value: object) -> str:
    return f"{hook} answered {type(value).__name__}"
