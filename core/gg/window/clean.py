"""What no encoding has does not go to a model: lone surrogates are deleted, and counted (design: undecodable bytes)."""

from __future__ import annotations

from typing import NamedTuple, TypeVar, cast

from gg.window.messages import ToolCall

__all__ = ["Cleaned", "clean_call", "clean_text"]

Value = TypeVar("Value")


class Cleaned(NamedTuple):
    """A text that can be encoded, and how many characters were deleted from it."""

    text: str
    deleted: int


def clean_text(text: str) -> Cleaned:
    """Return a text without its lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        kept = text.encode("utf-8", "ignore").decode()
        return Cleaned(kept, len(text) - len(kept))
    return Cleaned(text, 0)


def clean_call(call: ToolCall) -> tuple[ToolCall, int]:
    """Return a tool call whose name and arguments can be encoded, and how many characters were deleted."""
    counter = [0]
    name = _clean(call.name, counter)
    arguments = _clean(call.arguments, counter)
    return (call if not counter[0] else ToolCall(call.id, name, arguments)), counter[0]


def _clean(value: Value, counter: list[int]) -> Value:
    if isinstance(value, str):
        text, deleted = clean_text(value)
        counter[0] += deleted
        return cast("Value", text)
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return cast("Value", {_clean(key, counter): _clean(item, counter) for key, item in items})
    if isinstance(value, list):
        return cast("Value", [_clean(item, counter) for item in cast("list[object]", value)])
    return value
