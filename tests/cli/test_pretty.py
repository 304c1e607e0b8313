"""The activity feed: calls in the model's own vocabulary, and an ending as the agent's own message."""

from __future__ import annotations

import pytest
from support import FAST, spell, submit, throw

from gg import Host
from gg.cli._pretty import Pretty


def feed(host: Host, capsys: pytest.CaptureFixture[str], arm: str, *programs: str, **options: object) -> list[str]:
    """Return the feed's lines of one turn."""
    pretty = Pretty(colour=False)
    with host.session(arm, limits=FAST, sinks=[pretty.event], **options) as session:  # type: ignore[arg-type]
        submit(session, *programs)
    return capsys.readouterr().out.splitlines()


def test_calls_are_shown_as_the_model_writes_them(host: Host, capsys: pytest.CaptureFixture[str], arm: str) -> None:
    """Resolved through the reported surface, whether a tool backs them or not, refused ones too."""
    program = spell(arm, "$LIST(); $OPEN_TEXT('a', 'b')")
    lines = feed(host, capsys, arm, program)
    assert any(line.startswith(spell(arm, "  . $LIST ok (")) for line in lines)
    assert any(line.startswith(spell(arm, "  . $OPEN_TEXT ok (")) for line in lines)
    assert not any("files.list_dir" in line for line in lines if arm == "javascript")
    lines = feed(host, capsys, arm, spell(arm, "$WRITE('a', 'b')"), grants=["views"])
    assert any("files.write_file unavailable" in line for line in lines)  # not on this agent's surface: by its id


def test_an_ending_is_the_agents_own_message(host: Host, capsys: pytest.CaptureFixture[str], arm: str) -> None:
    """Shown as what the agent says, and not where the ending was revoked or says nothing."""
    assert "agent All is well." in feed(host, capsys, arm, "gg.session.finish('All is well.')")
    revoked = feed(host, capsys, arm, "gg.session.finish('All is well.')\n" + throw(arm, "x"))
    assert not any(line.startswith("agent") for line in revoked)
    approved = feed(host, capsys, arm, "gg.session.approve()", role="review")
    assert not any(line.startswith("agent") for line in approved)


def test_one_call_is_one_call(host: Host, capsys: pytest.CaptureFixture[str], arm: str) -> None:
    """Numbers and words agree."""
    assert any(", 1 call" in line and "1 calls" not in line for line in feed(host, capsys, arm, spell(arm, "$LIST()")))
