"""The record of one program under the specification's caps, and the stream that numbers events."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from gg.operations.table import OperationFailure
from gg.stream.events import CodeExecution, LogLine, ViewRecord, level_of, to_wire
from gg.stream.record import MAX_CALLS, MAX_FAILURE_BYTES, MAX_REFUSALS, MAX_VIEWS, ProgramRecord
from gg.stream.sinks import JsonLines, Structlog
from gg.stream.stream import Stream


def record() -> tuple[ProgramRecord, list[Any]]:
    """Return a record and the events it emits."""
    seen: list[Any] = []
    return ProgramRecord(seen.append), seen


def filled(of: ProgramRecord) -> dict[str, Any]:
    """Return the event a record makes, as it goes out."""
    event = CodeExecution(ok=True, tool_calls=0)
    of.fill(event)
    return to_wire(event)


def call(
    of: ProgramRecord,
    operation: str = "files.read_file",
    *,
    dispatched: bool = True,
    code: str | None = None,
    message: str = "m",
) -> None:
    """Make one call of a program."""
    of.call_opened(operation)
    failure = None if code is None else OperationFailure(code, message)  # type: ignore[arg-type]
    of.call_closed(operation, dispatched=dispatched, failure=failure, parked_ms=0.5)


def test_the_caps_are_the_specifications() -> None:
    """500 calls, 100 refusals, 100 views a kind, 512 bytes of failure text."""
    assert (MAX_CALLS, MAX_REFUSALS, MAX_VIEWS, MAX_FAILURE_BYTES) == (500, 100, 100, 512)


@pytest.mark.parametrize(("calls", "suppressed"), [(0, None), (500, None), (501, 1), (1200, 700)])
def test_calls_are_described_plus_suppressed(calls: int, suppressed: int | None) -> None:
    """Dispatched calls are what is described plus what the cap suppressed."""
    of, _ = record()
    for _ in range(calls):
        call(of)
    event = filled(of)
    assert event["toolCalls"] == len(event.get("calls", [])) + event.get("callsSuppressed", 0) == calls
    assert event.get("callsSuppressed") == suppressed


def test_failure_text_is_cut_at_a_character() -> None:
    """A failure's text keeps whole characters within 512 bytes."""
    of, seen = record()
    call(of, code="not-found", message="é" * 400)
    call(of, dispatched=False, code="invalid-argument", message="日" * 400)
    assert filled(of)["calls"][0]["message"] == "é" * 256
    assert [e.message for e in seen if type(e).__name__ == "Refusal"] == ["日" * 170]


@pytest.mark.parametrize(("refusals", "described", "suppressed"), [(100, 100, None), (101, 100, 1)])
def test_refusals(refusals: int, described: int, suppressed: int | None) -> None:
    """Refusals are described up to their cap, and never among the calls."""
    of, seen = record()
    for _ in range(refusals):
        call(of, dispatched=False, code="refused")
    event = filled(of)
    assert sum(type(e).__name__ == "Refusal" for e in seen) == described
    assert event.get("refusalsSuppressed") == suppressed
    assert (event["toolCalls"], event["apiCalls"]) == (0, refusals)
    assert "calls" not in event


def test_each_kind_of_view_has_its_own_cap() -> None:
    """Opened and replaced share one, closed and refused have theirs; what fits is not counted."""
    of, seen = record()
    for _ in range(60):
        of.view("opened", "text", "a", 1)
        of.view("replaced", "text", "a", 1)
    for _ in range(101):
        of.view("closed", "text", "a", 1)
    of.view("refused", message="no")
    assert filled(of)["viewsSuppressed"] == {"opened": 20, "closed": 1, "refused": 0}
    assert sum(isinstance(e, ViewRecord) for e in seen) == 201


def test_nothing_suppressed_is_nothing_said() -> None:
    """A record without calls adds nothing to the event."""
    of, _ = record()
    assert filled(of).keys() <= {"type", "seq", "ts", "ok", "toolCalls"}


def test_levels() -> None:
    """Views are debug, refused ones warn; a line has its own level."""
    assert level_of(ViewRecord(action="opened")) == "debug"
    assert level_of(ViewRecord(action="refused")) == "warn"
    assert level_of(LogLine(level="error", slug="worker_died", message="x")) == "error"
    assert level_of(CodeExecution(ok=True, tool_calls=0)) == "info"


def test_facts_never_hide_a_field() -> None:
    """A fact stands beside a line's fields and never in place of one."""
    wire = to_wire(LogLine(level="warn", slug="worker_note", message="m", facts={"level": "x", "seq": "y", "count": 2}))
    assert (wire["level"], wire["message"], wire["count"], wire["seq"]) == ("warn", "m", 2, 0)
    assert "facts" not in wire


def test_stream_numbers_and_places() -> None:
    """Events are numbered from 1 across turns, and carry turn and program while they are set."""
    stream = Stream([])
    stream.log("info", "no_program", "a")
    stream.turn, stream.program = 2, 0
    stream.log("info", "no_program", "b")
    first, second = (to_wire(event) for event in stream.take())
    assert (first["seq"], "turn" in first, "program" in first) == (1, False, False)
    assert (second["seq"], second["turn"], second["program"]) == (2, 2, 0)
    assert stream.take() == []


def test_json_lines() -> None:
    """One event a line, strict JSON, absent fields left out."""
    file = BytesIO()
    stream = Stream([JsonLines(file)])
    stream.emit(CodeExecution(ok=False, tool_calls=1, error="a\nb\x1b\u2028"))
    stream.log("warn", "no_program", "x", count=1)
    lines = file.getvalue().split(b"\n")
    assert len(lines) == 3
    first, second = json.loads(lines[0]), json.loads(lines[1])
    assert (first["type"], first["error"], "logs" in first) == ("code_execution", "a\nb\x1b\u2028", False)
    assert (second["type"], second["slug"], second["count"]) == ("log", "no_program", 1)


def test_structlog() -> None:
    """A structlog logger gets each event under its type, at its level, with its fields."""
    structlog = pytest.importorskip("structlog")
    with structlog.testing.capture_logs() as logs:
        stream = Stream([Structlog()])
        stream.log("error", "toolchain_failed", "x", detail="d")
        stream.emit(CodeExecution(ok=True, tool_calls=3))
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [("log", "error"), ("code_execution", "info")]
    assert (logs[0]["slug"], logs[0]["detail"], logs[1]["toolCalls"]) == ("toolchain_failed", "d", 3)
