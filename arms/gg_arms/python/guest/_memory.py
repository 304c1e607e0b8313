"""The instance's first growth of its memory, made before the program runs.

Between the snapshot and a program the runtime takes a page of its own after the C library's. The library's next growth
therefore does not continue its last one, and when it then gets a part of what it wants and no more, it gives that part
back by a call that its own `sbrk` answers with `abort`: the sandbox would trap where Python has a `MemoryError`. A
growth that succeeds makes all later ones continuous.
"""

from __future__ import annotations

from collections.abc import Iterator

from ._own import own_builtins as __builtins__  # noqa: F401

FIRST_GROWTH_BYTES = (2 << 20) - (128 << 10)
"""More than the library has left at the end of the snapshot, and less than it gives back at once (2 MiB): giving back
and taking again costs 0.7 ms."""

_POINTER_BYTES = 4
_nothing: Iterator[None] = iter(())
_list = list


class _Claim:
    """An iterable that announces a length and is empty: a list makes room for it and writes to none of that."""

    __slots__ = ("length",)

    def __init__(self, length: int) -> None:
        self.length = length

    def __iter__(self) -> Iterator[None]:
        return _nothing

    def __length_hint__(self) -> int:
        return self.length


_first_growth = _Claim(FIRST_GROWTH_BYTES // _POINTER_BYTES)
_little = _Claim(100)


def grow_once() -> None:
    """Take memory and give it back, without touching it."""
    try:
        _list(_first_growth)
    except MemoryError:
        pass  # the program will find out


def rehearse() -> None:
    """Do as `grow_once` does, with a length that needs no growth: for the warm-up."""
    _list(_little)
