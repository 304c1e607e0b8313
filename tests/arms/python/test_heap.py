"""The heap a program starts with: what it allocates is side by side, and the machinery around it is warm."""

from __future__ import annotations

import pytest
from guest_harness import Guest, Run

PIECES = 400


def printed(run: Run) -> str:
    """Return what a program wrote."""
    return "".join(text for _, text in run.logs)


@pytest.mark.parametrize("size", [0, 40, 200, 900])
def test_small_pieces_lie_side_by_side(guest: Guest, size: int) -> None:
    """Pieces of one size, which no free list of the interpreter's serves, touch hardly more pages than they fill."""
    run = guest.run(
        f"kept = [None] * {PIECES}\n"
        f"for at in range({PIECES}): kept[at] = bytes({size}) if {size} else object()\n"
        "print(len({id(piece) >> 12 for piece in kept}))\n"
    )
    pages = int(printed(run))
    assert pages <= PIECES * (size + 24) // 4096 + 16


def test_the_programs_own_seed_is_the_librarys(guest: Guest) -> None:
    """The short seeding before a program is gone when the program runs."""
    assert printed(guest.run("import random\nrandom.seed(7)\nprint(random.random())")) == "0.32383276483316237\n"
