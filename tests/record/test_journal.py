"""The journal itself: what it holds, what survives a kill or a cut, and what bad input gets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import Recording, Replaying, forge, lines, of
from support import FAST, spell, submit, throw, wait_until

from gg import Host
from gg.errors import RecordError, UsageError
from gg.record.lines import Call, User
from gg.record.pool import LONGEST_INLINE, json_bytes, read_json
from gg.record.reader import RecordReader
from gg.record.writer import RecordWriter

LONG = "0123456789" * 30


def fail(error: OSError) -> None:
    """Stand for what is told of a write that failed, where none may fail."""
    raise AssertionError(error)


# -- what a record holds ----------------------------------------------------------------------------------------------


def test_a_record_reads_like_the_session(arm: str, recording: Recording, path: Path) -> None:
    """The header says what the session was made with; then come, in order, what came in and what came of it."""
    with recording(arm, library=True, grants=["views", "session"], keep=3, deterministic=5) as session:
        session.user("hello")
        submit(session, spell(arm, "$OPEN_TEXT('a', 'b')\n$FINISH('done')"))
    header = lines(path)[0]
    assert {key: header[key] for key in ("type", "v", "arm", "distribution", "grants", "library", "keep", "seed")} == {
        "type": "record", "v": 1, "arm": arm, "distribution": "gg-arms", "grants": ["views", "session"],
        "library": True, "keep": 3, "seed": 5,
    }  # fmt: skip
    assert (header["timeoutS"], header["memoryBytes"]) == (FAST.timeout_s, FAST.memory_bytes)
    order = [line["type"] for line in lines(path) if line["type"] not in ("event", "body", "window")]
    assert order == [
        "record", "user", "reply", "fact", "program", "call", "answer", "call", "answer", "ran", "turn", "ended",
    ]  # fmt: skip
    assert of(path, "call")[0]["arguments"] == {"label": "a", "body": "b"}
    assert [line.get("content") for line in of(path, "window")][1:2] == ["hello"]
    events = [line["event"] for line in of(path, "event")]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "session_ended"


def test_every_event_is_in_the_record(arm: str, recording: Recording, path: Path) -> None:
    """The record has the stream as a sink has it."""
    seen: list[Any] = []
    with recording(arm, sinks=[seen.append]) as session:
        submit(session, throw(arm, LONG), "(")
    with RecordReader(path) as reader:
        events = [n.line.event for n in reader if hasattr(n.line, "event")]
    from gg.stream.events import to_wire

    assert events == [to_wire(event) for event in seen]


def test_a_long_text_stands_once(arm: str, recording: Recording, path: Path) -> None:
    """A body that was read, shown, shown again and read once more is on one line; a short one stands where it is."""
    with recording(arm) as session:
        submit(session, spell(arm, f"$WRITE('f', '{LONG}')\n$READ('f')\n$OPEN_FILE('f')\n$OPEN_TEXT('t', '{LONG}')"))
        submit(session, spell(arm, "$OPEN_TEXT('u', $READ('f').contents)\n$OPEN_TEXT('short', 'x')"))
    holders = [line for line in lines(path) if LONG in json.dumps(line)]
    assert [line["type"] for line in holders] == ["body", "body"]  # the text, and the first program, which holds it
    number = next(n for n, line in enumerate(lines(path), 1) if line.get("text") == LONG)
    referring = [line["type"] for line in lines(path) if json.dumps({"@": number}) in json.dumps(line)]
    assert referring.count("window") == 3
    assert referring.count("call") == 3
    assert referring.count("answer") == 3  # two reads and the file's view


def test_the_record_is_its_owners_alone(recording: Recording, path: Path) -> None:
    """It holds what programs read."""
    with recording("javascript"):
        assert path.stat().st_mode & 0o777 == 0o600


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.text(min_size=LONGEST_INLINE + 1),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["@", "@bytes", "@pairs"]), inner),
    max_leaves=12,
)  # fmt: skip
surrogates = st.text(st.characters(categories=["L", "Cs"]))


@given(arguments=st.lists(values, max_size=4), said=st.lists(surrogates | st.text(), max_size=4))
@settings(deadline=None)
def test_values_come_back_as_they_were(tmp_path_factory: Any, arguments: list[Any], said: list[str]) -> None:
    """Any JSON value and any text, also such as look like a mark of the record's own."""
    path = tmp_path_factory.mktemp("values") / "r"
    header = json.loads(_HEADER)
    writer = RecordWriter(path, fail)
    writer.write(msgspec.convert(header, type=_header_type()))
    for value in arguments:
        writer.write(Call(turn=1, program=0, operation="x.y", arguments=value))
    for text in said:
        writer.write(User(content=text))
    writer.close()
    with RecordReader(path) as reader:
        read = [numbered.line for numbered in reader]
    assert [line.arguments for line in read if isinstance(line, Call)] == arguments
    assert [line.content for line in read if isinstance(line, User)] == said


