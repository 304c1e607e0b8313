"""What the model reads of a turn: receipts, views, notices, errors, endings, in their order (messages page)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import FAST, PRINT_CALLS, SUCCESS_NOTICE, Ran, Runner, one_of, spell, submit, throw

from gg import Host, Reply, Session, ToolCall

NO_SUBMISSION = "No program was submitted, so nothing ran."


def reply(session: Session, *calls: ToolCall, content: str = "") -> Ran:
    """Take a reply of any calls."""
    return Ran(session.turn(Reply(content, calls)), session)


def call(arguments: object, name: str = "submit_program", id: str = "c1") -> ToolCall:
    """Return a tool call."""
    return ToolCall(id, name, arguments)  # type: ignore[arg-type]


# -- receipts ---------------------------------------------------------------------------------------------------------


def test_receipt_is_ok_without_a_library(run: Runner, arm: str) -> None:
    """An agent that keeps no library is answered with the fixed ok, whatever became of the program."""
    ran = run(arm, "1", throw(arm, "x"), "1 +")
    assert ran.receipts == ["ok"] * 3
    assert [m.tool_call_id for m in ran.messages if m.role == "tool"] == ["c1", "c2", "c3"]


def test_receipts_are_unique_ids_with_a_library(run: Runner, arm: str) -> None:
    """With a library each program's receipt is a short lower-case id of its own."""
    receipts = run(arm, *["1"] * 8, library=True).receipts
    assert len(set(receipts)) == 8
    assert all(re.fullmatch(r"[a-z0-9]{4}", id) for id in receipts)


def test_receipts_come_right_behind_the_assistant(host: Host, arm: str) -> None:
    """Receipts stand before anything a program pushed, paired with their calls."""
    with host.session(arm, limits=FAST) as session:
        session.user("go")
        submit(session, spell(arm, "$OPEN_TEXT('a', 'b')"), spell(arm, "$OPEN_TEXT('c', 'd')"))
        roles = [(m["role"], m.get("tool_call_id")) for m in session.messages()]
        assert roles == [
            ("system", None), ("user", None), ("assistant", None), ("tool", "c1"), ("tool", "c2"), ("user", None),
            ("user", None),
        ]  # fmt: skip
        assert [c["id"] for c in session.messages()[2]["tool_calls"]] == ["c1", "c2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "no `program`"),
        ("{}", "no `program`"),
        ("not json", "are not JSON"),
        ("[1]", "no `program`"),
        ("null", "no `program`"),
        ("[" * 100_000, "are not JSON"),
        ({"program": None}, "`program` is null"),
        ({"program": 5}, "`program` is a number"),
        ({"program": True}, "`program` is a boolean"),
        ({"program": ["1"]}, "`program` is a list"),
        ({"program": {"a": 1}}, "`program` is an object"),
        ('{"code": "1"}', "no `program`"),
        ('{"program": NaN}', "a number"),
        ('{"program": "\\ud800"}', "surrogate"),
    ],
)
def test_call_without_a_program_string(host: Host, arguments: object, said: str) -> None:
    """It is answered with the reason, nothing runs, and the operator is warned."""
    with host.session("javascript", limits=FAST) as session:
        ran = reply(session, call(arguments))
        (receipt,) = ran.receipts
        assert said in receipt
        assert receipt.endswith("Nothing ran.")
        assert (ran.headed, ran.of("code_execution")) == ([], [])
        assert "no_program" in ran.slugs(at_least="warn")
        assert submit(session, "1").execution["ok"]


def test_program_over_a_mebibyte(host: Host, arm: str) -> None:
    """A program of 1 MiB runs; one byte more is answered with the bound."""
    with host.session(arm, limits=FAST) as session:
        comment = one_of(arm, "//", "#")
        assert submit(session, comment + "x" * ((1 << 20) - len(comment))).execution["ok"]
        ran = submit(session, comment + "é" * (1 << 19))
        assert "1048576" in ran.receipts[0]
        assert ran.of("code_execution") == []


def test_foreign_tool_gets_a_redirect(host: Host, arm: str) -> None:
    """A call to a tool this mode does not offer is redirected; a submission beside it runs."""
    with host.session(arm, limits=FAST) as session:
        ran = reply(session, call({"path": "a"}, "read_file"), call({"program": "1"}, id="c2"))
        assert "read_file" in ran.receipts[0]
        assert "submit_program" in ran.receipts[0]
        assert ran.receipts[1] == "ok"
        assert len(ran.of("code_execution")) == 1
        assert ran.headings == ["Notice"]


