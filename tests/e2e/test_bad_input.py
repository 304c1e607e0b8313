"""Bad input: one clear error in the right place, nothing lost, and the next program runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import FAST, Ran, Runner, one_of, spell, submit, throw

from gg import Host, Reply
from gg.errors import SessionClosed, UsageError

GOLDEN = {
    "javascript": "`edit_file` failed (conflict): `oldString` matched 3 times in src/main.rs\n    at line 12, column 5",
    "python": (
        "Traceback (most recent call last):\n"
        '  File "program.py", line 12, in <module>\n'
        '    gg.files.edit_file("src/main.rs", "foo", "bar")\n'
        "    ~~~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "gg.core.ApiError: `edit_file` failed (conflict): `old_string` matched 3 times in src/main.rs"
    ),
}


@pytest.fixture
def rust_workspace(tmp_path: Path) -> Path:
    """A workspace with the specification's file."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.rs").write_text("foo foo\nfoo\n")
    return tmp_path


def test_worked_example(run: Runner, arm: str, rust_workspace: Path) -> None:
    """The specification's worked example, to the byte: an uncaught failed call on line 12, column 5."""
    call = (
        '{\n    gg.files.editFile("src/main.rs", "foo", "bar");\n}'
        if arm == "javascript"
        else 'gg.files.edit_file("src/main.rs", "foo", "bar")'
    )
    before = 10 if arm == "javascript" else 11
    ran = run(arm, "\n" * before + call, workspace=rust_workspace)
    assert ran.error == GOLDEN[arm]
    assert ran.messages[-1].text == "Runtime error\n----\n" + GOLDEN[arm]
    assert ran.execution["calls"] == [
        {"operation": "files.edit_file", "ok": False, "code": "conflict", "message": one_of(arm, "`oldString`", "`old_string`") + " matched 3 times in src/main.rs"}
    ]  # fmt: skip
    assert (rust_workspace / "src" / "main.rs").read_text() == "foo foo\nfoo\n"


def test_worked_example_inside_functions(run: Runner, rust_workspace: Path) -> None:
    """The one line names the statement that made the call, also in a function and after an await."""
    program = (
        'async function edit() {\n  await null;\n  gg.files.editFile("src/main.rs", "foo", "bar");\n}\nawait edit();\n'
    )
    assert run("javascript", program, workspace=rust_workspace).error == GOLDEN["javascript"].replace(
        "12, column 5", "3, column 3"
    )


def test_failed_call_can_be_caught(run: Runner, arm: str) -> None:
    """A failed call throws into the program with operation, code and both messages."""
    program = one_of(
        arm,
        "try { gg.files.readFile('nope') } catch (e) { console.log(e instanceof gg.core.ApiError, e instanceof Error, e.name,"
        " e.operation, e.code, e.detail, e.message) }",
        "try: gg.files.read_file('nope')\nexcept gg.core.ApiError as e: print(isinstance(e, Exception), type(e).__name__, e.operation,"
        " e.code, e.message, str(e))",
    )
    (line,) = run(arm, program).logs
    assert line.endswith("read_file not-found nope does not exist `read_file` failed (not-found): nope does not exist")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../x", "refused"), ("a/../../x", "refused"), ("/etc/passwd", "refused"), ("link/passwd", "refused"),
        ("loop", "refused"), ("fifo", "refused"), ("/dev/null", "refused"), ("/proc/self/environ", "refused"),
        ("", "invalid-argument"), ("a\\nb", "invalid-argument"), ("a\\0b", "invalid-argument"), ("a\\u202eb", "invalid-argument"),
        ("nope", "not-found"), ("f/x", "not-found"),
    ],
)  # fmt: skip
def test_paths(run: Runner, arm: str, tmp_path: Path, path: str, code: str) -> None:
    """A path that leads out by `..`, absolute or by a link is refused; a pipe or device too, without waiting."""
    (tmp_path / "f").write_text("x")
    (tmp_path / "a").mkdir()
    os.symlink("/etc", tmp_path / "link")
    os.symlink("loop", tmp_path / "loop")
    os.mkfifo(tmp_path / "fifo")
    ran = run(arm, spell(arm, f"$READ('{path}')"), workspace=tmp_path)
    assert f"`read_file` failed ({code})" in ran.error or (path == "loop" and "`read_file` failed (" in ran.error)
    if path not in ("nope", "f/x", "loop"):
        ran = run(arm, spell(arm, f"$WRITE('{path}', 'x')"), workspace=tmp_path)
        assert f"`write_file` failed ({code})" in ran.error


def test_absolute_path_inside(run: Runner, arm: str, tmp_path: Path) -> None:
    """An absolute path inside the workspace is served."""
    (tmp_path / "f").write_text("x")
    assert run(arm, spell(arm, f"$OPEN_FILE('{tmp_path}/f')"), workspace=tmp_path).execution["ok"]


