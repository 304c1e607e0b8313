"""Trimming of what the model reads of a failure: the sandbox's own lines, and from a rule table to a `Trimming`.

The classes of a rule table are those of `gg_rust_ext.TrimRules`, which applies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from gg.types import Trimming
from gg_rust_ext import TrimRules

__all__ = ["SANDBOX_RULES", "Band", "Rule", "is_trap", "trim"]

Rule: TypeAlias = tuple[str, str]
Band: TypeAlias = Literal["Compiler error", "Runtime error", "Notice", "clean"]

SANDBOX_RULES: Final[tuple[Rule, ...]] = (
    ("frame_header", r"^error while executing at wasm backtrace:$"),
    ("foreign_frame", r"^ *\d+: +(?:0x[0-9a-f]+ - \S|(?:<\w+>|[\w.-]+)![^=\s])"),
    # Where debug information is read, a frame has its place below it, and the functions inlined into it.
    ("frame_more", r"^(?: {20}at [^()]*:\d+$| {16}- )"),
    ("drop", r"^note: using the `WASMTIME_BACKTRACE_DETAILS=1` environment variable"),
    ("keep", r"^Caused by:$"),
    ("keep", r"^ *(?:\d+: )?(?:wasm trap|memory fault at wasm address)\b"),
)
"""Lines of wasmtime's errors, for arms whose programs are no frames of the guest.

They come first in a table: an arm's own rules may be wider.
"""

_TRAP_MARKS: Final = (b"wasm trap: ", b"error while executing at wasm backtrace:")


def is_trap(text: bytes) -> bool:
    """Return whether ``text`` is, or ends in, the sandbox's own account of a guest that broke."""
    return any(mark in text for mark in _TRAP_MARKS)


def trim(rules: TrimRules, band: Band, text: bytes, protected: Sequence[tuple[int, int]] = ()) -> Trimming:
    """Trim ``text`` by ``rules``. Nothing is read of what is ``clean``, so nothing of it is kept or counted."""
    if band == "clean":
        return Trimming(band)
    trimmed = rules.trim(text, protected)
    return Trimming(
        band=band,
        ranges=tuple(trimmed.ranges),
        dropped_lines=trimmed.dropped_lines,
        dropped_diagnostics=trimmed.dropped_diagnostics,
        dropped_frames=trimmed.dropped_frames,
    )