@pytest.mark.parametrize("calls", [[], [call({"a": 1}, "bash")]], ids=["none", "foreign"])
def test_reply_without_a_submission(host: Host, calls: list[ToolCall]) -> None:
    """It gets the one notice and a warning; nothing ran."""
    with host.session("javascript", limits=FAST) as session:
        ran = reply(session, *calls, content="I am thinking")
        assert ran.headed == [("Notice", NO_SUBMISSION)]
        assert "no_submission" in ran.slugs(at_least="warn")
        assert ran.of("code_execution") == []


# -- success ----------------------------------------------------------------------------------------------------------


def test_success_notice(run: Runner, arm: str) -> None:
    """A program that showed nothing earns one notice, worded with the language's own print call."""
    assert run(arm, "1").headed == [("Notice", SUCCESS_NOTICE.format(PRINT_CALLS[arm]))]


def test_success_notice_is_one_a_turn(run: Runner, arm: str) -> None:
    """However many programs ran, there is one."""
    assert run(arm, "1", "1", "1").headings == ["Notice"]


def test_success_gets_nothing(run: Runner, arm: str) -> None:
    """A program that opened a view gets nothing back but the view."""
    assert run(arm, spell(arm, "$OPEN_TEXT('a', 'b')")).headed == [("View: a", "b")]


def test_view_opened_and_closed_never_appears(run: Runner, arm: str) -> None:
    """Opened and closed in one program, a view leaves the window ending on the assistant: the notice is due."""
    assert run(arm, spell(arm, "$OPEN_TEXT('a', 'b')\n$CLOSE('a')")).headings == ["Notice"]


def test_closing_an_earlier_view_is_no_view(host: Host, arm: str) -> None:
    """A program that only closes a view of an earlier turn earns the notice, and the view is gone."""
    with host.session(arm, limits=FAST) as session:
        submit(session, spell(arm, "$OPEN_TEXT('a', 'b')"))
        assert submit(session, spell(arm, "$CLOSE('a')")).headings == ["Notice"]
        assert not any("View: a" in m["content"] for m in session.messages()[1:])


def test_no_success_notice_beside_an_error_or_an_ending(run: Runner, arm: str) -> None:
    """An error already ends the window, and an ended session has no next request."""
    assert run(arm, "1", throw(arm, "x")).headings == ["Runtime error"]
    assert run(arm, spell(arm, "$FINISH('done')")).headed == []


# -- views ------------------------------------------------------------------------------------------------------------


def test_views_survive_a_throw(run: Runner, arm: str) -> None:
    """What a program opened before it threw stands before the error, and what it wrote stays written."""
    program = spell(arm, "$WRITE('f', 'x')\n$OPEN_TEXT('a', '1')\n$OPEN_FILE('f')\n$OPEN_TEXT('c', '3')\n") + throw(
        arm, "x"
    )
    assert run(arm, program).headings == ["View: a", "File: f:1-1 of 1 lines", "View: c", "Runtime error"]


def test_reopening_in_place(run: Runner, arm: str) -> None:
    """Re-opening a label in one turn replaces its body where it stands, across the turn's programs too."""
    ran = run(
        arm,
        spell(arm, "$OPEN_TEXT('a', '1')\n$OPEN_TEXT('b', '2')\n$OPEN_TEXT('a', '3')"),
        spell(arm, "$OPEN_TEXT('a', '4')"),
    )
    assert ran.headed == [("View: a", "4"), ("View: b", "2")]
    assert [e["action"] for e in ran.of("view")] == ["opened", "opened", "replaced", "replaced"]


def test_reopening_an_earlier_turns_view(host: Host, arm: str) -> None:
    """A copy of an earlier turn stays as history; the new one goes to the tail, and closing closes that one."""
    with host.session(arm, limits=FAST) as session:
        submit(session, spell(arm, "$OPEN_TEXT('a', 'old')"))
        assert submit(session, spell(arm, "$OPEN_TEXT('a', 'new')")).headed == [("View: a", "new")]
        bodies = [m["content"] for m in session.messages() if m["content"].startswith("View: a\n")]
        assert bodies == ["View: a\n----\nold", "View: a\n----\nnew"]
        ran = submit(session, one_of(arm, "console.log(gg.views.close('a'))", "print(gg.views.close('a'))"))
        assert ran.logs == ["1"]
        assert [m["content"] for m in session.messages() if m["content"].startswith("View: a\n")] == [
            "View: a\n----\nold"
        ]


