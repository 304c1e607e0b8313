"""Results that come later: an operation defers them, and the model reads each as a notice once it is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gg.operations.table import OperationFailure

__all__ = ["MAX_NOTICE_BYTES", "MAX_WAITING", "Deferred", "Poll"]

MAX_WAITING = 1_000
"""How many results a session waits for at most."""
MAX_NOTICE_BYTES = 64 << 10
"""Of a result, what the model reads; the same as of a view."""

Poll = Callable[[], "str | None"]
"""Answers the notice's text once the result is there, and None until then; called at the end of turns, and quick."""


class Deferred:
    """What a session's agent waits for."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, Poll]] = []

    def add(self, operation: str, poll: Poll) -> None:
        """Wait for a result that ``operation`` has promised; a poll that equals one that waits already adds nothing.

        :raises OperationFailure: ``limit-exceeded`` when as many wait as may.
        """
        if (operation, poll) in self._waiting:
            return
        if len(self._waiting) >= MAX_WAITING:
            raise OperationFailure("limit-exceeded", f"a session waits for at most {MAX_WAITING} results")
        self._waiting.append((operation, poll))

    def take(self, report: Callable[[str, BaseException], None]) -> list[str]:
        """Return the texts of the results that have come, oldest first.

        A poll that raises, or answers what is neither None nor a text with words in it, is reported and dropped.
        """
        come: list[str] = []
        still: list[tuple[str, Poll]] = []
        for operation, poll in self._waiting:
            try:
                text = _checked(poll())
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code: its failure is its own
                report(operation, error)
                continue
            if text is None:
                still.append((operation, poll))
            else:
                come.append(text)
        self._waiting = still
        return come


def _checked(answer: Any) -> str | None:
    if answer is None:
        return None
    if not isinstance(answer, str):
        raise TypeError(f"it answered {type(answer).__name__}, not None or a text")
    if not answer.strip():
        raise ValueError("it answered an empty text, not None or a result")
    return answer.encode("utf-8", "ignore")[:MAX_NOTICE_BYTES].decode("utf-8", "ignore")
