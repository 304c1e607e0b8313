"""Turns what a program passes to an operation into plain JSON values, once, and says what cannot be sent."""

from __future__ import annotations

import os
from os import PathLike
from typing import Any

from ._own import own_builtins as __builtins__  # noqa: F401

INT64_MIN = -(1 << 63)
INT64_MAX = (1 << 63) - 1
DEEPEST = 100

_EXPECTED = {
    "string": "a string",
    "path": "a path",
    "integer": "an integer",
    "number": "a number",
    "boolean": "True or False",
}
_INFINITY = float("inf")
_string = str.__str__
_integer = int.__int__
_floating = float.__float__


class Fault(Exception):
    """An argument that cannot be sent; the text names it as the program does."""


def plain(name: str, kind: Any, value: Any) -> Any:
    """Return a plain copy of the argument `name`.

    Args:
        name: the parameter's name in Python.
        kind: `string`, `path`, `target`, `integer`, `number`, `boolean`, `any`, or `("list", kind)`.
        value: what the program passed.

    Raises:
        Fault: when the value is of another kind or cannot be written as JSON.
    """
    if isinstance(kind, tuple):
        if kind[0] == "optional":
            return None if value is None else plain(name, kind[1], value)
        if kind[0] == "list":
            if not isinstance(value, (list, tuple)):
                raise Fault(f"`{name}` is {_described(value)}; it must be a list")
            return [plain(f"{name}[{at}]", kind[1], one) for at, one in enumerate(list(value))]
        return _any(name, value, ())
    if kind == "any":
        return _any(name, value, ())
    if kind == "target":
        return _target(name, value)
    if kind == "path" and isinstance(value, PathLike):
        value = value.__fspath__()
    if kind in ("string", "path"):
        if isinstance(value, str):
            return _text(name, value)
    elif kind == "boolean":
        if isinstance(value, bool):
            return value
    elif isinstance(value, bool):
        pass
    elif isinstance(value, int):
        return _whole(name, value)
    elif isinstance(value, float) and (kind == "number" or not _finite(value)):
        return _fraction(name, value)
    raise Fault(f"`{name}` is {_described(value)}; it must be {_EXPECTED.get(kind, kind)}")


_targets: list[tuple[Any, str]] = []


def name_target(value: Any, name: str) -> None:
    """Have a function, module or class of gg's stand for its name where a call takes a target."""
    _targets.append((value, name))


def _target(name: str, value: Any) -> str:
    if isinstance(value, str):
        return _text(name, value)
    for known, its_name in _targets:
        if known is value:
            return its_name
    what = {type(_target): "a function", type(os): "a module", type: "a class"}.get(type(value))
    what = f"{what} that is not gg's" if what else _described(value)
    raise Fault(f"`{name}` is {what}; it must be a name, or a function, module or class of gg's")


def _text(name: str, value: str) -> str:
    copy = _string(value)
    try:
        copy.encode("utf-8")
    except UnicodeEncodeError:
        raise Fault(f"`{name}` holds a lone surrogate, which is no text") from None
    return copy


def _whole(name: str, value: int) -> int:
    copy = _integer(value)
    if not INT64_MIN <= copy <= INT64_MAX:
        raise Fault(f"`{name}` is outside the range of a 64-bit integer")
    return copy


def _finite(value: float) -> bool:
    copy = _floating(value)
    return copy == copy and copy not in (_INFINITY, -_INFINITY)


def _fraction(name: str, value: float) -> float:
    copy = _floating(value)
    if copy != copy:
        raise Fault(f"`{name}` is NaN")
    if copy in (_INFINITY, -_INFINITY):
        raise Fault(f"`{name}` is {'' if copy > 0 else '-'}Infinity")
    return copy


def _any(name: str, value: Any, inside: tuple[int, ...]) -> Any:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(name, value)
    if isinstance(value, int):
        return _whole(name, value)
    if isinstance(value, float):
        return _fraction(name, value)
    if isinstance(value, PathLike):
        return _any(name, value.__fspath__(), inside)
    if id(value) in inside:
        raise Fault(f"`{name}` contains itself")
    if len(inside) >= DEEPEST:
        raise Fault(f"`{name}` is nested more than {DEEPEST} deep")
    if isinstance(value, dict):
        copy: dict[str, Any] = {}
        for key, one in list(dict.items(value)):
            if not isinstance(key, str):
                raise Fault(f"`{name}` has a key that is {_described(key)}; keys must be strings")
            spelled = _text(f"{name} key", key)
            copy[spelled] = _any(f"{name}[{spelled!r}]", one, (*inside, id(value)))
        return copy
    if isinstance(value, (list, tuple)):
        return [_any(f"{name}[{at}]", one, (*inside, id(value))) for at, one in enumerate(list(value))]
    raise Fault(f"`{name}` is {_described(value)}, which cannot be sent")


def _described(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, bool):
        return "True" if value else "False"
    kind = type(value)
    known = {
        str: "a string",
        int: "an integer",
        float: "a float",
        list: "a list",
        dict: "a dict",
        tuple: "a tuple",
        bytes: "bytes",
    }
    return known.get(kind) or f"of type {type.__dict__['__name__'].__get__(kind)}"
