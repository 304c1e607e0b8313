"""The gg command: shapes, exit codes, one sentence where something is wrong (design 12)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import ARMS, GG, gg, one_of, spell

BANDS = {
    "system", "user_prompt", "assistant", "tool_output", "compiler_errors", "runtime_errors", "file_views", "text_views",
    "docs_views", "search_results", "skills", "memories",
}  # fmt: skip


def document(done: subprocess.CompletedProcess[bytes]) -> Any:
    """The one strict JSON document on standard output."""
    text = done.stdout.decode()
    assert text.count("\n") == 1

    def constant(name: str) -> Any:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=constant)


def program(folder: Path, arm: str, *sources: str | bytes) -> list[str]:
    """Write programs to files."""
    names = []
    for number, source in enumerate(sources):
        file = folder / f"p{number}.{one_of(arm, 'js', 'py')}"
        file.write_bytes(source if isinstance(source, bytes) else source.encode())
        names.append(str(file))
    return names


def transcript(*lines: Any) -> bytes:
    """Return NDJSON."""
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)


def reply(*programs: str, **more: Any) -> dict[str, Any]:
    """Return an assistant's line in the OpenAI shape."""
    calls = [
        {
            "id": f"c{n}",
            "type": "function",
            "function": {"name": "submit_program", "arguments": json.dumps({"program": text})},
        }
        for n, text in enumerate(programs, 1)
    ]
    return {"role": "assistant", "tool_calls": calls, **more}


# -- gg run -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", ARMS)
def test_run(tmp_path: Path, arm: str) -> None:
    """`gg run --json` prints the turn: messages in window order with heading, content, band, tokens and program."""
    files = program(tmp_path, arm, spell(arm, "$OPEN_TEXT('a', 'b')"), one_of(arm, "throw 1", "raise ValueError"))
    done = gg("run", "--arm", arm, "--json", *files)
    assert (done.returncode, done.stderr) == (1, b"")
    answer = document(done)
    assert {"v", "arm", "outcome", "messages", "events"} == answer.keys()
    assert (answer["v"], answer["arm"], answer["outcome"]) == (1, arm, "continue")
    assert answer["messages"][0] == {
        "role": "tool",
        "toolCallId": "c1",
        "content": "ok",
        "band": "tool_output",
        "tokens": 1,
        "program": 0,
    }
    assert answer["messages"][2] == {
        "role": "user",
        "heading": "View: a",
        "content": "b",
        "band": "text_views",
        "tokens": answer["messages"][2]["tokens"],
        "program": 0,
    }
    assert answer["messages"][3]["heading"] == "Runtime error"
    for message in answer["messages"]:
        assert message["band"] in BANDS
        sent = message["content"] if "heading" not in message else f"{message['heading']}\n----\n{message['content']}"
        assert gg("tokens", data=sent.encode()).stdout == f"{message['tokens']}\n".encode()
    assert [e["ok"] for e in answer["events"] if e["type"] == "code_execution"] == [True, False]
    assert all({"type", "seq", "ts"} <= event.keys() for event in answer["events"])


@pytest.mark.parametrize(
    ("source", "status", "outcome"),
    [("1", 0, "continue"), ("1 +", 1, "continue"), ("gg.session.finish('s')", 0, "finished"), ("", 0, "continue")],
)
def test_exit_status(tmp_path: Path, source: str, status: int, outcome: str) -> None:
    """0 when every program was ok, 1 when one failed; a finished turn carries its summary."""
    done = gg("run", "--arm", "javascript", "--json", *program(tmp_path, "javascript", source))
    answer = document(done)
    assert (done.returncode, answer["outcome"]) == (status, outcome)
    assert answer.get("summary") == ("s" if outcome == "finished" else None)


