"""What the command line really prints, held against the published schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from schema_documents import document, problems, programs

CLEAN = {
    "javascript": 'console.log("x")\ngg.views.openText("a", "b")',
    "python": 'print("x")\ngg.views.open_text("a", "b")',
}
FAILING = {
    "javascript": 'try { gg.views.openText("", "b") } catch {}\ngg.files.readFile("nowhere.txt")',
    "python": 'try: gg.views.open_text("", "b")\nexcept gg.core.ApiError: pass\ngg.files.read_file("nowhere.txt")',
}
REJECTED = {"javascript": "let = ;", "python": "def ("}
FINISHING = {
    "javascript": 'gg.session.finish("one")\ngg.session.finish("two")',
    "python": 'gg.session.finish("one")\ngg.session.finish("two")',
}
REVOKED = {
    "javascript": 'gg.session.finish("one")\nthrow new Error("x")',
    "python": 'gg.session.finish("one")\nraise ValueError("x")',
}
SUFFIX = {"javascript": "js", "python": "py"}
ARMS = sorted(SUFFIX)


def run(arm: str, folder: Path, *sources: str, status: int, options: tuple[str, ...] = ()) -> Any:
    """Return what ``gg run --json`` prints, which must be as its schema says."""
    names = programs(folder, SUFFIX.get(arm, arm), *sources)
    printed = document("run", "--arm", arm, *options, "--json", *names, status=status)
    assert problems("run", printed) == []
    return printed


def executions(printed: Any) -> list[Any]:
    """Return the `code_execution` events of a document."""
    return [event for event in printed["events"] if event["type"] == "code_execution"]


@pytest.mark.parametrize("arm", ARMS)
def test_run_clean(arm: str, tmp_path: Path) -> None:
    """A clean program's document is as published."""
    printed = run(arm, tmp_path, CLEAN[arm], status=0)
    assert [message.get("heading") for message in printed["messages"]] == [None, "View: a"]
    assert executions(printed)[0]["logs"] == ["x"]


@pytest.mark.parametrize("arm", ARMS)
def test_run_failing_after_an_ending_and_rejected(arm: str, tmp_path: Path) -> None:
    """Several programs of which one fails, one does not parse, one loses its ending: the document is as published."""
    printed = run(arm, tmp_path, FAILING[arm], REJECTED[arm], REVOKED[arm], CLEAN[arm], status=1)
    assert printed["outcome"] == "continue"
    assert [event["ok"] for event in executions(printed)] == [False, False, False, True]
    assert executions(printed)[2]["finished"] == "one"
    slugs = {event["slug"] for event in printed["events"] if event["type"] == "log"}
    assert "ending_revoked" in slugs
    actions = [event["action"] for event in printed["events"] if event["type"] == "view"]
    assert actions == ["refused", "opened"]


@pytest.mark.parametrize("arm", ARMS)
def test_run_finishing(arm: str, tmp_path: Path) -> None:
    """A program that ends the session, with another behind it that is not run: the document is as published."""
    printed = run(arm, tmp_path, FINISHING[arm], CLEAN[arm], status=1)
    assert (printed["outcome"], printed["summary"]) == ("finished", "two")
    slugs = [event["slug"] for event in printed["events"] if event["type"] == "log"]
    assert {"ending_replaced", "programs_not_run", "session_ending"} <= set(slugs)


def test_run_past_the_caps(tmp_path: Path) -> None:
    """Suppressed counts are as published: more calls, refusals and views than the record describes."""
    source = (
        "for (let i = 0; i < 520; i++) { try { gg.files.listDir('no/such') } catch {} }\n"
        "for (let i = 0; i < 110; i++) { try { gg.session.finish('') } catch {} }\n"
        "for (let i = 0; i < 110; i++) { gg.views.openText('a', String(i)); }\n"
    )
    event = executions(run("javascript", tmp_path, source, status=0))[0]
    assert (event["callsSuppressed"], event["refusalsSuppressed"]) == (20, 10)
    assert event["viewsSuppressed"] == {"opened": 10, "closed": 0, "refused": 0}


def test_run_stopped_by_its_time_limit(tmp_path: Path) -> None:
    """A program that a limit stops: the document is as published."""
    printed = run("javascript", tmp_path, "while (true) {}", status=1, options=("--timeout", "0.2"))
    assert executions(printed)[0]["durationMs"] >= 200


def test_run_of_an_arm_that_compiles(tmp_path: Path) -> None:
    """An arm with a compile step, rejected, trapped and clean: the document is as published."""
    printed = run("echo", tmp_path, "hello", "!reject", "!trap", status=1)
    assert all("compileMs" in event and "compileWaitMs" in event for event in executions(printed))


def test_session(tmp_path: Path) -> None:
    """A transcript with every kind of line, past its ending: the document is as published."""

    def submit(*sources: str) -> dict[str, Any]:
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": f"c{number}",
                    "type": "function",
                    "function": {"name": "submit_program", "arguments": json.dumps({"program": source})},
                }
                for number, source in enumerate(sources)
            ],
        }

    lines = [
        {"session": {"arm": "javascript", "library": "on", "limits": {"timeout": 10}}},
        {"role": "user", "content": "Go"},
        submit(CLEAN["javascript"], FAILING["javascript"]),
        {"role": "assistant", "content": "What now?"},
        {"role": "assistant", "toolCalls": [{"id": "a", "name": "read_file", "arguments": {"path": "x"}}]},
        submit("1 + 1"),
        submit(FINISHING["javascript"]),
        {"role": "user", "content": "Thanks"},
    ]
    transcript = tmp_path / "transcript.ndjson"
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    printed = document("session", "--json", str(transcript), status=1)
    assert problems("session", printed) == []
    assert [turn["outcome"] for turn in printed["turns"]] == ["continue"] * 4 + ["finished"]
    assert [message["role"] for message in printed["window"]][:3] == ["system", "user", "assistant"]
    assert printed["events"][-1]["slug"] == "transcript_ignored"


def test_arms() -> None:
    """The list of arms is as published, and holds gg's own."""
    printed = document("arms", "--json")
    assert problems("arms", printed) == []
    assert {"javascript", "python"} <= {row["id"] for row in printed}


TRACEBACK = b'Traceback (most recent call last):\n  File "program.py", line 1, in <module>\nValueError: x\n'


@pytest.mark.parametrize(
    ("arguments", "text", "band"),
    [
        (("javascript", "runtime", "--exit-status", "1"), b"Error: x\n    at program.js:1:1\n", "Runtime error"),
        (("python", "runtime", "--exit-status", "1"), TRACEBACK, "Runtime error"),
        (
            ("python", "compile", "--exit-status", "1"),
            b'  File "program.py", line 1\n    def (\nSyntaxError: x\n',
            "Compiler error",
        ),
        (("python", "compile", "--signal", "9"), b"", "Notice"),
        (("python", "runtime", "--exit-status", "0"), b"", "clean"),
    ],
)
def test_trim(arguments: tuple[str, ...], text: bytes, band: str) -> None:
    """What `gg trim` prints is as published, in each band."""
    printed = document("trim", *arguments, "--json", stdin=text)
    assert problems("trim", printed) == []
    assert printed["band"] == band


@pytest.mark.parametrize("text", [b"", b"one\ntwo", b"x\n" * 500, b"\xff\xfe\n", b"y" * 5000])
def test_logs(text: bytes) -> None:
    """What `gg logs` prints is as published, with nothing, little, too much and undecodable input."""
    printed = document("logs", "--json", stdin=text)
    assert problems("logs", printed) == []
    assert printed["logged"] == printed["kept"] + printed["suppressed"]
