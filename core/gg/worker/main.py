"""A worker's life: load one arm, be confined, load the guest, then serve one program at a time."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import socket
import sys
import time
from typing import Any, NoReturn

import msgspec
import wasmtime

from gg.errors import PluginLoadError, ProtocolError
from gg.protocol import (
    PROTOCOL_VERSION,
    Channel,
    ChannelClosed,
    Document,
    Hello,
    PrepareModule,
    Ready,
    Run,
    Surface,
    Trim,
    Unavailable,
)
from gg.protocol._frames import ToWorker
from gg.types import ArmInfo
from gg.warden.messages import GuestFailed, NeedGuest, NeedToolchain, Spawn, ToolchainLacking
from gg.worker.engine import CORE_STACK_BYTES, Engine
from gg.worker.plugins import Arm, load_arm
from gg.worker.programs import answer_trim, prepare_module, run_program
from gg.worker.starting import Surroundings, confine
from gg.worker.toolchain import WardenLink
from gg.worker.workspace import Preparations

__all__ = ["serve", "toolchain_key"]

_IDLE_S = 0.001
"""A worker to which nothing has come for so long warms its next program up; a busy one loses no time with it."""


def serve(host: socket.socket, warden: socket.socket, spawn: Spawn, where: Surroundings) -> None:
    """Serve ``host`` until it closes. Called in a process of its own, which ends afterwards."""
    channel: Channel[ToWorker] = Channel(host, ToWorker)
    link = WardenLink(warden)
    os.chdir(where.private_folder)
    try:
        arm = load_arm(spawn.arm, spawn.plugins, where.settings)
    except PluginLoadError as error:
        _refuse(channel, str(error), load_error=True)
    troubles = list(arm.hook.gg_doctor() or [])
    if arm.info.guest_path is not None and not os.path.isfile(arm.info.guest_path):
        troubles.append(f"its guest is not built ({os.path.basename(arm.info.guest_path)})")
    if troubles:
        _refuse(channel, "; ".join(troubles), load_error=False, info=arm.info)
    link.declare(arm.info.compilers)
    confinement, reason = confine(spawn, where, arm.info)
    if confinement == "none" and arm.info.compiles:
        why = f'it compiles, and this machine cannot confine that ({reason}); confinement="off" runs it all the same'
        _refuse(channel, why, load_error=False, info=arm.info)
    channel.send(Hello(PROTOCOL_VERSION, arm.info, confinement, reason))
    if not spawn.guest:
        link.seal()
        channel.send(Ready())
        _programs(channel, arm, None, None)
        return
    if spawn.surface:
        surface = channel.receive()
        if isinstance(surface, Surface):
            add_operations(arm, surface)
    preparations, built, toolchain_ms = _toolchain(channel, link, arm, spawn, where)
    began = time.perf_counter()
    engine = Engine(host.fileno(), arm.info)
    if arm.info.guest_form == "core":
        arm.add_context(stack=CORE_STACK_BYTES)
    if arm.info.guest_path is not None:
        _load_guest(channel, link, engine, arm.info)
        # A guest that these limits do not let start is told of when a program asks for it.
        with contextlib.suppress(wasmtime.WasmtimeError):
            engine.shared_guest().make_next(spawn.limits)
    link.seal()
    guest_ms = (time.perf_counter() - began) * 1000
    channel.send(Ready(engine.fallbacks, engine.strategy, toolchain_ms, guest_ms, built))
    _programs(channel, arm, engine, preparations)


def _toolchain(
    channel: Channel[Any], link: WardenLink, arm: Arm, spawn: Spawn, where: Surroundings
) -> tuple[Preparations | None, bool, float]:
    """See to it that the arm's toolchain is built, and warm it up; return what makes workspaces, and how it went."""
    if not arm.info.compilers:
        return None, False, 0.0
    began = time.perf_counter()
    built = False
    preparations = Preparations(link, where.private_folder)
    if arm.info.toolchain:
        operations = ""
        if arm.added:
            operations = "operations.msgpack"
            with open(os.path.join(where.private_folder, operations), "wb") as file:
                file.write(msgspec.msgpack.encode(arm.added))
        answer = link.need_toolchain(NeedToolchain(toolchain_key(arm.info, spawn.operations), operations))
        if isinstance(answer, ToolchainLacking):
            _refuse(channel, f"its toolchain could not be built: {answer.detail}", load_error=False, info=arm.info)
        built, preparations.toolchain = answer.built, answer.path
    try:
        arm.hook.gg_warm_up(workspace=preparations.make("warm-up"))
    except Exception as error:  # noqa: BLE001 - an arm's defect: its programs run, more slowly
        arm.facts["warm_up"] = f"gg_warm_up raised {type(error).__name__}: {error}"
    return preparations, built, (time.perf_counter() - began) * 1000


def toolchain_key(info: ArmInfo, operations: str) -> str:
    """Return the key of an arm's built toolchain: what it says of itself, the SDK's operations, and gg's version."""
    parts = "\0".join((info.toolchain, operations, importlib.metadata.version("gg-core")))
    return f"{info.id}-{hashlib.sha256(parts.encode()).hexdigest()[:24]}"


def _programs(channel: Channel[ToWorker], arm: Arm, engine: Engine | None, preparations: Preparations | None) -> None:
    while True:
        if engine is not None and arm.info.guest_path is not None and not channel.readable(_IDLE_S):
            engine.warm()
        try:
            frame = channel.receive()
        except ChannelClosed:
            return
        except ProtocolError as error:
            print(error, file=sys.stderr)
            raise SystemExit(71) from None
        if isinstance(frame, Run) and engine is not None:
            if run_program(channel, arm, engine, preparations, frame):
                return  # a timer may still fire in this process: the next program gets another one
        elif isinstance(frame, PrepareModule):
            prepare_module(channel, arm, preparations, frame)
        elif isinstance(frame, Trim):
            answer_trim(channel, arm, frame)
        elif isinstance(frame, Document):
            channel.send(arm.document(frame.operations))
        elif isinstance(frame, Surface):
            add_operations(arm, frame)


def add_operations(arm: Arm, frame: Surface) -> None:
    """Have the arm take in operations that plugins added."""
    try:
        arm.add_operations(frame.operations)
    except Exception as error:  # noqa: BLE001 - an arm's defect: its programs run, without these operations
        arm.facts["sdk"] = f"gg_render_sdk raised {type(error).__name__}: {error}"


def _load_guest(channel: Channel[Any], link: WardenLink, engine: Engine, info: ArmInfo) -> None:
    assert info.guest_path is not None
    answer = link.need_guest(NeedGuest(info.guest_path, info.guest_form))
    if isinstance(answer, GuestFailed):
        _refuse(channel, f"its guest could not be compiled: {answer.detail}", load_error=False, info=info)
    engine.load(info, answer.path)


def _refuse(channel: Channel[Any], reason: str, *, load_error: bool, info: ArmInfo | None = None) -> NoReturn:
    channel.send(Unavailable(reason, load_error, info))
    raise SystemExit(0)
