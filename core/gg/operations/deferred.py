"""Results that come later: an operation defers them, and the model reads each as a notice once it is there."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Deferred", "Poll"]

Poll = Callable[[], "str | None"]
"""Answers the notice's text once the result is there, and None until then; called between programs, and quick."""


class Deferred:
    """What a session's agent waits for."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, Poll]] = []

    def add(self, operation: str, poll: Poll) -> None:
        """Wait for a result that ``operation`` has promised."""
        self._waiting.append((operation, poll))

    def take(self, report: Callable[[str, BaseException], None]) -> list[str]:
        """Return the texts of the results that have come, oldest first; a poll that raises is reported and dropped."""
        come: list[str] = []
        still: list[tuple[str, Poll]] = []
        for operation, poll in self._waiting:
            try:
                text = poll()
            except Exception as error:  # noqa: BLE001 - a stranger's code: its failure is its own
                report(operation, error)
                continue
            if text is None:
                still.append((operation, poll))
            else:
                come.append(text)
        self._waiting = still
        return come