@pytest.mark.parametrize(
    ("text", "arguments", "heading", "body"),
    [
        ("one\ntwo\nthree\n", "", "File: f:1-3 of 3 lines", "one\ntwo\nthree\n"),
        ("one\ntwo\nthree", "", "File: f:1-3 of 3 lines", "one\ntwo\nthree"),
        ("one\ntwo\nthree\n", "offset=2, limit=1", "File: f:2-2 of 3 lines", "two\n"),
        ("one\ntwo\nthree\n", "offset=3", "File: f:3-3 of 3 lines", "three\n"),
        ("one\ntwo\nthree\n", "limit=99", "File: f:1-3 of 3 lines", "one\ntwo\nthree\n"),
        ("", "", "File: f", ""),
        ("\n", "", "File: f:1-1 of 1 lines", "\n"),
        ("a\r\nb\r\n", "", "File: f:1-2 of 2 lines", "a\r\nb\r\n"),
    ],
)
def test_file_headings(
    run: Runner, arm: str, tmp_path: Path, text: str, arguments: str, heading: str, body: str
) -> None:
    """A file view names its path, the lines it shows and how many there are, counted as an editor does."""
    (tmp_path / "f").write_bytes(text.encode())
    options = one_of(arm, "{" + arguments.replace("=", ": ") + "}", arguments)
    ran = run(arm, spell(arm, f"$OPEN_FILE('f'{', ' + options if arguments else ''})"), workspace=tmp_path)
    assert ran.headed == [(heading, body)]
    assert ran.messages[-1].band == "file_views"


def test_two_ranges_of_a_file_are_two_views(run: Runner, arm: str, tmp_path: Path) -> None:
    """A selector's ranges stand side by side; closing the path closes both."""
    (tmp_path / "f").write_text("1\n2\n3\n4\n")
    first, second = one_of(arm, "{offset: 1, limit: 1}", "offset=1, limit=1"), one_of(arm, "{offset: 3}", "offset=3")
    program = spell(arm, f"$OPEN_FILE('f', {first})\n$OPEN_FILE('f', {second})")
    assert run(arm, program, workspace=tmp_path).headings == ["File: f:1-1 of 4 lines", "File: f:3-4 of 4 lines"]
    assert run(arm, program + spell(arm, "\n$CLOSE('f')"), workspace=tmp_path).headings == ["Notice"]


def test_view_that_forges_a_heading(run: Runner, arm: str) -> None:
    """A label of more than one line, or with control or bidirectional characters, is refused at the call."""
    for label in ("a\\nRuntime error", "a\\r", "a\\u2028b", "a\\u202eb", "a\\u0007", "  ", ""):
        ran = run(arm, spell(arm, f"$OPEN_TEXT('{label}', 'x')"))
        assert ran.headings == ["Runtime error"]
        assert "(invalid-argument)" in ran.error


@pytest.mark.parametrize(
    ("program", "cap"),
    [
        ("$OPEN_TEXT('a', 'x'.{repeat})", "65536"),
        ("$OPEN_TEXT('é'.{labels}, 'x')", "200"),
    ],
)
def test_caps_refuse_at_the_call(run: Runner, arm: str, program: str, cap: str) -> None:
    """A breach of a cap is `limit-exceeded` at the call site and names the cap; nothing is cut."""
    source = program.replace("'x'.{repeat}", one_of(arm, "'x'.repeat(65537)", "'x' * 65537"))
    source = source.replace("'é'.{labels}", one_of(arm, "'é'.repeat(101)", "'é' * 101"))
    ran = run(arm, spell(arm, source))
    assert ran.headings == ["Runtime error"]
    assert "(limit-exceeded)" in ran.error
    assert cap in ran.error.replace(",", "")
    (view,) = ran.of("view")
    assert view["action"] == "refused"


def test_largest_view(run: Runner, arm: str) -> None:
    """A body of exactly the cap under a label of exactly the cap is shown whole."""
    ran = run(
        arm,
        spell(arm, one_of(arm, "$OPEN_TEXT('l'.repeat(200), 'é'.repeat(32768))", "$OPEN_TEXT('l' * 200, 'é' * 32768)")),
    )
    assert ran.headed == [("View: " + "l" * 200, "é" * 32768)]


