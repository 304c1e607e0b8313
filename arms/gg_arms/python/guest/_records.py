"""The values operations return: plain ones, records with attributes, and the answer of a call that returns nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from ._own import own_builtins as __builtins__  # noqa: F401


class Record(dict[str, Any]):
    """A dict whose keys can be read as attributes too; `await` gives it back."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
            ) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __await__(self) -> Iterator[Any]:
        return _settled(self)

    def copy(self) -> Self:
        """Return a shallow copy that is a record too."""
        return type(self)(self)


class Nothing:
    """What a call returns that returns nothing: false, equal to None, and awaitable."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Nothing)

    def __hash__(self) -> int:
        return hash(None)

    def __repr__(self) -> str:
        return "None"

    def __await__(self) -> Iterator[Any]:
        return _settled(None)


Record.__module__ = Nothing.__module__ = "gg.core"
NOTHING = Nothing()


def _settled(value: Any) -> Any:
    """Return an iterator that ends at once with `value`, as `await` wants it."""
    return value
    yield


def shaped(shape: Any, value: Any) -> Any:
    """Return a result in Python's spelling, by the shape the operation declares.

    `None` stands for nothing; a text for a plain value; `("list", shape)`, `("optional", shape)` and
    `("record", ((name, wire name, shape), …))` for the rest.
    """
    if shape is None:
        return NOTHING
    if isinstance(shape, str) or value is None:
        return value
    kind, inner = shape
    if kind == "list":
        if isinstance(inner, str):
            return value
        return [shaped(inner, one) for one in value]
    if kind == "optional":
        return shaped(inner, value)
    record = Record()
    for name, wire, field in inner:
        if wire in value:
            one = value[wire]
            record[name] = one if isinstance(field, str) else shaped(field, one)
        else:
            record[name] = None
    return record
