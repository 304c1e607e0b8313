"""What an operation's handler is given: the agent's services, and how its language writes names."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gg.documentation import Documentation
    from gg.library import Library
    from gg.operations.deferred import Poll
    from gg.operations.ending import Ending
    from gg.operations.programs import HandOver
    from gg.types import ArmInfo
    from gg.window.views import Views
    from gg.workspace import Workspace

__all__ = ["CallContext"]


def _nobody_waits(operation: str, _poll: Poll) -> None:
    raise RuntimeError(f"{operation} deferred a result, and nothing here waits for it")


def _never() -> bool:
    return False


@dataclass(frozen=True)
class CallContext:
    """The services of one agent, for the length of one program.

    ``defer(operation, poll)`` promises a result for a later turn: the model reads what ``poll()`` answers, once that is
    a text, as a notice. A handler that takes long looks at ``cancelled()`` meanwhile and stops within `left_s`.
    """

    workspace: Workspace
    views: Views
    ending: Ending
    info: ArmInfo
    hand_over: HandOver
    library: Library | None = None
    defer: Callable[[str, Poll], None] = _nobody_waits
    cancelled: Callable[[], bool] = _never
    run_ends: float | None = None
    documentation: Documentation | None = None

    def left_s(self) -> float:
        """Return how many seconds of the whole run's time are left."""
        return math.inf if self.run_ends is None else max(self.run_ends - time.monotonic(), 0.0)

    def arg(self, name: str) -> str:
        """Spell an argument as the agent's language does, in backticks: ``old_string`` is `` `oldString` ``."""
        return f"`{self.info.spell_name(name)}`"
