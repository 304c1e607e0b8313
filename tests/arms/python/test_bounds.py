"""Errors whose text is most of the memory there is."""

from __future__ import annotations

import pytest
from guest_harness import Guest

END = 1 << 16
LINE = 1 << 12


@pytest.mark.parametrize(
    ("raised", "begins"),
    [
        ("ValueError('x' * 60_000_000)", "ValueError: xxx"),
        ("ValueError('\\U0001f600' * 30_000_000)", "ValueError: \U0001f600\U0001f600"),
        ("KeyError('x' * 60_000_000)", "KeyError: 'xxx"),
        ("SyntaxError('x' * 60_000_000)", "SyntaxError: xxx"),
        ("type('X' * 60_000_000, (Exception,), {})('m')", "XXX"),
        ("gg.core.ApiError('f', 'other', 'x' * 60_000_000)", "gg.core.ApiError: `f` failed (other): xxx"),
    ],
)
def test_a_huge_message_keeps_its_type_its_place_and_its_beginning(guest: Guest, raised: str, begins: str) -> None:
    """Of a single line of many megabytes the first 4 KiB are left, under the frame that raised it."""
    run = guest.run(f"raise {raised}\n")
    assert run.kind == "failed"
    assert 'File "program.py", line 1, in <module>' in run.body
    role, text = run.report["parts"][-1]
    assert (role, text[: len(begins)]) == ("message", begins)
    assert LINE <= len(text) <= LINE + 100


def test_a_huge_note_keeps_its_beginning(guest: Guest) -> None:
    """Notes are bounded as messages are."""
    run = guest.run("e = ValueError('m')\ne.add_note('n' * 60_000_000)\nraise e\n")
    assert run.report["parts"][-1][1].startswith("ValueError: m\nnnn")


def test_the_source_of_a_huge_syntax_error_is_bounded(guest: Guest) -> None:
    """A syntax error in a line of megabytes keeps its sentence, its place and the line's beginning."""
    body = guest.run("eval('(' + 'a ' * 30_000_000)\n").body
    assert '  File "<string>", line 1\n    (a a a' in body
    assert "\nSyntaxError: invalid syntax" in body
    assert len(body) < 3 * LINE


def test_a_long_message_loses_whole_lines_from_its_middle(guest: Guest) -> None:
    """Of a message of many lines the whole lines of its first and its last 64 KiB are left, in order, uncut."""
    run = guest.run("raise ValueError('\\n'.join(f'row {i}' for i in range(1_000_000)))\n")
    head, *lines = run.report["parts"][-1][1].split("\n")
    rows = [int(line.removeprefix("row ")) for line in lines]
    assert head == "ValueError: row 0"
    assert rows == sorted(set(rows))
    assert (rows[0], rows[-1]) == (1, 999_999)
    assert END < len("\n".join(lines)) <= 2 * END
    assert sum(later - earlier != 1 for earlier, later in zip(rows, rows[1:], strict=False)) <= 2


def test_a_message_that_is_not_long_is_whole(guest: Guest) -> None:
    """A message of up to 128 KiB is reported to the byte, whatever its lines are."""
    run = guest.run("raise ValueError('x' * 100_000 + '\\n' + 'y' * 10)\n")
    assert run.report["parts"][-1][1] == "ValueError: " + "x" * 100_000 + "\n" + "y" * 10


def test_a_string_of_the_programs_own_class_is_bounded(guest: Guest) -> None:
    """What a subclass of str says of its length and its parts is not believed."""
    run = guest.run(
        "class S(str):\n    def __len__(self): return 3\n    def __getitem__(self, at): return 'no'\n"
        "class E(Exception):\n    def __str__(self): return S('q' * 1_000_000)\nraise E()\n"
    )
    assert run.report["parts"][-1][1].startswith("E: qqqq")


@pytest.mark.parametrize("limit_kib", [*range(96_000, 102_000, 500)])
def test_memory_that_just_fails_is_no_trap(guest: Guest, limit_kib: int) -> None:
    """A request that the memory limit just refuses is a MemoryError, wherever the limit lies."""
    run = guest.run("x = bytearray(64 << 20)\n", memory_bytes=limit_kib << 10)
    assert run.trap is None
    assert run.kind == "returned" or run.body.endswith("MemoryError")
