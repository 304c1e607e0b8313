"""The window by itself: order, replacement, what a turn pushed, and the shapes it is rendered in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gg.window.messages import Message, ToolCall, headed
from gg.window.render import message_json
from gg.window.shapes import render
from gg.window.views import MAX_BODY_BYTES, MAX_COMPOSED_BYTES, MAX_LABEL_BYTES, ViewRefused, Views
from gg.window.window import Window


def views(window: Window, *, composed: int = 0, program: int = 0) -> tuple[Views, list[tuple[str, str, str]]]:
    """Return views of a window and the record they keep."""
    seen: list[tuple[str, str, str]] = []
    return Views(
        window, lambda action, kind, selector, tokens: seen.append((action, kind, selector)), program, composed
    ), seen


def shown(window: Window) -> list[tuple[str | None, str]]:
    """Return heading and body of each message."""
    return [(message.heading, message.content) for message in window]


def test_caps_are_the_designs() -> None:
    """Body 65,536 bytes, label 200, composed 8 MiB a turn."""
    assert (MAX_BODY_BYTES, MAX_LABEL_BYTES, MAX_COMPOSED_BYTES) == (65_536, 200, 8 << 20)


def test_replacing_in_place_and_at_the_tail() -> None:
    """A copy of this turn is replaced where it stands; an earlier turn's stays and the new one goes to the tail."""
    window = Window()
    window.turn = 1
    view, seen = views(window)
    view.open_text("a", "1")
    view.open_text("b", "2")
    view.open_text("a", "3")
    assert shown(window) == [("View: a", "3"), ("View: b", "2")]
    window.turn = 2
    view.open_text("a", "4")
    assert shown(window) == [("View: a", "3"), ("View: b", "2"), ("View: a", "4")]
    assert [(v.selector, v.kind) for v in view.current()] == [("b", "text"), ("a", "text")]
    assert seen == [
        ("opened", "text", "a"),
        ("opened", "text", "b"),
        ("replaced", "text", "a"),
        ("replaced", "text", "a"),
    ]


def test_closing() -> None:
    """Closing removes the open views of a selector, of both kinds, and not a copy that is history."""
    window = Window()
    window.turn = 1
    view, _ = views(window)
    view.open_text("f", "old")
    window.turn = 2
    view.open_text("f", "new")
    view.open_file("f", "x\n", 1, 1, 1, region=None, truncated=False)
    assert view.close("f") == 2
    assert view.close("f") == 0
    assert shown(window) == [("View: f", "old")]


def test_refused_view_changes_nothing() -> None:
    """A view over a cap leaves the window, and the turn's composed bytes, as they were."""
    window = Window()
    view, seen = views(window)
    view.open_text("a", "x")
    for label, body, code in (
        ("a", "y" * (MAX_BODY_BYTES + 1), "limit-exceeded"), ("é" * 101, "y", "limit-exceeded"), ("", "y", "invalid-argument"),
        ("a\nb", "y", "invalid-argument"), ("a\u2066b", "y", "invalid-argument"), ("a\x85b", "y", "invalid-argument"), (" \t", "y", "invalid-argument"),
    ):  # fmt: skip
        with pytest.raises(ViewRefused) as caught:
            view.open_text(label, body)
        assert caught.value.code == code
    assert shown(window) == [("View: a", "x")]
    assert view.composed_bytes == 1
    assert len(seen) == 1


def test_composed_bytes_count_replaced_copies() -> None:
    """The turn's total runs on over both kinds of view, replaced copies and programs."""
    window = Window()
    view, _ = views(window, composed=MAX_COMPOSED_BYTES - 10)
    view.open_file("f", "123", 1, 1, 1, region=None, truncated=False)
    view.open_text("a", "123")
    with pytest.raises(ViewRefused, match="8388608"):
        view.open_text("a", "12345")
    view.open_text("a", "1234")
    assert view.composed_bytes == MAX_COMPOSED_BYTES


@pytest.mark.parametrize(
    ("first", "last", "total", "heading"),
    [(1, 3, 3, "File: f:1-3 of 3 lines"), (2, 2, 9, "File: f:2-2 of 9 lines"), (1, 0, 0, "File: f")],
)
def test_file_headings(first: int, last: int, total: int, heading: str) -> None:
    """A file view's heading tells a part from the whole; an empty file has no range."""
    window = Window()
    view, _ = views(window)
    view.open_file("f", "", first, last, total, region=None, truncated=False)
    assert shown(window)[0][0] == heading


