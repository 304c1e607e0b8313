"""The window in the shapes that providers and ``gg session`` take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gg.window.messages import Message, ToolCall

__all__ = ["message_json", "openai_messages"]


def openai_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages in the OpenAI chat shape, receipts behind the message whose calls they answer."""
    rendered: list[dict[str, Any]] = []
    for message in messages:
        item: dict[str, Any] = {"role": message.role, "content": message.text}
        if message.tool_calls:
            item["tool_calls"] = [_openai_call(call) for call in message.tool_calls]
        if message.tool_call_id is not None:
            item["tool_call_id"] = message.tool_call_id
        rendered.append(item)
    return rendered


def message_json(message: Message) -> dict[str, Any]:
    """Return a message as ``gg run`` and ``gg session`` print it: heading and body apart."""
    item: dict[str, Any] = {"role": message.role}
    if message.tool_call_id is not None:
        item["toolCallId"] = message.tool_call_id
    if message.heading is not None:
        item["heading"] = message.heading
    item["content"] = message.content
    if message.tool_calls:
        item["toolCalls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    item["band"] = message.band
    item["tokens"] = message.tokens
    if message.program is not None:
        item["program"] = message.program
    return item


def _openai_call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.argument_text}}
