"""Conversations of several turns on every arm: pages a reviewer reads, the same up to spelling, over a stable prefix.

``GG_UPDATE_SNAPSHOTS=1`` writes the pages anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import talks_agent
import talks_window
from arms import ARMS, Arm
from conversations import Conversation, Turned, held
from pages import events_page, messages_page
from scenarios import stream, window

TALKS: dict[str, Conversation] = talks_window.TALKS | talks_agent.TALKS
FOLDER = Path(__file__).parents[1] / "snapshots" / "conversations"
EVERY = pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
OTHERS = pytest.mark.parametrize("arm", ARMS[1:], ids=lambda arm: arm.id)
NAMES = pytest.mark.parametrize("name", TALKS)
LONG = 400
"""Lines longer than so many characters are cut in a page: a reader knows what a cap is."""


def page(turns: Sequence[Turned]) -> str:
    """Return a conversation as text: what was said, what the model read of it, what the operator did."""
    parts: list[str] = []
    for number, one in enumerate(turns, 1):
        said = one.said
        parts.append(f"=== {number}")
        if said.user is not None:
            parts.append(f"--- user\n{said.user}")
        if said.file is not None:
            parts.append(f"--- a file changes: {said.file[0]}\n{said.file[1].decode('utf-8', 'backslashreplace')}")
        if said.compact is not None:
            parts.append(f"--- compacted\n{said.compact}")
            parts += [f"--- {message['role']}\n{_text(message)}" for message in one.after[1:]]
        if said.content:
            parts.append(f"--- the model says\n{said.content}")
        parts += [f"--- program {n}\n{text}" for n, text in enumerate(one.source)]
        if said.calls is not None:
            parts += [f"--- call of {tool}\n{arguments}" for tool, arguments in said.calls]
        if one.ran is not None:
            parts += messages_page(one.ran)
        parts += events_page(one.ran.events if one.ran is not None else one.between)
    lines = "\n".join(parts).split("\n")
    return "\n".join(line if len(line) <= LONG else f"{line[:LONG]}<{len(line) - LONG} more>" for line in lines) + "\n"


def _text(message: Any) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else str(content or message.get("tool_calls"))


@NAMES
@EVERY
def test_it_reads_as_it_was_read_through(arm: Arm, name: str) -> None:
    """The page of the conversation is the one in the tree."""
    file = FOLDER / f"{arm.id}-{re.sub(r'[^a-z]+', '-', name)}.txt"
    text = page(held(arm, name, TALKS[name]).turns)
    if os.environ.get("GG_UPDATE_SNAPSHOTS"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


@NAMES
@OTHERS
def test_it_is_the_same_on_every_arm(arm: Arm, name: str) -> None:
    """Window and stream of each turn are those of the first arm, up to spelling."""
    mine, first = held(arm, name, TALKS[name]).turns, held(ARMS[0], name, TALKS[name]).turns
    for number, (one, other) in enumerate(zip(mine, first, strict=True), 1):
        if one.ran is not None and other.ran is not None:
            assert window(one.ran, arm) == window(other.ran, ARMS[0]), f"the window of {number}"
            assert stream(one.ran, arm) == stream(other.ran, ARMS[0]), f"the stream of {number}"


@NAMES
@EVERY
def test_no_earlier_message_changes(arm: Arm, name: str) -> None:
    """Between two requests messages are added at the end; only closing a view and a compaction take any away."""
    for number, one in enumerate(held(arm, name, TALKS[name]).turns, 1):
        before, after = list(one.before), list(one.after)
        ended = one.ran is not None and one.ran.turn.outcome == "finished"
        if one.said.compact is not None or (one.ran is not None and "compacted" in one.ran.slugs()):
            assert after[0] == before[0], f"the system prompt of {number}"
        elif _closes(one):
            rest = iter(after)
            kept = [message for message in before if message in after]
            assert all(message in rest for message in kept), f"the order of {number}"
            assert len(kept) >= len(before) - _closes(one), number
        else:
            assert after[: len(before)] == before, f"the prefix of {number}"
            assert ended or len(after) > len(before) or one.said.file is not None, number


@NAMES
@EVERY
def test_its_record_replays_to_the_same_window(arm: Arm, name: str) -> None:
    """Nothing of it differs, to the end: no workspace, skill directory, plugin or strategy is asked a second time."""
    came = held(arm, name, TALKS[name]).replay
    assert (came.divergence, came.identical, came.complete, came.torn) == (None, True, True, False)
    assert came.messages > 0


def _closes(one: Turned) -> int:
    """Return how many views the turn closed."""
    return 0 if one.ran is None else sum(event.get("action") == "closed" for event in one.ran.of("view"))


def test_there_is_a_page_for_each_conversation_and_no_other() -> None:
    """No page is left of a conversation that was renamed."""
    expected = {f"{arm.id}-{re.sub(r'[^a-z]+', '-', name)}.txt" for arm in ARMS for name in TALKS}
    assert {path.name for path in FOLDER.iterdir()} == expected
    assert len(TALKS) >= 45
