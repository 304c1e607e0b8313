"""Endings by role, the hooks that object to endings and calls, and results that come later (messages page, notices)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support import FAST, Ran, one_of, spell, submit, throw

from gg import Host
from gg.errors import UsageError
from gg.hookspecs import hookimpl
from gg.operations.table import Arguments, Operation
from gg.types import AgentStop, PendingCall

FINISH = "gg.session.finish('done')"
APPROVE = "gg.session.approve()"
REQUEST = {"javascript": "gg.session.requestChanges({})", "python": "gg.session.request_changes({})"}
REJECTED = "The ending was rejected, and the session goes on.\n\n"


@contextmanager
def host_with(*plugins: object, **options: Any) -> Iterator[Host]:
    """Make a host in which these plugins were installed."""
    with Host(spares=False, **options) as made:
        assert made.plugins is not None
        for number, plugin in enumerate(plugins):
            made.plugins.register(plugin, f"plugin{number}")
        made.strangers.timeout_s = 0.3
        yield made


def turn(host: Host, arm: str, *programs: str, **options: Any) -> Ran:
    """Run programs as one turn of a session of its own."""
    with host.session(arm, limits=FAST, **options) as session:
        return submit(session, *programs)


# -- roles ------------------------------------------------------------------------------------------------------------


def test_a_reviewer_approves(host: Host, arm: str) -> None:
    """The summary of an approval is the empty string, and present."""
    ran = turn(host, arm, APPROVE, role="review")
    assert (ran.turn.outcome, ran.turn.summary) == ("finished", "")
    assert ran.execution["finished"] == ""
    assert ran.log("session_ending")["summary"] == ""


def test_a_reviewer_requests_changes(host: Host, arm: str) -> None:
    """The items, blank ones left out, are joined by newlines."""
    ran = turn(host, arm, REQUEST[arm].format("['tests', '  ', 'docs']"), role="review")
    assert (ran.turn.summary, ran.execution["finished"]) == ("tests\ndocs", "tests\ndocs")


@pytest.mark.parametrize("items", ["[]", "['', ' \\n']"])
def test_no_change_is_no_request(host: Host, arm: str, items: str) -> None:
    """An empty list, blanks left out, is an invalid argument, and ends nothing."""
    ran = turn(host, arm, REQUEST[arm].format(items), role="review")
    assert "`request_changes` failed (invalid-argument): `items` names no change" in ran.error
    assert ran.turn.outcome == "continue"


def test_the_later_of_two_endings_stands(host: Host, arm: str) -> None:
    """Whichever they are; the operator reads how often."""
    ran = turn(host, arm, APPROVE + "\n" + REQUEST[arm].format("['x']"), role="review")
    assert ran.turn.summary == "x"
    assert ran.log("ending_replaced")["times"] == 1


def test_an_approval_is_revoked_by_a_failure(host: Host, arm: str) -> None:
    """An empty summary is an ending like any other."""
    ran = turn(host, arm, APPROVE + "\n" + throw(arm, "x"), role="review")
    assert (ran.turn.outcome, ran.execution["finished"]) == ("continue", "")
    assert ran.log("ending_revoked")["summary"] == ""


def test_another_roles_ending_names_ones_own(host: Host, arm: str) -> None:
    """The role comes before the shape, and the endings are spelled as the language does."""
    ran = turn(host, arm, one_of(arm, "gg.session.finish('x')", "gg.session.finish('x')"), role="review")
    request = one_of(arm, "`gg.session.requestChanges`", "`gg.session.request_changes`")
    said = f"`finish` failed (unavailable): `gg.session.finish` is not available; this session ends with `gg.session.approve` or {request}"  # noqa: E501
    assert said in ran.error
    ran = turn(host, arm, REQUEST[arm].format("[]"))
    assert "is not available; this session ends with `gg.session.finish`" in ran.error


def test_the_prompt_names_the_roles_endings_alone(host: Host) -> None:
    """An agent is told of the endings it has."""
    with host.session("javascript", role="review") as session:
        prompt = session.messages()[0]["content"]
    assert "gg.session.approve()" in prompt
    assert "gg.session.finish" not in prompt


def test_an_unknown_role(host: Host) -> None:
    """The roles there are are named."""
    with pytest.raises(UsageError, match="no role 'boss'; the roles are: standard, review"):
        host.session("javascript", role="boss")


# -- agent-stop hooks -------------------------------------------------------------------------------------------------


class Stubborn:
    """Rejects endings until they say please."""

    def __init__(self) -> None:
        self.seen: list[AgentStop] = []

    @hookimpl
    def gg_agent_stop(self, stop: AgentStop) -> str | None:
        """Judge by the summary."""
        self.seen.append(stop)
        return None if "please" in stop.summary else "Say please."


def test_a_rejected_ending_is_a_notice(arm: str) -> None:
    """The session goes on, later programs of the turn run, and the event carries no `finished`."""
    plugin = Stubborn()
    with host_with(plugin) as host, host.session(arm, limits=FAST) as session:
        ran = submit(session, FINISH, spell(arm, "$OPEN_TEXT('after', '1')"))
        assert ran.turn.outcome == "continue"
        assert ran.headed == [("View: after", "1"), ("Notice", REJECTED + "Say please.")]
        assert "finished" not in ran.of("code_execution")[0]
        assert ran.of("code_execution")[0]["ok"]
        assert ran.slugs(at_least="info") == ["ending_rejected"]
        ran = submit(session, "gg.session.finish('done, please')")
        assert (ran.turn.outcome, ran.execution["finished"]) == ("finished", "done, please")
    assert [(stop.operation, stop.role, stop.turn) for stop in plugin.seen] == [
        ("session.finish", "standard", 1),
        ("session.finish", "standard", 2),
    ]


def test_each_plugin_that_objects_is_heard(arm: str) -> None:
    """Two objections are two notices, before an error of a later program."""
    with host_with(Stubborn(), Stubborn()) as host:
        ran = turn(host, arm, FINISH, throw(arm, "x"))
    assert ran.headings == ["Notice", "Notice", "Runtime error"]


def test_a_failed_ending_is_not_judged(arm: str) -> None:
    """What a failure revokes does not stand, so nobody is asked."""
    plugin = Stubborn()
    with host_with(plugin) as host:
        turn(host, arm, FINISH + "\n" + throw(arm, "x"))
    assert plugin.seen == []


class Broken:
    """Answers as it was told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def _answer(self) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        if self.answer == "hang":
            threading.Event().wait(5)
        return self.answer

    @hookimpl
    def gg_agent_stop(self) -> Any:
        """Answer."""
        return self._answer()

    @hookimpl
    def gg_pre_call(self) -> Any:
        """Answer."""
        return self._answer()


