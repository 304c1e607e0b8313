"""What a name means, and what it nearly means (messages page, error messages: the second fact that is composed in)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from gg.documentation.entries import Entry

__all__ = ["nearest", "resolve"]

MOST_NEAREST = 3
_CLOSE_ENOUGH = 0.7


def resolve(entries: Iterable[Entry], name: str) -> list[Entry]:
    """Return the entries that a name means: one for a full name in gg's or the language's spelling.

    A bare name may mean several.
    """
    wanted = name.strip()
    bare: list[Entry] = []
    for entry in entries:
        last = entry.key.rpartition(".")[2]
        if wanted in (entry.key, f"gg.{entry.key}", entry.spelling, _behind_gg(entry.spelling)):
            return [entry]
        if wanted in (entry.name, last):
            bare.append(entry)
    return bare


def nearest(entries: Iterable[Entry], name: str) -> list[str]:
    """Return at most three names that are near one which means nothing, of the nearest kind alone.

    The same name written otherwise comes before one it is a part of, and that before a slip of the pen.
    """
    all_entries = list(entries)
    wanted, last = _plain(name), _plain(re.split(r"[.:/]+", name.strip())[-1])
    if not last:
        return []
    same = [e for e in all_entries if wanted in (_plain(e.key), _plain(e.spelling)) or last == _plain(e.name)]
    stem = [e for e in all_entries if len(last) >= 3 and (last in _plain(e.name) or _plain(e.name) in last)]
    names = {_plain(entry.name): entry for entry in reversed(all_entries)}
    slips = [names[found] for found in difflib.get_close_matches(last, names, MOST_NEAREST, _CLOSE_ENOUGH)]
    for tier in (same, stem, slips):
        if tier:
            return [entry.spelling for entry in tier[:MOST_NEAREST]]
    return []


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _behind_gg(spelling: str) -> str:
    return re.sub(r"^gg[.:]+", "", spelling)
