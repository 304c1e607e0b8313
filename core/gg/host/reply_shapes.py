"""Replies of other APIs than the chat one, put into its form: text, and calls by id, name and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["plain_reply"]


def plain_reply(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an Anthropic message or an OpenAI response in the chat form, and anything else as it is."""
    if isinstance(message.get("output"), list):
        return _response(cast("list[Any]", message["output"]))
    if isinstance(message.get("content"), list):
        return _blocks(message, cast("list[Any]", message["content"]))
    return message


def _blocks(message: Mapping[str, Any], blocks: list[Any]) -> Mapping[str, Any]:
    """Read blocks of content: of an Anthropic message, or the parts of a chat message's text."""
    text: list[str] = []
    calls: list[dict[str, Any]] = []
    for block in _objects(blocks):
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            text.append(block["text"])
        elif block.get("type") == "tool_use":
            calls.append({"id": block.get("id"), "name": block.get("name"), "arguments": block.get("input", {})})
    if not calls:
        return {**message, "content": "".join(text)}
    return {"content": "".join(text), "tool_calls": calls}


def _response(items: list[Any]) -> Mapping[str, Any]:
    text: list[str] = []
    calls: list[dict[str, Any]] = []
    for item in _objects(items):
        if item.get("type") == "function_call":
            calls.append({"id": item.get("call_id"), "name": item.get("name"), "arguments": item.get("arguments", "")})
        elif item.get("type") == "message" and isinstance(item.get("content"), list):
            parts = _objects(item["content"])
            text += [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return {"content": "".join(text), "tool_calls": calls}


def _objects(items: list[Any]) -> list[dict[str, Any]]:
    """Return the items that are objects.

    :raises ValueError: for one that is none.
    """
    for item in items:
        if not isinstance(item, dict):
            raise ValueError("has a content that holds something that is no object")
    return cast("list[dict[str, Any]]", items)
