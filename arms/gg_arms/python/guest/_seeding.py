"""A short seed for `random`.

componentize-py's runtime calls `random.seed()` before a program runs, so that instances of one snapshot differ. That
reads 2,496 bytes from the host, 256 at a time. Thirty-two are as good, and one call.
"""

from __future__ import annotations

import random
from os import urandom

from ._own import own_builtins as __builtins__  # noqa: F401

SEED_BYTES = 32

_seed = random.seed
_urandom = urandom


def _seed_briefly() -> None:
    _seed(int.from_bytes(_urandom(SEED_BYTES)))


def lend() -> None:
    """Put the short seeding where the runtime looks for it when the snapshot is made."""
    random.seed = _seed_briefly  # type: ignore[assignment]


def give_back() -> None:
    """Put the real function back before a program can see this one."""
    random.seed = _seed
