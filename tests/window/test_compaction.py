"""Compaction of a window by itself, and what no step but closing and compaction may ever change."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdk_types import check_messages

from gg.window.compaction import BadCompaction, keep_what_was_pinned, rewritten
from gg.window.messages import Message, ToolCall
from gg.window.shapes import SHAPES, render
from gg.window.views import Views
from gg.window.window import Window


def said(window: Window, turn: int, *calls: str) -> None:
    """Begin a turn: the assistant's message and the receipts of its calls."""
    window.turn = turn
    made = tuple(ToolCall(id, "submit_program", "{}") for id in calls)
    window.push(Message("assistant", f"turn {turn}", "assistant", tool_calls=made))
    for id in calls:
        window.push(Message("tool", "ok", "tool_output", tool_call_id=id))


def conversation() -> Window:
    """Two turns with views of every kind, a skill's body, a notice and an error."""
    window = Window()
    window.push(Message("system", "rules", "system"))
    window.push(Message("user", "task", "user_prompt"))
    said(window, 1, "a", "b")
    view = Views(window, lambda *_: None, 0, 0)
    view.open_text("t", "text")
    view.open_docs("files.read_file", "gg.files.readFile", "page")
    view.open_file("f", "1\n", 1, 1, 1, region=None, truncated=False)
    view.open_file("g", "2\n", 1, 1, 1, region=None, truncated=False)
    window.push(Message("user", "body of a skill", "skills", "Skill: s"))
    window.push(Message("user", "fact", "system", "Notice"))
    window.push(Message("user", "went wrong", "runtime_errors", "Runtime error"))
    said(window, 2, "a")
    view.open_text("u", "newest")
    return window


def texts(messages: Any) -> list[str]:
    """What each message says, its role before it."""
    return [f"{m.role}: {m.heading or m.content}" for m in messages]


SUMMARY = "The conversation before this was compacted. Its summary:\n\nsum"


def recount(window: Window) -> dict[str, int]:
    """Count the bands anew, from the text that is sent and the calls that go with it."""
    bands: Counter[str] = Counter()
    for m in window:
        fresh = Message(m.role, m.content, m.band, m.heading, tool_calls=m.tool_calls)
        bands[m.band] += fresh.tokens
    return {band: count for band, count in bands.items() if count}


def test_what_the_built_in_strategy_keeps() -> None:
    """System prompt, documentation, skill bodies, named files and the newest turn; one summary for all the rest."""
    window = conversation()
    kept = [m for m in window if m.band in ("docs_views", "skills") or m.selector == "f"]
    gone = window.rewrite(rewritten(window, keep_what_was_pinned, "sum", ["f"]))
    assert texts(window) == [
        "system: rules", "user: Documentation: gg.files.readFile", "user: File: f:1-1 of 1 lines", "user: Skill: s",
        "user: Notice", "assistant: turn 2", "tool: ok", "user: View: u",
    ]  # fmt: skip
    assert [m.content for m in window if m.heading == "Notice"] == [SUMMARY]
    assert [m for m in window if any(m is one for one in kept)] == kept, "the very same messages"
    assert len(gone) == 8
    assert {v.selector for v in window.open_views()} == {"gg.files.readFile", "f", "u"}
    assert window.bands() == recount(window)
    assert len(window.of_turn(2)) == 2, "the summary is of no turn"


def test_a_second_summary_takes_the_place_of_the_first() -> None:
    """What was summed up once is summed up again: a window has one summary at most."""
    window = conversation()
    for turn, summary in ((3, "one"), (4, "two")):
        said(window, turn, "c")
        window.rewrite(rewritten(window, keep_what_was_pinned, summary, []))
    notices = [m.content for m in window if m.heading == "Notice"]
    assert notices == ["The conversation before this was compacted. Its summary:\n\ntwo"]


def test_older_copies_of_what_is_kept_go() -> None:
    """Of documentation and files that were opened again only the open copy stays."""
    window = Window()
    for turn, text in ((1, "old"), (2, "new"), (3, "")):
        said(window, turn, "a")
        if text:
            view = Views(window, lambda *_: None, 0, 0)
            view.open_docs("k", "name", text)
            view.open_file("f", text, 1, 1, 1, region=None, truncated=False)
    window.rewrite(rewritten(window, keep_what_was_pinned, "sum", ["f"]))
    assert [m.content for m in window if m.band in ("docs_views", "file_views")] == ["new", "new"]


