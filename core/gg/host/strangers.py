"""Calling a stranger's code (hooks, sinks of plugins, strategies) without waiting for it for ever."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

__all__ = ["HOOK_TIMEOUT_S", "Hung", "Strangers"]

HOOK_TIMEOUT_S: Final = 10.0
"""How long a call of a plugin's may take."""

_T = TypeVar("_T")


class Hung(Exception):
    """The call had not come back in time. Its thread is left to itself, and ends with the process."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"had not answered after {timeout_s:g} s")


class _Helper:
    """A daemon thread that makes one call after the other."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="gg-stranger", daemon=True).start()

    def _serve(self) -> None:
        while True:
            function, answer = self._calls.get()
            try:
                answer.put((function(), None))
            except BaseException as error:  # noqa: BLE001 - a stranger's failure belongs to who asked
                answer.put((None, error))
            del function, answer  # what they hold must not outlive the call

    def ask(self, function: Callable[[], Any], timeout_s: float) -> tuple[Any, BaseException | None]:
        answer: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._calls.put((function, answer))
        return answer.get(timeout=timeout_s)


class Strangers:
    """Makes calls on threads that are kept for the next one; a call that hangs keeps its thread. Thread-safe.

    ``timeout_s`` is how long a call may take.
    """

    def __init__(self, timeout_s: float = HOOK_TIMEOUT_S) -> None:
        self.timeout_s = timeout_s
        self._idle: list[_Helper] = []
        self._lock = threading.Lock()

    def call(self, function: Callable[[], _T]) -> _T:
        """Return what ``function`` returns.

        :raises Hung: when it does not come back in time. What it raises goes through.
        """
        with self._lock:
            helper = self._idle.pop() if self._idle else _Helper()
        try:
            answer, error = helper.ask(function, self.timeout_s)
        except queue.Empty:
            raise Hung(self.timeout_s) from None
        with self._lock:
            self._idle.append(helper)
        if error is not None:
            raise error
        result: _T = answer
        return result