@pytest.mark.parametrize(
    "text",
    [b'{"a":1}', b'{"a": 1}', b"1.0e3", b"1e400", b'{"a":1,"a":2}', b"123456789012345678901234567890", b'"\\u00e9"',
     b'"\xff"', b"[[[", b'"\\ud800"', b"-0.0", b"", b'{"@":1}'],
)  # fmt: skip
def test_json_is_kept_to_the_byte(tmp_path: Path, text: bytes) -> None:
    """What a program sent as its arguments comes back as the very bytes, valid JSON or not."""
    writer = RecordWriter(tmp_path / "r", fail)
    writer.write(msgspec.convert(json.loads(_HEADER), type=_header_type()))
    writer.write(Call(turn=1, program=0, operation="x.y", arguments=read_json(text)))
    writer.close()
    with RecordReader(tmp_path / "r") as reader:
        (line,) = [numbered.line for numbered in reader]
    assert isinstance(line, Call)
    assert json_bytes(line.arguments) == text


_HEADER = json.dumps(
    {"type": "record", "v": 1, "gg": "0", "arm": "javascript", "distribution": "d", "armVersion": "1", "mode": "m",
     "role": "standard", "grants": None, "operations": [], "library": False, "timeoutS": 1.0, "memoryBytes": 1,
     "plugins": [], "workspace": "/"}
)  # fmt: skip


def _header_type() -> Any:
    from gg.record.lines import Header

    return Header


# -- cut --------------------------------------------------------------------------------------------------------------


def test_a_record_cut_anywhere_is_read_up_to_its_last_whole_line(recording: Recording, path: Path) -> None:
    """Every byte: what is whole is read, a torn last line is ignored and told of; nothing else is an error."""
    with recording("javascript", grants=["views"]) as session:
        submit(session, f"gg.views.openText('é', '{LONG}')")
    whole_record = lines(path)
    body = next(n for n, line in enumerate(whole_record) if line.get("text") == LONG)
    refers = {"type": "user", "content": {"@": 2}}
    forge(path, [whole_record[0], whole_record[body], refers, *whole_record[-3:]])
    whole = path.read_bytes()
    ends = [n + 1 for n, byte in enumerate(whole) if byte == 10]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        if cut < ends[0]:
            with pytest.raises(RecordError, match="is no session record: it (is empty|ends within its first line)"):
                RecordReader(path)
            continue
        with RecordReader(path) as reader:
            count = sum(end <= cut for end in ends)
            assert (reader.lines, reader.torn) == (count, cut not in ends)
            assert [numbered.number for numbered in reader] == [number for number in (3, 4, 5, 6) if number <= count]