def test_run_options(tmp_path: Path) -> None:
    """Workspace, grants, library, timeout and memory do what they say."""
    (tmp_path / "w").mkdir()
    (file,) = program(
        tmp_path,
        "javascript",
        "gg.session.finish('x'); try { gg.files.readFile('a') } catch (e) { console.log(e.code ?? e.name) }",
    )
    answer = document(gg("run", "--arm", "javascript", "--grant", "session", "--library", "on", "--json", file))
    assert len(answer["messages"][0]["content"]) == 4
    assert next(e for e in answer["events"] if e["type"] == "code_execution")["logs"] in (
        ["unavailable"],
        ["TypeError"],
    )
    (file,) = program(tmp_path, "javascript", "gg.files.writeFile('made', 'x'); while (true) {}")
    answer = document(
        gg("run", "--arm", "javascript", "--workspace", str(tmp_path / "w"), "--timeout", "0.3", "--json", file)
    )
    assert answer["messages"][-1]["content"] == "execution stopped: the time limit of 0.3 s was reached"
    assert (tmp_path / "w" / "made").read_text() == "x"
    (file,) = program(tmp_path, "javascript", "const a = new Uint8Array(64 << 20)")
    assert gg("run", "--arm", "javascript", "--memory", "32", "--json", file).returncode == 1


def test_run_reads_standard_input() -> None:
    """A file named - is standard input, and without --json what the model reads is printed as text."""
    done = gg("run", "--arm", "javascript", "-", data=b"gg.views.openText('sum', String(1 + 2))")
    assert done.returncode == 0
    assert "View: sum" in done.stdout.decode()
    assert "\x1b" not in done.stdout.decode()


def test_terminal_output_escapes_controls() -> None:
    """Control and bidirectional characters of a program's are written out, never sent to a terminal."""
    source = "gg.views.openText('a', '\\u001b[31m\\u202ered'); console.log('\\u001b[2J')"
    text = gg("run", "--arm", "javascript", "-", data=source.encode()).stdout.decode()
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("source", [b"\xff\xfe1", b"throw '\xed\xa0\x80'"])
def test_program_that_is_no_text(tmp_path: Path, source: bytes) -> None:
    """A file that is not UTF-8 is answered like a call that carried no program."""
    done = gg("run", "--arm", "python", "--json", *program(tmp_path, "python", source))
    answer = document(done)
    assert done.returncode == 1
    assert answer["messages"][0]["content"].endswith("Nothing ran.")
    assert not any(e["type"] == "code_execution" for e in answer["events"])


def test_program_over_the_bound(tmp_path: Path) -> None:
    """A file over 1 MiB is answered naming the bound."""
    done = gg("run", "--arm", "javascript", "--json", *program(tmp_path, "javascript", "//" + "x" * (1 << 20)))
    assert done.returncode == 1
    assert "1048576" in document(done)["messages"][0]["content"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"], ["run", "--arm", "javascript"], ["run", "--arm", "cobol", "FILE"], ["run", "--arm", "", "FILE"],
        ["run", "--arm", "javascript", "--json", "/nonexistent.js"], ["run", "--arm", "javascript", "--json", "/"],
        ["run", "--arm", "javascript", "--workspace", "/nonexistent", "FILE"],
        ["run", "--arm", "javascript", "--workspace", "FILE", "FILE"],
        ["run", "--arm", "javascript", "--timeout", "0", "FILE"], ["run", "--arm", "javascript", "--timeout", "nan", "FILE"],
        ["run", "--arm", "javascript", "--timeout", "x", "FILE"], ["run", "--arm", "javascript", "--timeout", "-1", "FILE"],
        ["run", "--arm", "javascript", "--memory", "0", "FILE"], ["run", "--arm", "javascript", "--memory", "inf", "FILE"],
        ["run", "--arm", "javascript", "--grant", "nope", "FILE"], ["run", "--arm", "javascript", "--library", "maybe", "FILE"],
        ["run", "--arm", "javascript", "--wrong", "FILE"], ["nope"], [], ["session"], ["session", "/nonexistent"],
        ["trim"], ["trim", "javascript", "neither"], ["trim", "cobol", "compile"], ["trim", "javascript", "compile", "--signal", "x"],
        ["trim", "javascript", "compile", "--exit-status", "1", "--signal", "1"], ["tokens", "extra"], ["logs", "--wrong"],
    ],
)  # fmt: skip
def test_usage(tmp_path: Path, arguments: list[str]) -> None:
    """A usage error is exit 2, nothing on standard output, one sentence on standard error, no traceback."""
    file = tmp_path / "p.js"
    file.write_text("1")
    done = gg(*[str(file) if a == "FILE" else a for a in arguments])
    assert (done.returncode, done.stdout) == (2, b"")
    text = done.stderr.decode()
    assert text.count("\n") == 1, text
    assert text.strip()
    assert "Traceback" not in text


