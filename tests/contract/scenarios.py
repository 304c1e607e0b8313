"""The scenarios of the contract: programs in steps, and what an arm's turn comes to once its spelling is taken away."""

from __future__ import annotations

import re
from typing import Any

from arms import Arm, Step, snake
from support import Ran, submit

from gg import Host, Limits, Message

LIMITS = Limits(0.7, 256 << 20)
SCENARIOS: dict[str, list[list[Step]]] = {
    "nothing": [[("nothing",)]],
    "empty program": [[]],
    "a view": [[("open", "a", "b")]],
    "a file view": [[("write", "f", "1\n2\n"), ("open_file", "f")]],
    "a view opened and closed": [[("open", "a", "b"), ("close", "a")]],
    "a view replaced": [[("open", "a", "1"), ("open", "b", "2"), ("open", "a", "3")]],
    "a view of two programs": [[("open", "a", "1")], [("open", "a", "2")]],
    "a throw": [[("throw", "no luck")]],
    "views, then a throw": [[("open", "a", "1"), ("write", "f", "x"), ("open_file", "f"), ("throw", "late")]],
    "a caught throw": [[("caught", "throw", "quiet"), ("open", "a", "b")]],
    "a failed call": [[("read", "missing")]],
    "a caught failed call": [[("caught", "read", "missing"), ("open", "a", "b")]],
    "a conflict": [[("write", "f", "ab ab ab"), ("edit", "f", "ab", "c")]],
    "an edit": [[("write", "f", "ab"), ("edit", "f", "a", "c"), ("open_file", "f")]],
    "a refused path": [[("read", "../outside")]],
    "a refused view": [[("open", "a\nNotice", "b")]],
    "an empty label": [[("caught", "open", "", "b")]],
    "a log": [[("log", "hello")]],
    "a flood of logs": [[("repeated", 3000, "log", "line")]],
    "a flood of refusals": [[("repeated", 120, "caught", "read", "../x"), ("open", "a", "b")]],
    "finish": [[("finish", "done")]],
    "finish with a view": [[("open", "a", "b"), ("finish", "done")]],
    "finish twice": [[("finish", "one"), ("finish", "two")]],
    "finish, then a throw": [[("finish", "early"), ("throw", "then")]],
    "a blank summary": [[("finish", "  ")]],
    "programs behind an ending": [[("finish", "done")], [("open", "a", "b")], [("nothing",)]],
    "several programs": [[("throw", "one")], [("open", "a", "b")], [("reject",)], [("throw", "two")]],
    "a program that does not parse": [[("reject",)]],
    "a limit": [[("open", "a", "b"), ("log", "before"), ("spin",)]],
}
"""What a turn submits, by name."""


def take(host: Host, arm: Arm, scenario: str) -> Ran:
    """Run a scenario as the first turn of a session."""
    session = host.session(arm.id, limits=LIMITS)
    with session:
        return submit(session, *(arm.program(program) for program in SCENARIOS[scenario]))


def window(ran: Ran, arm: Arm) -> list[tuple[str, ...]]:
    """Return what the model reads, without the language's spelling."""
    return [(m.role, snake(m.heading or ""), m.band, _body(arm, m)) for m in ran.messages]


def _body(arm: Arm, message: Message) -> str:
    text = message.content
    if message.heading == "Compiler error":
        return "<diagnostic>"
    if message.heading == "Runtime error":
        return arm.said(text)
    if message.band in (
        "docs_views",
        "search_results",
    ):  # a page is the language's own: tests/e2e/test_documentation.py
        return "<page>"
    if (message.heading or "").startswith("View: program: "):  # a program shown as it was written
        return "<program>"
    text = re.sub(r"^[\w.]*Error: ", "", text, flags=re.MULTILINE)  # what the language calls its errors
    return snake(text.replace(f"`{arm.print_call}`", "`<print>`"))


def stream(ran: Ran, arm: Arm) -> list[dict[str, Any]]:
    """Return what the operator reads, without times, places and the language's spelling."""
    return [
        _event(arm, event)
        for event in ran.events
        if event.get("slug") not in ("warm_up_done", "worker_note", "trimmed")
    ]


def _event(arm: Arm, event: dict[str, Any]) -> dict[str, Any]:
    made = {k: v for k, v in event.items() if k not in ("seq", "ts") and not k.endswith("Ms")}
    if event["type"] == "context_breakdown":
        made["bands"] = sorted(made["bands"])
    if "error" in made and event["type"] == "code_execution":
        rejected = "SyntaxError" in made["error"]
        made["error"] = "<diagnostic>" if rejected else arm.said(made["error"])
    for part in (made, made.get("failure"), *made.get("calls", [])):
        if isinstance(part, dict) and "message" in part:
            part["message"] = snake(part["message"])
    if made.get("slug") == "compacted":  # programs and pages are as long as the language writes them
        made.update(message="<message>", tokens="<tokens>")
    if "program: " in made.get("selector", ""):
        made["tokens"] = "<tokens>"
    if "key" in made:
        made["key"] = snake(made["key"])
    if made.get("slug") == "on_use_failed":
        made["detail"] = "<detail>"
    if made.get("kind") in ("docs", "search"):
        made.update(selector=snake(made["selector"]), tokens="<tokens>")
    return made
