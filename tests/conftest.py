"""Fixtures shared by the rooms' tests: one real host a process, and a short way to run programs on an arm."""

from __future__ import annotations

import os
import pathlib
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from hypothesis import settings

sys.path.insert(0, str(pathlib.Path(__file__).parent / "e2e"))  # `support` is importable from every folder

from support import ARMS, Ran, Runner, StrangeArms

from gg import Host

SOAK = os.environ.get("GG_SOAK") == "1"
HANG_S = 0 if SOAK else 90
"""No test takes nearly as long, unless it soaks; compiling the Python guest on a cold cache does."""
settings.register_profile("ci", derandomize=True, print_blob=True)
settings.register_profile("soak", print_blob=True)
settings.load_profile("soak" if SOAK else "ci")  # tests that run twice do the same twice


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """Fail a test that hangs, instead of the whole suite."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"the test took more than {HANG_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """One host, its warden and its warm workers, for all tests of a process."""
    with Host() as made:
        yield made


@pytest.fixture
def run(host: Host) -> Runner:
    """Return ``run(arm, *programs, workspace=…)``: the programs as one turn of a fresh session."""
    return Runner(host)


@pytest.fixture(params=ARMS)
def arm(request: pytest.FixtureRequest) -> str:
    """Each of gg's own arms in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def strange_arms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StrangeArms]:
    """A stranger's distribution with arms that misbehave, installed for an interpreter of its own."""
    with StrangeArms(tmp_path_factory.mktemp("strange")) as made:
        yield made


@pytest.fixture(scope="session")
def strange_host(strange_arms: StrangeArms) -> Iterator[Host]:
    """A host whose workers can load the strange arms."""
    with strange_arms.host() as made:
        yield made


@pytest.fixture
def wat(strange_host: Host) -> Any:
    """Return ``wat(body, *, data=…)``: a hand-written module as one turn of the `wat` arm."""
    runner = Runner(strange_host)

    def run_wat(module: str, **options: Any) -> Ran:
        return runner("wat", module, **options)

    return run_wat
