"""The window in the shapes of three APIs, held against the types of their own SDKs."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdk_types import calls_and_answers, check_messages, check_tools, flat

from gg.errors import UsageError
from gg.window.messages import Image, Message, ToolCall
from gg.window.shapes import SHAPES, Tool, check_shape, render, render_tool, render_tool_choice
from gg.window.views import Views
from gg.window.window import Window

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
EVERY = pytest.mark.parametrize("shape", SHAPES)


def conversation() -> Window:
    """A window with everything in it: two calls, a view, a picture, a notice, and ids that come again."""
    window = Window()
    window.push(Message("system", "the rules", "system"))
    window.push(Message("user", "look at it", "user_prompt"))
    for turn in (1, 2):
        window.turn = turn
        calls = (ToolCall("call_1", "submit_program", '{"program": "x"}'), ToolCall("b", "grep files", {"é": [1]}))
        window.push(Message("assistant", "thinking" if turn == 1 else "", "assistant", tool_calls=calls))
        window.push(Message("tool", "ok", "tool_output", tool_call_id="call_1", program=0))
        window.push(Message("tool", "`grep files` is not a tool here.", "tool_output", tool_call_id="b"))
        view = Views(window, lambda *_: None, 0, 0)
        view.open_text("a", "body")
        view.open_picture("p.png", "image/png", len(PNG), PNG)
    window.push(Message("user", "a fact", "system", "Notice"))
    window.push(Message("user", "go on", "user_prompt"))
    return window


@EVERY
def test_what_the_sdks_take(shape: Any) -> None:
    """Every message is as the SDK types it, and follows the rules of the API behind it."""
    check_messages(shape, render(conversation(), shape))


def test_the_check_can_fail() -> None:
    """What holds the shapes to account finds a wrong key, a wrong type, and an answer that is missing."""
    good = render(conversation(), "anthropic")
    for broken in (
        [{"role": "user", "content": [{"type": "text", "text": "x", "heading": "y"}]}],
        [{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "b", "input": {}}]}],
        good["messages"][1:2],
        [*good["messages"], {"role": "user", "content": [{"type": "text", "text": "x"}]}],
    ):
        with pytest.raises((AssertionError, ValueError)):
            check_messages("anthropic", {"system": [], "messages": broken})
    with pytest.raises((AssertionError, ValueError)):
        check_messages("openai-chat", [{"role": "assistant", "content": "", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "x", "arguments": {}}}]}])  # fmt: skip
    with pytest.raises((AssertionError, ValueError)):
        check_messages("openai-responses", [{"type": "function_call_output", "call_id": "a", "output": "b"}])


@EVERY
def test_an_id_that_comes_again_goes_out_as_another(shape: Any) -> None:
    """Two replies with the same ids: four calls with four ids, each answered under its own; the first keep theirs."""
    found = calls_and_answers(shape, render(conversation(), shape))
    assert [kind for kind, _, _ in found] == ["call", "call", "answer", "answer"] * 2
    ids = [id for kind, id, _ in found if kind == "call"]
    assert ids[:2] == ["call_1", "b"]
    assert len(set(ids)) == 4
    assert [id for kind, id, _ in found if kind == "answer"] == ids


@pytest.mark.parametrize("id", ["functions.submit:0", "a b", "x" * 65, "é", "\ud800", "\n", "call_1\x00"])
@EVERY
def test_ids_that_an_api_does_not_take(shape: Any, id: str) -> None:
    """They go out as others; in the chat shape, which many providers speak, only what no text is does."""
    window = Window()
    window.push(
        Message("assistant", "", "assistant", tool_calls=(ToolCall(id, "t", "{}"), ToolCall("call_1", "t", "{}")))
    )
    window.push(Message("tool", "one", "tool_output", tool_call_id=id))
    window.push(Message("tool", "two", "tool_output", tool_call_id="call_1"))
    rendered = render(window, shape)
    check_messages(shape, rendered)
    sent = [i for kind, i, _ in calls_and_answers(shape, rendered) if kind == "call"]
    assert (sent[0] == id) is (shape == "openai-chat" and id.isprintable())
    assert [text for kind, _, text in calls_and_answers(shape, rendered) if kind == "answer"] == ["one", "two"]
    json.dumps(rendered, ensure_ascii=False).encode()


@EVERY
def test_pictures(shape: Any) -> None:
    """A picture goes out behind its heading, as base64 of the file's own bytes and with its type."""
    window = Window()
    view = Views(window, lambda *_: None, 0, 0)
    view.open_picture("p.png", "image/png", len(PNG), PNG)
    rendered = render(window, shape)
    check_messages(shape, rendered)
    (message,) = rendered["messages"] if shape == "anthropic" else rendered
    text, picture = message["content"]
    assert text["text"] == f"File: p.png\n----\nimage/png, {len(PNG)} bytes"
    if shape == "anthropic":
        assert picture["source"]["media_type"] == "image/png"
        data = picture["source"]["data"]
    else:
        url = picture["image_url"] if shape == "openai-responses" else picture["image_url"]["url"]
        head, _, data = url.partition(",")
        assert head == "data:image/png;base64"
    assert base64.b64decode(data) == PNG


