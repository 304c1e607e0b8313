"""The page of the command line: the help texts on it are the commands' own.

``GG_UPDATE_DOCS=1 pytest tests/docs/test_cli.py`` writes them anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from doc_pages import DOCS, blocks, read, sections

from gg.cli import _COMMANDS  # pyright: ignore[reportPrivateUsage]

PAGE = DOCS / "cli.md"
TITLES = ["gg", *(f"gg {name}" for name in _COMMANDS)]


def help_text(title: str) -> str:
    """Return what a command prints for ``--help``, 80 columns wide and without colours."""
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "gg.cli", *title.split()[1:], "--help"]
    return subprocess.run(command, capture_output=True, check=True, timeout=60, env=environment).stdout.decode()


@pytest.mark.parametrize("title", TITLES)
def test_help(title: str) -> None:
    """A command's section begins with its help text; where lines break is argparse's affair."""
    text = help_text(title)
    if os.environ.get("GG_UPDATE_DOCS"):
        pattern = rf"(^## {title}\n(?:(?!^## ).*\n)*?```text\n)(?:.*\n)*?(```\n)"
        page, count = re.subn(
            pattern, lambda match: match[1] + text + match[2], read(PAGE), count=1, flags=re.MULTILINE
        )
        assert count == 1
        PAGE.write_text(page, encoding="utf-8")
    assert blocks(sections(read(PAGE), 2)[title], "text")[0].split() == text.split()


def test_every_command_has_a_section() -> None:
    """The sections are the commands there are, and no other."""
    assert [title for title in sections(read(PAGE), 2) if title.startswith("gg")] == TITLES


def test_exit_statuses_are_documented() -> None:
    """Each exit status that the command line names is in the table."""
    import gg.cli

    named = {value for name, value in vars(gg.cli).items() if name.startswith("EXIT_")}
    assert named
    assert named <= {int(row) for row in re.findall(r"^\| (\d+) \|", read(PAGE), re.MULTILINE)}
