"""``gg tokens``: how many o200k_base tokens standard input is."""

from __future__ import annotations

import argparse
import sys

__all__ = ["EPILOG", "HELP", "configure", "run"]

HELP = "count the o200k_base tokens of standard input, exactly"
EPILOG = """\
examples:
  gg tokens < README.md

Bytes that are not UTF-8 are left out; special-token text counts as ordinary text.
"""


def configure(_parser: argparse.ArgumentParser) -> None:
    """The command has no options."""


def run(_options: argparse.Namespace) -> int:
    """Run the command."""
    from gg_rust_ext import count_tokens

    print(count_tokens(sys.stdin.buffer.read()))
    return 0