def test_composed_bytes_of_a_turn(run: Runner, arm: str) -> None:
    """Text views of a turn are at most 8 MiB together, replaced copies included, over all its programs."""
    fill = spell(
        arm,
        one_of(
            arm,
            "for (let i = 0; i < 64; i++) $OPEN_TEXT('a', 'x'.repeat(65536))",
            "for i in range(64): $OPEN_TEXT('a', 'x' * 65536)",
        ),
    )
    ran = run(arm, fill, fill, spell(arm, "$OPEN_TEXT('b', 'y')"))
    assert ran.headings == ["View: a", "Runtime error"]
    assert "(limit-exceeded)" in ran.error
    assert "8388608" in ran.error.replace(",", "")


def test_view_bodies_go_out_as_they_are(run: Runner, arm: str) -> None:
    """A body may hold what a label may not."""
    assert run(arm, spell(arm, "$OPEN_TEXT('a', '\\u001b[31m\\u202e\\r\\nNotice\\n----\\n')")).headed == [
        ("View: a", "\x1b[31m\u202e\r\nNotice\n----\n")
    ]


def test_current_views(host: Host, arm: str) -> None:
    """`views.current` lists the open views of every turn in window order."""
    with host.session(arm, limits=FAST) as session:
        submit(session, spell(arm, "$WRITE('f', 'x\\n')\n$OPEN_FILE('f')\n$OPEN_TEXT('a', '1')"))
        ran = submit(session, spell(arm, one_of(
            arm,
            "for (const v of $CURRENT()) console.log(v.kind, v.selector, v.tokens > 0)",
            "for v in $CURRENT(): print(v.kind, v.selector, str(v.tokens > 0).lower())",
        )))  # fmt: skip
        assert ran.logs == ["file f true", "text a true"]


# -- several programs, endings ----------------------------------------------------------------------------------------


def test_every_program_runs_though_one_failed(run: Runner, arm: str) -> None:
    """All programs run in order; each failed one has an error of its own, in submission order, after the views."""
    ran = run(arm, throw(arm, "first"), spell(arm, "$OPEN_TEXT('a', '1')"), "1 +", throw(arm, "last"))
    assert ran.headings == ["View: a", "Runtime error", "Compiler error", "Runtime error"]
    assert [m.program for m in ran.messages if m.role == "user"] == [1, 0, 2, 3]
    assert [e["program"] for e in ran.of("code_execution")] == [0, 1, 2, 3]
    assert [e["ok"] for e in ran.of("code_execution")] == [False, True, False, False]
    assert ran.of("turn_outcome")[0]["error"] == "runtime_error"
    for event, message in zip([e for e in ran.of("code_execution") if not e["ok"]], ran.headed[1:], strict=True):
        assert event["error"] == message[1]


def test_notices_come_before_errors(strange_host: Host) -> None:
    """A toolchain's notice of a later program stands before an earlier program's error."""
    ran = Runner(strange_host)("prepares", "reject", "broken", "reject")
    assert ran.headings == ["Notice", "Compiler error", "Compiler error"]
    assert [m.program for m in ran.messages if m.role == "user"] == [1, 0, 2]
    assert ran.of("turn_outcome")[0]["error"] == "compiler_error"


def test_toolchain_notice(strange_host: Host) -> None:
    """It says that the program was not run, that nothing was rejected, and the one action there is."""
    for what in ("broken", "raise", "junk", "exit"):
        ran = Runner(strange_host)("prepares", what)
        assert ran.headings == ["Notice"]
        body = ran.headed[0][1]
        assert "not run" in body
        assert "Nothing about the program was rejected" in body
        assert body.endswith("Write it again.")
        assert ran.messages[-1].band == "system"
        event = ran.execution
        assert (event["ok"], event["error"]) == (False, body)
        assert "durationMs" not in event
        assert "compileMs" in event
        assert ran.slugs(at_least="error") == ["toolchain_failed"]


def test_finish(run: Runner, arm: str) -> None:
    """An ending lets the program go on, ends the session, and its summary is on the event alone."""
    ran = run(arm, spell(arm, "$FINISH('all done')\n$OPEN_TEXT('a', 'after')"))
    assert (ran.turn.outcome, ran.turn.summary) == ("finished", "all done")
    assert ran.headed == [("View: a", "after")]
    assert (ran.execution["ok"], ran.execution["finished"]) == (True, "all done")
    assert ran.log("session_ending")["summary"] == "all done"
    assert "all done" not in "".join(m.text for m in ran.messages)
    assert ran.session.ended


