"""The wasmtime engine of a worker, and the guests it runs."""

from __future__ import annotations

import resource
from typing import Any, Protocol

import wasmtime
from wasmtime import component

from gg.types import ArmInfo, Limits, Outcome
from gg.worker.clock import ProgramClock
from gg.worker.component_guest import ComponentGuest
from gg.worker.core_guest import CoreGuest
from gg.worker.entry import native_entry
from gg.worker.membrane import Membrane

__all__ = ["ENGINE_ID", "Engine", "Guest", "compile_guest", "engine_config"]

CORE_STACK_BYTES = 2 << 20
COMPONENT_STACK_BYTES = 64 << 20
"""CPython counts a part of the stack it uses and raises RecursionError by that; the machine code around it needs much
more, and most where CPython counts nothing, as in letting go of a deep structure."""
_STACK_MARGIN_BYTES = 8 << 20
WINCH = 2
"""wasmtime's C API has this strategy; wasmtime-py's setter does not know its name."""
_SELF_TEST = '(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 1 i32.add))'
ENGINE_ID = "cranelift-epoch-3"
"""Names the configuration in `engine_config` for the cache of compiled guests: change both together."""


def engine_config(form: str) -> wasmtime.Config:
    """Return the configuration that guests of a form are compiled and run with."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.max_wasm_stack = _stack_for_components(config) if form == "component" else CORE_STACK_BYTES
    return config


def program_engine(strategy: str) -> tuple[wasmtime.Engine, str]:
    """Return an engine for programs' own modules, and the strategy it compiles with: ``winch`` or ``cranelift``.

    Winch compiles in one pass, three to twenty-five times faster. It is reached by a private name, and tried; where it
    is not there the engine compiles with Cranelift.
    """
    if strategy == "winch":
        try:
            from wasmtime import _ffi

            config = engine_config("core")
            private: Any = _ffi
            raw: Any = config
            private.wasmtime_config_strategy_set(raw.ptr(), WINCH)
            engine = wasmtime.Engine(config)
            store = wasmtime.Store(engine)
            store.set_epoch_deadline(1)
            test: Any = wasmtime.Instance(store, wasmtime.Module(engine, _SELF_TEST), []).exports(store)["f"]
            if test(store, 41) == 42:
                return engine, "winch"
        except (ImportError, AttributeError, wasmtime.WasmtimeError, wasmtime.Trap):
            pass
    config = engine_config("core")
    config.wasm_exceptions = True
    return wasmtime.Engine(config), "cranelift"


def _stack_for_components(config: wasmtime.Config) -> int:
    """Let this process's stack grow, and return how much of it a guest may use, in bytes.

    wasmtime wants more than 2 MiB announced by a setting that wasmtime-py has no public name for; without it the
    engine cannot be made.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = COMPONENT_STACK_BYTES + _STACK_MARGIN_BYTES
    if hard != resource.RLIM_INFINITY and hard < wanted:
        return CORE_STACK_BYTES
    try:
        from wasmtime import _ffi

        private: Any = _ffi
        raw: Any = config
        private.wasmtime_config_async_stack_size_set(raw.ptr(), COMPONENT_STACK_BYTES + (1 << 20))
    except (ImportError, AttributeError):
        return CORE_STACK_BYTES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    return COMPONENT_STACK_BYTES


def compile_guest(wasm: bytes, form: str) -> bytes:
    """Compile a guest to what `Engine.load` maps. Takes seconds and hundreds of MB: for the precompile process."""
    engine = wasmtime.Engine(engine_config(form))
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

    def warm_next(self) -> None:
        """Touch what the next program will touch, if the guest can; called when nothing came for a while."""
        ...


class Engine:
    """What a worker compiles with: one engine, one deadline, and the shared guest once it is loaded."""

    def __init__(self, host_fd: int, info: ArmInfo) -> None:
        self.strategy = "cranelift"
        self._wanted = info.strategy
        if info.guest == "per_program":
            self.raw, self.strategy = program_engine(info.strategy)
        else:
            self.raw, self._wanted = wasmtime.Engine(engine_config(info.guest_form)), "cranelift"
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
        if self._wanted != self.strategy:
            found.append(f"programs are compiled with {self.strategy}, not with {self._wanted}")
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

    def share_cpu(self, *, allowed: bool) -> None:
        """Say whether a program that calls again may keep this process on its CPU; when not, it may run on any."""
        if self.entry is not None:
            self.entry.share_cpu(allowed)

    def warm(self) -> None:
        """Warm the shared guest's next program up, where there is one."""
        if self._shared is not None:
            self._shared.warm_next()

    def program_guest(self, wasm: bytes | str, limits: Limits) -> Guest:
        """Compile one program's own core module (binary, or WAT as text), and instantiate it.

        A module that exports ``gg_run`` speaks the guest ABI; one that exports ``_start`` alone is a WASI command.

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
