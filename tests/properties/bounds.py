"""How many examples a property is tried with, and the sessions that its examples share.

Without `GG_SOAK=1` every run tries the same few examples. With it, each tries many that were never tried before.
"""

from __future__ import annotations

import os
from typing import Any

from arms import ARMS
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from gg import Host, Limits, Session

__all__ = ["LIMITS", "SOAK", "Sessions", "arms", "bounded"]

SOAK = os.environ.get("GG_SOAK") == "1"
LIMITS = Limits(20.0, 256 << 20)
"""Generous: an example that meets a limit would prove nothing."""
_LONGER = 40


def bounded(examples: int) -> Any:
    """Return the settings of a property that is tried with so many examples, or with many times as many."""
    return settings(
        max_examples=examples * _LONGER if SOAK else examples,
        derandomize=not SOAK,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )


def arms() -> Any:
    """Return a strategy for an arm: each example is of one of them."""
    return st.sampled_from(ARMS)


class Sessions:
    """Makes sessions and keeps those that asked for the same, until a test ends one."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._kept: dict[tuple[str, str], Session] = {}

    def __enter__(self) -> Sessions:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._kept.values():
            session.close()

    def of(self, arm: str, use: str, **options: Any) -> Session:
        """Return the session of an arm that a test keeps for one use; a new one where the last has ended."""
        kept = self._kept.get((arm, use))
        if kept is None or kept.ended:
            if kept is not None:
                kept.close()
            kept = self._kept[arm, use] = self.host.session(arm, **{"limits": LIMITS, **options})
        return kept

    def drop(self, arm: str, use: str) -> None:
        """Close a session whose window has grown."""
        kept = self._kept.pop((arm, use), None)
        if kept is not None:
            kept.close()
