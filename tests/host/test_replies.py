"""Replies in the shapes of three APIs: the same turn whichever of them the model answered in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import FAST, Ran, one_of

from gg import Host, Reply, ToolCall
from gg.errors import UsageError


def replies(program: str) -> dict[str, Any]:
    """Return the same reply as each API gives it."""
    text = '{"program": ' + '"' + program + '"}'
    return {
        "openai-chat": {
            "role": "assistant", "content": "here",
            "tool_calls": [{"id": "x", "type": "function", "function": {"name": "submit_program", "arguments": text}}],
        },
        "chat with parts": {
            "role": "assistant", "content": [{"type": "text", "text": "he"}, {"type": "text", "text": "re"}],
            "tool_calls": [{"id": "x", "type": "function", "function": {"name": "submit_program", "arguments": text}}],
        },
        "openai-responses": {
            "object": "response",
            "output": [
                {"type": "reasoning", "id": "rs_1", "summary": []},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "here", "annotations": []}]},
                {"type": "function_call", "id": "fc_1", "call_id": "x", "name": "submit_program", "arguments": text},
            ],
        },
        "anthropic": {
            "role": "assistant", "type": "message",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "here"},
                {"type": "tool_use", "id": "x", "name": "submit_program", "input": {"program": program}},
            ],
        },
    }  # fmt: skip


@pytest.mark.parametrize("shape", list(replies("")))
def test_the_same_turn(host: Host, arm: str, shape: str) -> None:
    """Text, call, id and program are read from each, and the program runs."""
    program = one_of(arm, "gg.views.openText('a', 'b')", "gg.views.open_text('a', 'b')")
    with host.session(arm, limits=FAST) as session:
        ran = Ran(session.turn(replies(program)[shape]), session)
        said = next(m for m in session.window if m.role == "assistant")
    assert ran.headed == [("View: a", "b")]
    assert [m.tool_call_id for m in ran.messages if m.role == "tool"] == ["x"]
    assert said.content == "here"
    assert [(call.id, call.name) for call in said.tool_calls] == [("x", "submit_program")]


@pytest.mark.parametrize(
    "reply",
    [
        {"content": [1]}, {"output": ["x"]}, {"content": [{"type": "tool_use", "id": 5, "name": "a", "input": {}}]},
        {"content": [{"type": "tool_use", "id": "a", "input": {}}]}, {"output": [{"type": "function_call", "call_id": "a"}]},
        {"content": [{"type": "tool_use", "id": "a", "name": "b", "input": [1]}]}, {"content": 5},
        {"output": [{"type": "function_call", "call_id": "a", "name": "b", "arguments": 5}]},
    ],
)  # fmt: skip
def test_replies_that_have_no_shape(host: Host, reply: Any) -> None:
    """A usage error that says what is wrong; the session is as it was."""
    with host.session(mode="tool-calling") as session:
        with pytest.raises(UsageError, match=r"^the reply has a "):
            session.turn(reply)
        assert len(session.messages()) == 1


def test_ids_that_cannot_be_sent_are_given() -> None:
    """Missing, empty, or no text that has an encoding; each call of a reply has one of its own."""
    calls: list[Any] = [{"name": "t", "id": id} for id in (None, "", "\ud800", "call_2")]
    ids = [call.id for call in Reply.read({"toolCalls": calls}).tool_calls]
    assert ids == ["call_1", "call_3", "call_4", "call_2"]


@pytest.mark.parametrize("options", [{"language": "javascript"}, {"mode": "tool-calling"}])
def test_what_names_a_strange_tool_can_be_sent(host: Host, options: dict[str, Any], tmp_path: Path) -> None:
    """A name that is no UTF-8 is answered without what cannot be sent, and a record of it is closed."""
    recorded = {"record": tmp_path / "r"} if "language" in options else {}
    with host.session(**options, **recorded, limits=FAST) as session:
        session.turn(Reply("", [ToolCall("c", "read\ud800_it", {})]))
        (answer,) = [m.content for m in session.window if m.role == "tool"]
        assert answer.startswith("`read_it` is not a tool here.")
        json.dumps(session.messages(), ensure_ascii=False).encode()
