"""The hot paths of gg in Rust: token counts, log capture, trimming by deletion.

Tokens: `count_tokens`, `load_tokens`. Text: `clean`, `clip`. Logs: `LogCapture` and its `LogTail`.
The membrane's entry points: `MembraneEntry`. Starting compilers: `start_confined`.
Trimming: `TrimRules` and its `Trimmed`, `apply_ranges`.
"""

from __future__ import annotations

from . import _gg_rust_ext
from ._gg_rust_ext import (
    LogCapture,
    LogTail,
    MembraneEntry,
    Trimmed,
    TrimRules,
    apply_ranges,
    clean,
    clip,
    count_tokens,
    load_tokens,
    start_confined,
)

__all__ = [
    "LogCapture",
    "LogTail",
    "MembraneEntry",
    "TrimRules",
    "Trimmed",
    "apply_ranges",
    "clean",
    "clip",
    "count_tokens",
    "load_tokens",
    "start_confined",
]

_ABI = 2

# An editable install runs these sources with whatever was compiled last.
if _gg_rust_ext.ABI != _ABI:
    raise ImportError(
        f"the compiled part of gg_rust_ext is stale (ABI {_gg_rust_ext.ABI}, {_ABI} is needed): "
        "reinstall it with `pip install -e rust_ext`"
    )
