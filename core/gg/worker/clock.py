"""A program's clock: how long it has run, and the deadline that stops it, with parked time taken out of both."""

from __future__ import annotations

import time

import wasmtime

from gg.deadline import EpochTicker, deadline_for
from gg_rust_ext import MembraneEntry

__all__ = ["ProgramClock"]

_AT_ONCE_S = 1e-6


class ProgramClock:
    """Stops the guest when it has run for as long as it may.

    The clock runs between `start` and `stop` except while it is parked (in a call that the host is answering).
    ``fired``: the deadline had passed when the clock was last stopped. ``stray``: it had, and the guest was not
    stopped by it, so that the epoch may still advance a moment later, under the next program.
    """

    def __init__(self, engine: wasmtime.Engine) -> None:
        self.timer = deadline_for(engine)
        self.fallback = isinstance(self.timer, EpochTicker)
        self.fired = False
        self.stray = False
        self._since = 0.0
        self._used_s = 0.0
        self._limit_s = 0.0
        self._running = False
        self._entry: MembraneEntry | None = None

    def watch(self, entry: MembraneEntry) -> None:
        """Count what the native entry points park, too."""
        self._entry = entry

    def start(self, limit_s: float) -> None:
        """Arm the timer for a program that may run for ``limit_s`` seconds."""
        self.fired = False
        self._used_s = 0.0
        self._limit_s = limit_s
        self._running = True
        self.timer.arm(limit_s)
        self._since = time.perf_counter()

    def park(self) -> None:
        """Stop the clock: the guest waits for the host."""
        now = time.perf_counter()
        if self.timer.disarm() <= 0.0:
            self.fired = True
        self._used_s += now - self._since
        self._running = False

    def resume(self) -> None:
        """Let the clock run again with what is left; a deadline that has passed fires at once."""
        self._running = True
        self._since = time.perf_counter()
        if not self.fired:
            self.timer.arm(max(self._limit_s - self._used_s, _AT_ONCE_S))

    def remaining_s(self) -> float:
        """Return how many seconds the program has left."""
        used = self._used_s + (time.perf_counter() - self._since if self._running else 0.0)
        if self._entry is not None:
            used -= self._entry.parked_s
        return max(self._limit_s - used, 0.0)

    def stop(self) -> float:
        """Disarm, and return the seconds the program ran for, parked time excluded."""
        if self._running:
            self.park()
            if self._entry is not None:
                self._used_s = max(self._used_s - self._entry.parked_s, 0.0)
                self.fired = self.fired or self._entry.fired
        return self._used_s
