"""The lines of a record. Each is one JSON object on one line, and ends with the sum of itself and all before it.

Reading a record from the top shows the session as it went: what came in, each program, each call and its answer, what
the window became, and the operator's events.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

__all__ = [
    "VERSION",
    "Answer",
    "Call",
    "CompactionLine",
    "Effect",
    "Ended",
    "EventLine",
    "Fact",
    "Header",
    "Input",
    "Line",
    "Program",
    "Ran",
    "ReplyLine",
    "ToolCallItem",
    "TurnLine",
    "User",
    "WindowLine",
    "chained",
]

VERSION = 1
SUM_LENGTH = 12


class _Line(msgspec.Struct, rename="camel", tag_field="type", kw_only=True, omit_defaults=True):
    """A line of a record."""


class Header(_Line, tag="record", kw_only=True):
    """The first line: what the session was made with. ``seed`` and ``clock`` are there when it was deterministic."""

    v: int
    gg: str
    arm: str
    distribution: str
    arm_version: str
    mode: str
    role: str
    grants: list[str] | None
    operations: list[str]
    library: bool
    keep: int | None = None
    timeout_s: float
    memory_bytes: int
    run_timeout_s: float | None = None
    plugins: list[str]
    workspace: str
    seed: int | None = None
    clock: float | None = None


class User(_Line, tag="user"):
    """A user message came."""

    content: str


class ToolCallItem(msgspec.Struct):
    """A tool call: ``arguments`` as the provider gave them."""

    id: str
    name: str
    arguments: str | dict[str, Any]


class CompactionLine(_Line, tag="compaction"):
    """The window is compacted from outside, between two turns."""

    summary: str
    files: list[str]


class ReplyLine(_Line, tag="reply"):
    """The model's reply came; a turn begins."""

    turn: int
    content: str
    tool_calls: list[ToolCallItem]


class Fact(_Line, tag="fact"):
    """What a turn asked of the outside that is no call.

    ``kind``: ``minted`` an id of the library, ``judged`` the reasons against an ending, ``deferred`` the results that
    came, ``cancelled`` that no further program may run, ``skills`` and ``memories`` what the session began with (name,
    description, text, code and on-use script of each), ``kept`` the places of the messages that a strategy of the
    embedder's kept, or why it failed.
    """

    kind: str
    value: Any


class Program(_Line, tag="program"):
    """A program is about to run. ``run`` counts those of a submission from 0: one that was handed over to is 1."""

    turn: int
    program: int
    run: int
    source: str


class Call(_Line, tag="call"):
    """A program called. ``fault`` is what its SDK found wrong; ``arguments`` are left out where none could be read."""

    turn: int
    program: int
    operation: str
    arguments: Any = msgspec.UNSET
    fault: str | None = None


class Effect(msgspec.Struct, rename="camel"):
    """What an operation's code did to the session: a method of one of its services, or None for what cannot be told."""

    service: str
    method: str
    args: list[Any] | None
    kwargs: dict[str, Any] = {}


class Answer(_Line, tag="answer", kw_only=True):
    """What the call answered. ``outside``: it came from outside the session, and a replay answers the same.

    ``dispatched``: a tool of gg's backed the call, and it ran.
    """

    outside: bool
    dispatched: bool = False
    reply: Any
    effects: list[Effect] = []


class Ran(_Line, tag="ran"):
    """How the program ended. ``fed``: by the clock, a death or a cancel, so that a replay takes it from here."""

    end: str
    fed: bool = False
    heading: str | None = None
    body: str = ""
    logs: list[str] | None = None
    logs_suppressed: int = 0


class WindowLine(_Line, tag="window"):
    """The window changed: a message was pushed, took another's place, or was removed.

    ``image`` is the media type of a picture that goes out with it, and the SHA-256 of its bytes.
    """

    action: Literal["push", "replace", "remove"]
    role: str
    band: str
    heading: str | None = None
    content: str = ""
    turn: int = 0
    program: int | None = None
    tool_call_id: str | None = None
    tool_calls: list[ToolCallItem] = []
    selector: str | None = None
    image: list[str] | None = None


class EventLine(_Line, tag="event"):
    """An event of the operator's stream, as it goes out."""

    event: dict[str, Any]


class TurnLine(_Line, tag="turn"):
    """The turn is over."""

    turn: int
    outcome: str
    summary: str | None = None


class Ended(_Line, tag="ended"):
    """The session was closed; ``window`` is the SHA-256 of all its messages, ``messages`` how many there are."""

    messages: int
    window: str


Input = User | CompactionLine | ReplyLine
"""What comes into a session from outside, by its embedder."""
Line = Header | Input | Fact | Program | Call | Answer | Ran | WindowLine | EventLine | TurnLine | Ended


def chained(before: str, line: bytes) -> str:
    """Return the sum of a line (its bytes without its own sum) after the line whose sum is ``before``."""
    return hashlib.blake2b(line, key=before.encode(), digest_size=SUM_LENGTH // 2).hexdigest()
