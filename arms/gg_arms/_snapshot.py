"""Snapshot of a core WebAssembly module after its initialisation.

A guest that has set itself up once (an interpreter with its standard library loaded) is written back as a module whose
data segments and globals hold that state, so that each later instance starts there. This is what `wizer` does; this
tool needs nothing but wasmtime. It handles what a C compiler for WASI emits: one memory of its own, globals that start
as `i32.const`, and active data segments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

import wasmtime

__all__ = ["Initialiser", "SnapshotError", "snapshot"]

_MEMORY, _GLOBAL, _EXPORT, _START, _DATA, _DATA_COUNT = 5, 6, 7, 8, 11, 12
_IMPORT = 2
_I32, _I32_CONST, _END = 0x7F, 0x41, 0x0B
_WASM_PAGE = 65536
_GRAIN = 4096
"""Bytes: a run of this many zeros, aligned, separates two data segments. It is a page of the host."""
_PRIVATE = "__snapshot_global_"


class SnapshotError(Exception):
    """The module has a form that this tool does not handle, or its initialisation failed."""


class _Section(NamedTuple):
    id: int
    body: bytes


class _Global(NamedTuple):
    type: int
    mutable: int


class Initialiser:
    """The running instance, handed to the function that initialises it."""

    def __init__(self, store: wasmtime.Store, exports: Any) -> None:
        self._store = store
        self._exports = exports

    def call(self, name: str, *arguments: int) -> int | None:
        """Call the exported function `name`.

        :raises SnapshotError: it is not exported, or it trapped.
        """
        function = self._exports.get(name)
        if not isinstance(function, wasmtime.Func):
            raise SnapshotError(f"the module exports no function `{name}`")
        try:
            result = function(self._store, *arguments)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            raise SnapshotError(f"`{name}` trapped: {error}") from error
        return result if isinstance(result, int) else None

    def memory(self) -> wasmtime.Memory:
        """The instance's memory."""
        memory = self._exports.get("memory")
        if not isinstance(memory, wasmtime.Memory):
            raise SnapshotError("the module exports no memory called `memory`")
        return memory

    def read(self, address: int, length: int) -> bytes:
        """Copy `length` bytes of the memory from `address`."""
        return bytes(self.memory().read(self._store, address, address + length))

    def write(self, address: int, data: bytes) -> None:
        """Copy `data` into the memory at `address`."""
        self.memory().write(self._store, data, address)

    def global_value(self, name: str) -> int:
        """The value of the exported global `name`."""
        exported = self._exports.get(name)
        if not isinstance(exported, wasmtime.Global):
            raise SnapshotError(f"the module exports no global `{name}`")
        return int(exported.value(self._store))


def snapshot(
    module: bytes,
    initialise: Callable[[Initialiser], None],
    *,
    imports: Mapping[tuple[str, str], Callable[..., int | None]],
    drop: Collection[str] = (),
) -> bytes:
    """Run a module's initialisation and return the module that begins where it ended.

    :param module: the bytes of a core module.
    :param initialise: called once with the instance, after its `_initialize` export has run where there is one.
    :param imports: (module, name) of each function import that may be called meanwhile; any other traps.
        They decide whether the result is the same each time: give a fixed clock and fixed randomness.
    :param drop: names of exports that the result no longer has; `_initialize` is always dropped.
    :raises SnapshotError: the module is of another form, or its initialisation failed.
    """
    sections = list(_sections(module))
    bodies = {section.id: section.body for section in sections if section.id}
    _check_data(bodies.get(_DATA, b"\0"))
    globals_ = _globals(bodies.get(_GLOBAL, b"\0"))
    exports = bodies.get(_EXPORT, b"\0")
    imported_globals = _imported_globals(bodies.get(_IMPORT, b"\0"))
    if imported_globals:
        raise SnapshotError("the module imports a global")
    observed = _assemble(
        module[:8], [_Section(s.id, _with_globals(exports, len(globals_))) if s.id == _EXPORT else s for s in sections]
    )
    memory, values = _run(observed, initialise, imports, len(globals_))
    segments = _segments(memory)
    replaced = {
        _MEMORY: _memory_section(bodies[_MEMORY], len(memory)),
        _GLOBAL: _uleb(len(globals_))
        + b"".join(
            bytes([g.type, g.mutable, _I32_CONST]) + _sleb(_signed(v)) + bytes([_END])
            for g, v in zip(globals_, values, strict=True)
        ),
        _EXPORT: _without(exports, {*drop, "_initialize"}),
        _DATA: _uleb(len(segments))
        + b"".join(
            b"\0" + bytes([_I32_CONST]) + _sleb(_signed(start)) + bytes([_END]) + _uleb(end - start) + memory[start:end]
            for start, end in segments
        ),
        _DATA_COUNT: _uleb(len(segments)),
    }
    return _assemble(module[:8], [_Section(s.id, replaced.get(s.id, s.body)) for s in sections if s.id != _START])


