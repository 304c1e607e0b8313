"""What several commands share: limits and workspaces from options, and JSON out."""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from gg.errors import UsageError
from gg.stream.escape import escape_controls
from gg.stream.events import Event, to_wire
from gg.types import Limits

if TYPE_CHECKING:
    from gg.cli._pretty import Pretty

__all__ = [
    "add_record_options",
    "add_session_options",
    "check_workspace",
    "events_json",
    "fill_defaults",
    "limits_from",
    "make_pretty",
    "print_json",
    "print_text",
    "read_input",
]


_DEFAULTS: dict[str, Any] = {
    "workspace": None,
    "grant": None,
    "library": "off",
    "timeout": 30.0,
    "memory": 256.0,
    "confinement": "on",
}


def add_session_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that shape a session. They default to None; `fill_defaults` sets what nobody said."""
    parser.add_argument("--workspace", metavar="DIR", help="the folder programs may reach (default: a fresh empty one)")
    parser.add_argument(
        "--grant", metavar="M,…", help="the modules it holds (default: every module but shell and context)"
    )
    parser.add_argument("--library", choices=["on", "off"], help="keep programs; receipts are ids (off)")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds a program may run (30)")
    parser.add_argument("--memory", type=float, metavar="MIB", help="MiB a program may use (256)")
    parser.add_argument(
        "--confinement", choices=["on", "off"], help="off runs workers without the kernel's confinement (on)"
    )


def add_record_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that make a session one that can be replayed."""
    parser.add_argument("--record", metavar="FILE", help="write a record of the session, for `gg replay`")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="give programs a fixed clock, and randomness that follows from N"
    )


def fill_defaults(options: argparse.Namespace) -> None:
    """Set the session's options that neither the command line nor a file gave."""
    for name, value in _DEFAULTS.items():
        if getattr(options, name) is None:
            setattr(options, name, value)


def limits_from(timeout_s: float, memory_mib: float) -> Limits:
    """Return checked limits.

    :raises UsageError: when one is out of range.
    """
    if not math.isfinite(memory_mib):
        raise UsageError(f"memory is a number of MiB, not {memory_mib}")
    return Limits(timeout_s, int(memory_mib * (1 << 20)))


def check_workspace(path: str | None) -> str | None:
    """Check that a workspace exists before anything is started.

    :raises UsageError: when it cannot be used.
    """
    if path is None:
        return None
    if not os.path.isdir(path):
        what = "is not a folder" if os.path.exists(path) else "does not exist"
        raise UsageError(f"the workspace {path!r} {what}")
    if not os.access(path, os.R_OK | os.X_OK):
        raise UsageError(f"the workspace {path!r} is not readable")
    return path


def read_input(name: str) -> bytes:
    """Read a file, or standard input for ``-``.

    :raises UsageError: when it cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None


def events_json(events: list[Event]) -> list[dict[str, Any]]:
    """Return events as they go out."""
    return [to_wire(event) for event in events]


def print_json(document: Any) -> None:
    """Print one strict JSON document and nothing else."""
    sys.stdout.buffer.write(msgspec.json.encode(document) + b"\n")
    sys.stdout.buffer.flush()


def print_text(text: str) -> None:
    """Print a line; control characters are written out where a terminal would obey them."""
    print(escape_controls(text) if sys.stdout.isatty() else text)


def make_pretty() -> Pretty:
    """Return what prints a conversation for a person; it loads rich, which a machine's reader needs not."""
    from gg.cli._pretty import Pretty

    return Pretty()
