"""Hooks that run in the host process (entry points ``gg.plugins``). All implementations are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gg.hookspecs import hookspec

if TYPE_CHECKING:
    from gg.operations.table import Operation
    from gg.stream.events import Event


@hookspec
def gg_operations() -> Sequence[Operation]:
    """Return rows to add to the operations table.

    Called once when a host starts. An id that is taken already is reported and the row left out.

    :returns: `Operation` rows; their module is granted by its name like gg's own.
    """
    raise NotImplementedError


@hookspec
def gg_event(event: Event) -> None:
    """See an event of the operator's stream, on the thread that emitted it.

    :param event: a typed event; an exception raised here is reported once and never reaches the turn.
    """
