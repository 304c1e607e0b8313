"""Decoding a call's arguments, and saying what was wrong with them in the language's own spelling."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, cast

import msgspec

from gg.operations.table import Arguments, OperationFailure

if TYPE_CHECKING:
    from gg.operations.context import CallContext

__all__ = ["decode_arguments", "finite"]

_KINDS = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "a boolean",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}
_EXPECTED = re.compile(r"^Expected `(?P<wanted>[^`]+)`, got `(?P<got>[^`]+)`(?: - at `\$(?P<path>[^`]*)`)?$")
_MISSING = re.compile(r"^Object missing required field `(?P<name>[^`]+)`")
_UNKNOWN = re.compile(r"^Object contains unknown field `(?P<name>[^`]*)`")
_BOUND = re.compile(r"^Expected `int` (?P<side><=|>=) (?P<bound>-?\d+) - at `\$(?P<path>[^`]*)`$")
_WHERE = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_decoders: dict[type[Arguments], msgspec.json.Decoder[Any]] = {}


def decode_arguments(kind: type[Arguments], raw: bytes | memoryview, context: CallContext) -> Arguments:
    """Decode a call's arguments object.

    :raises OperationFailure: ``invalid-argument``, naming the argument and what is wrong with it.
    """
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        decoded: Arguments = decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise OperationFailure("invalid-argument", _explain(str(error), context)) from None
    except RecursionError:
        raise OperationFailure("invalid-argument", "the arguments are nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OperationFailure("invalid-argument", f"the arguments cannot be read: {error}") from None
    return decoded


def finite(value: Any) -> Any:
    """Return a result as plain data.

    :raises ValueError: for a number that JSON does not have; msgspec would write it as null.
    """
    plain = msgspec.to_builtins(value)
    waiting: list[Any] = [plain]
    while waiting:
        item = waiting.pop()
        if isinstance(item, float) and not math.isfinite(item):
            raise ValueError(f"a result holds {item}")
        if isinstance(item, dict):
            waiting.extend(cast("dict[str, Any]", item).values())
        elif isinstance(item, list | tuple):
            waiting.extend(cast("list[Any]", item))
    return plain


def _explain(text: str, context: CallContext) -> str:
    if match := _MISSING.match(text):
        return f"{_spell(match['name'], context)} is missing"
    if match := _UNKNOWN.match(text):
        return f"{_spell(match['name'], context)} is not an argument of this call"
    if match := _EXPECTED.match(text):
        wanted = " or ".join(
            _KINDS.get(w.strip(), w.strip()) for w in match["wanted"].split("|") if w.strip() != "null"
        )
        got = _KINDS.get(match["got"], match["got"])
        return f"{_place(match['path'], context)} must be {wanted}, not {got}"
    if match := _BOUND.match(text):
        side = "at least" if match["side"] == ">=" else "at most"
        return f"{_place(match['path'], context)} must be {side} {match['bound']}"
    where = _WHERE.search(text)
    return f"{_place(where['path'] if where else None, context)}: {_WHERE.sub('', text)}"


def _place(path: str | None, context: CallContext) -> str:
    if not path or not path.startswith("."):
        return "the arguments"
    return _spell(path[1:], context)


def _spell(wire: str, context: CallContext) -> str:
    name = wire if context.info.case == "camel" else _HUMP.sub(r"_\1", wire).lower()
    return f"`{name[:80]}`"
