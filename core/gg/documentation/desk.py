"""What one agent may see of the documentation: its pages, by the same predicate that gates its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gg.documentation.catalogue import Catalogue, Found
from gg.documentation.pages import CORE
from gg.documentation.prose import one_line, safe_page
from gg.operations.gate import Gate
from gg.operations.table import OperationTable
from gg.types import DocumentationEntry

__all__ = ["KINDS", "Documentation", "Page", "Question"]

KINDS = ("module", "function", "type")
_TITLES = {"module": "Modules:", "function": "Functions:", "type": "Types:"}
_MOST_QUESTION = 200


@dataclass(frozen=True)
class Question:
    """What is searched for. ``modules`` and ``kind`` narrow it down; without a query they list everything."""

    query: str | None = None
    modules: tuple[str, ...] = ()
    kind: str | None = None


@dataclass(frozen=True)
class Page:
    """A page as it is shown: its heading's name and its body."""

    key: str
    name: str
    body: str


class Documentation:
    """One agent's documentation.

    :param load: returns the pages of the agent's language; called when something is first looked up, and not before.
    """

    def __init__(self, table: OperationTable, gate: Gate, load: Callable[[], Catalogue]) -> None:
        self._table = table
        self._gate = gate
        self._load = load

    # -- what operations ask ------------------------------------------------------------------------------------------

    def find(self, target: str) -> Found:
        """Return the page that a name stands for, or the nearest names, of those the agent may see."""
        return self._load().find(target, self._permits)

    def search(self, question: Question) -> list[DocumentationEntry]:
        """Return the pages that answer a question, best first."""
        modules = frozenset(name.strip().lower() for name in question.modules)

        def permits(entry: DocumentationEntry) -> bool:
            if question.kind is not None and entry.kind != question.kind:
                return False
            if modules and not modules & self._module_names(entry):
                return False
            return self._permits(entry) and not (entry.kind == "type" and not entry.operations)

        return self._load().search(question.query, permits)

    def page(self, entry: DocumentationEntry) -> Page:
        """Return a page as it is shown to this agent: of a module its functions, of a type who uses it."""
        body = entry.body
        if entry.kind == "module":
            for kind in ("function", "type"):
                body += _listed(_TITLES[kind], [one for one in self._held(kind) if one.module == entry.module])
        elif entry.kind == "type" and entry.operations:
            users = [one for one in self._held("function") if one.key in entry.operations]
            body += _listed("Used by:", users)
        return Page(entry.key, entry.fqn, safe_page(body))

    @staticmethod
    def results(question: Question, hits: Sequence[DocumentationEntry], total: int, offset: int) -> str:
        """Return the body of the search view: the question, how much of the answer this is, and the hits by kind."""
        words = one_line(question.query or "")[:_MOST_QUESTION]
        asked = f'"{words}"' if words else "everything"
        if question.modules:
            asked += " in " + ", ".join(one_line(name) for name in question.modules)[:_MOST_QUESTION]
        if question.kind is not None:
            asked += f" of kind {question.kind}"
        if hits:
            extent = f"{offset + 1} to {offset + len(hits)} of {total}"
        else:
            extent = f"nothing from {offset + 1} on: there are {total}" if total else "nothing matches"
        body = f"Searched for {asked}: {extent}."
        for kind in KINDS:
            body += _listed(_TITLES[kind], [one for one in hits if one.kind == kind])
        return safe_page(body)

    # -- the gate -----------------------------------------------------------------------------------------------------

    def _permits(self, entry: DocumentationEntry) -> bool:
        if entry.kind == "module":
            return entry.module == CORE or any(
                row.module == entry.module and self._gate.permits(row) for row in self._table
            )
        if not entry.operations:
            return True  # of no operation: the error type, which every program can meet
        rows = (self._table.get(id) for id in entry.operations)
        return any(row is not None and self._gate.permits(row) for row in rows)

    def _held(self, kind: str) -> list[DocumentationEntry]:
        return [one for one in self._load().entries if one.kind == kind and self._permits(one)]

    @staticmethod
    def _module_names(entry: DocumentationEntry) -> frozenset[str]:
        path = entry.fqn if entry.kind == "module" else entry.fqn[: -len(entry.name)].rstrip(".:")
        return frozenset({entry.module.lower(), path.lower(), f"gg.{entry.module}".lower()})


def _listed(title: str, entries: Iterable[DocumentationEntry]) -> str:
    lines = [f"  {one.fqn}: {one.brief}" for one in entries]
    return "\n\n" + "\n".join([title, *lines]) if lines else ""
