"""Times an arm's hooks from around them, and notes the figures for the operator (a debug line ``worker_note``)."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

from gg.hookspecs import hookimpl
from gg.worker.membrane import Membrane


class Timing:
    """Wraps the hooks of a program's life. One program runs at a time, so one set of figures is enough."""

    def __init__(self) -> None:
        self._figures: dict[str, float] = {}

    def _timed(self, name: str) -> Generator[None, Any, Any]:
        began = time.perf_counter()
        try:
            return (yield)
        finally:
            self._figures[name] = (time.perf_counter() - began) * 1000

    @hookimpl(wrapper=True)
    def gg_prepare(self) -> Generator[None, Any, Any]:
        """Time the prepare step."""
        self._figures.clear()
        return (yield from self._timed("prepareMs"))

    @hookimpl(wrapper=True)
    def gg_compile(self) -> Generator[None, Any, Any]:
        """Time the compile step."""
        return (yield from self._timed("compileMs"))

    @hookimpl(wrapper=True)
    def gg_run(self, membrane: Membrane) -> Generator[None, Any, Any]:
        """Time the run, and note all three."""
        result = yield from self._timed("runMs")
        membrane.facts.update({f"timing.{name}": value for name, value in self._figures.items()})
        return result


plugin = Timing()
