"""Sinks: where an embedder's events may go. A sink is any callable that takes an event."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import msgspec

from gg.stream.events import Event, level_of, to_wire

if TYPE_CHECKING:
    from gg.stream.pretty import Pretty

__all__ = ["JsonLines", "Pretty", "Structlog"]


def __getattr__(name: str) -> Any:
    """Load the sink that needs rich when it is asked for."""
    if name != "Pretty":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gg.stream.pretty import Pretty

    return Pretty


class JsonLines:
    """Writes each event as one line of JSON to a binary file, flushed at once."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __call__(self, event: Event) -> None:
        """Write the event."""
        self._file.write(msgspec.json.encode(to_wire(event)) + b"\n")
        self._file.flush()


_METHODS = {"debug": "debug", "info": "info", "warn": "warning", "error": "error"}


class Structlog:
    """Logs each event with a structlog logger: the event's type is the event name, its fields are the context."""

    def __init__(self, logger: Any = None) -> None:
        """Use ``logger``, or structlog's own for the name ``gg``."""
        if logger is None:
            import structlog

            logger = structlog.get_logger("gg")
        self._logger = logger

    def __call__(self, event: Event) -> None:
        """Log the event at its level."""
        fields = to_wire(event)
        name = fields.pop("type")
        fields.pop("level", None)
        getattr(self._logger, _METHODS[level_of(event)])(name, **fields)
