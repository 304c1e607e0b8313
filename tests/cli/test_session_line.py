"""The first line of a transcript: the role a session has, and the plugins that are loaded (design 12)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import ARMS, gg

from gg import Host
from gg.errors import UsageError


def transcript(settings: dict[str, Any], program: str) -> bytes:
    """Return a transcript of one turn."""
    call = {"id": "c", "name": "submit_program", "arguments": {"program": program}}
    lines = [{"session": settings}, {"role": "assistant", "toolCalls": [call]}]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def played(settings: dict[str, Any], program: str = "1") -> Any:
    """Return what `gg session --json` prints of it."""
    done = gg("session", "--json", "-", data=transcript(settings, program))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("arm", ARMS)
def test_a_reviewers_session(arm: str) -> None:
    """An approval's summary is the empty string, and it is there."""
    answer = played({"arm": arm, "role": "review"}, "gg.session.approve()")
    assert (answer["outcome"], answer["summary"]) == ("finished", "")
    (event,) = [e for e in answer["turns"][0]["events"] if e["type"] == "code_execution"]
    assert event["finished"] == ""


@pytest.mark.parametrize(
    ("settings", "loaded"), [({}, True), ({"plugins": ["timing"]}, True), ({"plugins": []}, False)]
)
def test_only_the_plugins_that_are_named(settings: dict[str, Any], loaded: bool) -> None:
    """All that are installed without the key, otherwise those it names; the timing plugin shows itself by its note."""
    events = played(settings)["turns"][0]["events"]
    assert ("worker_note" in [event.get("slug") for event in events]) is loaded


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"plugins": ["nope"]}, b"there is no plugin 'nope'; the plugins are: "),
        ({"plugins": "timing"}, b"line 1 of the transcript has plugins that are no list"),
        ({"plugins": [1]}, b"line 1 of the transcript has a plugin that is no string"),
        ({"role": "boss"}, b"there is no role 'boss'; the roles are: standard, review"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], said: bytes) -> None:
    """A usage error of one sentence that says what there is."""
    done = gg("session", "--json", "-", data=transcript(settings, "1"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_host_of_named_plugins() -> None:
    """An embedder names them too; a bare text is not taken for a list of letters."""
    with Host(plugins=iter(["timing"]), spares=False) as host:
        assert host.plugins is not None
    with pytest.raises(UsageError, match="plugins are a list of names, not the text 'timing'"):
        Host(plugins="timing")
