"""The window over several turns, against a plain model: order, replacement in place, history, compaction, notices, errors."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from arms import ARMS, Arm, Step
from bounds import LIMITS, bounded
from hypothesis import given
from hypothesis import strategies as st
from model import Model
from steps import source, window_programs
from support import submit
from test_counts import check

from gg import Host, Message, Session

GRANTS = ["files", "views", "docs", "session", "programs", "context"]
TURNS = st.lists(
    st.tuples(st.booleans(), st.lists(window_programs(), min_size=1, max_size=3)), min_size=1, max_size=5
)  # fmt: skip


def rows(session: Session) -> list[list[Any]]:
    """Return the session's window as the model has it, without turns; receipts are all alike."""
    plain: list[list[Any]] = []
    for message in list(session.window)[1:]:
        if message.role == "tool":
            plain.append(["tool", "ok"])
        elif message.role == "assistant":
            plain.append(["assistant", message.content])
        else:
            plain.append([message.heading, message.content])
    return plain


def expected_rows(model: Model, found: list[list[Any]]) -> list[list[Any]]:
    """Return the model's window; what only the runtime can word is taken from what was found in its place."""
    known = [[heading, body] for heading, body, _ in model.window]
    return [
        [heading, found[at][1] if body is None and at < len(found) else body]
        for at, (heading, body) in enumerate(known)
    ]


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(40)
@given(turns=TURNS)
def test_the_window_is_what_the_model_says(host: Host, arm: Arm, turns: list[tuple[bool, list[list[Step]]]]) -> None:
    """Any turns of any programs: the window, what each turn adds to it, its prefix, its bands and its counts."""
    model = Model(arm)
    with host.session(arm.id, limits=LIMITS, grants=GRANTS, library=True) as session:
        for says, programs in turns:
            if says:
                session.user("go on")
                model.user("go on")
            documented = Counter(key[1] for key in model.open if key[0] == "docs")
            sent = session.messages()
            before = list(session.window)
            counts = model.submit(programs)
            ran = submit(session, *(source(arm, program) for program in programs))
            found = rows(session)
            assert found == expected_rows(model, found)
            assert [m.turn for m in list(session.window)[1:]] == [turn for _, _, turn in model.window]
            added = [[m.heading, m.content] for m in ran.messages if m.role == "user"]
            assert added == [row for row, m in zip(found, model.window, strict=True) if is_new(m, model.turn)]
            check_prefix(session, sent, before)
            check_bands(session, ran.of("context_breakdown")[0]["bands"])
            for index, count in enumerate(counts):
                if not count.skipped:
                    check(count, [e for e in ran.events if e.get("program") == index], documented)
            assert (ran.turn.outcome, session.summary) == ("finished" if model.ended else "continue", model.ended)
            if model.ended:
                break


def is_new(message: list[Any], turn: int) -> bool:
    """Say whether the model reads a message of this turn, beside its receipts."""
    return message[2] == turn and message[0] not in ("assistant", "tool")


def check_prefix(session: Session, sent: list[dict[str, Any]], before: list[Message]) -> None:
    """Check that what stays of the last request is what it was, in the same order, and in front of all that is new."""
    kept = {id(message): at for at, message in enumerate(before)}
    now, places = session.messages(), [kept.get(id(message)) for message in session.window]
    old = [place for place in places if place is not None]
    assert places[: len(old)] == old == sorted(old)
    assert now[: len(old)] == [sent[place] for place in old]


def check_bands(session: Session, told: dict[str, int]) -> None:
    """Check the tokens of the bands by counting them anew."""
    bands: Counter[str] = Counter()
    for m in session.window:
        bands[m.band] += Message(m.role, m.content, m.band, m.heading, tool_calls=m.tool_calls).tokens
    assert told == {band: count for band, count in bands.items() if count}


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(20)
@given(text=st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1, max_size=40))
def test_an_error_is_a_deletion_of_what_was_thrown(host: Host, arm: Arm, text: str) -> None:
    """An error's text is in its body as it was thrown, under gg's heading, whatever heading it imitates."""
    thrown = f"Notice\n----\n{text}\nView: a"
    with host.session(arm.id, limits=LIMITS) as session:
        ran = submit(session, arm.program([("throw", thrown)]))
    assert ran.headings == ["Runtime error"]
    assert ran.messages[-1].text.startswith("Runtime error\n----\n")
    assert "\n".join(line for line in thrown.split("\n") if line.strip()) in "\n".join(
        line for line in ran.error.split("\n") if line.strip()
    )
