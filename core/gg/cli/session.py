"""``gg session``: play a transcript, turn by turn."""

from __future__ import annotations

import argparse
from typing import Any

from gg.cli._common import (
    add_record_options,
    check_workspace,
    events_json,
    limits_from,
    make_pretty,
    print_json,
    read_input,
)

__all__ = ["EPILOG", "HELP", "configure", "run"]

HELP = "play a transcript: the model's replies are taken from it, everything else is real"
EPILOG = """\
the transcript is one JSON object a line:
  {"session": {"arm": "python", "workspace": "repo"}}          optional, first
  {"role": "user", "content": "Count the files"}
  {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function",
     "function": {"name": "submit_program", "arguments": "{\\"program\\": \\"…\\"}"}}]}

examples:
  gg session transcript.ndjson
  gg session --json - < transcript.ndjson
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_record_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
    parser.add_argument("--confinement", choices=["on", "off"], default="on", help=argparse.SUPPRESS)
    parser.add_argument("file", metavar="FILE", help="the transcript; - is standard input")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from gg.cli.transcript import read_transcript
    from gg.host.host import Host
    from gg.host.reply import Reply
    from gg.window.render import message_json

    transcript = read_transcript(read_input(options.file))
    line = transcript.session
    limits = limits_from(line.timeout_s, line.memory_mib)
    workspace = check_workspace(line.workspace)
    pretty = None if options.json else make_pretty()
    turns: list[dict[str, Any]] = []
    failures = 0
    outcome = "continue"
    with (
        Host(
            confinement=options.confinement, spares=False, plugins=True if line.plugins is None else line.plugins
        ) as host,
        host.session(
            line.arm, workspace=workspace, grants=line.grants, limits=limits, library=line.library,
            role=line.role, sinks=[] if pretty is None else [pretty.event], mode=line.mode, skills=line.skills,
            record=options.record, deterministic=options.seed,
        ) as session,
    ):  # fmt: skip
        for position, item in enumerate(transcript.lines):
            if session.ended:
                left = len(transcript.lines) - position
                message = f"{left} lines of the transcript come after the ending and were not run"
                session.stream.log("warn", "transcript_ignored", message, count=left)
                break
            if not isinstance(item, Reply):
                session.user(item)
                if pretty is not None:
                    pretty.user(item)
                continue
            if pretty is not None:
                pretty.reply(item)
            turn = session.turn(item)
            outcome = turn.outcome
            failures += turn.failures
            if pretty is not None:
                pretty.messages(turn.messages)
            else:
                turns.append(
                    {
                        "turn": turn.number,
                        "outcome": turn.outcome,
                        "messages": [message_json(message) for message in turn.messages],
                        "events": events_json(turn.events),
                    }
                )
    if pretty is None:
        arm = {"arm": session.info.id} if session.info.id else {}
        document: dict[str, Any] = {"v": 1, **arm, "outcome": outcome}
        if session.summary is not None:
            document["summary"] = session.summary
        document["turns"] = turns
        document["window"] = [message_json(message) for message in session.window]
        document["events"] = events_json(session.events)
        print_json(document)
    return 3 if outcome == "fatal" else 1 if failures else 0
