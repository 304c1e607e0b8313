"""Whole windows and streams of every scenario on every arm, kept as text a reviewer can read.

``GG_UPDATE_SNAPSHOTS=1`` writes them anew; times and numbers of events are left out.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from arms import ARMS, Arm
from scenarios import SCENARIOS, take
from support import Ran

from gg import Host

UNRELATED = ("warm_up_done", "worker_note")
"""Lines about when a guest was ready, and of plugins that happen to be installed."""
FOLDER = Path(__file__).parents[1] / "snapshots"


def written(ran: Ran, arm: Arm, scenario: str) -> str:
    """Return programs, messages and events of a turn as a page of text."""
    parts = [f"--- program {n}\n{arm.program(p)}" for n, p in enumerate(SCENARIOS[scenario])]
    parts += [f"--- {m.role} ({m.band}, {m.tokens} tokens)\n{m.text}" for m in ran.messages]
    parts.append(f"--- outcome: {ran.turn.outcome}" + ("" if ran.turn.summary is None else f" {ran.turn.summary!r}"))
    lines = ["--- events"]
    for event in ran.events:
        if event.get("slug") in UNRELATED:
            continue
        kept = {k: v for k, v in event.items() if k not in ("type", "seq", "ts", "turn")}
        kept = {k: "<ms>" if k.endswith("Ms") else v for k, v in kept.items() if k != "compileWaitMs"}
        if event["type"] == "context_breakdown":  # the prompt grows with every operation there is
            kept["bands"] = {k: "<prompt>" if k == "system" else v for k, v in kept["bands"].items()}
        if len(kept.get("logs", [])) > 3:
            kept["logs"] = [*kept["logs"][:2], f"<{len(kept['logs']) - 2} more>"]
        lines.append(f"{event['type']} {json.dumps(kept, ensure_ascii=False)}")
    if len(lines) > 60:
        lines[20:-10] = [f"<{len(lines) - 30} more events>"]
    return "\n".join([*parts, *lines]) + "\n"


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_snapshot(host: Host, arm: Arm, scenario: str) -> None:
    """The turn reads as it was read through."""
    file = FOLDER / f"{arm.id}-{scenario.replace(',', '').replace(' ', '-')}.txt"
    text = written(take(host, arm, scenario), arm, scenario)
    if os.environ.get("GG_UPDATE_SNAPSHOTS"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text
