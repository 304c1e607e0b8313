"""A message as ``gg run`` and ``gg session`` print it. What providers take is in `shapes`."""

from __future__ import annotations

from typing import Any

from gg.window.messages import Message

__all__ = ["message_json"]


def message_json(message: Message) -> dict[str, Any]:
    """Return a message as ``gg run`` and ``gg session`` print it: heading and body apart."""
    item: dict[str, Any] = {"role": message.role}
    if message.tool_call_id is not None:
        item["toolCallId"] = message.tool_call_id
    if message.heading is not None:
        item["heading"] = message.heading
    item["content"] = message.content
    if message.image is not None:
        item["image"] = {"mediaType": message.image.media_type, "bytes": len(message.image.data)}
    if message.tool_calls:
        item["toolCalls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    item["band"] = message.band
    item["tokens"] = message.tokens
    if message.program is not None:
        item["program"] = message.program
    return item
