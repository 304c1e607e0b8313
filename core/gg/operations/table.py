"""The operations table: data, not code. An arm renders its SDK and documentation from it."""

from __future__ import annotations

import functools
import inspect
import keyword
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from gg.types import OperationSpec, Parameter, RecordSpec, Shape

if TYPE_CHECKING:
    from gg.operations.context import CallContext

__all__ = [
    "ERROR_CODES",
    "Arguments",
    "ErrorCode",
    "Int64",
    "Operation",
    "OperationFailure",
    "OperationTable",
    "PathText",
    "Record",
    "TargetText",
    "shape_of",
]

ErrorCode = Literal[
    "invalid-argument", "not-found", "conflict", "refused", "unavailable", "limit-exceeded", "io-error", "other"
]
ERROR_CODES: tuple[ErrorCode, ...] = typing.get_args(ErrorCode)


class _PathKind:
    """Marks a string argument as a path, for languages with a path type."""


class _TargetKind:
    """Marks a string argument as the name of one of gg's functions, modules or types: an SDK takes the thing itself."""


PathText = Annotated[str, _PathKind()]
TargetText = Annotated[str, _TargetKind()]
Int64 = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]


class Arguments(msgspec.Struct, rename="camel", forbid_unknown_fields=True, frozen=True):
    """Base of an operation's arguments: required ones first, optional ones ``kw_only`` with a default of None."""


class Record(msgspec.Struct, rename="camel", frozen=True):
    """Base of a structured result."""


