"""``gg demo``: a recorded conversation of a scripted model, on a small workspace, once in each language."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

__all__ = ["EPILOG", "HELP", "configure", "run"]

HELP = "play a recorded three-turn conversation and show what the model and the operator see"
EPILOG = "examples:\n  gg demo\n  gg demo --arm python\n"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--arm", action="append", metavar="A", help="only this language (default: javascript, python)")
    parser.add_argument("--confinement", choices=["on", "off"], default="on", help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from gg.demo.conversations import CONVERSATIONS
    from gg.errors import UsageError
    from gg.host.host import Host

    for arm in options.arm or ():
        if arm not in CONVERSATIONS:
            raise UsageError(f"the demo speaks {' and '.join(CONVERSATIONS)}, not {arm}")
    with Host(confinement=options.confinement, spares=False) as host:
        arms = options.arm or [arm for arm in CONVERSATIONS if arm in host.arms()]
        if not arms:
            raise UsageError(f"the demo needs one of the arms {', '.join(CONVERSATIONS)}, and none of them is there")
        ended = [_play(host, arm) for arm in arms]
    return 0 if all(ended) else 1


def _play(host: object, arm: str) -> bool:
    from gg.cli._pretty import Pretty
    from gg.demo.conversations import CONVERSATIONS, QUESTION
    from gg.host.host import Host
    from gg.host.reply import Reply
    from gg.window.messages import ToolCall

    assert isinstance(host, Host)
    pretty = Pretty(language=arm)
    with tempfile.TemporaryDirectory(prefix="gg-demo-") as folder:
        workspace = Path(folder, "workspace")
        with as_file(files("gg.demo").joinpath("workspace")) as sample:
            shutil.copytree(sample, workspace)
        with host.session(arm, workspace=workspace, sinks=[pretty.event]) as session:
            pretty.heading(f"{session.info.display_name}: a conversation of three turns")
            session.user(QUESTION)
            pretty.user(QUESTION)
            for number, scripted in enumerate(CONVERSATIONS[arm], 1):
                pretty.heading(f"{session.info.display_name}, turn {number}")
                call = ToolCall(f"call_{number}", "submit_program", {"program": scripted.program})
                reply = Reply(scripted.content, [call])
                pretty.reply(reply)
                pretty.note("the operator's stream")
                turn = session.turn(reply)
                pretty.note("what the model reads next" if turn.messages else "the model reads nothing more")
                pretty.messages(turn.messages)
            return session.ended