def test_a_file_name_that_ends_like_a_range() -> None:
    """It cannot pass for a part of another file: where it has no lines, text or picture, it is given the empty range."""
    window = Window()
    view, _ = views(window)
    name = "f:1-2 of 9 lines"
    view.open_file(name, "", 1, 0, 0, region=None, truncated=False)
    view.open_file(name, "x", 1, 1, 1, region=(1, 1), truncated=False)
    view.open_picture(f"p{name}", "image/png", 3, b"png")
    headings = [heading for heading, _ in shown(window)]
    assert headings == [f"File: {name}:0-0 of 0 lines", f"File: {name}:1-1 of 1 lines", f"File: p{name}:0-0 of 0 lines"]


def test_file_that_was_cut_is_refused() -> None:
    """A read that was cut is no view: refused, never truncated."""
    view, _ = views(Window())
    with pytest.raises(ViewRefused):
        view.open_file("f", "x", 1, 1, 9, region=None, truncated=True)


@pytest.mark.parametrize(
    ("roles", "ends"),
    [
        (["assistant"], True), (["assistant", "tool", "tool"], True), (["assistant", "tool", "user"], False), (["user"], False),
        ([], False), (["assistant", "user", "tool"], False), (["system"], False),
    ],
)  # fmt: skip
def test_ends_on_assistant(roles: list[str], ends: bool) -> None:
    """Receipts aside, whether the last message is the assistant's."""
    window = Window()
    for role in roles:
        window.push(Message(role, "", "system"))  # type: ignore[arg-type]
    assert window.ends_on_assistant() is ends


def test_what_is_sent() -> None:
    """A message's text is heading, rule and body; tokens count that text."""
    message = Message("user", "body", "text_views", "View: a")
    assert message.text == headed("View: a", "body") == "View: a\n----\nbody"
    assert message.tokens == 6


def test_openai_shape() -> None:
    """Calls go out as the provider gave them, objects as JSON text; receipts name their call."""
    window = Window()
    window.push(
        Message(
            "assistant",
            "hm",
            "assistant",
            tool_calls=(ToolCall("a", "submit_program", '{"x": 1}'), ToolCall("b", "t", {"é": 1})),
        )
    )
    window.push(Message("tool", "ok", "tool_output", tool_call_id="a"))
    said, receipt = render(window, "openai-chat")
    assert [c["function"]["arguments"] for c in said["tool_calls"]] == ['{"x": 1}', '{"é": 1}']
    assert receipt == {"role": "tool", "content": "ok", "tool_call_id": "a"}
    json.dumps([said, receipt])


def test_command_line_shape_leaves_out_what_is_absent() -> None:
    """Heading and body apart, and no key without a value."""
    assert message_json(Message("user", "b", "text_views", "View: a", program=0)) == {
        "role": "user", "heading": "View: a", "content": "b", "band": "text_views", "tokens": 6, "program": 0,
    }  # fmt: skip
    assert message_json(Message("user", "hi", "user_prompt")) == {
        "role": "user",
        "content": "hi",
        "band": "user_prompt",
        "tokens": 1,
    }


Steps = st.lists(st.tuples(st.sampled_from(["open", "close", "turn"]), st.sampled_from("abc")), max_size=30)


@given(steps=Steps)
def test_window_is_append_only(steps: list[tuple[str, str]]) -> None:
    """Whatever a session does, a message of an earlier turn never changes and never moves; it can only be closed."""
    window = Window()
    window.turn = 1
    view, _ = views(window)
    for count, (step, label) in enumerate(steps):
        before = [(id(m), m.text) for m in window if m.turn < window.turn]
        if step == "open":
            view.open_text(label, str(count))
        elif step == "close":
            closed = view.close(label)
            before = [pair for pair in before if closed == 0 or any(pair[0] == id(m) for m in window)]
        else:
            window.turn += 1
        after = [(id(m), m.text) for m in window]
        assert after[: len(before)] == before
        open_now = [v.selector for v in view.current()]
        assert len(open_now) == len(set(open_now)), "a label is open once"