BROKEN = [
    (ValueError("oops"), "raised ValueError: oops"),
    (SystemExit(3), "raised SystemExit: 3"),
    (7, "answered int, not None or a reason"),
    ("  ", "answered an empty text, not None or a reason"),
    ("hang", "had not answered after 0.3 s"),
]


@pytest.mark.parametrize(("answer", "said"), BROKEN)
def test_a_broken_judge_objects_to_nothing(answer: Any, said: str) -> None:
    """The turn is not lost: the ending stands, and the operator reads whose hook broke."""

    class Judge(Broken):
        gg_pre_call = None

    with host_with(Judge(answer)) as host:
        ran = turn(host, "javascript", FINISH)
    assert ran.turn.outcome == "finished"
    line = ran.log("plugin_failed")
    assert line["message"] == f"gg_agent_stop {said} (plugin0)"
    assert line["distribution"] == "no distribution"


# -- pre-call hooks ---------------------------------------------------------------------------------------------------


class Guard:
    """Lets nothing be written."""

    def __init__(self) -> None:
        self.seen: list[PendingCall] = []

    @hookimpl
    def gg_pre_call(self, call: PendingCall) -> str | None:
        """Refuse writes."""
        self.seen.append(call)
        return "this workspace is frozen" if call.operation in ("files.write_file", "files.edit_file") else None


