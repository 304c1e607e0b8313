"""Guests of the core form: a wasm module with the imports and exports of guest ABI v1.

The membrane's entry points for this form are all here. Each bounds-checks what the guest hands over and always
answers a value: an exception never crosses wasm.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

import wasmtime
from wasmtime import Func, FuncType, Linker, Memory, Module, Store, ValType

from gg.types import Limits, Outcome
from gg.worker.clock import ProgramClock
from gg.worker.entry import define_core, memory_bytes
from gg.worker.membrane import Membrane
from gg.worker.outcome import interrupted, outcome_of
from gg.worker.world import World
from gg_rust_ext import MembraneEntry

__all__ = ["ABI_VERSION", "CoreGuest"]

ABI_VERSION = 1
_RING_HEADER = 8
_ERRNO_BADF = 8
_ERRNO_INVAL = 28
_U32 = 0xFFFFFFFF
_REAL = World()
"""For what a guest asks while it is instantiated, before any program is there."""


class _Instance:
    """A store with one instance in it, good for one program."""

    def __init__(self, engine: wasmtime.Engine, pre: Any, limits: Limits) -> None:
        self.limits = limits
        self.store = Store(engine)
        self.store.set_limits(memory_size=limits.memory_bytes)
        self.store.set_epoch_deadline(1)
        instance = pre.instantiate(self.store) if hasattr(pre, "instantiate") else pre(self.store)
        exports = instance.exports(self.store)
        self.memory: Memory = exports["memory"]
        self.alloc: Func = exports["gg_alloc"]
        self.run: Func = exports["gg_run"]
        self.abi: Func = exports["gg_abi"]
        self.warm: Func | None = exports.get("gg_warm")
        self.ring: int = exports["gg_log"].value(self.store) & _U32


class CoreGuest:
    """A guest as a core module: the shared one of an arm, or one program's own."""

    def __init__(
        self, engine: wasmtime.Engine, clock: ProgramClock, module: Module, entry: MembraneEntry | None
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._entry = entry
        self._membrane: Membrane | None = None
        self._current: _Instance | None = None
        self._waiting: bytes | None = None
        self._exit_status: int | None = None
        self._abi_checked = False
        self._next: _Instance | None = None
        self._spent: _Instance | None = None
        linker = Linker(engine)
        _define_wasi(linker, module, self)
        i32, f64 = ValType.i32(), ValType.f64()
        for name, function, takes, gives in (
            ("call", self._call, [i32] * 4, [i32]),
            ("take", self._take, [i32], [i32]),
            ("log", self._log, [i32] * 2, []),
            ("report", self._report, [i32] * 2, []),
            ("sleep", self._sleep, [f64], []),
        ):
            native = {"call": entry.core_call, "take": entry.core_take}.get(name) if entry else None
            if entry is not None and native is not None:
                define_core(linker, entry, name, native, FuncType(takes, gives))
            else:
                linker.define_func("gg", name, FuncType(takes, gives), function, access_caller=True)
        self._pre = linker.instantiate_pre(module)

    def make_next(self, limits: Limits) -> None:
        """Instantiate the next program's store, and free the last one's: neither is in the way of its outcome."""
        self._spent = None
        if self._next is None or self._next.limits != limits:
            self._next = None
            self._clock.start(limits.timeout_s)  # a module's own start function runs here
            try:
                self._next = _Instance(self._engine, self._pre, limits)
                if not self._abi_checked:
                    self._check_abi(self._next)
            finally:
                self._clock.stop()

    def warm_next(self) -> None:
        """Call the guest's ``gg_warm``, once for an instance."""
        if self._next is not None and self._next.warm is not None:
            warm, self._next.warm = self._next.warm, None
            self._next.store.set_epoch_deadline(1)
            self._clock.start(self._next.limits.timeout_s)
            try:
                warm(self._next.store)
            except (wasmtime.WasmtimeError, wasmtime.Trap):
                self._next = None  # the program gets an instance that was not warmed
            finally:
                self._clock.stop()

    def _check_abi(self, instance: _Instance) -> None:
        abi = instance.abi(instance.store)
        if abi != ABI_VERSION:
            raise wasmtime.WasmtimeError(f"the guest speaks ABI {abi}, and this gg speaks ABI {ABI_VERSION}")
        self._abi_checked = True

    def run(self, program: str, membrane: Membrane, limits: Limits) -> Outcome:
        """Run ``program`` in a store of its own."""
        self.make_next(limits)
        current, self._next = self._next, None
        assert current is not None
        self._current, self._membrane, self._waiting, self._exit_status = current, membrane, None, None
        store, error = current.store, None
        if self._entry is not None:
            self._entry.begin(memory_bytes(current.memory), current.ring)
        store.set_epoch_deadline(1)  # before the timer is armed: an increment before it would be lost
        self._clock.start(limits.timeout_s)
        try:
            context, source = membrane.context.encode(), program.encode()
            # A zero behind each: guests in C read texts that end with one. The guest's own stands behind the block.
            address = self._put(current, context + b"\0" + source)
            current.run(store, address + len(context) + 1, len(source), address, len(context))
        except (wasmtime.WasmtimeError, wasmtime.Trap, wasmtime.ExitTrap) as raised:
            error = raised
        finally:
            self._clock.stop()
        self._clock.stray = self._clock.fired and not interrupted(error)
        self._drain(store)
        self._current, self._membrane, self._spent = None, None, current
        return outcome_of(membrane.report, error, limits, fired=self._clock.fired, status=self._exit_status)

    def _put(self, current: _Instance, data: bytes) -> int:
        address = int(current.alloc(current.store, len(data))) & _U32
        base, size = self._bounds(current.store)
        if not address or address + len(data) > size:
            raise wasmtime.WasmtimeError("the guest has no room for the program")
        ctypes.memmove(base + address, data, len(data))
        return address

    # -- entry points -------------------------------------------------------------------------------------------------

    def _bounds(self, context: Any) -> tuple[int, int]:
        assert self._current is not None
        memory = self._current.memory
        return ctypes.addressof(memory.data_ptr(context).contents), memory.data_len(context)

    def _read(self, context: Any, pointer: int, length: int) -> bytes | None:
        base, size = self._bounds(context)
        pointer, length = pointer & _U32, length & _U32
        return ctypes.string_at(base + pointer, length) if pointer + length <= size else None

    def _write(self, context: Any, pointer: int, data: bytes) -> bool:
        base, size = self._bounds(context)
        pointer &= _U32
        if pointer + len(data) > size:
            return False
        ctypes.memmove(base + pointer, data, len(data))
        return True

    def _drain(self, context: Any) -> None:
        if self._current is None or self._membrane is None:
            return
        base, size = self._bounds(context)
        ring = self._current.ring
        if ring + _RING_HEADER > size:
            return
        used = ctypes.c_uint32.from_address(base + ring + 4)
        count = used.value
        if count and ring + _RING_HEADER + count <= size:
            self._membrane.log(ctypes.string_at(base + ring + _RING_HEADER, count))
        used.value = 0

    def _call(self, caller: Any, request: int, length: int, out: int, capacity: int) -> int:
        try:
            self._drain(caller)
            data = self._read(caller, request, length)
            if data is None or self._membrane is None:
                return -1
            reply = self._membrane.call(data)
            payload = reply.payload
            size = len(payload)
            if size > capacity & _U32 or not self._write(caller, out, payload):
                self._waiting = payload
            return size if reply.readable else -1 - size
        except Exception:  # noqa: BLE001 - an exception must not cross wasm; a dead host ends the worker anyway
            os._exit(70)

    def _take(self, caller: Any, out: int) -> int:
        payload, self._waiting = self._waiting, None
        if payload is None or not self._write(caller, out, payload):
            return -1
        return len(payload)

    def _log(self, caller: Any, pointer: int, length: int) -> None:
        data = self._read(caller, pointer, length)
        if data and self._membrane is not None:
            self._membrane.log(data)

    def _report(self, caller: Any, pointer: int, length: int) -> None:
        self._drain(caller)
        data = self._read(caller, pointer, length)
        if data is not None and self._membrane is not None:
            self._membrane.take_report(data)
            if self._entry is not None:
                self._entry.mark_late()

    def _sleep(self, caller: Any, ms: float) -> None:
        self._drain(caller)
        if self._membrane is not None:
            self._membrane.sleep(ms)

    # -- WASI ---------------------------------------------------------------------------------------------------------

    def _world(self) -> World:
        return _REAL if self._membrane is None else self._membrane.world

    def clock_time_get(self, caller: Any, clock: int, _precision: int, out: int) -> int:
        """Answer WASI's clocks: 0 the wall clock, 1 the monotonic one; nanoseconds as u64."""
        if clock not in (0, 1):
            return _ERRNO_INVAL
        world = self._world()
        now = world.wall_ns() if clock == 0 else world.monotonic_ns()
        return 0 if self._write(caller, out, now.to_bytes(8, "little")) else _ERRNO_INVAL

    def proc_exit(self, status: int) -> None:
        """Leave the guest; its status is the run's."""
        self._exit_status = status & _U32
        raise wasmtime.WasmtimeError("the guest has left by proc_exit")

    def random_get(self, caller: Any, out: int, length: int) -> int:
        """Fill a buffer with random bytes."""
        length &= _U32
        if length > 1 << 20:
            return _ERRNO_INVAL
        return 0 if self._write(caller, out, self._world().random(length)) else _ERRNO_INVAL


def _define_wasi(linker: Linker, module: Module, guest: CoreGuest) -> None:
    """Give the guest a clock and randomness; whatever else its libc links answers that it has no such file."""
    for imported in module.imports:
        if imported.module != "wasi_snapshot_preview1":
            continue
        kind, name = imported.type, imported.name
        if not isinstance(kind, FuncType) or name is None:
            continue
        served: dict[str, Callable[..., int]] = {
            "clock_time_get": guest.clock_time_get,
            "random_get": guest.random_get,
        }
        own = served.get(name)
        if own is not None:
            linker.define_func(imported.module, name, kind, own, access_caller=True)
        elif name == "proc_exit":
            linker.define_func(imported.module, name, kind, guest.proc_exit)
        else:
            linker.define_func(imported.module, name, kind, _no_such_file)


def _no_such_file(*_: object) -> int:
    return _ERRNO_BADF