@pytest.mark.parametrize("command", [[], ["run"], ["session"], ["arms"], ["trim"], ["tokens"], ["logs"]])
def test_help(command: list[str]) -> None:
    """Every command has --help with examples."""
    done = gg(*command, "--help")
    assert done.returncode == 0
    assert "examples:" in done.stdout.decode()


def test_arm_that_cannot_run_here(tmp_path: Path) -> None:
    """It is exit 3, nothing on standard output and one sentence."""
    file = tmp_path / "p.js"
    file.write_text("1")
    done = gg("run", "--arm", "javascript", "--json", str(file), env={**os.environ, "GG_ARMS": "python"})
    assert done.returncode == 2, "an arm that is switched off is not there"
    assert (done.stdout, done.stderr.decode().count("\n")) == (b"", 1)


def test_broken_pipe(tmp_path: Path) -> None:
    """A reader that goes away ends gg without a traceback."""
    (file,) = program(
        tmp_path, "javascript", "gg.views.openText('a', 'x'.repeat(60000)); gg.views.openText('b', 'x'.repeat(60000))"
    )
    with subprocess.Popen(
        [*GG, "run", "--arm", "javascript", "--json", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        error = process.stderr.read()
        process.wait(20)
    assert b"Traceback" not in error
    assert b"Exception" not in error


# -- gg session -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", ARMS)
def test_session(arm: str, tmp_path: Path) -> None:
    """`gg session --json` plays a transcript and prints turns, the whole window, and the events of no turn."""
    lines = transcript(
        {"session": {"arm": arm, "workspace": str(tmp_path), "grants": ["files", "views", "session"], "library": "on", "limits": {"timeout": 3, "memory": 128}}},
        {"role": "user", "content": "go"},
        reply(spell(arm, "$WRITE('f', 'x')\n$OPEN_FILE('f')"), content="first"),
        {"role": "user", "content": "and then"},
        {"role": "assistant", "toolCalls": [{"id": "z", "name": "submit_program", "arguments": {"program": spell(arm, "$FINISH('done')")}}]},
    )  # fmt: skip
    done = gg("session", "--json", "-", data=lines)
    assert done.returncode == 0, done.stderr
    answer = document(done)
    assert {"v", "arm", "outcome", "summary", "turns", "window", "events"} == answer.keys()
    assert (answer["arm"], answer["outcome"], answer["summary"]) == (arm, "finished", "done")
    assert [(t["turn"], t["outcome"]) for t in answer["turns"]] == [(1, "continue"), (2, "finished")]
    assert [m["role"] for m in answer["window"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "user",
        "user",
        "assistant",
        "tool",
    ]
    assert answer["window"][4]["heading"] == "File: f:1-1 of 1 lines"
    assert all("turn" in e for t in answer["turns"] for e in t["events"])
    assert not any("turn" in e for e in answer["events"])
    assert [e["type"] for e in answer["events"] if e["type"].startswith("session")][0] == "session_started"
    assert (tmp_path / "f").exists()


def test_lines_after_the_ending(tmp_path: Path) -> None:
    """They are not run, and a warning says how many."""
    lines = transcript(
        reply("gg.session.finish('x')"), reply("gg.files.writeFile('f', 'x')"), {"role": "user", "content": "more"}
    )
    answer = document(gg("session", "--json", "-", data=lines))
    assert len(answer["turns"]) == 1
    (event,) = [e for e in answer["events"] if e.get("slug") == "transcript_ignored"]
    assert (event["level"], event["count"]) == ("warn", 2)


def test_calls_without_ids(tmp_path: Path) -> None:
    """A missing call id is given one, different from those that are there."""
    calls = [
        {"name": "submit_program", "arguments": {"program": "1"}},
        {"id": "call_1", "name": "submit_program", "arguments": {"program": "1"}},
    ]
    answer = document(gg("session", "--json", "-", data=transcript({"role": "assistant", "toolCalls": calls})))
    ids = [m["toolCallId"] for m in answer["window"] if m["role"] == "tool"]
    assert len(set(ids)) == 2
    assert all(ids)


def test_empty_transcript() -> None:
    """A transcript without turns is a session that took none."""
    answer = document(gg("session", "--json", "-", data=b"\n\n"))
    assert (answer["turns"], answer["outcome"], len(answer["window"])) == ([], "continue", 1)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b"not json", 1), (b"[1]", 1), (b'"x"', 1), (b"\xff", 1), (b'{"role": "user"}', 1), (b'{"role": "robot", "content": "x"}', 1),
        (b'{"role": "user", "content": NaN}', 1), (b'{"role": "assistant", "tool_calls": "x"}', 1), (b'{"role": "assistant", "tool_calls": [1]}', 1),
        (b'{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": 5}}]}', 1),
        (b'{"role": "assistant", "toolCalls": [{"id": "a", "name": "x", "arguments": ""}, {"id": "a", "name": "x", "arguments": ""}]}', 1),
        (b'{"session": 5}', 1), (b'{"session": {"arms": "x"}}', 1), (b'{"session": {"mode": "other"}}', 1), (b'{"session": {"limits": {"timeout": "x"}}}', 1),
        (b'{"session": {"library": "maybe"}}', 1), (b'{"session": {"grants": "files"}}', 1), (b'{"session": {"arm": 5}}', 1),
        (b'{"role": "user", "content": "a"}\n{"session": {}}', 2), (b'{"role": "user", "content": "a"}\n\n{', 3), (b"[" * 100_000, 1),
        (b"{}", 1), (b'{"session": {"limits": []}}', 1), (b'{"session": {"limits": {"timeout": true}}}', 1),
    ],
)  # fmt: skip
def test_transcript_that_cannot_be_read(line: bytes, number: int) -> None:
    """It is a usage error that names the line; nothing runs."""
    done = gg("session", "--json", "-", data=line + b"\n")
    assert (done.returncode, done.stdout) == (2, b""), done.stderr
    text = done.stderr.decode()
    assert text.count("\n") == 1
    assert f"line {number} " in text
    assert "Traceback" not in text


