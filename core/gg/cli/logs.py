"""``gg logs``: what the operator's record keeps of a program's output."""

from __future__ import annotations

import argparse
import sys

from gg.cli._common import print_json, print_text

__all__ = ["EPILOG", "HELP", "configure", "run"]

HELP = "capture standard input as a program's output is captured: the tail under three caps"
EPILOG = "examples:\n  seq 10000 | gg logs --json\n  seq 10000 | gg logs\n"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the lines")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from gg_rust_ext import LogCapture

    capture = LogCapture()
    while chunk := sys.stdin.buffer.read(1 << 16):
        capture.write(1, chunk)
    tail = capture.finish()
    if options.json:
        print_json(
            {
                "logged": tail.logged,
                "kept": len(tail.lines),
                "suppressed": tail.suppressed,
                "keptBytes": tail.kept_bytes,
                "lines": tail.lines,
            }
        )
    else:
        for line in tail.lines:
            print_text(line)
    return 0
