"""The program library: the source of every program a session's model submitted, by the id of its receipt."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gg.errors import UsageError
from gg.record.tape import NO_TAPE, Tape

__all__ = ["Entry", "Library"]

_LETTERS = string.ascii_lowercase + string.digits
_ID_LENGTH = 4
_MOST_IDS = len(_LETTERS) ** _ID_LENGTH // 2
"""Past half of all ids, drawing one that is free takes several tries; ids get a letter longer then."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission: ``source`` is the program that did its work; ``error`` the body the model read, if it failed."""

    id: str
    turn: int
    source: str
    ok: bool
    error: str | None = None


class Library:
    """A session's programs, oldest first.

    :param keep: how many of the newest are kept; None keeps all.
    :param seed: what its ids follow from; None draws them at random.
    :raises UsageError: when ``keep`` is no positive number.
    """

    def __init__(self, keep: int | None = None, seed: int | None = None) -> None:
        given: Any = keep
        if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
            raise UsageError(f"a library keeps 1 program or more, or all of them (None), not {given!r}")
        self._keep = keep
        self._random: random.Random = random.SystemRandom() if seed is None else random.Random(f"ids {seed}")
        self._entries: dict[str, Entry] = {}
        self._issued: set[str] = set()

    def mint(self, tape: Tape = NO_TAPE) -> str:
        """Return an id that this session has not seen, not even on a program that is no longer kept."""
        id = tape.fact("minted", self._draw, "")
        self._issued.add(id)
        return id

    def _draw(self) -> str:
        length = _ID_LENGTH + (len(self._issued) >= _MOST_IDS)
        while True:
            id = "".join(self._random.choice(_LETTERS) for _ in range(length))
            if id not in self._issued and id != "ok":
                return id

    def add(self, entry: Entry) -> None:
        """Keep a submission that has run; the oldest goes where there are more than may be kept."""
        self._entries[entry.id] = entry
        if self._keep is not None:
            while len(self._entries) > self._keep:
                del self._entries[next(iter(self._entries))]

    def get(self, id: str) -> Entry | None:
        """Return the entry of an id, where it is kept."""
        return self._entries.get(id)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
