"""A short seed for `random`.

componentize-py's runtime calls `random.seed()` before a program runs, so that instances of one snapshot differ. That
reads 2,496 bytes from the host, 256 at a time. Thirty-two are as good, and one call.
"""

from __future__ import annotations

import random
from _random import Random
from os import urandom

from ._own import own_builtins as __builtins__  # noqa: F401

SEED_BYTES = 32

_seed = random.seed
_seed_generator = Random.seed
_generator: Random = random._inst  # type: ignore[attr-defined]  # what the module's functions are methods of
_urandom = urandom
_integer = int.from_bytes


def seed_briefly() -> None:
    """Seed the generator behind the functions of `random`."""
    _seed_generator(_generator, _integer(_urandom(SEED_BYTES)))


def lend() -> None:
    """Put the short seeding where the runtime looks for it when the snapshot is made."""
    random.seed = seed_briefly  # type: ignore[assignment]


def give_back() -> None:
    """Put the real function back before a program can see this one."""
    random.seed = _seed
