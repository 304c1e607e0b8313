"""Plugins as distributions: the echo arm, the timing wrapper, and strangers that break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support import FAST, Runner, submit

from gg import Host
from gg.errors import ArmUnavailable, PluginLoadError
from gg.hookspecs import hookimpl
from gg.operations.table import Arguments, Operation


@pytest.fixture(scope="module")
def fresh() -> Iterator[Host]:
    """A host whose plugin manager a test may add to."""
    with Host(spares=False) as made:
        yield made


def test_echo(run: Runner) -> None:
    """A third-party arm's program opens its view, logs, and is compiled for itself."""
    ran = run("echo", "hello\nthere")
    assert ran.headed == [("View: echo", "hello\nthere")]
    assert ran.logs == ["hello", "there"]
    assert ran.execution["compileMs"] >= 0


def test_echo_rejects(run: Runner) -> None:
    """What its compiler says is the Compiler error, and nothing ran."""
    ran = run("echo", "a\n!dance")
    assert (
        ran.headed == [("Compiler error", "program.echo:2:1: unknown command !dance")]
        or ran.error.strip() == "program.echo:2:1: unknown command !dance"
    )
    assert "durationMs" not in ran.execution
    assert "logs" not in ran.execution


def test_echo_traps(run: Runner) -> None:
    """A trap of its module is a Runtime error in the sandbox's words; what was logged before stands."""
    ran = run("echo", "!trap")
    assert ran.headings == ["Runtime error"]
    assert "unreachable" in ran.error
    assert ran.logs == ["!trap"]


def test_echo_without_views(run: Runner) -> None:
    """Without the grant its call is refused, and the program reports it."""
    ran = run("echo", "x", grants=["files"])
    assert ran.headed == [("Runtime error", "the view was refused")]


def test_timing_notes_its_figures(run: Runner, arm: str) -> None:
    """A worker plugin wraps an arm's hooks without its knowing, and notes what it measured for the operator."""
    note = run(arm, "1").log("worker_note")
    assert {"timing.prepareMs", "timing.compileMs", "timing.runMs"} <= note.keys()
    assert note["level"] == "debug"


@pytest.mark.parametrize(
    ("arm", "said"),
    [
        ("raises", "no idea who I am"), ("misnamed", "its id is 'javascript'"), ("hookless", "gg_prepare"), ("unbuilt", "not built"),
        ("ailing", "the compiler is older than 9"), ("exits", "exit status 7"), ("gone", "gg_strange_that_is_not_there"),
    ],
)  # fmt: skip
def test_broken_arms(strange_host: Host, arm: str, said: str) -> None:
    """An arm that cannot be used says why, in one sentence; the others go on."""
    with pytest.raises(ArmUnavailable) as caught:
        strange_host.session(arm)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert Runner(strange_host)("javascript", "1").execution["ok"]


@pytest.mark.parametrize("what", ["raise", "junk", "die", "hang"])
def test_run_step_that_breaks(strange_host: Host, what: str) -> None:
    """Once a program has started, whatever its arm does is a Runtime error, never the toolchain's."""
    from gg import Limits

    ran = Runner(strange_host)("runs", what, limits=Limits(0.5, 64 << 20))
    assert ran.turn.outcome == "continue"
    assert ran.headings == ["Runtime error"]
    assert "durationMs" in ran.execution


@pytest.mark.parametrize("what", ["backwards", "negative", "outside", "raise", "junk"])
def test_trim_step_that_breaks(strange_host: Host, what: str) -> None:
    """Ranges that are none, or no answer at all, lose neither the event nor the session."""
    with strange_host.session("trims", limits=FAST) as session:
        ran = submit(session, what)
        assert ran.turn.outcome == "continue"
        assert ran.headings in (["Compiler error"], ["Notice"])
        assert ran.execution["ok"] is False
        assert submit(session, "again").turn.outcome == "continue"


def test_facts_with_the_names_of_fields(strange_host: Host) -> None:
    """What a worker plugin notes never overwrites an event's own fields."""
    note = Runner(strange_host)("runs", "facts").log("worker_note")
    assert (note["level"], note["slug"], note["type"]) == ("debug", "worker_note", "log")


def test_host_plugin_sees_events_and_adds_operations(fresh: Host) -> None:
    """A plugin object on the host side sees every event, and one that raises reaches no turn."""
    seen: list[str] = []

    class Watcher:
        @hookimpl
        def gg_event(self, event: Any) -> None:
            seen.append(type(event).__name__)
            if len(seen) == 3:
                raise RuntimeError("tired")

    assert fresh.plugins is not None
    fresh.plugins.register(Watcher(), "watcher")
    ran = Runner(fresh)("javascript", "1")
    assert ran.execution["ok"]
    assert "SessionStarted" in seen


def test_plugin_that_breaks_the_contract(fresh: Host) -> None:
    """An implementation whose arguments the hook does not have is refused when it registers."""
    import pluggy

    class Wrong:
        @hookimpl
        def gg_event(self, event: Any, more: Any) -> None:
            """Ask for what there is not."""

    assert fresh.plugins is not None
    with pytest.raises(pluggy.PluginValidationError):
        fresh.plugins.register(Wrong(), "wrong")


def test_hooks_are_the_documented_ones() -> None:
    """Every hook is prefixed and typed."""
    from gg.hookspecs import host, worker

    for module in (host, worker):
        hooks = [value for name, value in vars(module).items() if callable(value) and hasattr(value, "gg_spec")]
        assert hooks
        for hook in hooks:
            assert hook.__name__.startswith("gg_")
            assert hook.__doc__
            assert "return" in hook.__annotations__


def test_errors_say_who() -> None:
    """A load error names the plugin and the distribution."""
    error = PluginLoadError("x", "dist-y", "it broke")
    assert (error.name, error.distribution, error.reason) == ("x", "dist-y", "it broke")
    assert "dist-y" in str(error)


def test_operation_of_a_plugin_that_is_taken(host: Host) -> None:
    """A row whose id is taken is left out and reported; gg's own stands."""

    class _A(Arguments):
        pass

    def mine(context: object, arguments: _A) -> None:
        raise AssertionError("gg's own row stands")

    with Host(operations=[Operation("session.finish", _A, mine, None, "x")], spares=False) as other:
        assert Runner(other)("javascript", "gg.session.finish('x')").turn.summary == "x"