def test_session_line_with_another_key() -> None:
    """The session line stands alone: a key beside `session` is named, as an unknown one inside it is."""
    done = gg("session", "--json", "-", data=b'{"session": {}, "extra": 1}\n')
    assert (done.returncode, done.stdout) == (2, b"")
    assert "line 1 of the transcript has the key 'extra' beside `session`" in done.stderr.decode()


@pytest.mark.parametrize(
    "settings",
    [
        {"arm": "cobol"},
        {"workspace": "/nonexistent"},
        {"grants": ["nope"]},
        {"limits": {"timeout": -1}},
        {"limits": {"memory": 0}},
    ],
)
def test_session_settings_that_cannot_be(settings: dict[str, Any]) -> None:
    """So is a first line that asks for what there is not."""
    done = gg("session", "--json", "-", data=transcript({"session": settings}, reply("1")))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)


def test_session_with_lone_surrogates() -> None:
    """Lone surrogates in a transcript are deleted; the document stays strict."""
    lines = b'{"role": "user", "content": "a\\ud800"}\n{"role": "assistant", "content": "b\\udfff", "toolCalls": [{"name": "submit_program", "arguments": {"program": "1 // \\ud83d"}}]}\n'
    done = gg("session", "--json", "-", data=lines)
    assert done.returncode in (0, 1)
    document(done)


