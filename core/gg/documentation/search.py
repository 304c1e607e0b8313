"""Ranked search over what an agent can look up, and the view that shows what was found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gg.documentation.entries import Entry, Kind

__all__ = ["search", "search_body"]

_GROUPS: tuple[tuple[Kind, str], ...] = (("module", "Modules:"), ("function", "Functions:"), ("type", "Types:"))
_NOWHERE = 4


def search(entries: Iterable[Entry], query: str | None, modules: Collection[str], kind: str | None) -> list[Entry]:
    """Return the entries that match, best first: a word in the name counts most, then signature, brief and detail.

    :param query: words that must all be found; None for every entry the filters let through.
    :param modules: gg's or the language's names of modules; empty for all. Case does not matter.
    :param kind: ``module``, ``function`` or ``type``; None for all.
    """
    wanted = {name.lower().removeprefix("gg.").removeprefix("gg::") for name in modules}
    words = (query or "").lower().split()
    ranked: list[tuple[int, int, Entry]] = []
    for place, entry in enumerate(entries):
        if entry.key == "core.ApiError" or (kind and entry.kind != kind) or (wanted and entry.module not in wanted):
            continue  # the error type is no answer to a search, though it can be opened
        ranks = [_rank(entry, word) for word in words]
        if _NOWHERE not in ranks:
            ranked.append((sum(ranks), place, entry))
    return [entry for _, _, entry in sorted(ranked, key=lambda one: one[:2])]


def _rank(entry: Entry, word: str) -> int:
    names = f"{entry.name} {entry.key} {entry.spelling}".lower()
    for rank, text in enumerate((names, entry.signature.lower(), entry.brief.lower(), entry.detail.lower())):
        if word in text:
            return rank
    return _NOWHERE


def search_body(
    query: str | None, modules: Sequence[str], kind: str | None, hits: Sequence[Entry], offset: int, total: int
) -> str:
    """Return the body of the search view: the question, how much of the answer it holds, and the hits by kind."""
    asked = [f'"{" ".join(query.split())}"'] if query else []
    asked += [f"modules {', '.join(modules)}"] if modules else []
    asked += [f"kind {kind}"] if kind else []
    held = f"{offset + 1} to {offset + len(hits)} of {total}" if hits else f"none of {total}"
    parts = [f"Searched for {'; '.join(asked)}: {held}."]
    for one, title in _GROUPS:
        lines = [f"- {entry.signature}: {entry.brief}" for entry in hits if entry.kind == one]
        if lines:
            parts.append("\n".join((title, *lines)))
    return "\n\n".join(parts)
