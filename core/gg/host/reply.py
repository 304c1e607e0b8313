"""What a model answered, read from whatever shape a provider gave it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gg import wording
from gg.host.reply_shapes import plain_reply
from gg.types import MAX_PROGRAM_BYTES
from gg.window.clean import clean_text
from gg.window.messages import ToolCall
from gg.window.prompt import TOOL_NAME

__all__ = ["Reply", "Submission", "read_submission"]


@dataclass(frozen=True)
class Reply:
    """An assistant's turn: its text, and its tool calls in order."""

    content: str = ""
    tool_calls: Sequence[ToolCall] = ()

    @classmethod
    def read(cls, value: Any) -> Reply:
        """Read a reply from an OpenAI assistant message, or from ``toolCalls: [{id, name, arguments}]``.

        An Anthropic message (``content`` is a list of blocks) and an OpenAI response (``output`` is a list of items)
        are read too, as the mappings they are on the wire; of what they hold beside text and calls, nothing is kept.
        A call without an id, or with one that cannot be sent, is given one.

        :raises ValueError: saying what is wrong with the shape; a duplicate id is wrong.
        """
        if isinstance(value, Reply):
            reply = value
        elif not isinstance(value, Mapping):
            raise ValueError(f"is {type(value).__name__}, neither a Reply nor a message")
        else:
            message = plain_reply(cast("Mapping[str, Any]", value))
            content = message.get("content")
            if content is not None and not isinstance(content, str):
                raise ValueError("has a `content` that is no string")
            calls: Any = message.get("tool_calls", message.get("toolCalls"))
            if calls is None:
                calls = []
            if not isinstance(calls, list):
                raise ValueError("has tool calls that are no list")
            items = cast("list[Any]", calls)
            reply = cls(content or "", [_read_call(item, n) for n, item in enumerate(items, 1)])
        said: Any = reply.content
        if not isinstance(said, str):
            raise ValueError("has a `content` that is no string")
        given: Sequence[Any] = reply.tool_calls
        for number, call in enumerate(given, 1):
            if not isinstance(call, ToolCall):
                raise ValueError(f"has a tool call ({number}) that is no ToolCall")
        named = [call.id for call in reply.tool_calls if call.id]
        if len(named) != len(set(named)):
            raise ValueError("has two tool calls with the same id")
        return cls(reply.content, _with_ids(reply.tool_calls))


def _read_call(item: Any, number: int) -> ToolCall:
    if not isinstance(item, dict):
        raise ValueError(f"has a tool call ({number}) that is no object")
    call = cast("dict[str, Any]", item)
    id = call.get("id")
    if id is not None and not isinstance(id, str):
        raise ValueError(f"has a tool call ({number}) whose id is no string")
    inner: Any = call.get("function", call)
    if not isinstance(inner, dict):
        raise ValueError(f"has a tool call ({number}) whose `function` is no object")
    function = cast("dict[str, Any]", inner)
    name, arguments = function.get("name"), function.get("arguments", "")
    if not isinstance(name, str):
        raise ValueError(f"has a tool call ({number}) without a name")
    if not isinstance(arguments, str | dict):
        raise ValueError(f"has a tool call ({number}) whose arguments are neither a string nor an object")
    return ToolCall(id or "", name, cast("str | dict[str, object]", arguments))


def _with_ids(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    calls = [call if clean_text(call.id).deleted == 0 else ToolCall("", call.name, call.arguments) for call in calls]
    taken = {call.id for call in calls}
    given: list[ToolCall] = []
    number = 0
    for call in calls:
        id = call.id
        while not id:
            number += 1
            id = f"call_{number}" if f"call_{number}" not in taken else ""
        given.append(ToolCall(id, call.name, call.arguments))
    return tuple(given)


@dataclass(frozen=True)
class Submission:
    """One tool call, read: the program it carried, or why it carried none."""

    call: ToolCall
    program: str | None
    reason: str | None = None


_JSON_KINDS: dict[type[Any], str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}


def _kind(value: object) -> str:
    return _JSON_KINDS.get(type(value), "something else")


def read_submission(call: ToolCall) -> Submission:
    """Read a tool call: a program, or the answer that says why there is none."""
    if call.name != TOOL_NAME:
        return Submission(call, None, wording.foreign_tool(clean_text(call.name).text))
    arguments: Any = call.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            blank = not arguments.strip()  # how some providers write a call without arguments
            return Submission(call, None, wording.NO_PROGRAM if blank else wording.ARGUMENTS_NOT_JSON)
    if not isinstance(arguments, dict) or "program" not in arguments:
        return Submission(call, None, wording.NO_PROGRAM)
    program: Any = cast("dict[str, Any]", arguments)["program"]
    if not isinstance(program, str):
        kind = "null" if program is None else _kind(program)
        return Submission(call, None, wording.program_not_text(kind))
    try:
        size = len(program.encode())
    except UnicodeEncodeError:
        return Submission(call, None, wording.program_not_text("not valid UTF-8 (it holds a lone surrogate)"))
    if size > MAX_PROGRAM_BYTES:
        return Submission(call, None, wording.program_too_large(size, MAX_PROGRAM_BYTES))
    return Submission(call, program)
