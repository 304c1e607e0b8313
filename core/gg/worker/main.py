"""A worker's life: load one arm, be confined, load the guest, then serve one program at a time."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import msgspec
import wasmtime

from gg.errors import PluginLoadError, ProtocolError
from gg.protocol import (
    PROTOCOL_VERSION,
    Channel,
    ChannelClosed,
    Document,
    Hello,
    Ready,
    Run,
    Surface,
    Trim,
    Unavailable,
)
from gg.protocol._frames import ToWorker
from gg.types import ArmInfo
from gg.warden.messages import MAX_PACKET_BYTES, GuestFailed, GuestReady, NeedGuest, Spawn
from gg.worker.engine import CORE_STACK_BYTES, Engine
from gg.worker.plugins import Arm, load_arm
from gg.worker.programs import answer_trim, run_program

__all__ = ["Surroundings", "serve"]

_IDLE_S = 0.001
"""A worker to which nothing has come for so long warms its next program up; a busy one loses no time with it."""


@dataclass(frozen=True)
class Surroundings:
    """Where a worker lives: its private folder, the folders of compiled guests, and whether hooks are traced."""

    private_folder: str
    guest_folders: Sequence[str]
    trace_hooks: bool


def serve(host: socket.socket, warden: socket.socket, spawn: Spawn, where: Surroundings) -> None:
    """Serve ``host`` until it closes. Called in a process of its own, which ends afterwards."""
    channel: Channel[ToWorker] = Channel(host, ToWorker)
    os.chdir(where.private_folder)
    try:
        arm = load_arm(spawn.arm, spawn.plugins, where.trace_hooks)
    except PluginLoadError as error:
        _refuse(channel, str(error), load_error=True)
    troubles = list(arm.hook.gg_doctor() or [])
    if arm.info.guest_path is not None and not os.path.isfile(arm.info.guest_path):
        troubles.append(f"its guest is not built ({os.path.basename(arm.info.guest_path)})")
    if troubles:
        _refuse(channel, "; ".join(troubles), load_error=False, info=arm.info)
    confinement, reason = _confine(spawn, where, arm.info)
    if confinement == "none" and arm.info.compiles:
        why = f'it compiles, and this machine cannot confine that ({reason}); confinement="off" runs it all the same'
        _refuse(channel, why, load_error=False, info=arm.info)
    channel.send(Hello(PROTOCOL_VERSION, arm.info, confinement, reason))
    engine = Engine(host.fileno(), arm.info.guest_form)
    if arm.info.guest_form == "core":
        arm.add_context(stack=CORE_STACK_BYTES)
    if arm.info.guest_path is not None and spawn.guest:
        _load_guest(channel, warden, engine, arm.info)
        # A guest that these limits do not let start is told of when a program asks for it.
        with contextlib.suppress(wasmtime.WasmtimeError):
            engine.shared_guest().make_next(spawn.limits)
    channel.send(Ready(engine.fallbacks))
    _programs(channel, arm, engine)


def _programs(channel: Channel[ToWorker], arm: Arm, engine: Engine) -> None:
    while True:
        if arm.info.guest_path is not None and not channel.readable(_IDLE_S):
            engine.warm()
        try:
            frame = channel.receive()
        except ChannelClosed:
            return
        except ProtocolError as error:
            print(error, file=sys.stderr)
            raise SystemExit(71) from None
        if isinstance(frame, Run):
            if run_program(channel, arm, engine, frame):
                return  # a timer may still fire in this process: the next program gets another one
        elif isinstance(frame, Trim):
            answer_trim(channel, arm, frame)
        elif isinstance(frame, Document):
            channel.send(arm.document(frame.operations))
        elif isinstance(frame, Surface):
            try:
                arm.add_operations(frame.operations)
            except Exception as error:  # noqa: BLE001 - an arm's defect: its programs run, without these operations
                arm.facts["sdk"] = f"gg_render_sdk raised {type(error).__name__}: {error}"


def _confine(spawn: Spawn, where: Surroundings, info: ArmInfo) -> tuple[Literal["full", "none", "off"], str | None]:
    from gg.confinement import ConfinementUnavailable, apply, canary, prepare, worker_profile

    if spawn.confinement == "off":
        return "off", "confinement is switched off"
    guest = () if info.guest_path is None else (os.path.dirname(info.guest_path),)
    roots = [path for path in sys.path if os.path.isdir(path)]
    profile = worker_profile(where.private_folder, (*where.guest_folders, *guest, *roots), spawn.limits.memory_bytes)
    try:
        apply(prepare(profile))
    except ConfinementUnavailable as error:
        with contextlib.suppress(ConfinementUnavailable):  # what is left of it: seccomp and the limits
            apply(prepare(profile, without_landlock=True))
        return "none", str(error)
    canary(profile)
    return "full", None


def _load_guest(channel: Channel[Any], warden: socket.socket, engine: Engine, info: ArmInfo) -> None:
    assert info.guest_path is not None
    warden.send(msgspec.msgpack.encode(NeedGuest(info.guest_path, info.guest_form)))
    data = warden.recv(MAX_PACKET_BYTES)
    if not data:
        raise SystemExit(0)  # the warden is gone, and with it all that it started
    answer = msgspec.msgpack.decode(data, type=GuestReady | GuestFailed)
    if isinstance(answer, GuestFailed):
        _refuse(channel, f"its guest could not be compiled: {answer.detail}", load_error=False, info=info)
    engine.load(info, answer.path)


def _refuse(channel: Channel[Any], reason: str, *, load_error: bool, info: ArmInfo | None = None) -> NoReturn:
    channel.send(Unavailable(reason, load_error, info))
    raise SystemExit(0)
