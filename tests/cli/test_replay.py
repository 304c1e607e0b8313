"""`gg run --record`, `gg session --record` and `gg replay`: what they print, and their exit statuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support import gg, spell

sys.path.insert(0, str(Path(__file__).parents[1] / "schemas"))
from schema_documents import problems

SUFFIX = {"javascript": "js", "python": "py"}


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Where the record is."""
    return tmp_path / "r.ndjson"


def write(tmp_path: Path, arm: str, program: str) -> str:
    """Write a program to a file and return its name."""
    file = tmp_path / f"program.{SUFFIX[arm]}"
    file.write_text(spell(arm, program))
    return str(file)


def test_a_run_is_recorded_and_replayed(arm: str, tmp_path: Path, record: Path) -> None:
    """The replay says what it replayed, as text and as JSON."""
    program = write(tmp_path, arm, "$WRITE('f', 'x')\n$OPEN_FILE('f')")
    assert gg("run", "--arm", arm, "--record", str(record), program).returncode == 0
    done = gg("replay", str(record))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"identical: 1 turn, 2 calls, 4 messages\n"
    done = gg("replay", "--json", str(record))
    document = json.loads(done.stdout)
    assert (done.returncode, problems("replay", document)) == (0, [])
    assert (document["identical"], document["complete"], document["turns"], document["calls"]) == (True, True, 1, 2)


def test_a_transcript_is_recorded_and_replayed(tmp_path: Path, record: Path) -> None:
    """With its role, grants, library and limits, all of which the record holds."""
    transcript = tmp_path / "t.ndjson"
    session = {"arm": "python", "grants": ["views", "programs", "session"], "library": "on", "role": "review",
               "limits": {"timeout": 3, "memory": 200}, "plugins": []}  # fmt: skip
    program = "gg.views.open_text('h', str(len(gg.programs.history())))\ngg.session.approve()"
    call = {"id": "c1", "name": "submit_program", "arguments": {"program": program}}
    lines = [{"session": session}, {"role": "user", "content": "hi"}, {"role": "assistant", "toolCalls": [call]}]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert gg("session", "--record", str(record), str(transcript)).returncode == 0
    done = gg("replay", str(record))
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_seed_makes_a_run_repeatable(arm: str, tmp_path: Path, record: Path) -> None:
    """`--seed` fixes what programs draw, and the record says so."""
    draw = {
        "javascript": "$OPEN_TEXT('r', String(Math.random()))",
        "python": "import random\n$OPEN_TEXT('r', str(random.random()))",
    }
    program = write(tmp_path, arm, draw[arm])
    one = gg("run", "--arm", arm, "--seed", "4", "--record", str(record), "--json", program)
    two = gg("run", "--arm", arm, "--seed", "4", "--json", program)
    assert json.loads(one.stdout)["messages"] == json.loads(two.stdout)["messages"]
    document = json.loads(gg("replay", "--json", str(record)).stdout)
    assert (document["identical"], document["deterministic"]) == (True, True)


def test_a_divergence_is_exit_status_1(tmp_path: Path, record: Path) -> None:
    """It is told of by turn, program and line, with what was expected and what came, and a hint."""
    program = write(tmp_path, "javascript", "$OPEN_TEXT('r', String(Math.random()))")
    assert gg("run", "--arm", "javascript", "--record", str(record), program).returncode == 0
    done = gg("replay", str(record))
    first, expected, came, difference, hint = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (1, b"")
    assert first.startswith("diverged: turn 1, program 0 (line ")
    assert expected.startswith('  expected  a call views.open_text({"label":"r","body":"0.')
    assert came.startswith('  came      a call views.open_text({"label":"r","body":"0.')
    assert difference.startswith("  `arguments` differs from character ")
    assert hint.startswith("  the recorded session was not deterministic")
    done = gg("replay", "--json", str(record))
    document = json.loads(done.stdout)
    assert (done.returncode, problems("replay", document), document["identical"]) == (1, [], False)
    assert set(document["divergence"]) == {"turn", "program", "line", "expected", "came", "difference", "hint"}


def test_a_cut_record_says_so(tmp_path: Path, record: Path) -> None:
    """What is whole is replayed; the torn line is told of."""
    program = write(tmp_path, "javascript", "$OPEN_TEXT('a', 'b')")
    assert gg("run", "--arm", "javascript", "--record", str(record), program).returncode == 0
    whole = record.read_bytes()
    record.write_bytes(whole[:-20])
    done = gg("replay", str(record))
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == [b"the last line of the record is cut, and was ignored"]
    record.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1])
    done = gg("replay", str(record))
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == [b"the record ends before its session was closed"]


def test_bad_files_are_exit_status_2(tmp_path: Path, record: Path) -> None:
    """One sentence on standard error that names the line, nothing on standard output, no traceback."""
    program = write(tmp_path, "javascript", "$OPEN_TEXT('a', 'b')")
    assert gg("run", "--arm", "javascript", "--record", str(record), program).returncode == 0
    whole = record.read_bytes()
    cases = {
        whole.replace(b'"label":"a"', b'"label":"c"'): "was changed, or does not belong after line",
        b"": "is no session record: it is empty",
        b"\n\n": "is no session record: its first line is none of a record",
        whole.replace(b'"v":1', b'"v":9'): "line 1 of the record is of version 9, and this gg reads version 1",
    }
    for data, said in cases.items():
        record.write_bytes(data)
        done = gg("replay", "--json", str(record))
        assert (done.returncode, done.stdout) == (2, b"")
        assert said in done.stderr.decode()
        assert done.stderr.count(b"\n") == 1
    done = gg("replay", str(tmp_path / "nowhere"))
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_record_that_is_there_is_kept(tmp_path: Path, record: Path) -> None:
    """Nothing runs, and the file stays as it is."""
    record.write_text("something of the user's\n")
    program = write(tmp_path, "javascript", "1")
    done = gg("run", "--arm", "javascript", "--record", str(record), program)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"is there already" in done.stderr
    assert record.read_text() == "something of the user's\n"
