"""Reading the documentation: headings, tables, code blocks."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def read(path: Path) -> str:
    """Return a page's text."""
    return path.read_text("utf-8")


def sections(text: str, level: int) -> dict[str, str]:
    """Return the sections of one heading level by title; code blocks hold no headings."""
    mark = "#" * level + " "
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if not fenced and line.startswith(mark):
            current = found.setdefault(line[len(mark) :], [])
        elif not fenced and re.match(rf"#{{1,{level}}} ", line):
            current = None
        elif current is not None:
            current.append(line)
    return {title: "\n".join(lines) for title, lines in found.items()}


def blocks(text: str, language: str) -> list[str]:
    """Return the contents of the code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def table(text: str, first_header: str) -> list[list[str]]:
    """Return the rows, below the header, of the table whose first column has this header."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(f"| {first_header} |"):
            next(lines)
            break
    rows: list[list[str]] = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" |")])
    return rows


def code(cell: str) -> str:
    """Return what a cell spells in backticks, first thing."""
    found = re.match(r"`([^`]+)`", cell)
    assert found, cell
    return found[1]
