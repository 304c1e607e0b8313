"""``gg trim``: what a model would read of a compiler's or a runtime's output."""

from __future__ import annotations

import argparse
import sys

from gg.cli._common import print_json, print_text

__all__ = ["EPILOG", "HELP", "configure", "run"]

HELP = "trim a compiler's or a runtime's output, from standard input, as an arm does"
EPILOG = """\
examples:
  python3 broken.py 2>&1 | gg trim python runtime --exit-status 1
  node broken.mjs 2>&1 | gg trim javascript runtime --exit-status 1 --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("arm", metavar="ARM", help="an id that `gg arms` lists")
    parser.add_argument("kind", choices=["compile", "runtime"], help="what wrote the output")
    ended = parser.add_mutually_exclusive_group()
    ended.add_argument("--exit-status", type=_small, metavar="N", help="the exit status of what wrote it")
    ended.add_argument("--signal", type=_small, metavar="N", help="the signal that ended what wrote it")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the body")


def _small(text: str) -> int:
    number = int(text)
    if not 0 <= number < 1 << 32:
        raise ValueError
    return number


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from gg.errors import ArmUnavailable
    from gg.host.discovery import find_arm
    from gg.host.host import Host
    from gg.host.workers import describe
    from gg.protocol import ChannelClosed, Trim, Trimmed
    from gg_rust_ext import apply_ranges

    text = sys.stdin.buffer.read()
    with Host(spares=False) as host:
        worker = host.pool.take_mute(find_arm(host.settings, options.arm))
        worker.wait_ready()
        try:
            worker.channel.send(Trim(options.kind, text, options.exit_status, options.signal))
            answer = worker.channel.receive()
        except ChannelClosed:
            raise ArmUnavailable(options.arm, f"its gg_trim failed: {describe(worker.died())}") from None
        worker.kill()
    assert isinstance(answer, Trimmed)
    try:
        body = apply_ranges(text, answer.ranges)
    except (ValueError, OverflowError):  # an arm's defect: the whole text stays, as for a program
        body = apply_ranges(text, [(0, len(text))])
    if options.json:
        lines, diagnostics, frames = answer.dropped
        dropped = {"lines": lines, "diagnostics": diagnostics, "frames": frames}
        print_json({"band": answer.band, "body": body, "dropped": dropped})
    else:
        print_text(body)
    return 0
