"""The window, the tools and the choice of a tool in the shapes that three providers' APIs take.

Each shape keeps the answers of calls where its API wants them, under ids that it takes: an id of a reply that its API
would not take, or that an earlier reply has used already, goes out as another one, the same in call and answer. What is
rendered of a message depends on nothing behind it, so that a provider's cached prefix holds.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, cast

from gg.errors import UsageError
from gg.window.messages import Message, ToolCall

__all__ = ["SHAPES", "Shape", "Tool", "check_shape", "render", "render_tool", "render_tool_choice"]

Shape = Literal["openai-chat", "openai-responses", "anthropic"]
SHAPES: tuple[Shape, ...] = typing.get_args(Shape)

_USABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNUSABLE_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is offered. ``parameters`` is the JSON Schema of its arguments, an object's."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Step:
    """A message with the ids and names it goes out under."""

    message: Message
    calls: tuple[ToolCall, ...] = ()
    answers: str | None = None


def check_shape(shape: str) -> Shape:
    """Return the shape of this name.

    :raises UsageError: when there is none.
    """
    if shape not in SHAPES:
        raise UsageError(f"there is no message shape {shape!r}; the shapes are: {', '.join(SHAPES)}")
    return shape


def render(messages: Iterable[Message], shape: Shape) -> Any:
    """Return messages in a shape.

    ``openai-chat``: the list of messages. ``openai-responses``: the list of input items. ``anthropic``: an object with
    ``system`` (text blocks) and ``messages``, in which user and assistant take turns.
    """
    return _RENDERERS[shape](messages)


def render_tool(tool: Tool, shape: Shape) -> dict[str, Any]:
    """Return the definition of a tool in a shape."""
    if shape == "anthropic":
        return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    if shape == "openai-responses":
        return {"type": "function", **function, "strict": False}
    return {"type": "function", "function": function}


def render_tool_choice(name: str | None, shape: Shape) -> Any:
    """Return the choice of a tool in a shape: pinned to the tool of this name, or the model's where it is None."""
    if shape == "anthropic":
        return {"type": "auto"} if name is None else {"type": "tool", "name": name}
    if name is None:
        return "auto"
    if shape == "openai-responses":
        return {"type": "function", "name": name}
    return {"type": "function", "function": {"name": name}}


# -- OpenAI chat ------------------------------------------------------------------------------------------------------


def _openai_chat(messages: Iterable[Message]) -> list[dict[str, Any]]:
    rendered: list[dict[str, Any]] = []
    for step in _steps(messages, _any_text):
        message = step.message
        content: Any = message.text
        if message.image is not None:
            picture = {"type": "image_url", "image_url": {"url": message.image.url}}
            content = [{"type": "text", "text": message.text}, picture]
        item: dict[str, Any] = {"role": message.role, "content": content}
        if step.calls:
            item["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.argument_text}}
                for call in step.calls
            ]
        if step.answers is not None:
            item["tool_call_id"] = step.answers
        rendered.append(item)
    return rendered


# -- OpenAI responses -------------------------------------------------------------------------------------------------


def _openai_responses(messages: Iterable[Message]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for step in _steps(messages, _strict_text):
        message = step.message
        if step.answers is not None:
            items.append({"type": "function_call_output", "call_id": step.answers, "output": message.text})
            continue
        content: Any = message.text
        if message.image is not None:
            picture = {"type": "input_image", "image_url": message.image.url, "detail": "auto"}
            content = [{"type": "input_text", "text": message.text}, picture]
        if content or message.role != "assistant":  # an assistant that only called said nothing
            items.append({"type": "message", "role": message.role, "content": content})
        items += [
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.argument_text}
            for call in step.calls
        ]
    return items


# -- Anthropic messages -----------------------------------------------------------------------------------------------


def _anthropic(messages: Iterable[Message]) -> dict[str, Any]:
    system: list[dict[str, Any]] = []
    rendered: list[dict[str, Any]] = []
    for step in _steps(messages, _strict_text):
        message = step.message
        if message.role == "system":
            system += _text_blocks(message.text)
            continue
        if step.answers is not None:
            blocks: list[dict[str, Any]] = [
                {"type": "tool_result", "tool_use_id": step.answers, "content": _text_blocks(message.text)}
            ]
        else:
            blocks = _text_blocks(message.text)
        if message.image is not None:
            source = {"type": "base64", "media_type": message.image.media_type, "data": message.image.base64}
            blocks.append({"type": "image", "source": source})
        blocks += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": _object(call)} for call in step.calls
        ]
        role = "assistant" if message.role == "assistant" else "user"
        if rendered and rendered[-1]["role"] == role:
            rendered[-1]["content"] += blocks
        elif blocks:
            rendered.append({"role": role, "content": blocks})
    return {"system": system, "messages": rendered}


def _text_blocks(text: str) -> list[dict[str, Any]]:
    """Return a text as blocks: none where there is nothing to see, which this API does not take."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _object(call: ToolCall) -> dict[str, Any]:
    """Return a call's arguments as an object; what is none goes under ``arguments``, as the model wrote it."""
    text = call.argument_text
    try:
        value: Any = json.loads(text, parse_constant=_no_constant) if text.strip() else {}
    except (ValueError, RecursionError):
        value = None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"arguments": text}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


# -- ids --------------------------------------------------------------------------------------------------------------


def _any_text(id: str) -> bool:
    """Say whether an id goes out as it is in the chat shape: providers that speak it have ids of many forms."""
    return bool(id) and id.isprintable() and len(id) <= 256


def _strict_text(id: str) -> bool:
    return _USABLE.fullmatch(id) is not None


def _steps(messages: Iterable[Message], usable: Callable[[str], bool]) -> Iterator[_Step]:
    """Yield the messages with the ids of their calls and answers; each id once among all the calls."""
    taken: set[str] = set()
    ids: dict[str, str] = {}  # of the latest assistant's message: as the model gave them, and as they go out
    for message in messages:
        if message.role == "assistant":
            ids = _ids(message.tool_calls, taken, usable)
            calls = tuple(ToolCall(ids[call.id], _name(call.name), call.arguments) for call in message.tool_calls)
            yield _Step(message, calls)
        elif message.tool_call_id is not None:
            yield _Step(message, answers=ids.get(message.tool_call_id, message.tool_call_id))
        else:
            yield _Step(message)


def _ids(calls: Sequence[ToolCall], taken: set[str], usable: Callable[[str], bool]) -> dict[str, str]:
    ids: dict[str, str] = {}
    for call in calls:
        id, number = call.id, len(taken)
        while not usable(id) or id in taken:
            number += 1
            id = f"call_{number}"
        taken.add(id)
        ids[call.id] = id
    return ids


def _name(name: str) -> str:
    """Return a tool's name as APIs take it; a model may call what no API would offer."""
    return _UNUSABLE_CHARACTER.sub("_", name)[:64] or "_"


_RENDERERS: dict[Shape, Callable[[Iterable[Message]], Any]] = {
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
}
