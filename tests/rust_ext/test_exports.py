"""The facade of the extension."""

from __future__ import annotations

import subprocess
import sys

import gg_rust_ext
from gg_rust_ext import _gg_rust_ext

STALE = """
import sys, types
compiled = types.ModuleType("gg_rust_ext._gg_rust_ext")
compiled.ABI = 0
for name in {names!r}:
    setattr(compiled, name, None)
sys.modules["gg_rust_ext._gg_rust_ext"] = compiled
import gg_rust_ext
"""


def test_all_is_sorted_and_is_what_the_compiled_part_has() -> None:
    """The facade exports all of the compiled part but its ABI number, in order."""
    assert gg_rust_ext.__all__ == sorted(gg_rust_ext.__all__)
    assert {*gg_rust_ext.__all__, "ABI"} == {name for name in dir(_gg_rust_ext) if not name.startswith("_")}


def test_a_stale_compiled_part_says_so_on_import() -> None:
    """Python sources that meet an older compiled part end the import with one sentence that says what to do."""
    code = STALE.format(names=gg_rust_ext.__all__)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ImportError: the compiled part of gg_rust_ext is stale (ABI 0, ")