def test_a_cut_record_is_replayed(arm: str, recording: Recording, replaying: Replaying, path: Path) -> None:
    """Cut in the middle of a line of its last turn, it is replayed to the line before."""
    with recording(arm) as session:
        submit(session, spell(arm, "$OPEN_TEXT('a', 'b')"))
        submit(session, spell(arm, "$LIST('.')\n$OPEN_TEXT('c', 'd')"))
    whole = path.read_bytes()
    for back in range(1, len(whole) // 2, 701):
        path.write_bytes(whole[:-back])
        result = replaying()
        assert (result.identical, result.complete) == (True, False), str(result.divergence)


@pytest.mark.parametrize("moment", ["call", "window", "event"])
def test_a_killed_process_leaves_whole_lines(tmp_path: Path, moment: str) -> None:
    """`kill -9` in the middle of a turn: the record is whole up to then, and is replayed as far as it goes."""
    path = tmp_path / "r.ndjson"
    script = textwrap.dedent(
        f"""
        import sys
        from gg import Host, Reply, ToolCall
        with Host(spares=False) as host, host.session("javascript", record={str(path)!r}) as session:
            program = "for (let i = 0; ; i++) gg.views.openText('n', `${{i}} {LONG}`)"
            session.turn(Reply("", [ToolCall("c", "submit_program", {{"program": program}})]))
        """
    )
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        assert wait_until(lambda: path.exists() and path.read_bytes().count(f'"type":"{moment}"'.encode()) > 60, 30)
        process.send_signal(signal.SIGKILL)
    with RecordReader(path) as reader:
        assert reader.lines > 100
    with Host(spares=False) as host:
        from gg.record.replay import replay

        result = replay(path, host=host)
    assert (result.identical, result.complete, result.turns) == (True, False, 0), str(result.divergence)
    assert result.calls > 5


def test_each_line_is_one_append(recording: Recording, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One write a line, to a descriptor that appends: two writers cannot mix lines, a kill tears one at most."""
    import fcntl

    written: list[bytes] = []
    flags: set[int] = set()
    real = os.write

    def write(fd: int, data: bytes) -> int:
        if data.startswith(b'{"type"'):
            written.append(data)
            flags.add(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND)
        return real(fd, data)

    monkeypatch.setattr(os, "write", write)
    with recording("javascript") as session:
        submit(session, f"gg.views.openText('a', '{LONG}')")
    assert flags == {os.O_APPEND}
    assert b"".join(written) == path.read_bytes()
    assert all(data.endswith(b"}\n") and data.count(b"\n") == 1 for data in written)


# -- not written ------------------------------------------------------------------------------------------------------


def test_a_full_disk_never_costs_a_turn(arm: str, host: Host) -> None:
    """The session goes on; the operator is told once, at error level."""
    seen: list[Any] = []
    with host.session(arm, record="/dev/full", sinks=[seen.append], limits=FAST) as session:
        ran = submit(session, spell(arm, "$OPEN_TEXT('a', 'b')"))
        assert ran.headings == ["View: a"]
    told = [event for event in seen if getattr(event, "slug", "") == "record_failed"]
    assert [(event.level, event.facts) for event in told] == [("error", {"path": "/dev/full"})]
    assert "No space left on device" in told[0].message


def test_a_disk_that_fills_up_leaves_a_record_that_is_read(
    host: Host, recording: Recording, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of which only a part could be written is the torn last one; nothing follows it."""
    real, left = os.write, [3000]

    def write(fd: int, data: bytes) -> int:
        if not data.startswith(b'{"type"'):
            return real(fd, data)
        part = data[: left[0]]
        left[0] -= len(part)
        if not part:
            raise OSError(28, "No space left on device")
        return real(fd, part)

    with recording("javascript") as session:
        monkeypatch.setattr(os, "write", write)
        ran = submit(session, *["gg.views.openText('a', 'b')"] * 5)
        monkeypatch.undo()
        assert ran.slugs(at_least="error") == ["record_failed"]
        assert ran.headings == ["View: a"]
    with RecordReader(path) as reader:
        assert reader.torn


@pytest.mark.parametrize("bad", ["missing/folder/r", ".", "there"])
def test_a_record_that_cannot_be_made_is_a_usage_error(host: Host, tmp_path: Path, bad: str) -> None:
    """No such folder, a folder, and a file that holds something, which stays as it is."""
    (tmp_path / "there").write_text("mine\n")
    with pytest.raises(UsageError, match="the record .* (cannot be written|is there already)"):
        host.session("javascript", record=tmp_path / bad)
    assert (tmp_path / "there").read_text() == "mine\n"


def test_a_session_that_cannot_start_leaves_no_record(strange_host: Host, tmp_path: Path) -> None:
    """An arm that cannot run here is told of, and the file is gone."""
    from gg.errors import ArmUnavailable

    with pytest.raises(ArmUnavailable):
        strange_host.session("gone", record=tmp_path / "r")
    assert not (tmp_path / "r").exists()


# -- bad input --------------------------------------------------------------------------------------------------------


@pytest.fixture
def recorded(recording: Recording, path: Path) -> Path:
    """A record to spoil."""
    with recording("javascript") as session:
        session.user(LONG)
        submit(session, f"gg.views.openText('a', '{LONG}!'); gg.views.openText('b', '{LONG}')")
    return path


def problem(path: Path) -> str:
    """Return what reading the record says."""
    with pytest.raises(RecordError) as raised, RecordReader(path) as reader:
        list(reader)
    return str(raised.value)


def test_a_changed_line_is_named(recorded: Path) -> None:
    """Whichever line, and whatever was changed in it."""
    whole = recorded.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(whole, 1):
        place = len(line) // 2
        changed = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
        recorded.write_bytes(b"".join([*whole[: number - 1], changed, *whole[number:]]))
        said = problem(recorded)
        assert f"line {number} of the record" in said or (number == 1 and "its first line is no" in said), said


@pytest.mark.parametrize("how", ["removed", "swapped", "doubled"])
def test_lines_out_of_order_are_named(recorded: Path, how: str) -> None:
    """The first line that does not belong behind the one before it."""
    whole = recorded.read_bytes().splitlines(keepends=True)
    new = {
        "removed": [*whole[:5], *whole[6:]],
        "swapped": [*whole[:5], whole[6], whole[5], *whole[7:]],
        "doubled": [*whole[:6], whole[5], *whole[6:]],
    }[how]
    recorded.write_bytes(b"".join(new))
    number = 7 if how == "doubled" else 6
    assert problem(recorded) == (
        f"line {number} of the record was changed, or does not belong after line {number - 1}: its sum is wrong"
    )


def test_a_line_that_is_none_is_named(recorded: Path) -> None:
    """Text between the lines, and an empty line."""
    whole = recorded.read_bytes().splitlines(keepends=True)
    for stray in (b"a note of mine\n", b"\n", b"{}\n", b"\xff\n"):
        recorded.write_bytes(b"".join([*whole[:4], stray, *whole[4:]]))
        assert problem(recorded) == "line 5 of the record is none of a record: it does not end in a sum"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"@": 1}, "refers to line 1, which holds no body before it"),
        ({"@": 10_000}, "refers to line 10000, which holds no body before it"),
        ({"@": -1}, "refers to line -1, which holds no body before it"),
        ({"@": "x"}, "has a '@' that is none"),
        ({"@else": 1}, "has a '@else' that is none"),
        ({"@bytes": "?"}, "holds bytes that are no text"),
        (7, "is none that this gg knows: Expected `str`, got `int` - at `$.content`"),
    ],
)
def test_a_missing_body_is_named(recorded: Path, content: Any, said: str) -> None:
    """A reference to what is no body, a mark that is none, a field of another type: with sums that fit."""
    changed = lines(recorded)
    place = next(n for n, line in enumerate(changed) if line["type"] == "user")
    changed[place]["content"] = content
    forge(recorded, changed)
    assert problem(recorded) == f"line {place + 1} of the record {said}"