def test_a_guard_refuses_a_write(arm: str, tmp_path: Path) -> None:
    """The program gets `refused`; nothing is written; the refusal is on the record and not in toolCalls."""
    plugin = Guard()
    with host_with(plugin) as host:
        ran = turn(host, arm, spell(arm, "$LIST()\n$WRITE('a.txt', 'x')"), workspace=tmp_path)
    assert "`write_file` failed (refused): this workspace is frozen" in ran.error
    assert list(tmp_path.iterdir()) == []
    (refusal,) = ran.of("refusal")
    assert (refusal["operation"], refusal["code"]) == ("files.write_file", "refused")
    assert (ran.execution["toolCalls"], ran.execution["apiCalls"]) == (1, 2)
    assert [call.operation for call in plugin.seen] == ["files.list_dir", "files.write_file"]
    assert plugin.seen[1].arguments == {"path": "a.txt", "contents": "x"}


def test_a_guard_is_not_asked_of_what_the_gate_refuses(arm: str) -> None:
    """A call the agent does not hold is none that it may make."""
    plugin = Guard()
    with host_with(plugin) as host:
        ran = turn(host, arm, spell(arm, "$WRITE('a.txt', 'x')"), grants=["views"])
    assert "(unavailable)" in ran.error
    assert plugin.seen == []


@pytest.mark.parametrize(("answer", "said"), BROKEN)
def test_a_broken_guard_refuses(answer: Any, said: str) -> None:
    """A guard fails closed, tells the program nothing of itself, and is named to the operator."""

    class Watch(Broken):
        gg_agent_stop = None

    with host_with(Watch(answer)) as host:
        ran = turn(host, "javascript", "gg.files.listDir()")
    assert "`list_dir` failed (refused): what guards this call failed" in ran.error
    assert ran.log("plugin_failed")["message"] == f"gg_pre_call {said} (plugin0)"


# -- results that come later ------------------------------------------------------------------------------------------


class _Wait(Arguments, frozen=True):
    issue: str


class Board:
    """Issues that somebody else resolves."""

    def __init__(self) -> None:
        self.done: dict[str, str] = {}
        self.row = Operation("board.wait_for_issue", _Wait, self._wait, None, "Wait for an issue.")

    def _wait(self, context: Any, arguments: _Wait) -> None:
        context.defer("board.wait_for_issue", lambda: self._result(arguments.issue))

    def _result(self, issue: str) -> str | None:
        if issue == "broken":
            raise KeyError(issue)
        return f"Issue {issue}: {self.done[issue]}" if issue in self.done else None


def test_a_deferred_result_is_a_notice_of_a_later_turn(arm: str) -> None:
    """It arrives once, on the turn at whose end it is there, before an error."""
    board = Board()
    wait = one_of(arm, "gg.board.waitForIssue('7')", "gg.board.wait_for_issue('7')")
    with Host(operations=[board.row]) as host, host.session(arm, limits=FAST) as session:
        assert submit(session, wait + spell(arm, "\n$OPEN_TEXT('a', '1')")).headings == ["View: a"]
        assert "Issue" not in str(submit(session, "1").headed)
        board.done["7"] = "merged"
        ran = submit(session, throw(arm, "x"))
        assert ran.headed[0] == ("Notice", "Issue 7: merged")
        assert ran.headings == ["Notice", "Runtime error"]
        assert "Issue" not in str(submit(session, "1").headed)


def test_a_deferred_result_that_breaks_is_reported(host: Host) -> None:
    """It is dropped, and the turn goes on."""
    board = Board()
    with Host(operations=[board.row]) as made, made.session("javascript", limits=FAST) as session:
        ran = submit(session, "gg.board.waitForIssue('broken')")
        assert ran.execution["ok"]
        assert "deferred was lost: KeyError" in ran.log("operation_failed")["message"]
        assert submit(session, "1").slugs(at_least="warn") == []


class Watcher:
    """Breaks on every event."""

    @hookimpl
    def gg_event(self, event: object) -> None:
        """Break."""
        raise ValueError("no events, please")


def test_a_plugin_that_breaks_on_events_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    """Its name and distribution are told once, and the turn goes on."""
    with host_with(Watcher()) as host:
        assert turn(host, "javascript", "1").execution["ok"]
    said = capfd.readouterr().err
    assert said.count("gg_event of plugin0 (no distribution) raised ValueError: no events, please") == 1
