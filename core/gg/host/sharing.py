"""One CPU for a worker and the turn that answers its calls.

While one of the two runs the other waits, so sharing a CPU takes nothing from either; and waking a thread on the CPU
one is on costs a fraction of waking another CPU, which may have gone to sleep. A worker whose program
calls again and again stays where it is and says where that is; the turn follows it there until the program ends.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["CpuSharing", "Follower"]


class Follower:
    """Moves the calling thread to a worker's CPU, and back in the end. ``allowed``: whether anybody should move."""

    def __init__(self, *, allowed: bool) -> None:
        self.allowed = allowed
        self._on: int | None = None
        self._before: set[int] = set()

    def follow(self, cpu: int) -> None:
        """Run on ``cpu`` from here on; -1 is no CPU."""
        if cpu < 0 or cpu == self._on or not self.allowed:
            return
        try:
            if self._on is None:
                self._before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {cpu})
        except OSError:  # a container may forbid it
            self.allowed = False
        else:
            self._on = cpu

    def return_home(self) -> None:
        """Give the thread back the CPUs it could use before."""
        if self._on is not None:
            self._on = None
            os.sched_setaffinity(0, self._before)


class CpuSharing:
    """Allows sharing while fewer programs run than there are CPUs. Thread-safe."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled and hasattr(os, "sched_setaffinity")
        self._cpus = os.cpu_count() or 1
        self._running = 0
        self._lock = threading.Lock()

    @contextmanager
    def program(self) -> Generator[Follower]:
        """Count a program that runs, and yield what follows its worker."""
        with self._lock:
            self._running += 1
            follower = Follower(allowed=self._enabled and self._running <= self._cpus)
        try:
            yield follower
        finally:
            follower.return_home()
            with self._lock:
                self._running -= 1
