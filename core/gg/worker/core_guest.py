"""Guests of the core form: a wasm module with the imports and exports of guest ABI v1.

The membrane's entry points for this form are all here. Each bounds-checks what the guest hands over and always
answers a value: an exception never crosses wasm.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import wasmtime
from wasmtime import Func, FuncType, Linker, Memory, Module, Store, ValType

from gg.types import Limits, Outcome
from gg.worker.clock import ProgramClock
from gg.worker.core_wasi import define_wasi
from gg.worker.entry import define_core, memory_bytes
from gg.worker.membrane import Membrane
from gg.worker.outcome import interrupted, outcome_of
from gg_rust_ext import MembraneEntry

__all__ = ["ABI_VERSION", "CoreGuest"]

ABI_VERSION = 1
_RING_HEADER = 8
_NO_RING = 0xFFFFFFF0
"""Lies past any memory, so that nothing is read there."""
_U32 = 0xFFFFFFFF


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
        self.command: Func | None = None if exports.get("gg_run") else exports["_start"]
        self.abi: Func | None = exports.get("gg_abi") if self.command else exports["gg_abi"]
        self.warm: Func | None = exports.get("gg_warm")
        ring: wasmtime.Global | None = exports.get("gg_log") if self.command else exports["gg_log"]
        self.ring: int = _NO_RING if ring is None else ring.value(self.store) & _U32
        if self.command is None:
            self.alloc: Func = exports["gg_alloc"]
            self.run: Func = exports["gg_run"]


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
        self.exit_status: int | None = None
        self._abi_checked = False
        self._next: _Instance | None = None
        self._spent: _Instance | None = None
        linker = Linker(engine)
        exports = {exported.name for exported in module.exports}
        self._is_command = "gg_run" not in exports and "_start" in exports
        define_wasi(linker, module, self, command=self._is_command)
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
        abi = instance.abi(instance.store) if instance.abi is not None else ABI_VERSION
        if abi != ABI_VERSION:
            raise wasmtime.WasmtimeError(f"the guest speaks ABI {abi}, and this gg speaks ABI {ABI_VERSION}")
        self._abi_checked = True

    @property
    def membrane(self) -> Membrane | None:
        """Return the running program's, or None."""
        return self._membrane

    def run(self, program: str, membrane: Membrane, limits: Limits) -> Outcome:
        """Run ``program`` in a store of its own; a command is the program itself."""
        self.make_next(limits)
        current, self._next = self._next, None
        assert current is not None
        self._current, self._membrane, self._waiting, self.exit_status = current, membrane, None, None
        store, error = current.store, None
        if self._entry is not None:
            self._entry.begin(memory_bytes(current.memory), current.ring)
        store.set_epoch_deadline(1)  # before the timer is armed: an increment before it would be lost
        self._clock.start(limits.timeout_s)
        try:
            if current.command is not None:
                current.command(store)
            else:
                context, source = membrane.context.encode(), program.encode()
                # A zero behind each: guests in C read texts that end with one. The guest's own is behind the block.
                address = self._put(current, context + b"\0" + source)
                current.run(store, address + len(context) + 1, len(source), address, len(context))
        except (wasmtime.WasmtimeError, wasmtime.Trap, wasmtime.ExitTrap) as raised:
            error = raised
        finally:
            self._clock.stop()
        self._clock.stray = self._clock.fired and not interrupted(error)
        self.drain(store)
        self._current, self._membrane, self._spent = None, None, current
        return outcome_of(membrane.report, error, limits, fired=self._clock.fired, status=self.exit_status)

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

    def read(self, context: Any, pointer: int, length: int) -> bytes | None:
        """Return bytes of the guest's memory, or None where they are not in it."""
        base, size = self._bounds(context)
        pointer, length = pointer & _U32, length & _U32
        return ctypes.string_at(base + pointer, length) if pointer + length <= size else None

    def write(self, context: Any, pointer: int, data: bytes) -> bool:
        """Put bytes into the guest's memory and say whether they fit."""
        base, size = self._bounds(context)
        pointer &= _U32
        if pointer + len(data) > size:
            return False
        ctypes.memmove(base + pointer, data, len(data))
        return True

    def drain(self, context: Any) -> None:
        """Send what the log ring holds to the host."""
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
            self.drain(caller)
            data = self.read(caller, request, length)
            if data is None or self._membrane is None:
                return -1
            reply = self._membrane.call(data)
            payload = reply.payload
            size = len(payload)
            if size > capacity & _U32 or not self.write(caller, out, payload):
                self._waiting = payload
            return size if reply.readable else -1 - size
        except Exception:  # noqa: BLE001 - an exception must not cross wasm; a dead host ends the worker anyway
            os._exit(70)

    def _take(self, caller: Any, out: int) -> int:
        payload, self._waiting = self._waiting, None
        if payload is None or not self.write(caller, out, payload):
            return -1
        return len(payload)

    def _log(self, caller: Any, pointer: int, length: int) -> None:
        data = self.read(caller, pointer, length)
        if data and self._membrane is not None:
            self._membrane.log(data)

    def _report(self, caller: Any, pointer: int, length: int) -> None:
        self.drain(caller)
        data = self.read(caller, pointer, length)
        if data is not None and self._membrane is not None:
            self._membrane.take_report(data)
            if self._entry is not None:
                self._entry.mark_late()

    def _sleep(self, caller: Any, ms: float) -> None:
        self.drain(caller)
        if self._membrane is not None:
            self._membrane.sleep(ms)