def test_finish_replaced(run: Runner, arm: str) -> None:
    """The last ending wins, and the operator reads how many it replaced."""
    ran = run(arm, spell(arm, "$FINISH('one')\n$FINISH('two')\n$FINISH('three')"))
    assert (ran.turn.summary, ran.execution["finished"]) == ("three", "three")
    assert ran.log("ending_replaced")["times"] == 2
    assert ran.log("session_ending")["summary"] == "three"


def test_finish_revoked(host: Host, arm: str) -> None:
    """A program that finished and then threw keeps `finished` on its event; the session goes on."""
    with host.session(arm, limits=FAST) as session:
        ran = submit(session, spell(arm, "$FINISH('early')\n") + throw(arm, "then"))
        assert (ran.turn.outcome, ran.turn.summary, session.ended) == ("continue", None, False)
        assert ran.headings == ["Runtime error"]
        assert (ran.execution["ok"], ran.execution["finished"]) == (False, "early")
        assert "ending_revoked" in ran.slugs(at_least="warn")
        assert "session_ending" not in ran.slugs()
        assert submit(session, spell(arm, "$FINISH('now')")).turn.summary == "now"


def test_revoked_ending_does_not_come_back(run: Runner, arm: str) -> None:
    """After a revoked ending the turn's next program runs, and an ending of its own stands."""
    ran = run(arm, spell(arm, "$FINISH('a')\n") + throw(arm, "x"), spell(arm, "$FINISH('b')"))
    assert (ran.turn.outcome, ran.turn.summary) == ("finished", "b")
    assert [e.get("finished") for e in ran.of("code_execution")] == ["a", "b"]
    assert ran.headings == ["Runtime error"]
    assert "ending_replaced" not in ran.slugs()


def test_programs_after_an_ending_do_not_run(run: Runner, arm: str) -> None:
    """Each has its event that says so, and a warning counts them; they push nothing."""
    ran = run(arm, spell(arm, "$FINISH('done')"), spell(arm, "$OPEN_TEXT('a', 'b')"), "1")
    first, *rest = ran.of("code_execution")
    assert first["ok"]
    for event in rest:
        assert (event["ok"], event["toolCalls"]) == (False, 0)
        assert event["error"]
        assert not {"durationMs", "compileMs", "compileWaitMs", "apiCalls"} & event.keys()
    assert ran.log("programs_not_run")["count"] == 2
    assert ran.headed == []
    assert ran.receipts == ["ok"] * 3


@pytest.mark.parametrize("summary", ["", "  ", "\\n\\t"])
def test_blank_summary(run: Runner, arm: str, summary: str) -> None:
    """A summary of white space alone is invalid, and ends nothing."""
    ran = run(arm, spell(arm, f"$FINISH('{summary}')"))
    assert ran.turn.outcome == "continue"
    assert "`finish` failed (invalid-argument)" in ran.error
    assert "finished" not in ran.execution


def test_system_prompt_states_the_standing_rules(host: Host, arm: str) -> None:
    """The five standing rules are stated once, and no error repeats one."""
    with host.session(arm, limits=FAST) as session:
        prompt = session.messages()[0]
        assert prompt["role"] == "system"
        for rule in (
            "A program that throws does not end the session",
            "Whatever a program did before it threw stands",
            "A view is the only channel out of a program",
            "Logging is not a channel to you",
            "A program that ran is not told so",
        ):
            assert prompt["content"].count(rule) == 1
        assert one_of(arm, "gg.files.readFile", "gg.files.read_file") in prompt["content"]
        assert len(session.tools()) == 1


def test_earlier_messages_never_change(host: Host, arm: str) -> None:
    """The window is append-only: after a turn, what stood before it is what it was."""
    with host.session(arm, limits=FAST) as session:
        session.user("go")
        for program in (
            spell(arm, "$OPEN_TEXT('a', '1')"),
            throw(arm, "x"),
            "1",
            spell(arm, "$OPEN_TEXT('a', '2')"),
            "1 +",
        ):
            before = session.messages()
            submit(session, program, content="next")
            assert session.messages()[: len(before)] == before
