"""`Recorder`: the tape that writes everything down as it happens."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from gg.record.effects import Noting
from gg.record.lines import (
    Answer,
    Call,
    CompactionLine,
    Ended,
    EventLine,
    Fact,
    Header,
    Program,
    Ran,
    ReplyLine,
    TurnLine,
    User,
)
from gg.record.pool import read_json
from gg.record.shapes import digest_of, is_fed, tool_call_items, window_line
from gg.record.tape import Served, Tape
from gg.record.writer import RecordWriter
from gg.stream.events import Event, to_wire

if TYPE_CHECKING:
    from gg.host.program import ProgramResult
    from gg.host.reply import Reply
    from gg.host.session import Session
    from gg.operations.context import CallContext
    from gg.stream.stream import Stream
    from gg.window.messages import Message
    from gg.window.window import Window

__all__ = ["Recorder"]

T = TypeVar("T")


class Recorder(Tape):
    """Writes the record of one session. What cannot be written is told of once, and never costs the session a turn.

    :raises UsageError: when the file cannot be made, or holds something.
    """

    def __init__(self, path: str | os.PathLike[str], header: Header) -> None:
        self._stream: Stream | None = None
        self._trouble: str | None = None
        self._writer = RecordWriter(path, self._failed)
        self._noting = Noting()
        self._program = 0
        self._writer.write(header)

    def attach(self, session: Session) -> None:
        """Learn the session's stream: what goes wrong is told of there."""
        self._stream = session.stream
        self._tell()

    def user(self, content: str) -> None:
        """Write a user message down."""
        self._writer.write(User(content=content))

    def compaction(self, summary: str, files: Sequence[str]) -> None:
        """Write down what the window is compacted with."""
        self._writer.write(CompactionLine(summary=summary, files=list(files)))

    def reply(self, turn: int, reply: Reply) -> None:
        """Write the model's reply down."""
        self._writer.write(ReplyLine(turn=turn, content=reply.content, tool_calls=tool_call_items(reply.tool_calls)))

    def fact(self, kind: str, find: Callable[[], T], nothing: T) -> T:
        """Write down what the outside answered."""
        value = find()
        if value != nothing:
            self._writer.write(Fact(kind=kind, value=value))
        return value

    def program(self, program: int, run: int, source: str, attempt: Callable[[], ProgramResult]) -> ProgramResult:
        """Write down which program runs, and how it ended."""
        self._program = program
        self._writer.write(Program(turn=self._turn(), program=program, run=run, source=source))
        result = attempt()
        if is_fed(result.end):
            logs = result.logs
            ran = Ran(
                end=result.end, fed=True, heading=result.heading, body=result.body, logs=logs,
                logs_suppressed=result.logs_suppressed,
            )  # fmt: skip
        else:
            ran = Ran(end=result.end)
        self._writer.write(ran)
        return result

    def context(self, context: CallContext) -> CallContext:
        """Have what operations do to the session noted."""
        return replace(
            context,
            views=self._noting.service("views", context.views),
            ending=self._noting.service("ending", context.ending),
            hand_over=self._noting.service("hand_over", context.hand_over),
        )

    def call(self, operation: str, arguments: msgspec.Raw | None, fault: str | None) -> Served | None:
        """Write the call down before it is served."""
        value = msgspec.UNSET if arguments is None else read_json(bytes(arguments))
        self._writer.write(
            Call(turn=self._turn(), program=self._program, operation=operation, arguments=value, fault=fault)
        )
        self._noting.take()
        return None

    def answered(self, served: Served) -> None:
        """Write the answer down, and, where a replay does not run the operation, what it did to the session."""
        effects = self._noting.take()
        reply = read_json(served.reply)
        self._writer.write(
            Answer(
                outside=served.outside, dispatched=served.dispatched, reply=reply,
                effects=effects if served.outside else [],
            )
        )  # fmt: skip

    def window(self, action: str, message: Message) -> None:
        """Write down how the window changed."""
        self._writer.write(window_line(action, message))

    def event(self, event: Event) -> None:
        """Write the event down."""
        self._writer.write(EventLine(event=_plain(event)))

    def turn(self, turn: int, outcome: str, summary: str | None) -> None:
        """Write down that the turn is over."""
        self._writer.write(TurnLine(turn=turn, outcome=outcome, summary=summary))

    def ended(self, window: Window) -> None:
        """Write down what the window was in the end, and close the file."""
        self._writer.write(Ended(messages=len(window), window=digest_of(window)))
        self._writer.close()

    def abandoned(self) -> None:
        """Remove the file."""
        self._writer.discard()

    def _turn(self) -> int:
        return (self._stream.turn if self._stream is not None else None) or 0

    def _failed(self, error: OSError) -> None:
        self._trouble = error.strerror if error.errno else str(error)
        self._tell()

    def _tell(self) -> None:
        if self._trouble is not None and self._stream is not None:
            trouble, self._trouble = self._trouble, None
            self._stream.log(
                "error", "record_failed", f"the session is recorded no further: {trouble}", path=self._writer.path
            )


def _plain(event: Event) -> dict[str, Any]:
    """Return an event as plain JSON; of a fact that JSON cannot hold, its type's name."""
    try:
        return to_wire(event)
    except (TypeError, ValueError):
        facts = cast("dict[str, Any]", getattr(event, "facts", {}))
        told = {key: f"a {type(item).__name__}" for key, item in facts.items()}
        return to_wire(msgspec.structs.replace(event, facts=told))
