"""The stream is quiet on the ordinary path: exactly what a clean turn emits."""

from __future__ import annotations

import pytest
from arms import ARMS, Arm
from support import FAST, submit

from gg import Host
from gg.stream.events import level_of


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
def test_what_a_clean_turn_emits(host: Host, arm: Arm) -> None:
    """A turn that wrote, read, logged and showed emits its pairs, its view records, its event and the turn's three."""
    program = arm.program(
        [("write", "f", "x"), ("read", "f"), ("log", "x"), ("open_file", "f"), ("open", "a", "b"), ("close", "a")]
    )
    with host.session(arm.id, limits=FAST) as session:
        submit(session, arm.program([("nothing",)]))  # what tells of the guest's start is behind us
        ran = submit(session, program)
    pair = ["api_call", "api_result"]
    viewed = ["api_call", "view", "api_result"]
    events = [e for e in ran.events if e.get("slug") != "worker_note"]  # of a plugin that happens to be installed
    assert [e["type"] for e in events] == [
        *pair, *pair, *viewed, *viewed, *viewed, "code_execution", "turn_outcome", "turn_timing", "context_breakdown",
    ]  # fmt: skip
    loud = [e for e in ran.turn.events if level_of(e) in ("warn", "error")]
    assert loud == []
    assert {level_of(e) for e in ran.turn.events if type(e).__name__ == "ViewRecord"} == {"debug"}
