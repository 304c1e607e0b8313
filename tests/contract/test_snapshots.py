"""Whole windows and streams of every scenario on every arm, kept as text a reviewer can read.

``GG_UPDATE_SNAPSHOTS=1`` writes them anew; times and numbers of events are left out.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from arms import ARMS, Arm
from pages import events_page, messages_page
from scenarios import SCENARIOS, take
from support import Ran

from gg import Host

FOLDER = Path(__file__).parents[1] / "snapshots"


def written(ran: Ran, arm: Arm, scenario: str) -> str:
    """Return programs, messages and events of a turn as a page of text."""
    programs = [f"--- program {n}\n{arm.program(p)}" for n, p in enumerate(SCENARIOS[scenario])]
    return "\n".join([*programs, *messages_page(ran), *events_page(ran.events)]) + "\n"


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