class OperationFailure(Exception):
    """An operation failed; it travels to the program as a value. ``code`` is one of `ErrorCode`."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message


@dataclass(frozen=True)
class Operation:
    """One row.

    ``id`` is ``module.name``. ``arguments`` is the struct its call is decoded into, ``result`` the type it answers
    (None for nothing). ``backed``: a tool of gg's backs it, so that a call is dispatched (``toolCalls``).
    ``outlives_deadline``: it is serviced even when the run's wall clock is spent. ``blocking``: it runs on a thread.
    """

    id: str
    arguments: type[Arguments]
    handler: Callable[[CallContext, Any], Any]
    result: Any
    summary: str
    detail: str = ""
    docs: tuple[tuple[str, str], ...] = ()
    errors: tuple[tuple[ErrorCode, str], ...] = ()
    backed: bool = True
    outlives_deadline: bool = False
    blocking: bool = False

    @property
    def module(self) -> str:
        """Return the module part of the id."""
        return self.id.partition(".")[0]

    @functools.cached_property
    def exact(self) -> bool:
        """Say whether its result can hold no number that JSON does not have."""
        return not _may_hold_floats(shape_of(self.result))

    @property
    def name(self) -> str:
        """Return the id's last part, which is what a program's error names as the operation."""
        return self.id.rpartition(".")[2]

    def spec(self) -> OperationSpec:
        """Return the row as arms render it."""
        hints = typing.get_type_hints(self.arguments, include_extras=True)
        docs = dict(self.docs)
        parameters = tuple(
            Parameter(
                field.name, field.encode_name, shape_of(hints[field.name]), field.required, docs.get(field.name, "")
            )
            for field in msgspec.structs.fields(self.arguments)
        )
        records = tuple(_records(self.result, *hints.values()))
        return OperationSpec(
            self.id,
            self.module,
            self.name,
            parameters,
            shape_of(self.result),
            self.summary,
            self.detail,
            self.errors,
            records,
        )


UNSPEAKABLE = frozenset((*keyword.kwlist, "lib"))
"""Words that no module or operation may be called by: Python cannot write them behind a dot, and gg keeps ``lib``."""

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", Any: "any", object: "any"}


def shape_of(kind: Any) -> Shape:
    """Return the `Shape` of an argument's or result's type.

    :raises TypeError: for a type that has none.
    """
    if kind is None or kind is type(None):
        return None
    if kind in _SCALARS:
        return _SCALARS[kind]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind, include_extras=True)
        fields = msgspec.structs.fields(kind)
        return ("record", tuple((f.name, f.encode_name, shape_of(hints[f.name])) for f in fields))
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        if any(isinstance(mark, _TargetKind) for mark in args[1:]):
            return "target"
        return "path" if any(isinstance(mark, _PathKind) for mark in args[1:]) else shape_of(args[0])
    if origin in (list, tuple, Sequence):
        return ("list", shape_of(args[0]))
    if origin is Literal:
        return "string"
    if origin in (typing.Union, types.UnionType):
        rest = [arg for arg in args if arg is not type(None)]
        if len(rest) == 1:
            return ("optional", shape_of(rest[0]))
        return "any"
    if origin is dict:
        return "any"
    raise TypeError(f"{kind!r} cannot cross to a guest")


def _records(*kinds: Any) -> Iterator[RecordSpec]:
    """Describe the records in these types, each before those inside it."""
    waiting, seen = list(kinds), set[type]()
    while waiting:
        kind = waiting.pop(0)
        if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
            waiting.extend(typing.get_args(kind) if typing.get_origin(kind) is not Literal else ())
            continue
        if kind in seen:
            continue
        seen.add(kind)
        hints = typing.get_type_hints(kind, include_extras=True)
        fields = tuple(
            Parameter(f.name, f.encode_name, shape_of(hints[f.name]), f.required, _about(hints[f.name]))
            for f in msgspec.structs.fields(kind)
        )
        yield RecordSpec(kind.__name__.lstrip("_"), fields, inspect.cleandoc(kind.__dict__.get("__doc__") or ""))
        waiting.extend(hints.values())


def _about(kind: Any) -> str:
    """Say what a field is (``msgspec.Meta(description=…)``), and what one of few values may be."""
    words: list[str] = []
    waiting = [kind]
    while waiting:
        one = waiting.pop(0)
        if typing.get_origin(one) is Literal:
            words.append("One of " + ", ".join(f"`{value}`" for value in typing.get_args(one)) + ".")
        elif typing.get_origin(one) is Annotated:
            inner, *marks = typing.get_args(one)
            words += [mark.description for mark in marks if isinstance(mark, msgspec.Meta) and mark.description]
            waiting.append(inner)
        else:
            waiting.extend(typing.get_args(one))
    return " ".join(words)


def _may_hold_floats(shape: Shape) -> bool:
    if shape in ("number", "any"):
        return True
    if not isinstance(shape, tuple):
        return False
    if shape[0] == "record":
        return any(_may_hold_floats(field[2]) for field in shape[1])
    return _may_hold_floats(shape[1])


class OperationTable:
    """The rows of one host, by id. Fixed once a session has started."""

    def __init__(self, rows: Iterable[Operation]) -> None:
        self._rows: dict[str, Operation] = {}
        for row in rows:
            self.add(row)

    def add(self, row: Operation) -> None:
        """Add a row.

        :raises ValueError: when its id is malformed or taken.
        """
        module, _, name = row.id.partition(".")
        if not (module.isidentifier() and name.isidentifier()):
            raise ValueError(f"the operation id {row.id!r} is not `module.name`")
        if name.startswith("_") or {module, name} & UNSPEAKABLE:
            raise ValueError(f"the operation id {row.id!r} holds a word that is reserved")
        if row.id in self._rows:
            raise ValueError(f"the operation id {row.id!r} is taken")
        self._rows[row.id] = row

    def get(self, id: str) -> Operation | None:
        """Return the row with this id."""
        return self._rows.get(id)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self._rows.values())

    def modules(self) -> tuple[str, ...]:
        """Return the modules in table order."""
        return tuple(dict.fromkeys(row.module for row in self))

    def specs(self) -> tuple[OperationSpec, ...]:
        """Return all rows as arms render them."""
        return tuple(row.spec() for row in self)
