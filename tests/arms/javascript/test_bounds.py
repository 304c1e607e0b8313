"""Errors whose text is most of the memory there is."""

from __future__ import annotations

import pytest

END = 1 << 16
LINE = 1 << 12


@pytest.mark.parametrize(
    ("thrown", "begins"),
    [
        ("new Error('x'.repeat(60e6))", "Error: xxx"),
        ("new Error('é漢'.repeat(30e6))", "Error: é漢é漢"),
        ("new Error('a' + '😀'.repeat(5e6))", "Error: a😀😀"),
        ("'x'.repeat(60e6)", "xxx"),
        ("Object.assign(new Error('m'), {name: 'N'.repeat(60e6)})", "NNN"),
        ("Array.from({length: 60}, (_, i) => 'x'.repeat(1e6) + i).reduce((a, b) => a + b)", "xxx"),
        ("new (class X extends Error { get message() { return 'x'.repeat(60e6) } })()", "X: xxx"),
    ],
)
def test_a_huge_message_keeps_its_beginning(guest, thrown, begins):
    """Of a single line of many megabytes the first 4 KiB of whole characters are left."""
    text = guest.run(f"throw {thrown}").part("message")
    assert text.startswith(begins)
    assert LINE - 4 < len(text.encode()) < LINE + 20


def test_a_huge_message_keeps_its_frames(guest):
    """What is bounded is the message, not where it came from."""
    ran = guest.run("throw new Error('x'.repeat(60e6))")
    assert ran.part("stack") == "    at <anonymous> (program.js:1:7)"


def test_a_long_message_loses_whole_lines_from_its_middle(guest):
    """Of a message of many lines the whole lines of its first and its last 64 KiB are left, in order, uncut."""
    ran = guest.run("throw new Error(Array.from({length: 1e6}, (_, i) => `row ${i}`).join('\\n'))")
    head, *lines = ran.part("message").split("\n")
    rows = [int(line.removeprefix("row ")) for line in lines]
    assert head == "Error: row 0"
    assert rows == sorted(set(rows))
    assert (rows[0], rows[-1]) == (1, 999_999)
    assert END < len("\n".join(lines)) <= 2 * END
    assert sum(later - earlier != 1 for earlier, later in zip(rows, rows[1:], strict=False)) <= 2


def test_long_lines_of_a_long_message_keep_their_beginnings(guest):
    """In a message past 128 KiB a line over 4 KiB keeps its first 4 KiB, and every shorter line is whole."""
    ran = guest.run("throw new Error('a'.repeat(1e4) + '\\nshort\\n' + 'b'.repeat(2e5) + '\\nlast')")
    assert ran.part("message").split("\n") == ["Error: " + "a" * LINE, "short", "b" * LINE, "last"]


def test_a_message_that_is_not_long_is_whole(guest):
    """A message below 128 KiB is reported to the byte, whatever its lines are."""
    ran = guest.run("throw new Error('x'.repeat(1e5) + '\\ny')")
    assert ran.part("message") == "Error: " + "x" * 100_000 + "\ny"


def test_causes_are_bounded_each(guest):
    """A huge cause does not cost its error anything."""
    ran = guest.run("throw new Error('a'.repeat(3e7), {cause: new Error('b'.repeat(3e7))})")
    first, second = (text for role, text in ran.report["parts"] if role == "message")
    assert first.startswith("Error: aaa")
    assert second.startswith("  [cause]: Error: bbb")


@pytest.mark.parametrize("fill", ["new Array(10000).fill(1)", "'x'.repeat(1000) + a.length", "new Map([[1, 2]])"])
@pytest.mark.parametrize("size", [60_000, 5_000_000])
def test_a_message_survives_a_full_memory(guest, fill, size):
    """With every byte of memory taken by values of any size, an error's message and frames are still reported."""
    ran = guest.run(
        f"const a = [], e = new Error('z\\n'.repeat({size}));\ntry {{ for (;;) a.push({fill}) }} catch {{ throw e }}",
        memory_mib=64,
    )
    assert ran.kind == "failed"
    assert len(ran.part("message")) > min(2 * size, END - 10)
    assert ran.part("stack") == "    at <anonymous> (program.js:1:19)"
