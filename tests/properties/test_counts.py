"""What one program is counted as, against a plain model: the counts of its event, the caps, the brackets, its logs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from arms import ARMS, Arm
from bounds import LIMITS, bounded
from hypothesis import given
from hypothesis import strategies as st
from model import Counts, Model, tail_of
from steps import counted_programs, source
from support import submit

from gg import Host
from gg.operations.table import OperationFailure
from gg.stream.events import CodeExecution, to_wire
from gg.stream.record import ProgramRecord

GRANTS = ["files", "views", "docs", "session", "programs"]
MAX_CALLS, MAX_REFUSALS, MAX_VIEWS, MAX_FAILURE_BYTES = 500, 100, 100, 512


@given(st.lists(st.sampled_from(["ok", "not-found", "refused", "invalid-argument"]), max_size=1300))
@bounded(60)
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
    assert len(described) <= MAX_CALLS
    assert refusals <= MAX_REFUSALS
    assert all(len(c.get("message", "").encode()) <= MAX_FAILURE_BYTES for c in described)


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(30)
@given(programs=st.lists(counted_programs(), min_size=1, max_size=3))
def test_a_program_is_counted_as_the_model_counts_it(host: Host, arm: Arm, programs: list[Any]) -> None:
    """Each program of a turn has its own counts; a chain's add up; nothing else is counted, and nothing twice."""
    model = Model(arm)
    with host.session(arm.id, limits=LIMITS, grants=GRANTS, library=True) as session:
        expected = model.submit(programs)
        ran = submit(session, *(source(arm, program) for program in programs))
    for index, counts in enumerate(expected):
        events = [event for event in ran.events if event.get("program") == index]
        check(counts, events, Counter())


def check(counts: Counts, events: list[dict[str, Any]], documented: Counter[str]) -> None:
    """Check one submission's events against what the model counted."""
    (event,) = [event for event in events if event["type"] == "code_execution"]
    dispatched = counts.dispatched
    described = event.get("calls", [])
    assert event["ok"] == counts.ok
    assert event["toolCalls"] == len(dispatched) == len(described) + event.get("callsSuppressed", 0)
    assert event.get("callsSuppressed", 0) == max(0, len(dispatched) - MAX_CALLS)
    assert [(call["operation"], call.get("code"), call["ok"]) for call in described] == [
        (id, code, code is None) for id, code in dispatched[:MAX_CALLS]
    ]
    assert event.get("apiCalls", 0) == len(counts.calls)
    assert ("apiCalls" in event) == bool(counts.calls), "omitted when zero"
    refusals = [one["operation"] for one in events if one["type"] == "refusal"]
    assert refusals == counts.refusals[:MAX_REFUSALS]
    assert event.get("refusalsSuppressed", 0) == max(0, len(counts.refusals) - MAX_REFUSALS)
    views = [(one["action"], one.get("selector", "")) for one in events if one["type"] == "view"]
    assert views == counts.records
    over = {kind: max(0, counts.views[kind] - MAX_VIEWS) for kind in ("opened", "closed", "refused")}
    assert event.get("viewsSuppressed", dict.fromkeys(over, 0)) == over
    assert ("viewsSuppressed" in event) == any(over.values())
    brackets = [one for one in events if one["type"] in ("api_call", "api_result")]
    assert [(one["type"], one["call"], one["operation"], one.get("failure")) for one in brackets] == [
        pair
        for number, (id, code) in enumerate(counts.calls, 1)
        for pair in (("api_call", number, id, None), ("api_result", number, id, code))
    ], "every call is bracketed, in order, and no cap holds"
    assert all(one["ok"] == ("failure" not in one) for one in brackets if one["type"] == "api_result")
    unknown = Counter(id for id, code in counts.calls if code != "unavailable" and id not in documented)
    told = event.get("undocumentedCalls", {"calls": 0, "operations": {}})
    assert told == {"calls": unknown.total(), "operations": dict(unknown)}
    assert ("undocumentedCalls" in event) == bool(unknown)
    kept = tail_of(counts.logged)
    assert event.get("logs", []) == kept
    assert ("logs" in event) == ("logsSuppressed" in event) == bool(counts.logged)
    assert event.get("logsSuppressed", 0) == len(counts.logged) - len(kept)
    assert all(len(text.encode()) <= MAX_FAILURE_BYTES for text in _failure_texts(events, described))


def _failure_texts(events: list[dict[str, Any]], described: list[dict[str, Any]]) -> list[str]:
    return [one.get("message", "") for one in (*described, *(e for e in events if e["type"] in ("refusal", "view")))]
