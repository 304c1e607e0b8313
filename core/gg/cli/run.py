"""``gg run``: programs as one turn."""

from __future__ import annotations

import argparse

from gg.cli._common import (
    add_record_options,
    add_session_options,
    check_workspace,
    events_json,
    fill_defaults,
    limits_from,
    make_pretty,
    print_json,
    read_input,
)
from gg.cli._config_file import apply_config
from gg.window.messages import ToolCall

__all__ = ["EPILOG", "HELP", "configure", "run"]

HELP = "run programs as one turn, in order, and print what the model reads of it"
EPILOG = """\
examples:
  gg run --arm python program.py
  gg run --arm javascript --workspace repo --timeout 5 --json first.js second.js
  echo 'gg.views.openText("sum", String(1 + 2))' | gg run --arm javascript -
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--arm", required=True, metavar="A", help="the language: an id that `gg arms` lists")
    add_session_options(parser)
    parser.add_argument("--config", metavar="F", help="a TOML file with workspace, grants, library, timeout, memory")
    add_record_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
    parser.add_argument("files", nargs="+", metavar="FILE", help="the programs, in order; - is standard input")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from gg.host.host import Host
    from gg.host.reply import Reply
    from gg.window.render import message_json

    apply_config(options)
    fill_defaults(options)
    limits = limits_from(options.timeout, options.memory)
    workspace = check_workspace(options.workspace)
    programs = [_program(name) for name in options.files]
    calls = [ToolCall(f"c{n}", "submit_program", {"program": text}) for n, text in enumerate(programs, 1)]
    grants = None if options.grant is None else [g.strip() for g in options.grant.split(",") if g.strip()]
    pretty = None if options.json else make_pretty()
    with Host(confinement=options.confinement, spares=False) as host:
        session = host.session(
            options.arm, workspace=workspace, grants=grants, limits=limits, library=options.library == "on",
            sinks=[] if pretty is None else [pretty.event], record=options.record, deterministic=options.seed,
        )  # fmt: skip
        with session:
            turn = session.turn(Reply("", calls))
    if pretty is not None:
        pretty.messages(turn.messages)
    else:
        document = {
            "v": 1,
            "arm": session.info.id,
            "outcome": turn.outcome,
            "messages": [message_json(message) for message in turn.messages],
            "events": events_json(sorted([*session.events, *turn.events], key=lambda event: event.seq)),
        }
        if turn.summary is not None:
            document["summary"] = turn.summary
        print_json(document)
    return 3 if turn.outcome == "fatal" else 1 if turn.failures else 0


def _program(name: str) -> str:
    """Read a program as a model would have submitted it: what is no text travels as what JSON makes of it."""
    return read_input(name).decode("utf-8", "surrogateescape")
