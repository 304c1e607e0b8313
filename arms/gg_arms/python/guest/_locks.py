"""Locks for a process of one thread: a wait for another thread sleeps on the host, or fails when it has no end."""

from __future__ import annotations

import _thread
from types import TracebackType

from ._clock import pause
from ._own import own_builtins as __builtins__  # noqa: F401


class Lock:
    """A lock like `_thread.lock`; a wait without a timeout for a lock that is held raises `RuntimeError`."""

    __slots__ = ("__weakref__", "_held")

    def __init__(self) -> None:
        self._held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock and return True, or return False when it is still held after `timeout` seconds."""
        if timeout != -1:
            if not blocking:
                raise ValueError("can't specify a timeout for a non-blocking call")
            if timeout < 0:
                raise ValueError("timeout value must be a non-negative number")
            if timeout > TIMEOUT_MAX:
                raise OverflowError("timestamp out of range for platform time_t")
        if not self._held:
            self._held = True
            return True
        if not blocking:
            return False
        if timeout == -1:
            raise RuntimeError("deadlock: this wait has no timeout and no other thread can end it")
        pause(timeout)
        return False

    acquire_lock = acquire

    def release(self) -> None:
        """Give the lock back."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    release_lock = release

    def locked(self) -> bool:
        """Return whether the lock is held."""
        return self._held

    locked_lock = locked

    def _at_fork_reinit(self) -> None:
        self._held = False

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<{'locked' if self._held else 'unlocked'} _thread.lock object at {id(self):#x}>"


Lock.__name__ = Lock.__qualname__ = "lock"
Lock.__module__ = "_thread"
TIMEOUT_MAX = _thread.TIMEOUT_MAX


def install() -> None:
    """Replace the C lock; must run before `threading` is imported."""
    for name in ("allocate_lock", "allocate", "lock", "LockType"):
        setattr(_thread, name, Lock)


def install_queue() -> None:
    """Use the queue that waits on these locks in place of the C one, which waits on its own."""
    import queue

    queue.SimpleQueue = queue._PySimpleQueue  # type: ignore[attr-defined,misc]
