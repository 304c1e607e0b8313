"""Guests of the component form: `wit/gg.wit`, guest ABI v1.

The membrane's entry points for this form are all here; each catches everything and always answers a value.
"""

from __future__ import annotations

import os
from typing import Any

import wasmtime
from wasmtime import Store, component

from gg.types import Limits, Outcome
from gg.worker.clock import ProgramClock
from gg.worker.component_wasi import define_wasi
from gg.worker.entry import define_component_call
from gg.worker.membrane import Membrane
from gg.worker.outcome import interrupted, outcome_of
from gg.worker.world import World
from gg_rust_ext import MembraneEntry

__all__ = ["ComponentGuest"]

ABI_VERSION = 1
HOST_INTERFACE = "gg:guest/host@1.0.0"
_REAL = World()


class _Instance:
    """A store with one instance in it, good for one program."""

    def __init__(
        self, engine: wasmtime.Engine, linker: component.Linker, guest: component.Component, limits: Limits
    ) -> None:
        self.limits = limits
        self.store = Store(engine)
        self.store.set_limits(memory_size=limits.memory_bytes)
        self.store.set_epoch_deadline(1)
        instance: Any = linker.instantiate(self.store, guest)
        self.entry: Any = instance.get_func(self.store, "run")
        self.abi: Any = instance.get_func(self.store, "abi")
        if self.entry is None:
            raise RuntimeError("the guest exports no `run`")


class ComponentGuest:
    """A guest as a component."""

    def __init__(
        self, engine: wasmtime.Engine, clock: ProgramClock, guest: component.Component, entry: MembraneEntry | None
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._component = guest
        self._entry = entry
        self._membrane: Membrane | None = None
        self._next: _Instance | None = None
        self._spent: _Instance | None = None
        self._abi_checked = False
        self._linker = component.Linker(engine)
        with self._linker.root() as root, root.add_instance(HOST_INTERFACE) as host:
            if entry is not None:
                define_component_call(host, entry)
            else:
                host.add_func("call", self._call)
            host.add_func("log", self._log)
            host.add_func("report", self._report)
            host.add_func("sleep", self._sleep)
        define_wasi(self._linker, guest, engine, self._world)

    def make_next(self, limits: Limits) -> None:
        """Instantiate the next program's store, and free the last one's: neither is in the way of its outcome."""
        self._spent = None
        if self._next is None or self._next.limits != limits:
            self._next = None
            self._clock.start(limits.timeout_s)  # a module's own start function runs here
            try:
                self._next = _Instance(self._engine, self._linker, self._component, limits)
                if not self._abi_checked:
                    self._check_abi()
            finally:
                self._clock.stop()

    def warm_next(self) -> None:
        """Do nothing: a component that was entered is not as it was."""

    def _check_abi(self) -> None:
        """Check the version once, on an instance of its own: a component that was entered is not as it was."""
        instance = _Instance(self._engine, self._linker, self._component, Limits())
        version = instance.abi(instance.store) if instance.abi is not None else None
        if version != ABI_VERSION:
            raise wasmtime.WasmtimeError(f"the guest speaks ABI {version}, and this gg speaks ABI {ABI_VERSION}")
        self._abi_checked = True

    def run(self, program: str, membrane: Membrane, limits: Limits) -> Outcome:
        """Run ``program`` in a store of its own."""
        self.make_next(limits)
        current, self._next = self._next, None
        assert current is not None
        self._membrane, error = membrane, None
        if self._entry is not None:
            self._entry.begin()
        current.store.set_epoch_deadline(1)  # before the timer is armed: an increment before it would be lost
        self._clock.start(limits.timeout_s)
        try:
            current.entry(current.store, program, membrane.context)
        except (wasmtime.WasmtimeError, wasmtime.Trap, wasmtime.ExitTrap) as raised:
            error = raised
        finally:
            self._clock.stop()
        self._clock.stray = self._clock.fired and not interrupted(error)
        self._membrane, self._spent = None, current
        return outcome_of(membrane.report, error, limits, fired=self._clock.fired)

    # -- entry points -------------------------------------------------------------------------------------------------

    def _call(self, _store: Any, request: str) -> str:
        try:
            assert self._membrane is not None
            return self._membrane.call(request.encode()).payload.decode()
        except Exception:  # noqa: BLE001 - an exception must not cross wasm; a dead host ends the worker anyway
            os._exit(70)

    def _world(self) -> World:
        return _REAL if self._membrane is None else self._membrane.world

    def _log(self, _store: Any, stream: int, text: str) -> None:
        if self._membrane is not None:
            data = text.encode()
            self._membrane.log(bytes((stream & 0xFF,)) + len(data).to_bytes(4, "little") + data)

    def _report(self, _store: Any, report: str) -> None:
        if self._membrane is not None:
            self._membrane.take_report(report.encode())
            if self._entry is not None:
                self._entry.mark_late()

    def _sleep(self, _store: Any, ms: float) -> None:
        if self._membrane is not None:
            self._membrane.sleep(ms)
