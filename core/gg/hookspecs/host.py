"""Hooks that run in the host process (entry points ``gg.plugins``). All implementations are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gg.hookspecs import hookspec

if TYPE_CHECKING:
    from gg.operations.table import Operation
    from gg.stream.events import Event
    from gg.types import AgentStop, PendingCall


@hookspec
def gg_operations() -> Sequence[Operation]:
    """Return rows to add to the operations table.

    Called once when a host starts. An id that is taken already is reported and the row left out, as are the rows of a
    hook that raises or takes over ten seconds.

    :returns: `Operation` rows; their module is granted by its name like gg's own.
    """
    raise NotImplementedError


@hookspec
def gg_event(event: Event) -> None:
    """See an event of the operator's stream, on a thread of gg's; the turn waits for it.

    :param event: a typed event; an exception raised here is reported once and never reaches the turn, and a hook that
        takes over ten seconds is left behind.
    """


@hookspec
def gg_agent_stop(stop: AgentStop) -> str | None:
    """Judge an ending, once the program that declared it has returned and before its event is emitted.

    :param stop: what was declared, by whom.
    :returns: None to let it stand, or the reason it is rejected for, which the model reads as a notice; the session
        then goes on. A hook that raises, answers something else or takes over ten seconds is reported and objects to
        nothing.
    """


@hookspec
def gg_pre_call(call: PendingCall) -> str | None:
    """Judge a call an agent may make, before it is dispatched: a write, a shell command, or any other.

    :param call: the operation and its arguments, decoded.
    :returns: None to let it through, or the reason it is refused for, which the program gets as a ``refused`` failure.
        A hook that raises, answers something else or takes over ten seconds is reported, and the call is refused.
    """
