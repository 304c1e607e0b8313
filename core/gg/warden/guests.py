"""Compiled guests for workers: looked up, or compiled once by a process of its own, for all that wait."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gg.cache import GuestCache
from gg.warden.children import Child, check_wasm
from gg.warden.messages import GuestFailed, GuestReady, NeedGuest
from gg.worker.engine import ENGINE_ID

__all__ = ["Guests"]


class Guests:
    """What is compiled, and who waits for it.

    :param fork_precompile: starts the process that compiles the guest of a need under a key.
    """

    def __init__(self, cache: GuestCache, fork_precompile: Callable[[str, NeedGuest], None]) -> None:
        self.cache = cache
        self._fork_precompile = fork_precompile
        self._waiting: dict[str, list[Child]] = {}

    def provide(self, child: Child, need: NeedGuest) -> None:
        """Answer a worker's need, now or when the guest is compiled."""
        try:
            check_wasm(need.path)
            key = self.cache.key(Path(need.path), f"{ENGINE_ID}-{need.form}")
        except (OSError, ValueError) as error:
            child.answer(GuestFailed(str(error)))
            return
        found = self.cache.lookup(key)
        if found is not None:
            child.answer(GuestReady(str(found)))
            return
        waiting = self._waiting.setdefault(key, [])
        waiting.append(child)
        if len(waiting) == 1:
            self._fork_precompile(key, need)

    def compiled(self, key: str, failure: str | None) -> None:
        """Take in how a precompile process has ended."""
        found = None if failure else self.cache.lookup(key)
        answer = GuestReady(str(found)) if found else GuestFailed(failure or "the compiled guest is not there")
        for child in self._waiting.pop(key, []):
            child.answer(answer)