def test_session_as_text() -> None:
    """Without --json the conversation is printed for people."""
    done = gg(
        "session",
        "-",
        data=transcript(
            {"role": "user", "content": "hello there"}, reply("gg.views.openText('a', 'b')", content="I try")
        ),
    )
    text = done.stdout.decode()
    assert done.returncode == 0
    for word in ("hello there", "I try", "gg.views.openText", "View: a"):
        assert word in text


# -- the others -------------------------------------------------------------------------------------------------------


def test_arms() -> None:
    """`gg arms --json` lists what is installed and whether it runs here."""
    rows = {row["id"]: row for row in document(gg("arms", "--json"))}
    assert {"javascript", "python", "echo"} <= rows.keys()
    for row in rows.values():
        assert {
            "id",
            "displayName",
            "available",
            "distribution",
            "version",
            "guest",
            "compiles",
            "confinement",
        } <= row.keys()
        assert row["guest"] in ("shared", "per_program")
        assert row["confinement"] in ("full", "off", "none")
    assert (rows["javascript"]["distribution"], rows["echo"]["distribution"]) == ("gg-arms", "gg-echo")
    assert (rows["javascript"]["guest"], rows["echo"]["guest"], rows["echo"]["compiles"]) == (
        "shared",
        "per_program",
        True,
    )
    assert b"JavaScript" in gg("arms").stdout


def test_arms_that_are_named() -> None:
    """GG_ARMS loads only the arms it names."""
    rows = document(gg("arms", "--json", env={**os.environ, "GG_ARMS": "python, nope"}))
    assert [row["id"] for row in rows] == ["python"]


@pytest.mark.parametrize(
    ("arguments", "data", "band"),
    [
        (["python", "runtime", "--exit-status", "1"], b"Traceback (most recent call last):\n  File \"program.py\", line 1, in <module>\nValueError: x\n", "Runtime error"),
        (["python", "compile", "--exit-status", "0"], b"", "clean"),
        (["javascript", "compile", "--signal", "9"], b"error: killed\n", "Notice"),
        (["echo", "compile", "--exit-status", "1"], b"program.echo:1:1: unknown command\n", "Compiler error"),
    ],
)  # fmt: skip
def test_trim(arguments: list[str], data: bytes, band: str) -> None:
    """`gg trim --json` answers band, body and what was dropped; exit 0 when classified."""
    done = gg("trim", *arguments, "--json", data=data)
    answer = document(done)
    assert done.returncode == 0
    assert {"band", "body", "dropped"} == answer.keys()
    assert answer["dropped"].keys() == {"lines", "diagnostics", "frames"}
    assert answer["band"] == band


def test_tokens() -> None:
    """`gg tokens` prints a decimal and a newline; bytes that are no UTF-8 are left out."""
    assert gg("tokens", data=b"hello world").stdout == b"2\n"
    assert gg("tokens", data=b"hello\xff world").stdout == b"2\n"
    assert gg("tokens", data=b"").stdout == b"0\n"
    assert gg("tokens", data=b"<|endoftext|>").stdout != b"1\n"


def test_logs() -> None:
    """`gg logs --json` says what is kept of a stream."""
    answer = document(gg("logs", "--json", data=b"".join(b"%d\n" % n for n in range(250))))
    assert (answer["logged"], answer["kept"], answer["suppressed"]) == (250, 200, 50)
    assert answer["lines"][0] == "50"
    assert answer["keptBytes"] == sum(map(len, answer["lines"]))
