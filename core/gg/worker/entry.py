"""The seam between wasmtime and the membrane's native entry points (`gg_rust_ext.MembraneEntry`).

The private names of wasmtime-py that gg uses are all here. Where one is missing, `native_entry` answers None, the
guests fall back to the public API (their Python entry points), and the stream says so.
"""

from __future__ import annotations

import ctypes
from typing import Any

from wasmtime import FuncType, Linker, Memory

from gg.deadline import EpochTimer
from gg.worker.clock import ProgramClock
from gg_rust_ext import MembraneEntry

__all__ = ["define_component_call", "define_core", "memory_bytes", "native_entry"]

_COMPONENT_STRING = 12


def native_entry(clock: ProgramClock, fd: int) -> MembraneEntry | None:
    """Return native entry points over the worker's socket, or None where wasmtime's library hides what they need."""
    if not isinstance(clock.timer, EpochTimer):
        return None
    try:
        from wasmtime import _bindings, _ffi

        ffi: Any = _ffi
        library: Any = ffi.dll
        bindings: Any = _bindings
        if ctypes.sizeof(bindings.wasmtime_memory_t) > 32 or ctypes.sizeof(bindings.wasmtime_val_raw_t) != 16:
            return None
        value: Any = bindings.wasmtime_component_val
        if value.of.offset != 8 or ffi.WASMTIME_COMPONENT_STRING.value != _COMPONENT_STRING:
            return None

        def address(name: str) -> int:
            return int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0)

        return MembraneEntry(
            fd=fd,
            timer=clock.timer.address,
            caller_context=address("wasmtime_caller_context"),
            memory_data=address("wasmtime_memory_data"),
            memory_data_size=address("wasmtime_memory_data_size"),
            byte_vec_new=address("wasm_byte_vec_new"),
            string_kind=_COMPONENT_STRING,
        )
    except (ImportError, AttributeError):
        return None


def memory_bytes(memory: Memory) -> bytes:
    """Return a memory as the C API holds it."""
    raw: Any = memory
    return bytes(raw._memory)


def define_core(linker: Linker, entry: MembraneEntry, name: str, address: int, type: FuncType) -> None:
    """Define ``gg.<name>`` of a core module as a native function."""
    from wasmtime import WasmtimeError, _bindings

    bindings: Any = _bindings
    function = bindings._wasmtime_linker_define_func_unchecked
    raw_linker: Any = linker
    raw_type: Any = type
    error = function(
        raw_linker.ptr(), b"gg", 2, name.encode(), len(name), raw_type.ptr(),
        ctypes.cast(address, bindings.wasmtime_func_unchecked_callback_t), entry.environment,
        _no_finalizer(function.argtypes[8]),
    )  # fmt: skip
    if error:
        raw_error: Any = WasmtimeError
        raise raw_error._from_ptr(error)


def define_component_call(instance: Any, entry: MembraneEntry) -> None:
    """Define ``call`` of a component's host interface as a native function."""
    from wasmtime import WasmtimeError, _bindings

    bindings: Any = _bindings
    function = bindings._wasmtime_component_linker_instance_add_func
    error = function(
        instance.ptr(), b"call", 4,
        ctypes.cast(entry.component_call, bindings.wasmtime_component_func_callback_t), entry.environment,
        _no_finalizer(function.argtypes[5]),
    )  # fmt: skip
    if error:
        raw_error: Any = WasmtimeError
        raise raw_error._from_ptr(error)


def _no_finalizer(kind: Any) -> Any:
    nothing: Any = None
    return ctypes.cast(nothing, kind)
