"""Trimming, by its properties."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gg_rust_ext import TrimRules, apply_ranges, clip

CLASSES = [
    "drop",
    "own_frame",
    "foreign_frame",
    "frame_more",
    "frame_header",
    "error",
    "warning",
    "note",
    "section",
    "keep",
    "text",
]
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-Za-z]")

WORDS = ["at", "E:", "  ", "note", "x" * 30, "船", "\x1b[31m", "\x1b[0m", "\x1b]8;;u\x1b\\", "\x1b", "\r"]
EXPRESSIONS = ["^at", "E:", "^  ", "^note", "x", "^$", "", "船"]
LINE = st.lists(st.one_of(st.sampled_from(WORDS).map(str.encode), st.binary(max_size=2)), max_size=4).map(b"".join)
TEXTS = st.lists(st.tuples(LINE, st.sampled_from([b"\n", b"\r\n", b"\n\n"])).map(b"".join), max_size=25).map(b"".join)
TABLES = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(EXPRESSIONS)), max_size=8)
LIMITS = st.fixed_dictionaries(
    {
        "max_diagnostics": st.integers(1, 3),
        "max_notes": st.one_of(st.none(), st.integers(0, 2)),
        "edge_frames": st.integers(1, 3),
        "max_line_bytes": st.integers(4, 40),
        "max_bytes": st.integers(8, 200),
    }
)
RANGES = st.lists(st.tuples(st.integers(0, 120), st.integers(0, 120)), max_size=4)


def readable_lines(data: bytes) -> list[str]:
    """Return the lines of ``data`` as they may be shown, before any is cut."""
    text = data.decode("utf-8", "ignore")
    lines = text.split("\n")
    return [ANSI.sub("", line.removesuffix("\r") if at + 1 < len(lines) else line) for at, line in enumerate(lines)]


@given(TEXTS, TABLES, LIMITS, RANGES)
def test_a_body_is_a_line_subsequence(
    data: bytes, table: list[tuple[str, str]], limits: dict[str, Any], protected: list[tuple[int, int]]
) -> None:
    """Whatever the rules: whole lines or their first part, in order, within the bounds, and something of something."""
    trimmed = TrimRules(table, **limits).trim(data, protected)
    body = apply_ranges(data, trimmed.ranges)
    bound = min(limits["max_line_bytes"], limits["max_bytes"] // 2)
    assert len(body.encode()) <= limits["max_bytes"]
    emitted = iter(readable_lines(data))
    for line in body.split("\n") if body else []:
        assert len(line.encode()) <= bound
        # A cut line is full up to less than one character, or ends where a sequence was cut by the bound.
        assert any(whole == line or (len(line.encode()) > bound - 4 and whole.startswith(line)) for whole in emitted)
    # A line may lose a character more to the bound where bytes that are not UTF-8 lie across it.
    if any(clip(line, bound - 3).strip() for line in readable_lines(data)):
        assert body.strip()


@given(TEXTS, TABLES)
def test_protected_text_stays(data: bytes, table: list[tuple[str, str]]) -> None:
    """Text that is protected whole loses nothing but what no reader sees."""
    body = apply_ranges(data, TrimRules(table).trim(data, [(0, len(data))]).ranges)
    assert body.rstrip("\n") == "\n".join(readable_lines(data)).rstrip("\n") or not body.strip()


@given(st.binary(max_size=40), RANGES)
def test_ranges_are_applied_only_when_they_are_in_order(data: bytes, ranges: list[tuple[int, int]]) -> None:
    """Ranges that ascend, lie within and do not overlap are joined; any others are a ValueError."""
    flat = [bound for pair in ranges for bound in pair]
    if flat == sorted(flat) and (not flat or flat[-1] <= len(data)):
        expected = "".join(data[start:end].decode("utf-8", "ignore") for start, end in ranges)
        assert apply_ranges(data, ranges) == expected
    else:
        with pytest.raises(ValueError, match="range"):
            apply_ranges(data, ranges)


def test_two_halves_make_no_new_character() -> None:
    """A character that is nowhere in the input is nowhere in the text, even where its bytes meet."""
    assert apply_ranges(b"\xe8\x88-\xb9", [(0, 2), (3, 4)]) == ""


def test_what_went_is_counted() -> None:
    """Lines, diagnostics and frames that went are counted, empty lines are not."""
    rules = TrimRules([("error", "^E"), ("warning", "^W"), ("foreign_frame", "^  at lib"), ("section", "^=")])
    trimmed = rules.trim(b"W: w\n w\n\nE: e\n= stack\n  at lib\n  at lib\n")
    assert (trimmed.dropped_lines, trimmed.dropped_diagnostics, trimmed.dropped_frames) == (4, 1, 2)


def test_a_nested_bound_counts_notes() -> None:
    """A diagnostic keeps its first sub-entries with all their lines."""
    rules = TrimRules([("error", "^E"), ("note", "^n"), ("section", "^=")], max_notes=1)
    data = b"E: e\nn: 1\n one\nn: 2\n two\n= end\n"
    assert apply_ranges(data, rules.trim(data).ranges) == "E: e\nn: 1\n one\n= end"


@pytest.mark.parametrize(
    ("table", "limits", "match"),
    [
        ([("frame", "x")], {}, "no rule class is named"),
        ([("drop", "(?=x)")], {}, "cannot be read"),
        ([], {"max_diagnostics": 0}, "at least 1"),
        ([], {"max_line_bytes": 3}, "at least 4"),
    ],
)
def test_rules_that_cannot_work_are_refused(table: list[tuple[str, str]], limits: dict[str, Any], match: str) -> None:
    """An unknown class, an unreadable expression and a bound that leaves nothing are a ValueError that says so."""
    with pytest.raises(ValueError, match=match):
        TrimRules(table, **limits)
