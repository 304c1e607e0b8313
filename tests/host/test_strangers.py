"""What a plugin, a sink or a strategy that hangs costs: its own say, and nothing else."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support import FAST, submit

from gg import Host
from gg.errors import UsageError
from gg.hookspecs import hookimpl
from gg.host.discovery import HostPlugins
from gg.host.strangers import Hung, Strangers

VIEW = "gg.views.openText('a', 'b')"


@pytest.fixture
def never() -> Iterator[Callable[..., Any]]:
    """A function that does not come back while the test runs."""
    gate = threading.Event()
    yield lambda *_: gate.wait(60)
    gate.set()


def test_a_call_that_hangs_is_left_behind(never: Callable[..., Any]) -> None:
    """The next call gets another thread; what a call answers or raises comes through."""
    strangers = Strangers(0.05)
    with pytest.raises(Hung, match=r"had not answered after 0\.05 s"):
        strangers.call(never)
    assert strangers.call(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        strangers.call(lambda: 1 / 0)
    with pytest.raises(SystemExit):
        strangers.call(lambda: exit(3))


def test_calls_of_many_threads_do_not_wait_for_each_other() -> None:
    """Two calls that need each other are both made."""
    strangers = Strangers(10)
    meet = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(lambda n: (strangers.call(meet.wait), n)[1], range(2))) == [0, 1]


def test_a_thread_is_used_again() -> None:
    """A call in a row costs no new thread."""
    strangers = Strangers(10)
    assert len({strangers.call(threading.get_ident) for _ in range(20)}) == 1


def test_an_event_hook_that_hangs(never: Callable[..., Any], capfd: pytest.CaptureFixture[str]) -> None:
    """The turn goes on, it is named once, and it is called no more."""

    class Watches:
        seen = 0

        @hookimpl
        def gg_event(self, event: Any) -> None:
            Watches.seen += 1
            never()

    with Host(spares=False) as host:
        assert host.plugins is not None
        host.plugins.register(Watches(), "watches")
        host.strangers.timeout_s = 0.1
        with host.session("javascript", limits=FAST) as session:
            assert submit(session, VIEW).headings == ["View: a"]
    assert Watches.seen == 1
    assert capfd.readouterr().err.count("gg_event of watches (no distribution) had not answered after 0.1 s") == 1


def test_operations_that_never_come(never: Callable[..., Any]) -> None:
    """The rows are left out, and the plugin is named."""

    class Adds:
        @hookimpl
        def gg_operations(self) -> Any:
            return never()

    plugins = HostPlugins(frozenset(), Strangers(0.1))
    plugins.register(Adds(), "adds")
    assert plugins.operations() == []
    assert [str(failure) for failure in plugins.failures] == [
        "the plugin 'adds' of no distribution could not be loaded: gg_operations had not answered after 0.1 s"
    ]


@pytest.mark.parametrize("lazy", [False, True], ids=["in the call", "in what it answers"])
def test_a_strategy_that_hangs(never: Callable[..., Any], lazy: bool) -> None:
    """The window is as it was, the operator reads why, and the session goes on."""

    def hangs(messages: Any, summary: Any, files: Any) -> Any:
        return (never() for _ in messages) if lazy else never()

    said: list[Any] = []
    options: dict[str, Any] = {"limits": FAST, "compaction": hangs, "sinks": [said.append]}
    with Host(spares=False) as host, host.session("javascript", **options) as session:
        host.strangers.timeout_s = 0.1
        submit(session, VIEW)
        before = session.messages()
        with pytest.raises(UsageError, match="of the strategy 'hangs', it had not answered after"):
            session.compact("what was done")
        assert session.messages() == before
        assert [event.level for event in said if getattr(event, "slug", "") == "compaction_failed"] == ["error"]
        assert submit(session, VIEW).headings == ["View: a"]


def test_a_strategy_without_end() -> None:
    """More messages than there are end it, whatever it would go on to say."""

    def endless(messages: Any, summary: Any, files: Any) -> Any:
        return itertools.chain(messages, itertools.repeat(messages[-1]))

    with Host(spares=False) as host, host.session("javascript", limits=FAST, compaction=endless) as session:
        submit(session, VIEW)
        with pytest.raises(UsageError, match="twice, or out of the window's order"):
            session.compact("what was done")
