"""The same program gives the same window and the same stream on every arm, up to spelling."""

from __future__ import annotations

import re

import pytest
from arms import ARMS, Arm
from scenarios import SCENARIOS, stream, take, window

from gg import Host

OTHERS = [pytest.param(arm, id=arm.id) for arm in ARMS[1:]]
EVERY = [pytest.param(arm, id=arm.id) for arm in ARMS]
VOCABULARY = re.compile(
    r"Compiler error|Runtime error|Notice|View: [^\n]+|Documentation: [^\n]+|File: [^\n]+?(:\d+-\d+ of \d+ lines)?"
)


@pytest.mark.parametrize("arm", OTHERS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_same_window(host: Host, arm: Arm, scenario: str) -> None:
    """What the model reads is what it reads on the first arm."""
    assert window(take(host, arm, scenario), arm) == window(take(host, ARMS[0], scenario), ARMS[0])


@pytest.mark.parametrize("arm", OTHERS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_same_stream(host: Host, arm: Arm, scenario: str) -> None:
    """What the operator reads is what it reads on the first arm, event for event."""
    assert stream(take(host, arm, scenario), arm) == stream(take(host, ARMS[0], scenario), ARMS[0])


@pytest.mark.parametrize("arm", EVERY)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_heading_is_one_of_the_vocabulary(host: Host, arm: Arm, scenario: str) -> None:
    """User messages of gg's are headed by its three messages and its three kinds of view, and by nothing else."""
    for message in take(host, arm, scenario).messages:
        if message.role == "user":
            assert message.heading is not None
            assert VOCABULARY.fullmatch(message.heading), message.heading
            assert message.text.split("\n", 2)[:2] == [message.heading, "----"]
