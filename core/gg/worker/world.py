"""What a program learns of the world without asking the host: the time, and random bytes. Real, or fixed by the run."""

from __future__ import annotations

import hashlib
import os
import time

__all__ = ["FixedWorld", "World"]

READING_NS = 1_000_000
"""How much later each reading of a fixed clock is than the one before: a program that waits for a time reaches it."""
_MONOTONIC_START_NS = 1_000_000_000_000


class World:
    """The machine's own clocks and randomness."""

    def wall_ns(self) -> int:
        """Return the wall clock, in nanoseconds since the epoch."""
        return time.time_ns()

    def monotonic_ns(self) -> int:
        """Return a clock that never goes back, in nanoseconds."""
        return time.monotonic_ns()

    def random(self, count: int) -> bytes:
        """Return ``count`` random bytes."""
        return os.urandom(count)

    def slept(self, ms: float) -> None:
        """Learn that the program has slept, in milliseconds."""


class FixedWorld(World):
    """A world that depends on nothing but what the run gave: a clock that moves as it is read, and a fixed stream.

    :param seed: what all random bytes follow from.
    :param clock_ns: the first reading of the wall clock, in nanoseconds since the epoch.
    """

    def __init__(self, seed: bytes, clock_ns: int) -> None:
        self._seed = seed
        self._clock_ns = clock_ns
        self._elapsed_ns = 0
        self._blocks = 0
        self._rest = b""

    def _tick(self) -> int:
        now = self._elapsed_ns
        self._elapsed_ns += READING_NS
        return now

    def wall_ns(self) -> int:
        """Return the fixed wall clock."""
        return self._clock_ns + self._tick()

    def monotonic_ns(self) -> int:
        """Return the fixed monotonic clock, which moves with the other."""
        return _MONOTONIC_START_NS + self._tick()

    def random(self, count: int) -> bytes:
        """Return the next bytes of the stream."""
        parts, size = [self._rest], len(self._rest)
        while size < count:
            block = hashlib.blake2b(self._blocks.to_bytes(8, "little"), key=self._seed).digest()
            self._blocks += 1
            parts.append(block)
            size += len(block)
        data = b"".join(parts)
        self._rest = data[count:]
        return data[:count]

    def slept(self, ms: float) -> None:
        """Move the clock on by what was slept."""
        if 0 < ms < 1e15:
            self._elapsed_ns += int(ms * 1_000_000)
