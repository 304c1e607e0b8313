"""Fills the holes of the heap before the snapshot is taken.

Importing the library leaves thousands of small free pieces all over the heap. What gets them lies on a page each, and
the first write to a page of the snapshot costs more than a microsecond. With the holes filled, what is allocated next
is side by side: the code that runs every program, and then what a program itself makes. The filling stays in the
snapshot; it is some MB of zeros that nothing touches again.
"""

from __future__ import annotations

import gc
from typing import Any

from ._own import own_builtins as __builtins__  # noqa: F401

MOST = 1 << 16
"""Pieces that are kept; a third of them are needed."""

_LARGEST = 1 << 22
_BYTES_OVERHEAD = 21
"""Of a `bytes` object: its header, a NUL, and the allocator's own word."""

_kept: list[Any] = [None] * MOST


def fill() -> None:
    """Collect what is garbage, then take every free piece below the end of the heap, large ones first.

    No number above 256 may be kept, and no list be made, meanwhile: the interpreter would keep what they leave for
    later use, which is one more hole each.
    """
    gc.collect()
    gc.collect()  # the first one's finalisers leave something in the interpreter's own stores
    at = _kept.index(None)
    end_of_heap = id(bytes(_LARGEST))  # no hole is as large
    size = _LARGEST
    while size >= 16:
        while at < MOST:
            piece = object() if size == 16 else bytes(max(size - _BYTES_OVERHEAD, 2))
            if id(piece) >= end_of_heap:
                break
            _kept[at] = piece
            at += 1
        size = size // 2 if size > 1024 else size - 8