@pytest.mark.parametrize(
    ("strategy", "why"),
    [
        (lambda messages, *_: None, "NoneType, not the messages that stay"),
        (lambda messages, *_: "all", "str, not the messages that stay"),
        (lambda messages, *_: [*messages, 1], "no message of the window"),
        (lambda messages, *_: [*messages, Message("user", "forged", "system", "Notice")], "no message of the window"),
        (lambda messages, *_: [messages[0], messages[0]], "twice"),
        (lambda messages, *_: messages[::-1], "out of the window's order"),
        (lambda messages, *_: messages[1:], "the system prompt"),
        (lambda messages, *_: [m for m in messages if m.role != "tool"], "a call without its answer"),
        (lambda messages, *_: [m for m in messages if m.role != "assistant"], "an answer without its call"),
        (lambda messages, *_: [m for m in messages if m.tool_call_id != "b"], "a call without its answer"),
    ],
)  # fmt: skip
def test_answers_that_are_no_window(strategy: Any, why: str) -> None:
    """Each is refused with what is wrong about it."""
    window = conversation()
    before = texts(window)
    with pytest.raises(BadCompaction, match=why):
        rewritten(window, strategy, "sum", [])
    assert texts(window) == before


def test_a_strategy_works_on_copies() -> None:
    """Whatever it does to the messages it is given, the window's own say what they said."""

    def vandal(messages: Any, summary: str, files: Any) -> Any:
        for message in messages:
            message.content = "broken"
        return messages

    window = conversation()
    before = [m.text for m in window]
    after = rewritten(window, vandal, "sum", [])
    assert [m.text for m in after if "compacted" not in m.content] == before


def test_a_strategy_may_drop_the_turns_own_views() -> None:
    """So that the window ends on the assistant's message, receipts aside, as it may after any rewrite."""
    window = conversation()
    window.rewrite(rewritten(window, lambda m, *_: [one for one in m if one.band != "text_views"], "sum", []))
    assert window.ends_on_assistant()


def test_a_strategy_may_drop_the_newest_turn() -> None:
    """The summary is the last message then."""
    window = conversation()
    window.rewrite(rewritten(window, lambda m, *_: m[:1], "sum", []))
    assert texts(window) == ["system: rules", "user: Notice"]
    assert not window.ends_on_assistant()


STEP = st.one_of(
    st.tuples(st.sampled_from(["open", "file", "docs", "close"]), st.sampled_from("abc"), st.sampled_from("12")),
    st.sampled_from([("throw",), ("notice",), ("user",), ("request",), ("request",), ("close_docs",), ("search",)]),
    st.tuples(st.just("compact"), st.lists(st.sampled_from("abc"), max_size=2)),
)


@settings(max_examples=250, deadline=None)
@given(steps=st.lists(STEP, max_size=40))
def test_no_earlier_message_ever_changes(steps: list[tuple[Any, ...]]) -> None:
    """Between two requests an earlier message is where it was and says what it said, unless it was closed or compacted.

    Over any sequence of views opened, replaced and closed, throws, notices, user messages and compactions; and the
    bands are what counting anew gives, at every request.
    """
    window = Window()
    window.push(Message("system", "rules", "system"))
    said(window, 1, "x", "y")
    sent: list[tuple[Message, str]] = []
    gone: set[int] = set()
    removed: list[Message] = []  # kept alive, so that no id comes again
    for step, *arguments in [*steps, ("request",)]:
        view = Views(window, lambda *_: None, 0, 0)
        before = list(window)
        if step == "open":
            view.open_text(arguments[0], arguments[1])
        elif step == "file":
            view.open_file(arguments[0], arguments[1], 1, 1, 1, region=None, truncated=False)
        elif step == "docs":
            view.open_docs(arguments[0], arguments[0], arguments[1])
        elif step == "search":
            view.open_search("hits")
        elif step in ("throw", "notice"):
            heading = "Runtime error" if step == "throw" else "Notice"
            window.push(Message("user", "x", "runtime_errors" if step == "throw" else "system", heading))
        elif step == "user":
            window.push(Message("user", "hello", "user_prompt"))
        elif step in ("close", "close_docs"):
            view.close(arguments[0]) if step == "close" else view.close_docs(None)
            closed = [m for m in before if not any(m is one for one in window)]
            assert all(m.key is not None for m in closed), "what is closed was open"
            gone |= {id(m) for m in closed}
            removed += closed
        elif step == "compact":
            dropped = window.rewrite(rewritten(window, keep_what_was_pinned, "sum", arguments[0]))
            assert all(m.turn < window.turn and m.role != "system" for m in dropped)
            gone |= {id(m) for m in dropped}
            removed += dropped
            note = next(m for m in window if not any(m is one for one in before))
            at = [m is note for m in window].index(True)
            sent = [*((m, m.text) for m in list(window)[: at + 1])]  # what a provider caches begins anew behind it
        else:
            expected = [(m, text) for m, text in sent if id(m) not in gone]
            now = list(window)
            assert [id(m) for m in now[: len(expected)]] == [id(m) for m, _ in expected]
            assert [m.text for m in now[: len(expected)]] == [text for _, text in expected]
            assert window.bands() == recount(window)
            assert [m.turn for m in now[1:]] == sorted(m.turn for m in now[1:])
            for shape in SHAPES:
                check_messages(shape, render(window, shape))
            keys = [m.key for m in window.open_views()]
            assert len(keys) == len(set(keys))
            sent = [(m, m.text) for m in now]
            said(window, window.turn + 1, "x")
