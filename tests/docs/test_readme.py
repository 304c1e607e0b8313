"""The README: its example runs, and what it names is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from doc_pages import ROOT, blocks, read, table

README = read(ROOT / "README.md")


def test_the_example_runs_and_prints_what_is_shown(tmp_path: Path) -> None:
    """The example, pasted into a file, runs and prints exactly what the README shows."""
    example, shown = blocks(README, "python")[0], blocks(README, "text")[0]
    file = tmp_path / "example.py"
    file.write_text(example, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GG_")}
    done = subprocess.run([sys.executable, str(file)], capture_output=True, timeout=300, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert done.stdout.decode() == shown


def test_the_example_is_short() -> None:
    """The example has about ten lines of code."""
    lines = [line for line in blocks(README, "python")[0].splitlines() if line.strip()]
    assert len(lines) <= 12


def test_commands_are_those_there_are() -> None:
    """Every command of the command line is in the README's table, and no other."""
    from gg.cli import _COMMANDS  # pyright: ignore[reportPrivateUsage]

    named = {re.match(r"`gg (\w+)", row[0])[1] for row in table(README, "command")}  # type: ignore[index]
    assert named == set(_COMMANDS)


def test_make_targets_exist() -> None:
    """The `make` commands the README names are targets of the Makefile."""
    targets = set(re.findall(r"^([a-z]+):", read(ROOT / "Makefile"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)\b", README))
    assert named
    assert named <= targets
