"""The ``docs`` module: searching the documentation of what the agent may call, and closing its views."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gg import wording
from gg.documentation.desk import KINDS, Documentation, Page, Question
from gg.documentation.prose import one_line
from gg.operations.context import CallContext
from gg.operations.table import Arguments, Int64, Operation, OperationFailure, Record, TargetText
from gg.window.views import ViewRefused

__all__ = ["DOCS_OPERATIONS", "MAX_HITS", "page_of"]

MAX_HITS = 100
_HITS = 20
_MOST_ECHOED = 80


class _Search(Arguments, frozen=True):
    query: str | None = None
    modules: list[str] | None = None
    kind: str | None = None
    offset: Int64 | None = None
    limit: Int64 | None = None


class _Close(Arguments, frozen=True):
    key: TargetText


class _CloseAll(Arguments, frozen=True):
    pass


class _Hit(Record, frozen=True):
    key: Annotated[str, msgspec.Meta(description="What opens and closes its documentation view.")]
    kind: Literal["module", "function", "type"]
    module: str
    name: str
    summary: str


class _Results(Record, frozen=True):
    total: Annotated[int, msgspec.Meta(description="How many hits there are.")]
    offset: int
    hits: list[_Hit]


def page_of(context: CallContext, target: str) -> Page:
    """Return the page that a program's target names.

    :raises OperationFailure: ``invalid-argument`` for a name that is blank or several things'; ``not-found`` with the
        nearest names of those the agent may see, indented under the message (messages page, error messages).
    """
    if not target.strip():
        raise OperationFailure("invalid-argument", f"{context.arg('target')} is empty")
    desk = _desk(context)
    found = desk.find(target)
    if found.entry is not None:
        return desk.page(found.entry)
    nearest = [entry.fqn for entry in found.nearest]
    echoed = one_line(target)[:_MOST_ECHOED].replace("`", "'")
    if found.ambiguous:
        several = " and ".join(f"`{name}`" for name in nearest)
        raise OperationFailure("invalid-argument", f"`{echoed}` may be {several}")
    raise OperationFailure("not-found", wording.nothing_documented(echoed, nearest))


def _search(context: CallContext, arguments: _Search) -> _Results:
    question = Question(arguments.query, tuple(arguments.modules or ()), arguments.kind)
    offset = 0 if arguments.offset is None else arguments.offset
    limit = _HITS if arguments.limit is None else min(arguments.limit, MAX_HITS)
    _check(context, question, offset, limit)
    desk = _desk(context)
    found = desk.search(question)
    hits = found[offset : offset + limit]
    try:
        context.views.open_search(desk.results(question, hits, len(found), offset))
    except ViewRefused as error:
        raise OperationFailure(error.code, str(error)) from None
    return _Results(len(found), offset, [_Hit(one.key, one.kind, one.module, one.name, one.brief) for one in hits])


def _check(context: CallContext, question: Question, offset: int, limit: int) -> None:
    if question.kind is not None and question.kind not in KINDS:
        kind = one_line(question.kind)[:_MOST_ECHOED]
        raise OperationFailure("invalid-argument", f"{context.arg('kind')} is {kind!r}, and a kind is {_or(KINDS)}")
    if not (question.query and question.query.strip()) and not question.modules and question.kind is None:
        given = ", ".join(context.arg(name) for name in ("query", "modules"))
        raise OperationFailure("invalid-argument", f"there is neither {given} nor {context.arg('kind')} to search by")
    if offset < 0:
        raise OperationFailure("invalid-argument", f"{context.arg('offset')} is {offset}, and the first hit is 0")
    if limit < 1:
        raise OperationFailure("invalid-argument", f"{context.arg('limit')} is {limit}, and must be 1 or more")


def _close(context: CallContext, arguments: _Close) -> int:
    if not arguments.key.strip():
        raise OperationFailure("invalid-argument", f"{context.arg('key')} is empty")
    found = _desk(context).find(arguments.key)
    meant = found.nearest if found.ambiguous else filter(None, [found.entry])
    return sum(context.views.close_docs(entry.key) for entry in meant)


def _close_all(context: CallContext, _arguments: _CloseAll) -> int:
    return context.views.close_docs(None)


def _desk(context: CallContext) -> Documentation:
    if context.documentation is None:
        raise OperationFailure("unavailable", "there is no documentation here")
    return context.documentation


def _or(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


DOCS_OPERATIONS = (
    Operation(
        "docs.search",
        _Search,
        _search,
        _Results,
        "Search the documentation of what you may call, and show yourself the hits.",
        "A hit is as good as the place where a word of the query stands: name, signature, summary, rest. "
        "Without a query everything in `modules`, or of the `kind`, is listed. The view `search results` is in your "
        "context from the next turn on.",
        docs=(
            ("query", "Words to look for."),
            ("modules", "Only in these modules."),
            ("kind", "Only of this kind: `module`, `function` or `type`."),
            ("offset", "How many hits to pass over."),
            ("limit", "How many hits to show, at most 100; 20 when left out."),
        ),
        errors=(("invalid-argument", "There is nothing to search by, no such kind, or the limit is below 1."),),
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "docs.close",
        _Close,
        _close,
        int,
        "Close the documentation view of a function, a type or a module, and return how many were closed.",
        docs=(("key", "The key of a hit, a name, or the bound thing itself."),),
        errors=(("invalid-argument", "The key is empty."),),
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "docs.close_all",
        _CloseAll,
        _close_all,
        int,
        "Close all documentation views and return how many were closed.",
        backed=False,
        outlives_deadline=True,
    ),
)
