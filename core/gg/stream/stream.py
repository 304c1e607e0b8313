"""A session's stream: numbers the events, and hands each to every sink."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from gg.stream.events import Event, Level, LogLine, LogSlug

__all__ = ["Sink", "Stream"]

Sink = Callable[[Event], None]


class Stream:
    """Emits a session's events. A sink that raises is reported once on standard error and dropped."""

    def __init__(self, sinks: Iterable[Sink]) -> None:
        self._sinks = list(sinks)
        self._seq = 0
        self.turn: int | None = None
        self.program: int | None = None
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Number an event, keep it, and send it on."""
        self._seq += 1
        event.seq = self._seq
        event.ts = time.time()
        if self.turn is not None:
            event.turn = self.turn
        if self.program is not None:
            event.program = self.program
        self.events.append(event)
        for sink in tuple(self._sinks):
            try:
                sink(event)
            except Exception as error:  # noqa: BLE001 - a sink's failure must not reach the turn
                self._sinks.remove(sink)
                print(f"gg: an event sink failed and is dropped: {type(error).__name__}: {error}", file=sys.stderr)

    def log(self, level: Level, slug: LogSlug, message: str, **facts: Any) -> None:
        """Emit a line of gg's own for the operator. Facts whose names are not gg's own come as one dict, ``facts``."""
        self.emit(LogLine(level=level, slug=slug, message=message, facts=facts.get("facts", facts)))

    def take(self) -> list[Event]:
        """Return the events kept so far, and start a new list."""
        events, self.events = self.events, []
        return events
