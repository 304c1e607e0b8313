"""The instance's first growth of its memory, made before the program runs.

Between the snapshot and a program the runtime takes a page of its own after the C library's. The library's next growth
therefore does not continue its last one, and when it then gets a part of what it wants and no more, it gives that part
back by a call that its own `sbrk` answers with `abort`: the sandbox would trap where Python has a `MemoryError`. A
growth that succeeds makes all later ones continuous.
"""

from __future__ import annotations

import io

from ._own import own_builtins as __builtins__  # noqa: F401

FIRST_GROWTH_BYTES = (2 << 20) - (128 << 10)
"""More than the library has left at the end of the snapshot, and less than it gives back at once (2 MiB): giving back
and taking again costs 0.7 ms."""

_Reader = io.BufferedReader


class _Raw(io.RawIOBase):
    """Something to be read; nobody does."""

    def readable(self) -> bool:
        return True


_raw = _Raw()


def grow_once() -> None:
    """Take memory and give it back, without touching it: a reader's buffer is not filled when it is made."""
    try:
        _Reader(_raw, FIRST_GROWTH_BYTES).detach()
    except MemoryError:
        pass  # the program will find out
