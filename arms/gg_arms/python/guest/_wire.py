"""The four functions of the host (see wit/gg.wit), each of which first sends what the program has printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from wit_world.imports import host as _imported  # type: ignore[import-not-found]  # componentize-py makes this module

from ._own import own_builtins as __builtins__  # noqa: F401


class Host(Protocol):
    """The imported interface `gg:guest/host`."""

    def call(self, request: str) -> str:
        """Run operations; JSON in and out."""
        ...

    def log(self, stream: int, text: str) -> None:
        """Pass on text the program wrote."""
        ...

    def report(self, report: str) -> None:
        """Say how the program ended."""
        ...

    def sleep(self, ms: float) -> None:
        """Sleep for so many milliseconds, inside the deadline."""
        ...


class _Wire:
    """The host in use, for which the build puts a stand-in, and the function that sends what waits to be logged."""

    __slots__ = ("flush", "host")

    def __init__(self) -> None:
        self.host: Host = cast("Host", _imported)
        self.flush: Callable[[], None] = _nothing


def _nothing() -> None:
    """Stand in until the streams are there."""


wire = _Wire()


def call(request: str) -> str:
    """Send one request and return the reply, both JSON."""
    wire.flush()
    return wire.host.call(request)


def log(stream: int, text: str) -> None:
    """Log a piece of text on stream 1 or 2."""
    wire.host.log(stream, text)


def report(report: str) -> None:
    """Report how the program ended, as JSON."""
    wire.flush()
    wire.host.report(report)


def sleep(ms: float) -> None:
    """Sleep on the host for `ms` milliseconds."""
    wire.flush()
    wire.host.sleep(ms)
