"""How many examples a property is tried with.

Without `GG_SOAK=1` every run tries the same few examples. With it, each tries many that were never tried before.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings

from gg import Limits

__all__ = ["LIMITS", "SOAK", "bounded"]

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
