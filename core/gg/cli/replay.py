"""``gg replay``: a recorded session again, with the record in place of everything outside it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from gg.cli._common import print_json, print_text

if TYPE_CHECKING:
    from gg.record.replay import Replay

__all__ = ["EPILOG", "HELP", "configure", "run"]

HELP = "replay a session record, and say whether everything comes out the same"
EPILOG = """\
the programs run again; what they read, wrote and asked for outside comes from the record, and no workspace is touched

examples:
  gg run --arm python --record session.ndjson program.py
  gg replay session.ndjson
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
    parser.add_argument("--confinement", choices=["on", "off"], default="on", help=argparse.SUPPRESS)
    parser.add_argument("file", metavar="FILE", help="the record")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from gg.record.replay import replay

    result = replay(options.file, confinement=options.confinement)
    if options.json:
        print_json(_document(result))
    else:
        for line in _text(result):
            print_text(line)
    return 0 if result.identical else 1


def _document(result: Replay) -> dict[str, Any]:
    document: dict[str, Any] = {
        "v": 1,
        "arm": result.header.arm,
        "identical": result.identical,
        "complete": result.complete,
        "torn": result.torn,
        "deterministic": result.header.seed is not None,
        "turns": result.turns,
        "calls": result.calls,
        "fed": result.fed,
        "messages": result.messages,
        "window": result.window,
    }
    found = result.divergence
    if found is not None:
        divergence: dict[str, Any] = {"turn": found.turn}
        if found.program is not None:
            divergence["program"] = found.program
        divergence |= {"line": found.line, "expected": found.expected, "came": found.came}
        if found.difference is not None:
            divergence["difference"] = found.difference
        if result.hint is not None:
            divergence["hint"] = result.hint
        document["divergence"] = divergence
    return document


def _text(result: Replay) -> list[str]:
    found = result.divergence
    if found is not None:
        where = f"turn {found.turn}" if found.turn else "before the first turn"
        where += "" if found.program is None else f", program {found.program}"
        lines = [f"diverged: {where} (line {found.line} of the record)"]
        lines += [f"  expected  {found.expected}", f"  came      {found.came}"]
        lines += [f"  {more}" for more in (found.difference, result.hint) if more is not None]
        return lines
    counts = f"{_count(result.turns, 'turn')}, {_count(result.calls, 'call')}, {_count(result.messages, 'message')}"
    lines = [f"identical: {counts}"]
    if result.fed:
        ends = f"{_count(result.fed, 'end')} of a program"
        lines.append(f"{ends} came from the record: the clock, a death or a cancel had decided it")
    if result.torn:
        lines.append("the last line of the record is cut, and was ignored")
    elif not result.complete:
        lines.append("the record ends before its session was closed")
    return lines


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