ARGUMENTS = [
    ("$READ(5)", "path"),
    ("$READ(None)", "path"),
    ("$READ(['a'])", "path"),
    ("$WRITE('a', 5)", "contents"),
    ("$WRITE('a')", ""),
    ("$READ()", ""),
    ("$OPEN_TEXT('a', NAN)", "body"),
    ("$OPEN_TEXT('a', INF)", "body"),
    ("$OPEN_TEXT('a', FUNCTION)", "body"),
    ("$OPEN_TEXT('a', '\\ud800')", ""),
    ("$WRITE('\\udfff', 'x')", ""),
    ("$READ('a', OPT(limit: 1.5))", "limit"),
    ("$READ('a', OPT(limit: NAN))", "limit"),
    ("$READ('a', OPT(limit: TRUE))", "limit"),
    ("$READ('a', OPT(limit: '1'))", "limit"),
    ("$READ('a', OPT(limit: 0))", "limit"),
    ("$READ('a', OPT(offset: -1))", "offset"),
    ("$READ('a', OPT(limit: HUGE))", "limit"),
    ("$READ('a', OPT(wrong: 1))", "wrong"),
    ("$OPEN_TEXT('a', {'b': 1})", "body"),
]


def _arguments(arm: str, program: str) -> str:
    words = one_of(
        arm,
        "NAN=NaN INF=Infinity FUNCTION=()=>1 TRUE=true HUGE=2**60 None=null",
        "NAN=float('nan') INF=float('inf') FUNCTION=print TRUE=True HUGE=2**70 None=None",
    )
    for word in words.split(" "):
        name, _, value = word.partition("=")
        program = program.replace(name, value)
    if "OPT(" in program:
        inside = program.partition("OPT(")[2].partition("))")[0]
        if inside.count("(") > inside.count(")"):
            inside += ")"
        new = "{" + inside + "}" if arm == "javascript" else inside.replace(": ", "=")
        program = program.replace(f"OPT({inside})", new)
    return spell(arm, program)


@pytest.mark.parametrize(("program", "named"), ARGUMENTS)
def test_arguments_of_the_wrong_kind(host: Host, arm: str, program: str, named: str) -> None:
    """They are `invalid-argument` (or Python's own TypeError) naming the argument; nothing happened; the next runs."""
    with host.session(arm, limits=FAST) as session:
        ran = submit(session, _arguments(arm, program))
        assert ran.headings == ["Runtime error"]
        assert "(invalid-argument)" in ran.error or (arm == "python" and "TypeError: " in ran.error)
        assert named in ran.error
        assert ran.execution["toolCalls"] == 0 or "counts from 1" in ran.error
        assert submit(session, spell(arm, "$OPEN_TEXT('a', 'b')")).headings == ["View: a"]


def test_twenty_megabytes_in_a_call(host: Host, arm: str) -> None:
    """A 20 MB string is `limit-exceeded` naming the bound, recorded as a refused call; the session goes on."""
    with host.session(arm, limits=FAST) as session:
        big = one_of(arm, "'x'.repeat(20000000)", "'x' * 20000000")
        ran = submit(session, spell(arm, f"$WRITE('a', {big})"))
        assert "`write_file` failed (limit-exceeded)" in ran.error
        assert "16777216" in ran.error.replace(",", "")
        (result,) = ran.of("api_result")
        assert (result["operation"], result["failure"]) == ("files.write_file", "limit-exceeded")
        assert ran.execution["toolCalls"] == 0
        assert submit(session, "1").execution["ok"]


def test_fifteen_megabytes_in_a_call(run: Runner, arm: str, tmp_path: Path) -> None:
    """What fits a frame is served whole."""
    big = one_of(arm, "'x'.repeat(15000000)", "'x' * 15000000")
    run(arm, spell(arm, f"$WRITE('a', {big})"), workspace=tmp_path)
    assert (tmp_path / "a").stat().st_size == 15_000_000


def test_control_characters_that_swell_in_json(host: Host, arm: str) -> None:
    """A text that grows past the frame when written as JSON is refused like any that is too large."""
    with host.session(arm, limits=FAST) as session:
        big = one_of(arm, "'\\u0001'.repeat(4000000)", "'\\x01' * 4000000")
        ran = submit(session, spell(arm, f"$WRITE('a', {big})"))
        assert "`write_file` failed (limit-exceeded)" in ran.error
        assert submit(session, "1").execution["ok"]