def test_a_line_of_an_unknown_type_is_named(recorded: Path) -> None:
    """With a sum that fits."""
    changed = lines(recorded)
    forge(recorded, [*changed[:3], {"type": "later"}, *changed[3:]])
    assert problem(recorded).startswith("line 4 of the record is none that this gg knows: Invalid value 'later'")


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (2, "line 1 of the record is of version 2, and this gg reads version 1; a newer gg wrote it"),
        (0, "line 1 of the record is of version 0, and this gg reads version 1"),
    ],
)
def test_another_version_is_said_to_be_one(recorded: Path, version: int, said: str) -> None:
    """Whatever else a newer gg wrote, and however it reckons its sums."""
    changed = lines(recorded)
    changed[0] |= {"v": version, "novelty": True}
    forge(recorded, changed)
    assert problem(recorded) == said
    recorded.write_bytes(recorded.read_bytes().replace(b'"sum":"', b'"sum":"0'))
    assert "is of version" in problem(recorded) or "its first line is none" in problem(recorded)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b'{"type":"rec', "ends within its first line"),
        (b"hello\n", "its first line is none of a record"),
        (b"\x00" * 70_000, "ends within its first line"),
        (b'{"type":"other","sum":"0123456789ab"}\n', "its first line is none of a record"),
        (b'{"seq":1}\n{"seq":2}\n', "its first line is none of a record"),
    ],
)
def test_a_file_that_is_no_record_is_said_to_be_none(tmp_path: Path, data: bytes, said: str) -> None:
    """An empty file, another file of lines, bytes."""
    (tmp_path / "r").write_bytes(data)
    assert (
        problem(tmp_path / "r")
        == f"{tmp_path / 'r'} is no session record: {'it ' if 'first line is' not in said else ''}{said}"
    )


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """One that is not there, and a folder."""
    assert problem(tmp_path / "nowhere").endswith("cannot be read: No such file or directory")
    assert problem(tmp_path).endswith("cannot be read: Is a directory")
