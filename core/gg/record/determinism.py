"""The fixed worlds of a deterministic session's programs, each its own."""

from __future__ import annotations

import hashlib

from gg.types import Determinism

__all__ = ["world_of"]

TURN_S = 60
"""How much later each turn is than the one before; each program of a turn is a second later than the last."""
_NANOSECONDS = 1_000_000_000


def world_of(determinism: Determinism, turn: int, program: int, run: int) -> tuple[bytes, int]:
    """Return the 32 bytes that a program's randomness follows from, and its clock, in nanoseconds since the epoch.

    :param run: counts the programs of a submission from 0.
    """
    seed = hashlib.sha256(f"{determinism.seed} {turn} {program} {run}".encode()).digest()
    later_s = turn * TURN_S + program + run
    return seed, int(determinism.clock_s * _NANOSECONDS) + later_s * _NANOSECONDS
