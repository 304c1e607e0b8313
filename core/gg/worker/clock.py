"""A program's clock: how long it has run, and the deadline that stops it, with parked time taken out of both."""

from __future__ import annotations

import time

import wasmtime

from gg.deadline import EpochTicker, deadline_for

__all__ = ["ProgramClock"]

_AT_ONCE_S = 1e-6


class ProgramClock:
    """Stops the guest when it has run for as long as it may.

    The clock runs between `start` and `stop` except while it is parked (in a call that the host is answering).
    """

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._timer = deadline_for(engine)
        self.fallback = isinstance(self._timer, EpochTicker)
        self.fired = False
        self._since = 0.0
        self._used_s = 0.0
        self._limit_s = 0.0
        self._running = False

    def start(self, limit_s: float) -> None:
        """Arm the timer for a program that may run for ``limit_s`` seconds."""
        self.fired = False
        self._used_s = 0.0
        self._limit_s = limit_s
        self._running = True
        self._timer.arm(limit_s)
        self._since = time.perf_counter()

    def park(self) -> None:
        """Stop the clock: the guest waits for the host."""
        now = time.perf_counter()
        if self._timer.disarm() <= 0.0:
            self.fired = True
        self._used_s += now - self._since
        self._running = False

    def resume(self) -> None:
        """Let the clock run again with what is left; a deadline that has passed fires at once."""
        self._running = True
        self._since = time.perf_counter()
        if not self.fired:
            self._timer.arm(max(self._limit_s - self._used_s, _AT_ONCE_S))

    def remaining_s(self) -> float:
        """Return how many seconds the program has left."""
        used = self._used_s + (time.perf_counter() - self._since if self._running else 0.0)
        return max(self._limit_s - used, 0.0)

    def stop(self) -> float:
        """Disarm, and return the seconds the program ran for, parked time excluded."""
        if self._running:
            self.park()
        return self._used_s
