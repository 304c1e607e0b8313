"""What the providers' own SDKs say of a request, and the rules their APIs add that no type can say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from anthropic.types import (
    ImageBlockParam,
    MessageParam,
    TextBlockParam,
    ToolChoiceParam,
    ToolResultBlockParam,
    ToolUseBlockParam,
)
from anthropic.types import ToolParam as AnthropicTool
from openai.types.chat import (
    ChatCompletionMessageParam,
    ChatCompletionToolChoiceOptionParam,
    ChatCompletionToolUnionParam,
)
from openai.types.responses import ResponseInputItemParam, ToolChoiceFunctionParam
from openai.types.responses import ToolParam as ResponsesTool
from pydantic import ConfigDict, TypeAdapter

_STRICT = ConfigDict(extra="forbid")
_MESSAGES: dict[str, TypeAdapter[Any]] = {
    "openai-chat": TypeAdapter(list[ChatCompletionMessageParam], config=_STRICT),
    "openai-responses": TypeAdapter(list[ResponseInputItemParam], config=_STRICT),
    "anthropic": TypeAdapter(list[MessageParam], config=_STRICT),
}
_SYSTEM: TypeAdapter[Any] = TypeAdapter(list[TextBlockParam], config=_STRICT)
_BLOCKS: dict[str, TypeAdapter[Any]] = {  # a message's own type takes what the API answered too, with any key
    "text": TypeAdapter(list[TextBlockParam], config=_STRICT),
    "image": TypeAdapter(list[ImageBlockParam], config=_STRICT),
    "tool_use": TypeAdapter(list[ToolUseBlockParam], config=_STRICT),
    "tool_result": TypeAdapter(list[ToolResultBlockParam], config=_STRICT),
}
_TOOLS: dict[str, TypeAdapter[Any]] = {
    "openai-chat": TypeAdapter(list[ChatCompletionToolUnionParam], config=_STRICT),
    "openai-responses": TypeAdapter(list[ResponsesTool], config=_STRICT),
    "anthropic": TypeAdapter(list[AnthropicTool], config=_STRICT),
}
_CHOICES: dict[str, TypeAdapter[Any]] = {
    "openai-chat": TypeAdapter(list[ChatCompletionToolChoiceOptionParam], config=_STRICT),
    "openai-responses": TypeAdapter(list[ToolChoiceFunctionParam | str], config=_STRICT),
    "anthropic": TypeAdapter(list[ToolChoiceParam], config=_STRICT),
}
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_messages(shape: str, rendered: Any) -> None:
    """Fail unless the SDK's types hold, with no key beside them, and the API's own rules do."""
    if shape == "anthropic":
        _whole(_SYSTEM.validate_python(rendered["system"]))
        _whole(_MESSAGES[shape].validate_python(rendered["messages"]))
        _anthropic_rules(rendered["messages"])
        return
    _whole(_MESSAGES[shape].validate_python(rendered))
    (_chat_rules if shape == "openai-chat" else _responses_rules)(rendered)


def check_tools(shape: str, tools: Any, choice: Any) -> None:
    """Fail unless the SDK's types hold for the tools and for their choice."""
    _whole(_TOOLS[shape].validate_python(tools))
    _whole(_CHOICES[shape].validate_python([choice]))


def flat(shape: str, rendered: Any) -> list[Any]:
    """Return what is sent in the order a provider caches it: Anthropic's blocks, each with its role, one by one."""
    if shape != "anthropic":
        return list(rendered)
    return [*rendered["system"], *((m["role"], block) for m in rendered["messages"] for block in m["content"])]


def calls_and_answers(shape: str, rendered: Any) -> list[tuple[str, str, str]]:
    """Return ``(call or answer, id, tool or text)`` in order."""
    return list(_CALLS[shape](rendered))


def _chat_calls(messages: list[Any]) -> Iterator[tuple[str, str, str]]:
    for message in messages:
        for call in message.get("tool_calls", []):
            yield "call", call["id"], call["function"]["name"]
        if message["role"] == "tool":
            yield "answer", message["tool_call_id"], message["content"]


def _responses_calls(items: list[Any]) -> Iterator[tuple[str, str, str]]:
    for item in items:
        if item["type"] == "function_call":
            yield "call", item["call_id"], item["name"]
        if item["type"] == "function_call_output":
            yield "answer", item["call_id"], item["output"]


def _anthropic_calls(rendered: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for message in rendered["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_use":
                yield "call", block["id"], block["name"]
            if block["type"] == "tool_result":
                yield "answer", block["tool_use_id"], "".join(part["text"] for part in block["content"])


_CALLS: dict[str, Any] = {
    "openai-chat": _chat_calls, "openai-responses": _responses_calls, "anthropic": _anthropic_calls,
}  # fmt: skip


def _whole(value: Any) -> None:
    """Read what pydantic validates only when it is read: the SDKs type their lists as iterables."""
    if isinstance(value, dict):
        for item in value.values():
            _whole(item)
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for item in value:
            _whole(item)


def _paired(found: list[tuple[str, str, str]]) -> None:
    """Each group of calls is answered at once, in full, and no id comes twice."""
    open_calls: list[str] = []
    seen: set[str] = set()
    before = "answer"
    for kind, id, _ in found:
        if kind == "call":
            assert before == "call" or not open_calls, "a call is answered before the next reply"
            assert id not in seen, "an id names one call"
            seen.add(id)
            open_calls.append(id)
        else:
            assert open_calls, "an answer has a call"
            assert open_calls.pop(0) == id, "answers come in the order of their calls"
        before = kind
    assert not open_calls, "every call is answered"


def _chat_rules(messages: list[Any]) -> None:
    _paired(list(_chat_calls(messages)))
    waiting = 0
    for message in messages:
        if message["role"] == "tool":
            waiting -= 1
        else:
            assert waiting == 0, "nothing stands between a call and its answer"
        waiting += len(message.get("tool_calls", []))
        assert all(_ID.fullmatch(call["function"]["name"]) for call in message.get("tool_calls", []))


def _responses_rules(items: list[Any]) -> None:
    found = list(_responses_calls(items))
    _paired(found)
    assert all(_ID.fullmatch(id) and (kind == "answer" or _ID.fullmatch(name)) for kind, id, name in found)


def _anthropic_rules(messages: list[Any]) -> None:
    found = list(_anthropic_calls({"messages": messages}))
    _paired(found)
    assert all(_ID.fullmatch(id) and (kind == "answer" or _ID.fullmatch(name)) for kind, id, name in found)
    for before, after in zip(messages, messages[1:], strict=False):
        assert before["role"] != after["role"], "user and assistant take turns"
    for place, message in enumerate(messages):
        kinds = [block["type"] for block in message["content"]]
        for block in message["content"]:
            _whole(_BLOCKS[block["type"]].validate_python([block]))
        assert kinds, "a message is not empty"
        assert all(block["text"].strip() for block in message["content"] if block["type"] == "text")
        results = kinds.count("tool_result")
        assert kinds[:results] == ["tool_result"] * results, "results come first in their message"
        uses = [b["id"] for b in message["content"] if b["type"] == "tool_use"]
        if uses:
            following = messages[place + 1]["content"] if place + 1 < len(messages) else []
            assert [b["tool_use_id"] for b in following if b["type"] == "tool_result"] == uses
