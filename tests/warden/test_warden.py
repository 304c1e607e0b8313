"""The warden by itself: it forks, reports deaths, and leaves when its host does."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import alive, children, wait_until

from gg.config import Settings
from gg.errors import WardenError
from gg.host.discovery import find_arm
from gg.host.warden import WardenClient
from gg.protocol import Channel, ChannelClosed, Hello, Unavailable
from gg.protocol._frames import FromWorker
from gg.types import Limits
from gg.warden.messages import PluginRef

LIMITS = Limits()
SETTINGS = Settings.from_environment()
ECHO = find_arm(SETTINGS, "echo")


@pytest.fixture
def warden() -> Iterator[WardenClient]:
    """A warden of the test's own."""
    made = WardenClient(SETTINGS)
    yield made
    made.close()


def test_spawn_says_hello(warden: WardenClient) -> None:
    """A worker's first word says who its arm is and that it is confined."""
    _, channel = warden.spawn(ECHO, (), LIMITS, "on")
    hello = channel.receive(10)
    assert isinstance(hello, Hello)
    assert (hello.info.id, hello.confinement in ("full", "none")) == ("echo", True)
    channel.close()


def test_worker_leaves_when_its_channel_closes(warden: WardenClient) -> None:
    """A worker nobody talks to any more ends by itself."""
    number, channel = warden.spawn(ECHO, (), LIMITS, "on")
    channel.receive(10)
    (pid,) = children(warden._process.pid)
    channel.close()
    assert wait_until(lambda: not alive(pid), 5)
    died = warden.death_of(number)
    assert died is not None
    assert died.signal is None


def _drain(channel: Channel[FromWorker]) -> None:
    while True:
        channel.receive(5)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGABRT, signal.SIGTERM])
def test_deaths_are_reported(warden: WardenClient, how: signal.Signals) -> None:
    """A death is reported with its signal, once."""
    number, channel = warden.spawn(ECHO, (), LIMITS, "on")
    channel.receive(10)
    (pid,) = children(warden._process.pid)
    os.kill(pid, how)
    died = warden.death_of(number, 5)
    assert died is not None
    assert died.signal == how
    with pytest.raises(ChannelClosed):
        _drain(channel)
    assert warden.death_of(number, 0.05) is None
    channel.close()


def test_kill(warden: WardenClient) -> None:
    """A worker can be killed at any time, twice, and when it never was."""
    number, channel = warden.spawn(ECHO, (), LIMITS, "on")
    warden.kill(number)
    warden.kill(number)
    warden.kill(12345)
    died = warden.death_of(number, 5)
    assert died is not None
    assert died.signal == signal.SIGKILL
    channel.close()


def test_arm_that_is_not_there(warden: WardenClient) -> None:
    """An arm that cannot be imported answers why; the warden goes on."""
    _, channel = warden.spawn(PluginRef("ghost", "no_such_module:x", "ghost-dist"), (), LIMITS, "on")
    answer = channel.receive(10)
    assert isinstance(answer, Unavailable)
    assert "ghost-dist" in answer.reason
    channel.close()
    _, channel = warden.spawn(ECHO, (), LIMITS, "on")
    assert isinstance(channel.receive(10), Hello)
    channel.close()


def test_many_workers_that_die_at_once(warden: WardenClient) -> None:
    """Deaths that come together are all reported, and the warden outlives them."""
    for _ in range(5):
        spawned = [warden.spawn(ECHO, (), LIMITS, "on") for _ in range(8)]
        for number, _ in spawned:
            warden.kill(number)
        for number, channel in spawned:
            assert warden.death_of(number, 5) is not None
            channel.close()
    _, channel = warden.spawn(ECHO, (), LIMITS, "on")
    assert isinstance(channel.receive(10), Hello)
    channel.close()


def test_deaths_nobody_asks_for(warden: WardenClient) -> None:
    """A host that never asks how its workers ended does not stop its warden, however many there were."""
    for _ in range(350):
        number, channel = warden.spawn(ECHO, (), LIMITS, "on")
        warden.kill(number)
        channel.close()
    _, channel = warden.spawn(ECHO, (), LIMITS, "on")
    assert isinstance(channel.receive(10), Hello)
    channel.close()


def test_workers_that_leave_while_others_come(warden: WardenClient) -> None:
    """Channels closed and workers spawned in one breath do not confuse it."""
    for _ in range(20):
        _, first = warden.spawn(ECHO, (), LIMITS, "on")
        _, second = warden.spawn(ECHO, (), LIMITS, "on")
        first.close()
        assert isinstance(second.receive(10), Hello)
        second.close()
    assert alive(warden._process.pid)


def test_close_ends_everything() -> None:
    """Closing ends the warden, its workers and its folder; what comes after is refused."""
    warden = WardenClient(SETTINGS)
    spawned = [warden.spawn(ECHO, (), LIMITS, "on") for _ in range(3)]
    for _, channel in spawned:
        channel.receive(10)
    pid, below = warden._process.pid, children(warden._process.pid)
    assert len(below) == 3
    began = time.monotonic()
    warden.close()
    assert time.monotonic() - began < 5
    assert not alive(pid)
    assert not any(map(alive, below))
    assert not os.path.exists(warden.private_folder)
    for _, channel in spawned:
        channel.close()


def test_zombies_are_reaped(warden: WardenClient) -> None:
    """No dead worker stays in the process table."""
    for _ in range(3):
        number, channel = warden.spawn(ECHO, (), LIMITS, "on")
        warden.kill(number)
        warden.death_of(number, 5)
        channel.close()
    zombies = 0
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else ["", ""]
            zombies += fields[0] == "Z" and fields[1] == str(warden._process.pid)
    assert zombies == 0


def test_worker_has_nothing_of_the_hosts(warden: WardenClient) -> None:
    """A worker has an empty environment, a session of its own, and no descriptor but its own few."""
    _, channel = warden.spawn(ECHO, (), LIMITS, "on")
    channel.receive(10)
    (pid,) = children(warden._process.pid)
    assert Path(f"/proc/{pid}/environ").read_text().count("=") <= 8, "what the warden was started with, at most"
    assert os.getsid(pid) == pid
    assert len(os.listdir(f"/proc/{pid}/fd")) <= 12
    assert "NoNewPrivs:\t1" in Path(f"/proc/{pid}/status").read_text()
    channel.close()


def test_warden_that_is_gone() -> None:
    """A client whose warden died says so, or has started another; a worker asked of the dead one is gone."""
    warden = WardenClient(SETTINGS)
    os.kill(warden._process.pid, signal.SIGKILL)
    try:
        _, channel = warden.spawn(ECHO, (), LIMITS, "on")
        with contextlib.closing(channel):
            assert isinstance(channel.receive(10), Hello)
    except (WardenError, ChannelClosed):
        pass
    warden.close()
    assert not os.path.exists(warden.private_folder)