def test_anthropic_takes_turns() -> None:
    """Answers and what follows them are one user message, answers first; the system prompt stands apart."""
    rendered = render(conversation(), "anthropic")
    assert rendered["system"] == [{"type": "text", "text": "the rules"}]
    assert [m["role"] for m in rendered["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    assert [b["type"] for b in rendered["messages"][2]["content"]] == [
        "tool_result",
        "tool_result",
        "text",
        "text",
        "image",
    ]
    assert [b["type"] for b in rendered["messages"][3]["content"]] == ["tool_use", "tool_use"], "it said nothing else"


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"program": "x"}', {"program": "x"}), ({"a": 1}, {"a": 1}), ("", {}), (" ", {}), ("{", {"arguments": "{"}),
        ("[1]", {"arguments": "[1]"}), ('{"a": NaN}', {"arguments": '{"a": NaN}'}), ("[" * 100_000, {"arguments": "[" * 100_000}),
    ],
)  # fmt: skip
def test_arguments_that_are_no_object(arguments: Any, sent: Any) -> None:
    """Anthropic takes an object: arguments that are none go out whole, as text, under one key."""
    window = Window()
    window.push(Message("assistant", "", "assistant", tool_calls=(ToolCall("a", "t", arguments),)))
    window.push(Message("tool", "why not", "tool_output", tool_call_id="a"))
    rendered = render(window, "anthropic")
    check_messages("anthropic", rendered)
    assert rendered["messages"][0]["content"][0]["input"] == sent
    assert (
        render(window, "openai-chat")[0]["tool_calls"][0]["function"]["arguments"]
        == ToolCall("a", "t", arguments).argument_text
    )


@EVERY
def test_tools_and_their_choice(shape: Any) -> None:
    """A tool, its choice and the free choice are as the SDK types them."""
    tool = Tool("submit_program", "Submit.", {"type": "object", "properties": {"program": {"type": "string"}}})
    check_tools(shape, [render_tool(tool, shape)], render_tool_choice("submit_program", shape))
    check_tools(shape, [render_tool(tool, shape)], render_tool_choice(None, shape))
    assert "submit_program" in json.dumps(render_tool_choice("submit_program", shape))
    assert "submit_program" not in json.dumps(render_tool_choice(None, shape))


def test_a_shape_there_is_not() -> None:
    """Named, with those there are."""
    with pytest.raises(
        UsageError, match="no message shape 'gemini'; the shapes are: openai-chat, openai-responses, anthropic"
    ):
        check_shape("gemini")


IDS = st.one_of(st.sampled_from(["", "a", "b", "call_1", "call_2", "x.y:0"]), st.text(max_size=5))
TURNS = st.lists(
    st.tuples(
        st.text(max_size=8),  # what the model says
        st.lists(
            st.tuples(IDS, st.text(min_size=1, max_size=8), st.text(max_size=8)), max_size=3, unique_by=lambda c: c[0]
        ),
        st.lists(st.sampled_from(["text", "picture", "user"]), max_size=3),
    ),
    max_size=6,
)


@EVERY
@settings(max_examples=60, deadline=None)
@given(turns=TURNS)
def test_any_conversation_is_a_request(shape: Any, turns: list[Any]) -> None:
    """Whatever was said under whatever ids, the request is one its API takes, and each turn only adds to the last one's."""
    window = Window()
    window.push(Message("system", "rules", "system"))
    window.push(Message("user", "task", "user_prompt"))
    before: list[Any] = []
    for number, (said, calls, pushed) in enumerate(turns, 1):
        window.turn = number
        made = tuple(ToolCall(id, name, arguments) for id, name, arguments in calls)
        window.push(Message("assistant", said, "assistant", tool_calls=made))
        for call in made:
            window.push(Message("tool", f"answer to {call.id}", "tool_output", tool_call_id=call.id))
        for kind in pushed:
            image = Image("image/png", PNG) if kind == "picture" else None
            window.push(Message("user", "x", "text_views", None if kind == "user" else "View: a", image=image))
        window.push(Message("user", "fact", "system", "Notice"))
        rendered = render(window, shape)
        check_messages(shape, rendered)
        answers = [text for kind, _, text in calls_and_answers(shape, rendered) if kind == "answer"]
        assert answers[len(answers) - len(made) :] == [f"answer to {call.id}" for call in made]
        now = flat(shape, rendered)
        assert now[: len(before)] == before
        before = now