def _run(
    module: bytes,
    initialise: Callable[[Initialiser], None],
    imports: Mapping[tuple[str, str], Callable[..., int | None]],
    global_count: int,
) -> tuple[bytes, list[int]]:
    """The memory and the globals' values after initialisation."""
    engine = wasmtime.Engine()
    compiled = wasmtime.Module(engine, module)
    store = wasmtime.Store(engine)
    linker = wasmtime.Linker(engine)
    for needed in compiled.imports:
        function = imports.get((needed.module, needed.name or ""))
        if function is not None and isinstance(needed.type, wasmtime.FuncType):
            linker.define_func(needed.module, needed.name or "", needed.type, function, access_caller=True)
    linker.define_unknown_imports_as_traps(compiled)
    running = Initialiser(store, linker.instantiate(store, compiled).exports(store))
    if any(export.name == "_initialize" for export in compiled.exports):
        running.call("_initialize")
    initialise(running)
    size = running.memory().data_len(store)
    return running.read(0, size), [running.global_value(f"{_PRIVATE}{index}") for index in range(global_count)]


def _sections(module: bytes) -> Iterator[_Section]:
    if module[:8] != b"\0asm\x01\0\0\0":
        raise SnapshotError("this is not a core WebAssembly module")
    at = 8
    while at < len(module):
        section = module[at]
        length, at = _read_uleb(module, at + 1)
        yield _Section(section, module[at : at + length])
        at += length


def _assemble(header: bytes, sections: list[_Section]) -> bytes:
    return header + b"".join(bytes([section.id]) + _uleb(len(section.body)) + section.body for section in sections)


def _globals(body: bytes) -> list[_Global]:
    count, at = _read_uleb(body, 0)
    found: list[_Global] = []
    for _ in range(count):
        kind, mutable, opcode = body[at], body[at + 1], body[at + 2]
        if kind != _I32 or opcode != _I32_CONST:
            raise SnapshotError("a global does not start as an i32 constant")
        _, at = _read_uleb(body, at + 3)  # a signed number has the same extent
        if body[at] != _END:
            raise SnapshotError("a global's initial value is no single constant")
        at += 1
        found.append(_Global(kind, mutable))
    return found


def _imported_globals(body: bytes) -> int:
    count, at = _read_uleb(body, 0)
    for _ in range(count):
        for _name in range(2):
            length, at = _read_uleb(body, at)
            at += length
        if body[at] != 0:
            return 1
        _, at = _read_uleb(body, at + 1)
    return 0


def _check_data(body: bytes) -> None:
    count, at = _read_uleb(body, 0)
    for _ in range(count):
        if body[at] != 0 or body[at + 1] != _I32_CONST:
            raise SnapshotError("a data segment is not an active one at a constant address")
        _, at = _read_uleb(body, at + 2)
        length, at = _read_uleb(body, at + 1)
        at += length


def _with_globals(body: bytes, count: int) -> bytes:
    """The export section with every global exported under a private name."""
    exported, at = _read_uleb(body, 0)
    names = [f"{_PRIVATE}{index}".encode() for index in range(count)]
    return (
        _uleb(exported + count)
        + body[at:]
        + b"".join(_uleb(len(n)) + n + b"\x03" + _uleb(i) for i, n in enumerate(names))
    )


def _without(body: bytes, names: Collection[str]) -> bytes:
    """The export section without the given names."""
    count, at = _read_uleb(body, 0)
    kept: list[bytes] = []
    for _ in range(count):
        start = at
        length, at = _read_uleb(body, at)
        name = body[at : at + length].decode()
        _, at = _read_uleb(body, at + length + 1)
        if name not in names:
            kept.append(body[start:at])
    return _uleb(len(kept)) + b"".join(kept)


def _memory_section(body: bytes, size: int) -> bytes:
    count, at = _read_uleb(body, 0)
    if count != 1:
        raise SnapshotError("the module does not have exactly one memory")
    flags, at = _read_uleb(body, at)
    _, at = _read_uleb(body, at)
    return _uleb(1) + _uleb(flags) + _uleb(size // _WASM_PAGE) + body[at:]


def _segments(memory: bytes) -> list[tuple[int, int]]:
    """(start, end) of the parts of the memory that are not zero."""
    zeros = bytes(_GRAIN)
    found: list[tuple[int, int]] = []
    start: int | None = None
    for at in range(0, len(memory) + 1, _GRAIN):
        empty = at >= len(memory) or memory[at : at + _GRAIN] == zeros
        if not empty and start is None:
            start = at
        elif empty and start is not None:
            found.append((start, start + len(memory[start:at].rstrip(b"\0"))))
            start = None
    return found


def _signed(value: int) -> int:
    """An i32 as a signed number."""
    return value - (1 << 32) if value >= 1 << 31 else value


def _read_uleb(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return result, at


def _uleb(value: int) -> bytes:
    out = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def _sleb(value: int) -> bytes:
    out = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        if value == (-1 if byte & 0x40 else 0):
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)
