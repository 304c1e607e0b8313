"""The ``docs`` module, and the view of a page: how a model finds out what it may call."""

from __future__ import annotations

from gg.documentation import Entry
from gg.documentation.names import nearest, resolve
from gg.documentation.search import search, search_body
from gg.operations.context import CallContext
from gg.operations.table import Arguments, Int64, Operation, OperationFailure, Record
from gg_rust_ext import clip

__all__ = ["DOCS_OPERATIONS", "OPEN_DOCS_VIEW"]

KINDS = ("module", "function", "type")
DEFAULT_PAGE = 20
LARGEST_PAGE = 100


class _Search(Arguments, frozen=True):
    query: str | None = None
    modules: list[str] | None = None
    kind: str | None = None
    offset: Int64 | None = None
    limit: Int64 | None = None


class _Hit(Record, frozen=True):
    key: str
    kind: str
    module: str
    name: str
    summary: str


class _Found(Record, frozen=True):
    total: int
    offset: int
    hits: list[_Hit]


class _Close(Arguments, frozen=True):
    key: str


class _CloseAll(Arguments, frozen=True):
    pass


class _Open(Arguments, frozen=True):
    target: str


def _search(context: CallContext, arguments: _Search) -> _Found:
    query = arguments.query if arguments.query and arguments.query.strip() else None
    modules, kind = arguments.modules or [], arguments.kind
    if query is None and not modules and kind is None:
        names = ", ".join(context.arg(name) for name in ("query", "modules", "kind"))
        raise OperationFailure("invalid-argument", f"one of {names} is needed")
    if kind is not None and kind not in KINDS:
        raise OperationFailure(
            "invalid-argument", f"{context.arg('kind')} is {clip(kind, 64)!r}, not one of {', '.join(KINDS)}"
        )
    offset = _number(context, "offset", arguments.offset, 0, 0)
    limit = min(_number(context, "limit", arguments.limit, DEFAULT_PAGE, 1), LARGEST_PAGE)
    found = search(context.catalogue(), query, modules, kind)
    page = found[offset : offset + limit]
    asked = [clip(" ".join(name.split()), 64) for name in modules[:LARGEST_PAGE]]
    body = search_body(clip(query, 1024) if query else None, asked, kind, page, offset, len(found))
    context.views.open_search(body)
    hits = [_Hit(entry.key, entry.kind, entry.module, entry.name, entry.brief) for entry in page]
    return _Found(len(found), offset, hits)


def _number(context: CallContext, name: str, value: int | None, default: int, least: int) -> int:
    if value is None:
        return default
    if value < least:
        raise OperationFailure("invalid-argument", f"{context.arg(name)} is {value}, and must be {least} or more")
    return value


def _entry(context: CallContext, argument: str, name: str) -> Entry:
    """Return the entry a name means, or fail with the nearest names this agent binds."""
    if not name.strip():
        raise OperationFailure("invalid-argument", f"{context.arg(argument)} is empty")
    found = resolve(context.catalogue(), name)
    if len(found) == 1:
        return found[0]
    shown = clip(" ".join(name.split()), 128)
    if found:
        all_of_them = " and ".join(f"`{entry.spelling}`" for entry in found)
        raise OperationFailure("invalid-argument", f"`{shown}` may be {all_of_them}")
    near = "".join(f"\n    {spelling}" for spelling in nearest(context.catalogue(), name))
    raise OperationFailure("not-found", f"nothing called `{shown}` is documented{near}")


def _open(context: CallContext, arguments: _Open) -> None:
    entry = _entry(context, "target", arguments.target)
    context.views.open_docs(entry.key, entry.spelling, entry.text)


def _close(context: CallContext, arguments: _Close) -> int:
    return context.views.close_docs(_entry(context, "key", arguments.key).key)


def _close_all(context: CallContext, _arguments: _CloseAll) -> int:
    return context.views.close_docs(None)


_NO_NAME = ("not-found", "Nothing you may call has this name; the nearest names are given.")

OPEN_DOCS_VIEW = Operation(
    "views.open_docs_view",
    _Open,
    _open,
    None,
    "Show yourself the documentation of a function, a module or a type.",
    "It stays in your context. Opening it again, unchanged, does nothing.",
    docs=(("target", "Its name: in full, as you write it, or the last part alone."),),
    errors=(_NO_NAME, ("invalid-argument", "The name is empty, or means several things.")),  # type: ignore[arg-type]
    backed=False,
    outlives_deadline=True,
)

DOCS_OPERATIONS = (
    Operation(
        "docs.search",
        _Search,
        _search,
        _Found,
        "Find what you may call, and show yourself what was found.",
        "Results are best first: where the name matches, then the signature, then the description. They are a view, "
        "which the next search replaces.",
        docs=(
            ("query", "Words, all of which must be found."),
            ("modules", "Only what is in one of these modules."),
            ("kind", "Only modules, functions or types: module, function or type."),
            ("offset", "How many results to skip."),
            ("limit", "How many to give: 20 unless given, 100 at most."),
        ),
        errors=(("invalid-argument", "There is neither a query nor a filter, or a value is none of its kind."),),
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "docs.close",
        _Close,
        _close,
        int,
        "Close the documentation of one thing and return how many views were closed.",
        docs=(("key", "Its name."),),
        errors=(_NO_NAME,),  # type: ignore[arg-type]
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "docs.close_all",
        _CloseAll,
        _close_all,
        int,
        "Close all documentation and return how many views were closed.",
        backed=False,
        outlives_deadline=True,
    ),
)