@pytest.mark.parametrize(
    "reply",
    [
        [], "x", 5, None, {"content": 5}, {"tool_calls": "x"}, {"tool_calls": [5]}, {"tool_calls": [{"function": {}}]},
        {"tool_calls": [{"id": 5, "function": {"name": "submit_program", "arguments": ""}}]},
        {"tool_calls": [{"function": {"name": "submit_program", "arguments": 5}}]},
        {"tool_calls": [{"function": "x"}]},
        {"toolCalls": [{"id": "a", "name": "submit_program", "arguments": "{}"}] * 2},
        Reply("x", [{"id": "a"}]),  # type: ignore[list-item]
        Reply(5),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_reply_of_no_shape(host: Host, reply: object) -> None:
    """A reply gg cannot read is a UsageError before anything of it is in the window; the session goes on."""
    with host.session("javascript", limits=FAST) as session:
        before = session.messages()
        with pytest.raises(UsageError):
            session.turn(reply)  # type: ignore[arg-type]
        assert session.messages() == before
        assert submit(session, "1").execution["ok"]


def test_reply_in_either_spelling(host: Host) -> None:
    """OpenAI's shape and gg's own are read alike, arguments as text or object, missing ids given."""
    with host.session("javascript", limits=FAST) as session:
        for reply in (
            {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": {"name": "submit_program", "arguments": '{"program": "1"}'}}]},
            {"toolCalls": [{"name": "submit_program", "arguments": {"program": "1"}}]},
            {"content": "hm", "tool_calls": [{"id": "x", "function": {"name": "submit_program", "arguments": {"program": "1"}}}]},
        ):  # fmt: skip
            assert Ran(session.turn(reply), session).receipts == ["ok"]


@pytest.mark.parametrize(
    "options",
    [
        {"language": "cobol"}, {"language": ""}, {"workspace": "/nonexistent"}, {"workspace": "/etc/passwd"},
        {"grants": ["nope"]}, {"grants": "files"}, {"grants": ["files.nope"]},
    ],
)  # fmt: skip
def test_session_that_cannot_be(host: Host, options: dict[str, object]) -> None:
    """It is a UsageError of one sentence that names what was asked for."""
    with pytest.raises(UsageError) as caught:
        host.session(**{"language": "javascript", "limits": FAST, **options})  # type: ignore[arg-type]
    text = str(caught.value)
    assert "\n" not in text
    assert text


def test_unreadable_workspace(host: Host, tmp_path: Path) -> None:
    """A workspace without permission is refused; as the superuser it is not."""
    tmp_path.chmod(0)
    try:
        if os.access(tmp_path, os.R_OK):
            pytest.skip("the superuser reads everything")
        with pytest.raises(UsageError, match="not readable"):
            host.session("javascript", workspace=tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_turns_after_the_end(host: Host) -> None:
    """An ended or closed session takes no turn and says so."""
    session = host.session("javascript", limits=FAST)
    assert submit(session, "gg.session.finish('x')").turn.outcome == "finished"
    for use in (lambda: submit(session, "1"), lambda: session.user("x")):
        with pytest.raises(SessionClosed):
            use()
    session.close()
    session.close()
    with pytest.raises(SessionClosed):
        submit(session, "1")


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "x" * 100 + "\ud83d"])
def test_lone_surrogates_from_outside_are_deleted(host: Host, text: str) -> None:
    """What goes to the model holds no lone surrogate, wherever it came from."""
    with host.session("javascript", limits=FAST) as session:
        session.user(text)
        submit(session, "1", content=text)
        submit(session, f'"{text}"')
        for message in session.messages():
            str(message).encode()


def test_lone_surrogates_from_inside_are_deleted(run: Runner, arm: str) -> None:
    """An error or a log with a lone surrogate goes out without it."""
    text = "a\\ud800b"
    ran = run(
        arm, one_of(arm, f"console.log('{text}'); throw '{text}'", f"print('{text}')\nraise ValueError('{text}')")
    )
    assert ran.headings == ["Runtime error"]
    "".join(m.text for m in ran.messages).encode()
    assert all(line.isprintable() for line in ran.logs)


def test_unicode_goes_through(run: Runner, arm: str, tmp_path: Path) -> None:
    """Text of every plane survives program, call, file, view, log and error."""
    text = "é日本\U0001f600\u0301\u200d"
    program = spell(
        arm, f"$WRITE('{text}', '{text}')\n$OPEN_FILE('{text}')\n$OPEN_TEXT('{text}', '{text}')\n$LOG('{text}')\n"
    ) + throw(arm, text)
    ran = run(arm, program, workspace=tmp_path)
    assert ran.headed[0] == (f"File: {text}:1-1 of 1 lines", text)
    assert ran.headed[1] == (f"View: {text}", text)
    assert ran.logs == [text]
    assert text in ran.error
    assert (tmp_path / text).read_text() == text


def test_empty_workspace_path(host: Host, arm: str) -> None:
    """It is refused by name; it does not mean the current folder."""
    with pytest.raises(UsageError, match="the path of the workspace is empty"):
        host.session(arm, workspace="")
