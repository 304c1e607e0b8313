"""Finding pages: by name, by words, and the nearest names of one that is not there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gg.types import DocumentationEntry

__all__ = ["MAX_NEAREST", "Catalogue", "Found"]

MAX_NEAREST = 3
_TYPO = 0.75
"""How alike two names are, of 1, for one to be a typo of the other."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\dA-Za-z]+")
_SEPARATORS = re.compile(r"::|[.:/]")
_WORD = re.compile(r"\w+")
_FIELDS = 4

Permits = Callable[[DocumentationEntry], bool]


@dataclass(frozen=True)
class Found:
    """What a name stands for: one page, or several that share the bare name."""

    entry: DocumentationEntry | None
    nearest: tuple[DocumentationEntry, ...] = ()
    ambiguous: bool = False


@dataclass(frozen=True)
class _Indexed:
    """A page as it is searched: the words of its name, signature, brief and detail, and all of its name in one."""

    entry: DocumentationEntry
    fields: tuple[frozenset[str], ...]
    squeezed: str
    place: int


class Catalogue:
    """The pages of one arm and one table, in table order."""

    def __init__(self, entries: Iterable[DocumentationEntry]) -> None:
        self.entries = tuple(entries)
        self._names: dict[str, list[DocumentationEntry]] = {}
        self._bare: dict[str, list[DocumentationEntry]] = {}
        self._indexed = [_index(place, entry) for place, entry in enumerate(self.entries)]
        for entry in self.entries:
            for name in dict.fromkeys(_qualified(entry)):
                self._names.setdefault(name, []).append(entry)
            for name in dict.fromkeys((entry.name, entry.key.rpartition(".")[2])):
                self._bare.setdefault(name, []).append(entry)

    def find(self, target: str, permits: Permits) -> Found:
        """Return the page that ``target`` names (qualified, as gg or as the language spells it, or bare).

        :param permits: which pages there are for whoever asks: the others are as good as missing.
        """
        wanted = target.strip()
        for names in (self._names, self._bare):
            held = [entry for entry in names.get(wanted, ()) if permits(entry)]
            if len(held) == 1:
                return Found(held[0])
            if held:
                return Found(None, tuple(held[:MAX_NEAREST]), ambiguous=True)
        return Found(None, self._nearest(wanted, permits))

    def search(self, query: str | None, permits: Permits) -> list[DocumentationEntry]:
        """Return the pages that match the most words of ``query``, best first; without one, all of them.

        A page is as good as the place where a word matches: its name, its signature, its brief, its detail.
        """
        held = [one for one in self._indexed if permits(one.entry)]
        words = _query_words(query or "")
        if not words:
            return [one.entry for one in held]
        scored = [(_score(one, words), one) for one in held]
        most = max((score.matched for score, _ in scored), default=0)
        if not most:
            return []
        hits = [(score.key, one.place, one.entry) for score, one in scored if score.matched == most]
        return [entry for _, _, entry in sorted(hits, key=lambda hit: hit[:2])]

    def _nearest(self, wanted: str, permits: Permits) -> tuple[DocumentationEntry, ...]:
        """Return the nearest names: those that are gg's name in another spelling, else share a stem, else a typo."""
        from difflib import SequenceMatcher  # a host that documents nothing, or misses nothing, does without it

        held = [one for one in self._indexed if permits(one.entry)]
        last = _SEPARATORS.split(wanted.removesuffix("()"))[-1]
        squeezed, parts = _squeeze(last), _parts(last)
        if not squeezed:
            return ()
        same = [one.entry for one in held if one.squeezed == squeezed]
        if same:
            return tuple(same[:MAX_NEAREST])
        near = [(-SequenceMatcher(None, squeezed, one.squeezed).ratio(), one.place, one) for one in held]
        near.sort(key=lambda hit: hit[:2])
        stem = [one.entry for _, _, one in near if _shares_stem(parts, one)]
        typo = [one.entry for unlike, _, one in near if -unlike >= _TYPO]
        return tuple((stem or typo)[:MAX_NEAREST])


@dataclass(frozen=True)
class _Score:
    """How many words matched, and how well: lower sorts first."""

    matched: int
    key: tuple[int, ...]


def _score(one: _Indexed, words: Sequence[str]) -> _Score:
    places = [_place(one, word) for word in words]
    hit = [place for place in places if place < _FIELDS]
    exact = 0 if "".join(words) == one.squeezed else 1
    return _Score(len(hit), (max(hit, default=_FIELDS), sum(hit), exact))


def _place(one: _Indexed, word: str) -> int:
    """Return the first field that has the word, or one that begins with it."""
    if word in one.squeezed:
        return 0
    for place, field in enumerate(one.fields):
        if word in field or any(other.startswith(word) for other in field):
            return place
    return _FIELDS


def _index(place: int, entry: DocumentationEntry) -> _Indexed:
    fields = (f"{entry.key} {entry.fqn}", entry.signature, entry.brief, entry.detail)
    return _Indexed(entry, tuple(_searchable(field) for field in fields), _squeeze(entry.name), place)


def _searchable(text: str) -> frozenset[str]:
    """Return a text's words, each whole and in its parts, in lower case."""
    words: set[str] = set()
    for word in _WORD.findall(text):
        words.add(_squeeze(word))
        words.update(_parts(word))
    return frozenset(words)


def _query_words(query: str) -> list[str]:
    words = [_squeeze(word) for word in _WORD.findall(query)]
    words = [word for word in dict.fromkeys(words) if word]
    return [word for word in words if len(word) > 1] or words


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _PART.findall(name)]


def _squeeze(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _shares_stem(parts: Sequence[str], one: _Indexed) -> bool:
    """Say whether a part of a name is a part of a page's, or one is the beginning of the other."""
    own = _parts(one.entry.name)
    return any(_related(part, other) for part in parts for other in own)


def _related(part: str, other: str) -> bool:
    short, long = sorted((part, other), key=len)
    return len(short) > 2 and long.startswith(short)


def _qualified(entry: DocumentationEntry) -> Iterable[str]:
    yield entry.key
    yield entry.fqn
    yield f"gg.{entry.key}"
    if entry.kind != "module":
        yield f"{entry.module}.{entry.name}"
        yield f"gg.{entry.module}.{entry.name}"
