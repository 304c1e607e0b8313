"""The wasmtime engine of a worker, and the guests it runs."""

from __future__ import annotations

from typing import Any, Protocol

import wasmtime
from wasmtime import component

from gg.types import ArmInfo, Limits, Outcome
from gg.worker.clock import ProgramClock
from gg.worker.component_guest import ComponentGuest
from gg.worker.core_guest import CoreGuest
from gg.worker.entry import native_entry
from gg.worker.membrane import Membrane

__all__ = ["ENGINE_ID", "MAX_WASM_STACK_BYTES", "Engine", "Guest", "compile_guest", "engine_config"]

MAX_WASM_STACK_BYTES = 1 << 20
ENGINE_ID = "cranelift-epoch-1"
"""Names the configuration in `engine_config` for the cache of compiled guests: change both together."""


def engine_config() -> wasmtime.Config:
    """Return the configuration that every guest is compiled and run with."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.max_wasm_stack = MAX_WASM_STACK_BYTES
    return config


def compile_guest(wasm: bytes, form: str) -> bytes:
    """Compile a guest to what `Engine.load` maps. Takes seconds and hundreds of MB: only the precompile process does."""
    engine = wasmtime.Engine(engine_config())
    compiled: Any = component.Component(engine, wasm) if form == "component" else wasmtime.Module(engine, wasm)
    return bytes(compiled.serialize())


class Guest(Protocol):
    """What runs programs, each in a store of its own."""

    def run(self, program: str, membrane: Membrane, limits: Limits) -> Outcome:
        """Run ``program`` in a fresh store."""
        ...

    def make_next(self, limits: Limits) -> None:
        """Instantiate the store of the next program, while the worker idles."""
        ...


class Engine:
    """What a worker compiles with: one engine, one deadline, and the shared guest once it is loaded."""

    def __init__(self, host_fd: int) -> None:
        self.raw = wasmtime.Engine(engine_config())
        self.clock = ProgramClock(self.raw)
        self.entry = native_entry(self.clock, host_fd)
        if self.entry is not None:
            self.clock.watch(self.entry)
        self._shared: Guest | None = None

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Return what works here by its slower, public way."""
        found: list[str] = []
        if self.clock.fallback:
            found.append("the deadline is a thread, not a timer")
        if self.entry is None:
            found.append("calls go through Python, not through the native entry points")
        return tuple(found)

    def load(self, info: ArmInfo, compiled_path: str) -> None:
        """Map the compiled shared guest.

        :raises wasmtime.WasmtimeError: when the file is not what this engine compiles.
        """
        if info.guest_form == "component":
            guest = component.Component.deserialize_file(self.raw, compiled_path)
            self._shared = ComponentGuest(self.raw, self.clock, guest, self.entry)
        else:
            module = wasmtime.Module.deserialize_file(self.raw, compiled_path)
            self._shared = CoreGuest(self.raw, self.clock, module, self.entry)

    def program_guest(self, wasm: bytes | str, limits: Limits) -> Guest:
        """Compile one program's own core module (binary, or WAT as text), and instantiate it.

        :raises wasmtime.WasmtimeError: when it is no valid module, or cannot be instantiated under ``limits``.
        """
        guest = CoreGuest(self.raw, self.clock, wasmtime.Module(self.raw, wasm), self.entry)
        guest.make_next(limits)
        return guest

    def shared_guest(self) -> Guest:
        """Return the arm's shared guest.

        :raises RuntimeError: when the arm declared none.
        """
        if self._shared is None:
            raise RuntimeError("this arm declares no shared guest (ArmInfo.guest_path)")
        return self._shared
