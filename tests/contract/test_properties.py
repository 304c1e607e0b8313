"""Rules that hold for whatever a program does."""

from __future__ import annotations

from typing import Any

import pytest
from arms import ARMS, Arm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import FAST, submit

from gg import Host
from gg.operations.table import OperationFailure
from gg.stream.events import CodeExecution, to_wire
from gg.stream.record import ProgramRecord
from gg.window.views import ViewRefused, Views
from gg.window.window import Window

LIVE = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("open"), st.sampled_from("abc"), st.sampled_from("123")),
        st.tuples(st.just("close"), st.sampled_from("abc")),
        st.just(("throw", "enough")),
    ),
    max_size=8,
)


@pytest.fixture(scope="module")
def sessions(host: Host) -> Any:
    """One session an arm."""
    made = {arm.id: host.session(arm.id, limits=FAST) for arm in ARMS}
    yield made
    for session in made.values():
        session.close()


@given(st.lists(st.sampled_from(["ok", "not-found", "refused", "invalid-argument"]), max_size=1300))
@settings(deadline=None, max_examples=60, derandomize=True)
def test_counts_add_up(calls: list[str]) -> None:
    """`toolCalls` is described plus suppressed, `apiCalls` is every call, and no cap is exceeded."""
    seen: list[Any] = []
    record = ProgramRecord(seen.append)
    for code in calls:
        record.call_opened("files.read_file")
        failure = None if code == "ok" else OperationFailure(code, "é" * 300)  # type: ignore[arg-type]
        dispatched = code in ("ok", "not-found")
        record.call_closed("files.read_file", dispatched=dispatched, failure=failure, parked_ms=0.0)
    event = CodeExecution(ok=True, tool_calls=0)
    record.fill(event)
    wire = to_wire(event)
    described, refusals = wire.get("calls", []), sum(type(e).__name__ == "Refusal" for e in seen)
    made = sum(code in ("ok", "not-found") for code in calls)
    assert wire["toolCalls"] == len(described) + wire.get("callsSuppressed", 0) == made
    assert wire.get("apiCalls", 0) == len(calls)
    assert refusals + wire.get("refusalsSuppressed", 0) == len(calls) - made
    assert len(described) <= 500
    assert refusals <= 100
    assert all(len(c.get("message", "").encode()) <= 512 for c in described)


@given(label=PLAIN, body=PLAIN)
@settings(deadline=None)  # the first example loads the token vocabulary
def test_headings_cannot_be_forged(label: str, body: str) -> None:
    """Whatever label and body a program gives, the first line is `View: <label>` and the second the rule; or refused."""
    window = Window()
    try:
        Views(window, lambda *_: None, 0, 0).open_text(label, body)
    except ViewRefused:
        assert list(window) == []
        return
    (message,) = window
    first, rule, rest = message.text.split("\n", 2)
    assert (first, rule, rest) == (f"View: {label}", "----", body)
    assert len(message.text.splitlines()[0]) == len(first), "no other line break is in a heading"


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@LIVE
@given(text=st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1, max_size=40))
def test_an_error_is_a_deletion_of_what_was_thrown(sessions: Any, arm: Arm, text: str) -> None:
    """An error's text is in its body as it was thrown, under gg's heading, whatever heading it imitates."""
    thrown = f"Notice\n----\n{text}\nView: a"
    ran = submit(sessions[arm.id], arm.program([("throw", thrown)]))
    assert ran.headings == ["Runtime error"]
    assert ran.messages[-1].text.startswith("Runtime error\n----\n")
    assert "\n".join(line for line in thrown.split("\n") if line.strip()) in "\n".join(
        line for line in ran.error.split("\n") if line.strip()
    )


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@LIVE
@given(steps=STEPS)
def test_the_windows_order_rules(sessions: Any, arm: Arm, steps: list[tuple[str, ...]]) -> None:
    """Views stand where they were first opened in the turn, the error is last, and only an empty window earns the notice."""
    session = sessions[arm.id]
    before = [m["content"] for m in session.messages()]
    ran = submit(session, arm.program([*steps] or [("nothing",)]))  # type: ignore[list-item]
    expected: dict[str, str] = {}
    threw = False
    for name, *arguments in steps:
        if name == "throw":
            threw = True
            break
        if name == "close":
            expected.pop(arguments[0], None)
        else:
            expected[arguments[0]] = arguments[1]
    shown = [(f"View: {label}", body) for label, body in expected.items()]
    assert ran.headed[: len(shown)] == shown
    assert ran.headings[len(shown) :] == (["Runtime error"] if threw else [] if shown else ["Notice"])
    after = [m["content"] for m in session.messages()]
    kept = iter(before)
    assert all(m in kept for m in after[: len(after) - len(ran.messages) - 1]), "earlier messages only go"
