"""The ``gg`` command. Each subcommand lives in a module of its own, imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from gg.errors import ArmUnavailable, GGError, UsageError

__all__ = ["main"]

_COMMANDS = ("run", "session", "replay", "arms", "trim", "tokens", "logs", "demo")

EXIT_USAGE = 2
EXIT_UNAVAILABLE = 3
EXIT_UNWRITTEN = 74

_DESCRIPTION = "Run the programs that language models write, each in a sandbox, and say exactly what happened."
_EPILOG = """\
examples:
  gg run --arm javascript program.js          run one turn's programs and print what the model reads
  gg session --json transcript.ndjson         play a transcript and print every turn as JSON
  gg replay session.ndjson                    replay a recorded session and compare
  gg arms                                     list the languages and whether they can run here
  gg demo                                     watch a recorded conversation, JavaScript then Python

exit status: 0 every program was ok; 1 some program or check failed; 2 usage; 3 the arm cannot run here
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a command line in one sentence."""

    def error(self, message: str) -> NoReturn:
        """Leave with the usage status."""
        print(f"{self.prog}: {message} (see `{self.prog} --help`)", file=sys.stderr)
        raise SystemExit(EXIT_USAGE)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    _open_standard_streams()
    parser = _Parser(
        prog="gg", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in _COMMANDS:
        module = importlib.import_module(f"gg.cli.{name}")
        sub = commands.add_parser(
            name,
            help=module.HELP,
            description=module.HELP,
            epilog=module.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(sub)
        sub.set_defaults(run=module.run)
    options = parser.parse_args(argv)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except UsageError as error:
        return _say(error, EXIT_USAGE)
    except ArmUnavailable as error:
        return _say(error, EXIT_UNAVAILABLE)
    except GGError as error:
        return _say(error, EXIT_UNAVAILABLE)
    except KeyboardInterrupt:
        print("gg: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"gg: the output could not be written: {error.strerror}", file=sys.stderr)
        return EXIT_UNWRITTEN


def _open_standard_streams() -> None:
    """Open what the caller closed: a descriptor below 3 that is free would be taken by a socket of gg's own."""
    while (null := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(null, True)
    os.close(null)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process


def _say(error: GGError, status: int) -> int:
    print(f"gg: {error}", file=sys.stderr)
    return status
