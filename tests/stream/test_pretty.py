"""The activity feed as a sink an embedder gives a session: calls in the model's own vocabulary, through the surface."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pytest
from rich.console import Console
from support import FAST, one_of, spell, submit, throw

from gg import Host, Reply, ToolCall
from gg.stream.events import AgentSurface, ApiCall, ApiResult
from gg.stream.sinks import Pretty


def feed() -> tuple[Pretty, io.StringIO]:
    """Return a feed, and what it has written so far."""
    written = io.StringIO()
    return Pretty(Console(file=written, highlight=False, soft_wrap=True)), written


def shown(written: io.StringIO) -> list[str]:
    """The feed's lines, without times."""
    return [line.strip(" .").rpartition(" (")[0] or line.strip(" .") for line in written.getvalue().splitlines()]


def test_a_turn_as_the_model_wrote_it(host: Host, arm: str) -> None:
    """Calls a tool backs, view calls, a documentation search, an ending: each by its spelling in the agent's language."""
    pretty, written = feed()
    program = one_of(
        arm,
        "gg.files.writeFile('f', 'x'); gg.views.openFile('f'); gg.docs.search({query: 'file'}); gg.session.finish('All is well.')",
        "gg.files.write_file('f', 'x'); gg.views.open_file('f'); gg.docs.search(query='file'); gg.session.finish('All is well.')",
    )
    with host.session(arm, limits=FAST, sinks=[pretty]) as session:
        submit(session, program)
    lines = shown(written)
    calls = [line for line in lines if line.endswith(" ok")]
    assert calls == [spell(arm, f"{name} ok") for name in ("$WRITE", "$OPEN_FILE", "gg.docs.search", "$FINISH")]
    assert "agent All is well." in written.getvalue().splitlines()
    assert "view opened: f" in lines
    if arm == "javascript":
        assert "write_file" not in written.getvalue()
        assert "files.open" not in written.getvalue()


def test_calls_that_are_not_on_the_surface(host: Host, arm: str) -> None:
    """They have no word in this agent's vocabulary, and are shown by their id."""
    pretty, written = feed()
    with host.session(arm, limits=FAST, sinks=[pretty], grants=["views"]) as session:
        submit(session, spell(arm, "$WRITE('f', 'x')"))
    assert "files.write_file unavailable" in shown(written)


def test_a_revoked_ending_is_not_the_agents_message(host: Host, arm: str) -> None:
    """It failed, so it said nothing."""
    pretty, written = feed()
    with host.session(arm, limits=FAST, sinks=[pretty]) as session:
        submit(session, "gg.session.finish('done')\n" + throw(arm, "x"))
    assert "agent done" not in written.getvalue()
    assert "ending_revoked: the ending was revoked: the program then failed" in written.getvalue()


def test_a_model_that_calls_tools(host: Host) -> None:
    """The tools' names are its vocabulary; the summary is its message there too, though no program's event carries it."""
    pretty, written = feed()
    with host.session(mode="tool-calling", sinks=[pretty]) as session:
        calls = [ToolCall("a", "files_list_dir", {}), ToolCall("b", "session_finish", {"summary": "All is well."})]
        session.turn(Reply("", calls))
    assert [line for line in shown(written) if line.endswith(" ok")] == ["files_list_dir ok", "session_finish ok"]
    assert "agent All is well.\n" in written.getvalue()
    assert "session_ending" not in written.getvalue()


def test_spelling_comes_from_the_surface_alone() -> None:
    """Before one was reported, and for what is not on it, the id stands."""
    pretty, written = feed()
    pair: list[Any] = [ApiCall(call=1, operation="a.b"), ApiResult(call=1, operation="a.b", ok=True, parked_ms=0.0)]
    for event in pair:
        pretty(event)
    surface = AgentSurface(arm="x", mode="responses-as-code", modules=[])
    pretty(surface)
    for event in pair:
        pretty(event)
    assert shown(written) == ["a.b ok", "a.b ok"]


def test_control_characters_are_written_out(host: Host, arm: str) -> None:
    """What a program logs, or ends with, cannot drive the terminal."""
    pretty, written = feed()
    with host.session(arm, limits=FAST, sinks=[pretty]) as session:
        submit(session, spell(arm, "$LOG('a\\u001b[2Jb'); $FINISH('c\\u202ed')"))
    assert "\x1b" not in written.getvalue()
    assert "  | a\\u001b[2Jb" in written.getvalue()
    assert "agent c\\u202ed" in written.getvalue()


@pytest.mark.parametrize("name", ["gg.stream.sinks", "gg.host.host"])
def test_rich_is_loaded_when_it_is_asked_for(name: str) -> None:
    """An embedder that prints nothing does not pay for it."""
    code = f"import sys, {name}; assert 'rich' not in sys.modules; from gg.stream.sinks import Pretty; assert 'rich' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_sink_that_is_not_there() -> None:
    """An ordinary attribute error."""
    import gg.stream.sinks

    with pytest.raises(AttributeError, match="has no attribute 'Ugly'"):
        _ = gg.stream.sinks.Ugly  # type: ignore[attr-defined]
