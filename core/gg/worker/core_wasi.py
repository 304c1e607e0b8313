"""WASI preview 1 for core modules: clocks, randomness, an exit, and, for commands, output. Nothing else is there.

A guest that speaks the guest ABI writes its output through that; a WASI command, which a compiler made of one program,
writes to the descriptors 1 and 2, sleeps in ``poll_oneoff`` and ends by ``proc_exit``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Protocol

import wasmtime
from wasmtime import FuncType, Linker, Module

from gg.worker.membrane import Membrane
from gg.worker.world import World

__all__ = ["WasiGuest", "define_wasi"]

_BADF = 8
_INVAL = 28
_NOSYS = 52
_SPIPE = 70
_U32 = 0xFFFFFFFF
_MAX_RANDOM_BYTES = 1 << 20
_MAX_WRITE_BYTES = 1 << 20
_MAX_VECTORS = 1024
_SUBSCRIPTION_BYTES = 48
_EVENT_BYTES = 32
_MAX_SUBSCRIPTIONS = 256
_CHARACTER_DEVICE = 2
_RIGHTS = 0x2 | 0x40 | 0x8  # read, write, set flags
_NAME = b"program\0"
"""The one argument: what a program is called by."""
_REAL = World()
"""For what a guest asks while it is instantiated, before any program is there."""


class WasiGuest(Protocol):
    """What the functions need of the guest they serve."""

    exit_status: int | None

    @property
    def membrane(self) -> Membrane | None:
        """The running program's, or None."""
        ...

    def read(self, context: Any, pointer: int, length: int) -> bytes | None:
        """Return bytes of its memory, or None where they are not in it."""
        ...

    def write(self, context: Any, pointer: int, data: bytes) -> bool:
        """Put bytes into its memory and say whether they fit."""
        ...

    def drain(self, context: Any) -> None:
        """Send what its log ring holds, where it has one."""
        ...


def define_wasi(linker: Linker, module: Module, guest: WasiGuest, *, command: bool) -> None:
    """Define the functions of WASI that a module imports; those gg does not serve answer EBADF."""
    wasi = _Wasi(guest)
    served: dict[str, Callable[..., int | None]] = {
        "clock_time_get": wasi.clock_time_get,
        "random_get": wasi.random_get,
    }
    if command:
        served |= {
            "args_get": wasi.args_get,
            "args_sizes_get": wasi.args_sizes_get,
            "clock_res_get": wasi.clock_res_get,
            "environ_get": _nothing,
            "environ_sizes_get": wasi.environ_sizes_get,
            "fd_fdstat_get": wasi.fd_fdstat_get,
            "fd_fdstat_set_flags": _nothing,
            "fd_read": wasi.fd_read,
            "fd_seek": _no_seek,
            "fd_write": wasi.fd_write,
            "poll_oneoff": wasi.poll_oneoff,
            "sched_yield": _nothing,
        }
    for imported in module.imports:
        if imported.module != "wasi_snapshot_preview1":
            continue
        kind, name = imported.type, imported.name
        if not isinstance(kind, FuncType) or name is None:
            continue
        own = served.get(name)
        if own is not None:
            linker.define_func(imported.module, name, kind, own, access_caller=True)
        elif name == "proc_exit":
            linker.define_func(imported.module, name, kind, wasi.proc_exit)
        else:
            linker.define_func(imported.module, name, kind, _no_such_file)


