"""The handed cases of group A, run through a real worker, with their right values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import Reusing, Runner

from gg import Host, Limits

CASES = Path(__file__).resolve().parents[1] / "cases"
FILES = sorted([*CASES.glob("A-js-*.json"), *CASES.glob("A-py-*.json")])
_CALLS = {
    "javascript": {"$FINISH": "gg.session.finish", "$VIEW": "gg.views.openText", "$TOOL_NUMBER": "gg.views.openText"},
    "python": {"$FINISH": "gg.session.finish", "$VIEW": "gg.views.open_text", "$TOOL_NUMBER": "gg.views.open_text"},
}
LIMITS = Limits(1.5, 256 << 20)
BODIES: dict[str, list[str]] = json.loads((CASES / "A-bodies.json").read_text())
"""The whole error each program earns here, by line: read through once by a person, and held to the byte."""


def _program(case: dict[str, Any]) -> str:
    names = {"__builtins__": {}, "chr": chr, "str": str, "range": range}
    source: str = case["program"] if "program" in case else eval(case["program_py"], names)
    for word, call in _CALLS[case["language"]].items():
        source = source.replace(word, call)
    return source


def _bands(expected: dict[str, Any]) -> set[str]:
    band = expected.get("band", [])
    return set(re.split(r"\s*/\s*", band)) if isinstance(band, str) else set(band)


@pytest.fixture(scope="module")
def run(host: Host) -> Iterator[Runner]:
    """Run programs in sessions that are used again."""
    made = Reusing(host)
    yield made
    made.close()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case(run: Runner, file: Path) -> None:
    """A handed program gets the band, the body, the events and the logs its case says."""
    case = json.loads(file.read_text())
    expected, operator = case["expected"], case["expected"].get("operator", {})
    ran = run(case["language"], _program(case), limits=LIMITS)
    errors = [(h, b) for h, b in ran.headed if h in ("Compiler error", "Runtime error")]
    assert len(errors) <= 1
    assert ran.headings[-1:] == ([errors[0][0]] if errors else ran.headings[-1:]), "the error comes last"
    assert (errors[0][0] if errors else "clean") in _bands(expected)
    everything = "\n".join(message.text for message in ran.messages)
    for word in expected.get("body_must_contain", []) if errors else []:
        assert word in errors[0][1]
    for word in expected.get("body_must_not_contain", []):
        assert word not in everything
    event = ran.execution
    if isinstance(operator.get("ok"), bool):
        assert event["ok"] is operator["ok"]
    assert event.get("error") == (errors[0][1] if errors else None)
    assert "durationMs" in event
    assert "compileMs" not in event
    if "finished" in operator:
        assert event["finished"] == re.sub(r" \(present\)$", "", operator["finished"])
    if isinstance(operator.get("logsSuppressed"), int):
        assert event["logsSuppressed"] == operator["logsSuppressed"]
    if operator.get("location_line") and errors:
        assert re.search(rf"(?:line |:){operator['location_line']}\b", errors[0][1])
    if isinstance(operator.get("logs"), list):
        assert event.get("logs", []) == operator["logs"]
    if file.stem in BODIES:
        assert errors[0][1].split("\n") == BODIES[file.stem]


def test_all_cases_are_here() -> None:
    """No case file was lost."""
    assert (len(FILES), len(BODIES)) == (45, 34)


def test_huge_message_keeps_its_ends(run: Runner) -> None:
    """Of a 3 MB message the model reads at most 16 KiB: its first lines, and the place that threw."""
    case = json.loads((CASES / "A-js-huge-message.json").read_text())
    ran = run("javascript", _program(case))
    assert len(ran.error.encode()) <= 16_384
    assert ran.error.startswith("Error: dump:\nxxx")
    assert ran.error.endswith("\n    at <anonymous> (program.js:2:7)")
    assert set("".join(ran.error.split("\n")[1:-1])) == {"x"}
