"""The snapshot tool on small modules of its own."""

from __future__ import annotations

import pytest
import wasmtime

from gg_arms._snapshot import Initialiser, SnapshotError, snapshot

MODULE = """
(module
  (import "env" "now" (func $now (result i32)))
  (memory (export "memory") 1)
  (global $sp (mut i32) (i32.const 1024))
  (global $fixed i32 (i32.const 7))
  (data (i32.const 16) "begin")
  (func (export "setup") (param $by i32) (result i32)
    (i32.store8 (i32.const 70000) (local.get $by)) (i32.store8 (i32.const 16) (i32.const 66))
    (global.set $sp (i32.const -5)) (call $now))
  (func (export "_initialize") (drop (memory.grow (i32.const 1))))
  (func (export "get") (param i32) (result i32) (i32.load8_u (local.get 0)))
  (func (export "sp") (result i32) (i32.add (global.get $sp) (global.get $fixed))))
"""


def _take(text, initialise=lambda guest: None, **options):
    imports = {("env", "now"): lambda caller: 42}
    return snapshot(bytes(wasmtime.wat2wasm(text)), initialise, imports=imports, **options)


def _run(module):
    engine = wasmtime.Engine()
    store, compiled = wasmtime.Store(engine), wasmtime.Module(engine, module)
    linker = wasmtime.Linker(engine)
    linker.define_unknown_imports_as_traps(compiled)
    exports = linker.instantiate(store, compiled).exports(store)
    return lambda name, *arguments: exports[name](store, *arguments), [export.name for export in compiled.exports]


def test_memory_and_globals_are_kept():
    """An instance of the result begins with the memory, its size and the globals that initialisation left."""
    seen = []

    def initialise(guest: Initialiser) -> None:
        seen.append(guest.call("setup", 9))
        guest.write(100, b"hi")
        assert guest.read(16, 5) == b"Begin"

    call, names = _run(_take(MODULE, initialise, drop=["setup"]))
    assert seen == [42]
    assert names == ["memory", "get", "sp"]
    assert [call("get", at) for at in (16, 17, 100, 70000, 70001)] == [66, ord("e"), ord("h"), 9, 0]
    assert call("sp") == 2


def test_the_result_is_the_same_each_time():
    """The same module and the same initialisation give the same bytes."""
    assert _take(MODULE, lambda guest: guest.call("setup", 3)) == _take(MODULE, lambda guest: guest.call("setup", 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('(module (func (export "f")))', "memory"),
        ('(module (memory (export "memory") 1) (global i64 (i64.const 1)))', "i32 constant"),
        ('(module (memory (export "memory") 1) (data "passive"))', "data segment"),
        ('(module (import "a" "b" (global i32)) (memory (export "memory") 1))', "imports a global"),
    ],
)
def test_other_forms_are_refused(text, message):
    """A module that the tool would get wrong is refused with the reason."""
    with pytest.raises(SnapshotError, match=message):
        _take(text)


def test_what_is_no_module_is_refused():
    """Bytes that are no core module are refused."""
    with pytest.raises(SnapshotError, match="not a core"):
        snapshot(b"\0asm\x0d\0\1\0", lambda guest: None, imports={})


def test_a_failed_initialisation_is_told():
    """A trap, a missing function and an import that nobody gave are errors that name them."""
    with pytest.raises(SnapshotError, match="`nope`"):
        _take(MODULE, lambda guest: guest.call("nope"))
    with pytest.raises(SnapshotError, match="`get` trapped"):
        _take(MODULE, lambda guest: guest.call("get", -1))
    with pytest.raises(SnapshotError, match="`setup` trapped"):
        snapshot(bytes(wasmtime.wat2wasm(MODULE)), lambda guest: guest.call("setup", 1), imports={})
