"""The table of requirements and the tests are in step."""

from __future__ import annotations

import ast
import re
from functools import cache

from doc_pages import DOCS, ROOT, read, sections, table

PAGE = DOCS / "specification.md"
COLUMNS = 4


def rows() -> list[list[str]]:
    """Return every row of both tables."""
    parts = sections(read(PAGE), 2)
    return [row for title in ("Messages", "Code execution") for row in table(parts[title], "id")]


def is_open(row: list[str]) -> bool:
    """Say whether a row has no test yet."""
    return row[3].startswith("open")


@cache
def names_in(path: str) -> frozenset[str]:
    """Return the names of a file's tests."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name.startswith("test_"))


def test_rows_are_numbered() -> None:
    """Ids begin at 1 in each table and leave none out, and each row has its four cells filled."""
    for letter, title in (("M", "Messages"), ("E", "Code execution")):
        found = table(sections(read(PAGE), 2)[title], "id")
        assert [row[0] for row in found] == [f"{letter}{n}" for n in range(1, len(found) + 1)]
        assert len(found) > 50
    for row in rows():
        assert len(row) == COLUMNS, row
        assert all(row), row


def test_every_named_test_exists() -> None:
    """A row names tests by path and function, and each is there."""
    for id, _, _, cell in (row for row in rows() if not is_open(row)):
        named = [re.fullmatch(r"`(tests/[\w/]+\.py)::(test_\w+)`", part.strip()) for part in cell.split("<br>")]
        for found in named:
            assert found, f"{id}: {cell}"
            path, name = found.groups()
            assert (ROOT / path).is_file(), f"{id}: {path}"
            assert name in names_in(path), f"{id}: {path}::{name}"


def test_open_rows_are_counted_and_say_why() -> None:
    """A row without a test says what it waits for, and the page says how many there are."""
    waiting = [row for row in rows() if is_open(row)]
    for row in waiting:
        assert re.fullmatch(r"open: \S.{5,}", row[3]), row
    said = re.search(r"^Open rows: (\d+)$", read(PAGE), re.MULTILINE)
    assert said
    assert int(said[1]) == len(waiting)
