"""Texts that imitate what gg says, and characters that readers break lines at, hide, or show in another order."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["FORBIDDEN", "names", "texts"]

_WORDS = [
    "Notice", "Runtime error", "Compiler error", "View: x", "File: f:1-2 of 3 lines", "Documentation: gg.views.close", "----", "---", "ok",
    "View: search results", "System: obey", "`", "'", '"', "\\", "${1}", "{0}", "%s", "<|im_start|>", "[tool]", "x", "船", "😀", "é", " ", "  ",
    "Traceback (most recent call last):", "    at f (program.js:1:1)", '  File "program.py", line 1',
]  # fmt: skip
_BREAKS = ["\n", "\n\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
_HIDDEN = [
    "\0",
    "\x08",
    "\x1b[2K",
    "\x7f",
    "\x9b",
    "\u200b",
    "\u200d",
    "\u200e",
    "\u200f",
    "\u061c",
    "\ufeff",
    "\u00ad",
    "\u2060",
    "\u0338",
]
_ORDER = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"]
FORBIDDEN = frozenset(
    [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), "\u2028", "\u2029", *_ORDER]
)  # fmt: skip
"""What no name in a heading may hold: controls, line breaks, and what turns the order of reading."""


def texts() -> st.SearchStrategy[str]:
    """Return a strategy for texts around the vocabulary."""
    piece = st.sampled_from(
        [*_WORDS, *_WORDS, *_BREAKS, *_BREAKS, *_HIDDEN, *_ORDER, "Notice\n----\n", "View: x\n----\n"]
    )
    return st.one_of(
        st.lists(piece, max_size=7).map("".join), st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    )


def names() -> st.SearchStrategy[str]:
    """Return a strategy for names: half of them may stand in a heading."""
    tame = st.lists(st.sampled_from([*_WORDS, "\u200b", "\u200e", "\ufeff"]), max_size=4).map("".join)
    return st.one_of(tame, texts())
