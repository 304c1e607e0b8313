"""What both sides of a record, the one that writes and the one that compares, make of a session's own values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import msgspec

from gg.record.lines import ToolCallItem, WindowLine
from gg.stream.events import Event, to_wire

if TYPE_CHECKING:
    from gg.window.messages import Message, ToolCall

__all__ = ["FED_ENDS", "comparable_event", "digest_of", "is_fed", "tool_call_items", "window_line"]

FED_ENDS = frozenset({"time_limit", "died", "cancelled", "toolchain_failed"})
"""Ends of a program that the clock, a death or the toolchain decided, and not the program."""

_UNCOMPARED = frozenset(
    {
        "seq", "ts", "durationMs", "compileMs", "compileWaitMs", "compileReused", "parkedMs", "totalMs", "runMs",
        "confinement",
    }
)  # fmt: skip
_LOGGED = frozenset({"logs", "logsSuppressed"})
_COMPARED_SLUGS = frozenset(
    {
        "ending_replaced", "session_ending", "ending_revoked", "ending_rejected", "handover_not_run",
        "programs_not_run", "no_program", "no_submission", "text_cleaned",
    }
)  # fmt: skip
"""Lines of gg's own that follow from the conversation; the others tell of the machine."""


def is_fed(end: str) -> bool:
    """Say whether a program's end is the record's to decide in a replay."""
    return end in FED_ENDS


def tool_call_items(calls: Iterable[ToolCall]) -> list[ToolCallItem]:
    """Return tool calls as they stand in a line."""
    return [ToolCallItem(call.id, call.name, call.arguments) for call in calls]


def window_line(action: str, message: Message) -> WindowLine:
    """Return a change of the window as a line."""
    removed = action == "remove"
    return WindowLine(
        action=action,  # type: ignore[arg-type]
        role=message.role,
        band=message.band,
        heading=message.heading,
        content="" if removed else message.content,
        turn=message.turn,
        program=message.program,
        tool_call_id=message.tool_call_id,
        tool_calls=tool_call_items(message.tool_calls),
        selector=message.selector,
        image=None if removed else _picture(message),
    )


def _picture(message: Message) -> list[str] | None:
    if message.image is None:
        return None
    return [message.image.media_type, hashlib.sha256(message.image.data).hexdigest()]


def digest_of(messages: Iterable[Message]) -> str:
    """Return the SHA-256 of a window, as hexadecimal: of each message's role, text, call id, calls and picture."""
    digest = hashlib.sha256()
    for message in messages:
        calls = [(call.id, call.name, call.argument_text) for call in message.tool_calls]
        parts = [message.role, message.text, message.tool_call_id, calls]
        digest.update(msgspec.json.encode(parts if message.image is None else [*parts, _picture(message)]))
        digest.update(b"\n")
    return digest.hexdigest()


def comparable_event(event: Event | dict[str, Any], *, logs: bool) -> dict[str, Any] | None:
    """Return what of an event a replay reaches again, or None for one that tells of the machine or of time.

    :param logs: whether what programs logged is compared: it may hold times, which only a fixed clock repeats.
    """
    wire = to_wire(event) if isinstance(event, Event) else event
    kind = wire.get("type")
    if kind == "turn_timing" or (kind == "log" and wire.get("slug") not in _COMPARED_SLUGS):
        return None
    left_out = _UNCOMPARED if logs else _UNCOMPARED | _LOGGED
    kept = {key: value for key, value in wire.items() if key not in left_out}
    try:
        return cast("dict[str, Any]", msgspec.json.decode(msgspec.json.encode(kept)))
    except UnicodeEncodeError:  # a lone surrogate: what the record holds is not JSON's text either
        return kept
