"""Where a replay first went another way than its record, said so that a person can find the place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from gg.record.lines import (
    Answer,
    Call,
    Ended,
    EventLine,
    Fact,
    Line,
    Program,
    Ran,
    ReplyLine,
    TurnLine,
    User,
    WindowLine,
)
from gg.record.pool import json_bytes

__all__ = ["Diverged", "Divergence", "RecordEnds", "describe", "first_difference"]

_AROUND = 40
_LONGEST = 240


@dataclass(frozen=True)
class Divergence:
    """The first difference between a record and its replay.

    ``turn`` is 0 before the first turn; ``line`` is the record's line; ``expected`` is what that line says, ``came``
    what the replay did. ``difference`` shows where two texts part, where they are two texts of one thing.
    """

    turn: int
    program: int | None
    line: int
    expected: str
    came: str
    difference: str | None = None

    def __str__(self) -> str:
        """Return it in one sentence."""
        where = f"turn {self.turn}" if self.turn else "before the first turn"
        if self.program is not None:
            where += f", program {self.program}"
        text = f"{where} (line {self.line} of the record): expected {self.expected}; came {self.came}"
        return f"{text}; {self.difference}" if self.difference else text


class Diverged(BaseException):
    """Leaves a replay at its first divergence. No ``Exception``: a turn answers those, and goes on."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(str(divergence))
        self.divergence = divergence


class RecordEnds(BaseException):
    """Leaves a replay where the record ends in the middle of a turn."""


def describe(line: Line) -> str:
    """Say in a few words what a line records."""
    if isinstance(line, WindowLine):
        what = {"push": "the message", "replace": "in place of an earlier one, the message", "remove": "without"}
        named = f"`{line.heading}`" if line.heading else f"of the role {line.role}"
        return f"{what[line.action]} {named}{_said(line.content)}"
    if isinstance(line, Call):
        arguments = "" if line.arguments is msgspec.UNSET else _text(line.arguments)
        fault = f", which its SDK refused ({line.fault})" if line.fault is not None else ""
        return f"a call {line.operation}({_cut(arguments)}){fault}"
    if isinstance(line, Answer):
        return f"the answer {_cut(_text(line.reply))}"
    if isinstance(line, Ran):
        return f"the end of the program ({line.end})"
    if isinstance(line, Program):
        return f"the program {line.program} of turn {line.turn}{_said(line.source)}"
    if isinstance(line, Fact):
        return f"{line.kind}: {_cut(_text(line.value))}"
    if isinstance(line, EventLine):
        return f"the event {_cut(_text(line.event))}"
    if isinstance(line, User):
        return f"a user message{_said(line.content)}"
    if isinstance(line, ReplyLine):
        return f"the model's reply to turn {line.turn}"
    if isinstance(line, TurnLine):
        return f"the end of turn {line.turn} ({line.outcome})"
    if isinstance(line, Ended):
        return f"the end of the session with {line.messages} messages"
    return "the header"


def first_difference(expected: Line, came: Line) -> str | None:
    """Show where the texts of two lines of one kind part."""
    if type(expected) is not type(came):
        return None
    for field in msgspec.structs.fields(expected):
        old, new = getattr(expected, field.name), getattr(came, field.name, None)
        if old == new:
            continue
        one, other = _text(old), _text(new)
        place = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        start = max(0, place - _AROUND)
        ours, theirs = one[start : place + _AROUND], other[start : place + _AROUND]
        return f"`{field.encode_name}` differs from character {place + 1} on: {ours!r}, not {theirs!r}"
    return None


def _said(content: str) -> str:
    return f", {_cut(content)!r}" if content else ""


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json_bytes(value).decode("utf-8", "replace")
    except (TypeError, ValueError, UnicodeEncodeError):
        return repr(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
