"""The ending: a flag a program sets, replaces, and loses when it then fails. Which endings there are is the role's."""

from __future__ import annotations

from gg.errors import UsageError
from gg.operations.context import CallContext
from gg.operations.table import Arguments, Operation, OperationFailure

__all__ = ["ENDINGS", "ROLES", "SESSION_OPERATIONS", "Ending", "endings_of_other_roles"]

ROLES: dict[str, frozenset[str]] = {
    "standard": frozenset({"session.finish"}),
    "review": frozenset({"session.approve", "session.request_changes"}),
}
"""The endings that agents of a role hold."""
ENDINGS = frozenset(ending for endings in ROLES.values() for ending in endings)


def endings_of_other_roles(role: str) -> frozenset[str]:
    """Return the endings that an agent of ``role`` does not hold.

    :raises UsageError: when there is no such role.
    """
    if role not in ROLES:
        raise UsageError(f"there is no role {role!r}; the roles are: {', '.join(ROLES)}")
    return ENDINGS - ROLES[role]


class Ending:
    """What the programs of a turn declared about the end of the session. ``summary`` is None while nothing is."""

    def __init__(self) -> None:
        self.summary: str | None = None
        self.operation = ""
        self.replaced = 0

    def declare(self, operation: str, summary: str) -> None:
        """Set the ending; the last call wins."""
        if self.summary is not None:
            self.replaced += 1
        self.operation, self.summary = operation, summary

    def revoke(self) -> str | None:
        """Take the ending back, and return the summary it had."""
        summary, self.summary = self.summary, None
        return summary


class _Finish(Arguments, frozen=True):
    summary: str


class _Approve(Arguments, frozen=True):
    pass


class _RequestChanges(Arguments, frozen=True):
    items: list[str]


def _finish(context: CallContext, arguments: _Finish) -> None:
    if not arguments.summary.strip():
        raise OperationFailure("invalid-argument", f"{context.arg('summary')} is empty")
    context.ending.declare("session.finish", arguments.summary)


def _approve(context: CallContext, _arguments: _Approve) -> None:
    context.ending.declare("session.approve", "")


def _request_changes(context: CallContext, arguments: _RequestChanges) -> None:
    items = [item for item in arguments.items if item.strip()]
    if not items:
        raise OperationFailure("invalid-argument", f"{context.arg('items')} names no change")
    context.ending.declare("session.request_changes", "\n".join(items))


_HOW = (
    "Sets the ending and returns; later statements still run. The last call wins, and a program that then fails "
    "takes its ending back."
)

SESSION_OPERATIONS = (
    Operation(
        "session.finish",
        _Finish,
        _finish,
        None,
        "End the session with a summary.",
        _HOW,
        docs=(("summary", "What was done, for whoever asked."),),
        errors=(("invalid-argument", "The summary is empty."),),
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "session.approve",
        _Approve,
        _approve,
        None,
        "End the session: what you reviewed is good as it is.",
        _HOW,
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "session.request_changes",
        _RequestChanges,
        _request_changes,
        None,
        "End the session: what you reviewed has to change.",
        _HOW,
        docs=(("items", "What has to change, an item each; blank ones are left out."),),
        errors=(("invalid-argument", "No item is left."),),
        backed=False,
        outlives_deadline=True,
    ),
)
