"""Log capture, against a plain reading of its rules."""

from __future__ import annotations

import struct
from typing import Any

import case_files
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_text import clip_oracle

from gg_rust_ext import LogCapture, LogTail

CASES = [case for case in case_files.load("D") if case_files.input_of(case) is not None]

PIECES = st.sampled_from(
    [b"a", b"\n", b"\r", b"\r\n", b"\xff", "é".encode(), "船".encode(), b"\xe8\x88", b"\xb9", b"long line"]
)
DATA = st.lists(st.one_of(PIECES, st.binary(max_size=4)), max_size=12).map(b"".join)
WRITES = st.lists(st.tuples(st.sampled_from([1, 2]), DATA), max_size=12)


class Oracle:
    """The rules in plain Python: everything is kept, and cut at the end."""

    def __init__(self, max_lines: int, max_bytes: int, max_line_bytes: int) -> None:
        self.max_lines, self.max_bytes, self.max_line_bytes = max_lines, max_bytes, max_line_bytes
        self.streams = {1: b"", 2: b""}
        self.completed = {1: 0, 2: 0}
        self.lines: list[str] = []

    def write(self, stream: int, data: bytes) -> None:
        """A line takes its place when it is completed: compare the whole lines before and after."""
        self.streams[stream] += data
        whole = self.streams[stream].decode("utf-8", "ignore").split("\n")[:-1]
        self.lines += [line.removesuffix("\r") for line in whole[self.completed[stream] :]]
        self.completed[stream] = len(whole)

    def finish(self) -> tuple[list[str], int, int]:
        """Return the kept lines, how many were logged, and the bytes that were not UTF-8."""
        rests = [data.decode("utf-8", "ignore").split("\n")[-1] for data in self.streams.values()]
        lines = [clip_oracle(line, self.max_line_bytes) for line in self.lines + [rest for rest in rests if rest]]
        kept = list(lines)
        while len(kept) > self.max_lines or sum(len(line.encode()) for line in kept) > self.max_bytes:
            kept.pop(0)
        undecodable = sum(len(data) - len(data.decode("utf-8", "ignore").encode()) for data in self.streams.values())
        return kept, len(lines), undecodable


def agrees(tail: LogTail, oracle: Oracle) -> bool:
    """Whether all that a tail says is what the oracle says."""
    kept, logged, undecodable = oracle.finish()
    assert (tail.lines, tail.logged, tail.undecodable_bytes) == (kept, logged, undecodable)
    assert tail.suppressed == logged - len(kept)
    assert tail.kept_bytes == sum(len(line.encode()) for line in kept)
    return True


@given(WRITES, st.integers(0, 5), st.integers(0, 30), st.integers(0, 9))
def test_capture_equals_the_plain_reading(
    writes: list[tuple[int, bytes]], max_lines: int, max_bytes: int, max_line_bytes: int
) -> None:
    """However the bytes are split over writes and streams, what is kept is what the rules say of the whole."""
    capture, oracle = LogCapture(max_lines, max_bytes, max_line_bytes), Oracle(max_lines, max_bytes, max_line_bytes)
    for stream, data in writes:
        capture.write(stream, data)
        oracle.write(stream, data)
    assert agrees(capture.finish(), oracle)
    assert agrees(capture.finish(), oracle)


@given(WRITES, st.binary(max_size=4))
def test_records_equal_writes(writes: list[tuple[int, bytes]], rest: bytes) -> None:
    """Records are writes; what follows the last whole one is ignored and its length answered."""
    capture, oracle = LogCapture(), Oracle(200, 16384, 2048)
    records = b"".join(struct.pack("<BI", stream, len(data)) + data for stream, data in writes)
    assert capture.write_records(bytearray(records + rest)) == len(rest)
    for stream, data in writes:
        oracle.write(stream, data)
    assert agrees(capture.finish(), oracle)


@pytest.mark.parametrize(
    ("records", "ignored"), [(b"\x03\x00\x00\x00\x00", 5), (b"\x01\xff\xff\xff\xffab", 7), (b"\x00" * 9, 9)]
)
def test_malformed_records_are_ignored(records: bytes, ignored: int) -> None:
    """A record of no stream, or longer than what is there, ends the reading; what came before stands."""
    capture = LogCapture()
    assert capture.write_records(b"\x01\x02\x00\x00\x00ok" + records) == ignored
    assert capture.finish().lines == ["ok"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.parametrize("step", [1, 1000, 1 << 20])
def test_cases(case: dict[str, Any], step: int) -> None:
    """The D cases come out as their plain reading says, in one write or in many."""
    data, plain = case_files.input_of(case), case["expected"]["plain_reading"]
    assert data is not None
    capture = LogCapture()
    for at in range(0, len(data), step):
        capture.write(1, data[at : at + step])
    tail = capture.finish()
    seen = (tail.logged, len(tail.lines), tail.suppressed, tail.kept_bytes)
    assert seen == tuple(plain[key] for key in ("lines_logged", "kept", "suppressed", "kept_bytes"))


def test_one_call_with_several_lines_is_several_lines() -> None:
    """Lines are cut at line ends, not at calls."""
    capture = LogCapture()
    capture.write_records(struct.pack("<BI", 1, 7) + b"a\nb\n\nc\n")
    assert capture.finish().lines == ["a", "b", "", "c"]


def test_a_finished_capture_takes_nothing() -> None:
    """Writing after the end is an error, since it could not be seen."""
    capture = LogCapture()
    capture.finish()
    with pytest.raises(ValueError, match="finished"):
        capture.write(1, b"x")
    with pytest.raises(ValueError, match="finished"):
        capture.write_records(b"")


@pytest.mark.parametrize("stream", [0, 3, -1, 257])
def test_there_are_two_streams(stream: int) -> None:
    """Any stream but 1 and 2 is an error."""
    with pytest.raises(ValueError, match="neither 1"):
        LogCapture().write(stream, b"")


@given(
    st.lists(
        st.lists(st.sampled_from([b"x", b"yz\n", b"\xff", "船".encode() * 900, b"w" * 1500 + b"\n"])).map(b"".join)
    )
)
def test_stderr_ends_are_whole_lines_of_the_stream(writes: list[bytes]) -> None:
    """Up to 8 KiB it is the stream; beyond, its lines in order, none added, each whole or its first part."""
    capture = LogCapture()
    for data in writes:
        capture.write(1, b"not this\n")
        capture.write(2, data)
    stream, ends = b"".join(writes), capture.stderr_ends()
    if len(stream) <= 8192:
        assert ends == stream
        return
    assert len(ends) <= 8192
    emitted = iter(stream.split(b"\n"))
    for line in ends.split(b"\n"):
        assert any(line == whole or (len(line) >= 2045 and whole.startswith(line)) for whole in emitted)


def test_stderr_ends_are_the_first_and_the_last_lines() -> None:
    """Of a long stream each end is filled as far as whole lines go."""
    lines = [b"line %05d\n" % number for number in range(2000)]
    capture = LogCapture()
    for line in lines:
        capture.write(2, line)
    assert capture.stderr_ends() == b"".join(lines[: 4096 // 11] + lines[-(4096 // 11) :])


def test_one_endless_line_of_stderr_keeps_its_start() -> None:
    """A stream without line ends keeps its first whole characters."""
    capture = LogCapture()
    for _ in range(100):
        capture.write(2, "船".encode() * 1000)
    assert capture.stderr_ends() == "船".encode() * 682
