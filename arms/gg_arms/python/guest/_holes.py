"""Fills the holes of the heap before the snapshot is taken.

Importing the library leaves thousands of small free pieces all over the heap. A program that gets them writes to a page
for each, and the first write to a page of the snapshot costs more than a microsecond. With the holes filled, what a
program allocates is side by side. The filling stays in the snapshot; it is 6 MB of zeros, never touched again.
"""

from __future__ import annotations

from typing import Any

from ._own import own_builtins as __builtins__  # noqa: F401

MOST = 1 << 16
"""Pieces that are kept; a third of them are needed."""

_BYTES_OVERHEAD = 21
"""Of a `bytes` object: its header, a NUL, and the allocator's own word."""

_kept: list[Any] = [None] * MOST


def fill() -> None:
    """Take every free piece below the end of the heap, large ones first.

    No number above 256 may be kept, and no list be made, meanwhile: the interpreter would keep what they leave for
    later use, which is one more hole each.
    """
    at = 0
    end_of_heap = id(bytes(1 << 20))
    size = 1 << 20
    while size >= 16:
        while at < MOST:
            piece = object() if size == 16 else bytes(max(size - _BYTES_OVERHEAD, 2))
            if id(piece) >= end_of_heap:
                break
            _kept[at] = piece
            at += 1
        size = size // 2 if size > 1024 else size - 8