class _Wasi:
    """The functions; each takes the caller first, checks what it is handed, and answers an errno."""

    def __init__(self, guest: WasiGuest) -> None:
        self._guest = guest

    def _world(self) -> World:
        membrane = self._guest.membrane
        return _REAL if membrane is None else membrane.world

    def _put(self, caller: Any, *values: tuple[int, bytes]) -> int:
        return 0 if all(self._guest.write(caller, pointer, data) for pointer, data in values) else _INVAL

    def clock_time_get(self, caller: Any, clock: int, _precision: int, out: int) -> int:
        """Answer the clocks 0 (wall) and 1 (monotonic), and 2 and 3 (processor time) by the latter; nanoseconds."""
        if clock not in (0, 1, 2, 3):
            return _INVAL
        world = self._world()
        now = world.wall_ns() if clock == 0 else world.monotonic_ns()
        return self._put(caller, (out, now.to_bytes(8, "little")))

    def clock_res_get(self, caller: Any, clock: int, out: int) -> int:
        """Answer how fine a clock is."""
        return self._put(caller, (out, (1_000).to_bytes(8, "little"))) if clock in (0, 1, 2, 3) else _INVAL

    def random_get(self, caller: Any, out: int, length: int) -> int:
        """Fill a buffer with random bytes."""
        length &= _U32
        return _INVAL if length > _MAX_RANDOM_BYTES else self._put(caller, (out, self._world().random(length)))

    def proc_exit(self, status: int) -> None:
        """Leave the guest; its status is the run's."""
        self._guest.exit_status = status & _U32
        raise wasmtime.WasmtimeError("the guest has left by proc_exit")

    # -- for commands -------------------------------------------------------------------------------------------------

    def args_sizes_get(self, caller: Any, count: int, size: int) -> int:
        """Say that there is one argument."""
        return self._put(caller, (count, (1).to_bytes(4, "little")), (size, len(_NAME).to_bytes(4, "little")))

    def args_get(self, caller: Any, pointers: int, text: int) -> int:
        """Give the name of the program."""
        return self._put(caller, (text, _NAME), (pointers, (text & _U32).to_bytes(4, "little")))

    def environ_sizes_get(self, caller: Any, count: int, size: int) -> int:
        """Say that the environment is empty."""
        return self._put(caller, (count, bytes(4)), (size, bytes(4)))

    def fd_fdstat_get(self, caller: Any, fd: int, out: int) -> int:
        """Say that the first three descriptors are terminals of a kind, and that there are no others."""
        if fd not in (0, 1, 2):
            return _BADF
        return self._put(caller, (out, struct.pack("<BxHxxxxQQ", _CHARACTER_DEVICE, 0, _RIGHTS, 0)))

    def fd_read(self, caller: Any, fd: int, _vectors: int, _count: int, out: int) -> int:
        """Read nothing: standard input is empty."""
        return self._put(caller, (out, bytes(4))) if fd == 0 else _BADF

    def fd_write(self, caller: Any, fd: int, vectors: int, count: int, out: int) -> int:
        """Write to a log."""
        if fd not in (1, 2):
            return _BADF
        head = self._guest.read(caller, vectors, 8 * min(count & _U32, _MAX_VECTORS))
        if head is None:
            return _INVAL
        parts: list[bytes] = []
        room = _MAX_WRITE_BYTES  # the rest is written by the next call, as the guest's libc knows
        for pointer, length in struct.iter_unpack("<II", head):
            part = self._guest.read(caller, pointer, min(length, room))
            if part is None:
                return _INVAL
            parts.append(part)
            room -= len(part)
        data = b"".join(parts)
        membrane = self._guest.membrane
        if membrane is not None and data:
            self._guest.drain(caller)
            membrane.write(fd, data)
        return self._put(caller, (out, len(data).to_bytes(4, "little")))

    def poll_oneoff(self, caller: Any, subscriptions: int, events: int, count: int, out: int) -> int:
        """Sleep until the first clock of these; a descriptor is ready at once."""
        count &= _U32
        if not 0 < count <= _MAX_SUBSCRIPTIONS:
            return _INVAL
        data = self._guest.read(caller, subscriptions, count * _SUBSCRIPTION_BYTES)
        if data is None:
            return _INVAL
        waits: list[tuple[float, int]] = []
        ready: list[bytes] = []
        for at in range(0, len(data), _SUBSCRIPTION_BYTES):
            user, tag = struct.unpack_from("<QB", data, at)
            if tag == 0:
                clock, timeout, _, flags = struct.unpack_from("<IxxxxQQH", data, at + 16)
                world = self._world()
                absolute = bool(flags & 1)
                now = (world.wall_ns() if clock == 0 else world.monotonic_ns()) if absolute else 0
                waits.append((max(timeout - now, 0) / 1e6, user))
            else:
                ready.append(struct.pack("<QHBxxxxxQHxxxxxx", user, 0 if tag == 2 else _BADF, tag, 1, 0))
        if not ready and waits:
            ms, user = min(waits)
            self._guest.drain(caller)
            if self._guest.membrane is not None:
                self._guest.membrane.sleep(ms)
            ready.append(struct.pack("<QHBxxxxxQHxxxxxx", user, 0, 0, 0, 0))
        assert all(len(event) == _EVENT_BYTES for event in ready)
        return self._put(caller, (events, b"".join(ready)), (out, len(ready).to_bytes(4, "little")))


def _nothing(*_: object) -> int:
    return 0


def _no_seek(*_: object) -> int:
    return _SPIPE


def _no_such_file(*_: object) -> int:
    return _BADF
