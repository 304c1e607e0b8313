"""How values stand in a record: as plain JSON, with every long text written once and referred to afterwards.

A text of more than `LONGEST_INLINE` characters is a body: a line of its own, and ``{"@": N}`` wherever it occurs, where
N is that line's number. What JSON cannot hold as it is has a mark of its own; a program's object that has a key like a
mark is written as its pairs.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any, cast

import msgspec

__all__ = ["LONGEST_INLINE", "ExactJson", "json_bytes", "pooled", "read_json", "restored"]

LONGEST_INLINE = 96
_BODY, _BYTES, _PAIRS, _JSON, _DATA = "@", "@bytes", "@pairs", "@json", "@data"
_encode = msgspec.json.Encoder().encode


class ExactJson:
    """JSON text that reading and writing it again would change: a number like ``1.0e3``, blanks, a key twice."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactJson) and other.text == self.text

    __hash__ = None  # type: ignore[assignment]


def read_json(text: bytes) -> Any:
    """Return JSON text as a value that `json_bytes` turns into the very same bytes."""
    try:
        value = msgspec.json.decode(text)
        if _encode(value) == text:
            return value
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        pass
    return ExactJson(text)


def json_bytes(value: Any) -> bytes:
    """Return the bytes that `read_json` was given."""
    return value.text if isinstance(value, ExactJson) else _encode(value)


def pooled(value: Any, body: Callable[[str], int]) -> Any:
    """Return a value as it is written; ``body(text)`` answers the number of the line that holds a long text."""
    if isinstance(value, str):
        if len(value) > LONGEST_INLINE:
            try:
                return {_BODY: body(value)}
            except UnicodeEncodeError:
                pass
        if value.isascii() or _encodable(value):
            return value
        return {_BYTES: base64.b64encode(value.encode("utf-8", "surrogatepass")).decode()}
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        if any(key.startswith("@") or not _encodable(key) for key in items):
            return {_PAIRS: [[pooled(key, body), pooled(item, body)] for key, item in items.items()]}
        return {key: pooled(item, body) for key, item in items.items()}
    if isinstance(value, list | tuple):
        return [pooled(item, body) for item in cast("list[Any]", value)]
    if isinstance(value, bytes):
        return {_DATA: pooled(base64.b64encode(value).decode(), body)}
    if isinstance(value, ExactJson):
        return {_JSON: pooled(value.text.decode("utf-8", "surrogateescape"), body)}
    return value


def restored(value: Any, body: Callable[[int], str]) -> Any:
    """Return a written value as it was; ``body(line)`` answers the text of a body.

    :raises ValueError: for a mark that holds what no mark holds.
    """
    if isinstance(value, list):
        return [restored(item, body) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    items = cast("dict[str, Any]", value)
    if len(items) == 1:
        ((mark, held),) = items.items()
        if mark.startswith("@"):
            return _marked(mark, held, body)
    return {key: restored(item, body) for key, item in items.items()}


def _marked(mark: str, held: Any, body: Callable[[int], str]) -> Any:
    if mark == _BODY and type(held) is int:
        return body(held)
    if mark == _BYTES and isinstance(held, str):
        try:
            return base64.b64decode(held, validate=True).decode("utf-8", "surrogatepass")
        except (binascii.Error, UnicodeDecodeError):
            raise ValueError("holds bytes that are no text") from None
    if mark == _DATA:
        try:
            return base64.b64decode(restored(held, body), validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise ValueError(f"has a {mark!r} that is none") from None
    if mark == _JSON:
        text = restored(held, body)
        if isinstance(text, str):
            return ExactJson(text.encode("utf-8", "surrogateescape"))
    if mark == _PAIRS and isinstance(held, list):
        found: dict[str, Any] = {}
        for pair in cast("list[Any]", held):
            items = cast("list[Any]", restored(pair, body)) if isinstance(pair, list) else []
            if len(items) != 2 or not isinstance(items[0], str):
                raise ValueError(f"has a {mark!r} that is none")
            found[items[0]] = items[1]
        return found
    raise ValueError(f"has a {mark!r} that is none")


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
