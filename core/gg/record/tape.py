"""The seam between a session and its record. A session passes all that it takes from outside through its tape.

`Tape` itself notes nothing. `record.recorder.Recorder` writes everything down; `record.player.Player` answers from what
was written, and compares.
"""

# ruff: noqa: ARG002 - this tape notes nothing of what it is told

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import msgspec

    from gg.host.program import ProgramResult
    from gg.host.reply import Reply
    from gg.host.session import Session
    from gg.operations.context import CallContext
    from gg.operations.table import OperationFailure
    from gg.stream.events import Event
    from gg.window.messages import Message
    from gg.window.window import Window

__all__ = ["NO_TAPE", "Served", "Tape"]

T = TypeVar("T")


class Served(NamedTuple):
    """What became of a call: the JSON of its answer, its failure, and whether a tool that backs it was dispatched.

    ``outside``: it was decided by something other than the session itself, so that only a record can decide it again.
    """

    reply: bytes
    failure: OperationFailure | None
    dispatched: bool
    outside: bool


class Tape:
    """Notes nothing and changes nothing: every method is what a session does without a record."""

    replays = False
    """Whether a record stands in for the outside: no workspace, plugin or clock is asked then."""
    has_skills = False
    """Whether the record is of a session that had skills."""

    def attach(self, session: Session) -> None:
        """Learn whose tape it is; the session's stream and window are there."""

    def user(self, content: str) -> None:
        """A user message has come."""

    def compaction(self, summary: str, files: Sequence[str]) -> None:
        """The window is about to be compacted from outside, between two turns."""

    def reply(self, turn: int, reply: Reply) -> None:
        """The model's reply to ``turn`` has come."""

    def fact(self, kind: str, find: Callable[[], T], nothing: T) -> T:
        """Return what ``find`` answers of the outside. ``nothing`` is the answer that is not worth noting."""
        return find()

    def program(self, program: int, run: int, source: str, attempt: Callable[[], ProgramResult]) -> ProgramResult:
        """Run a program and return what became of it. ``run`` counts those of a submission, from 0."""
        return attempt()

    def context(self, context: CallContext) -> CallContext:
        """Return the services that a program's operations are given."""
        return context

    def call(self, operation: str, arguments: msgspec.Raw | None, fault: str | None) -> Served | None:
        """A program calls. Return what it is answered where that is known already."""
        return None

    def answered(self, served: Served) -> None:
        """The call has been served."""

    def request_answered(self) -> None:
        """All calls of a request have been answered, and their brackets closed."""

    def window(self, action: str, message: Message) -> None:
        """The window has changed: ``push``, ``replace`` or ``remove``."""

    def event(self, event: Event) -> None:
        """An event was emitted."""

    def turn(self, turn: int, outcome: str, summary: str | None) -> None:
        """The turn is over."""

    def ended(self, window: Window) -> None:
        """The session was closed."""

    def abandoned(self) -> None:
        """The session could not be started."""


NO_TAPE = Tape()
