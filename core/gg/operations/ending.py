"""The ending: a flag a program sets, replaces, and loses when it then fails."""

from __future__ import annotations

from gg.operations.context import CallContext
from gg.operations.table import Arguments, Operation, OperationFailure

__all__ = ["SESSION_OPERATIONS", "Ending"]


class Ending:
    """What the programs of a turn declared about the end of the session."""

    def __init__(self) -> None:
        self.summary: str | None = None
        self.replaced = 0

    def declare(self, summary: str) -> None:
        """Set the ending; the last call wins."""
        if self.summary is not None:
            self.replaced += 1
        self.summary = summary

    def revoke(self) -> str | None:
        """Take the ending back, and return the summary it had."""
        summary, self.summary = self.summary, None
        return summary


class _Finish(Arguments, frozen=True):
    summary: str


def _finish(context: CallContext, arguments: _Finish) -> None:
    if not arguments.summary.strip():
        raise OperationFailure("invalid-argument", f"{context.arg('summary')} is empty")
    context.ending.declare(arguments.summary)


SESSION_OPERATIONS = (
    Operation(
        "session.finish",
        _Finish,
        _finish,
        None,
        "End the session with a summary.",
        "Sets the ending and returns; later statements still run. The last call wins, and a program that then fails "
        "takes its ending back.",
        docs=(("summary", "What was done, for whoever asked."),),
        errors=(("invalid-argument", "The summary is empty."),),
        backed=False,
        outlives_deadline=True,
    ),
)
