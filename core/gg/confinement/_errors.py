"""What goes wrong with confinement.

::

    ConfinementError             a profile could not be applied, or did not hold
    └── ConfinementUnavailable   this machine cannot confine at all (kernel or libseccomp)
"""

from __future__ import annotations

from gg.errors import GGError


class ConfinementError(GGError):
    """A profile could not be applied to this process, or the canary found a hole in it."""


class ConfinementUnavailable(ConfinementError):
    """A process cannot be confined on this machine.

    Attributes:
        reason: One sentence that names what is missing and, where there is one, the remedy.

    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
