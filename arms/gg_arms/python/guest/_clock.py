"""Waiting, done by the host so that it obeys the deadline: `time.sleep`, `select.select`, and what builds on them.

A wait that nothing can end (there are no other threads, no descriptors and no signals) is an error at once instead of a
hang until the deadline.
"""

from __future__ import annotations

import errno
import select as _select
import time as _time
from operator import index

from ._own import own_builtins as __builtins__  # noqa: F401
from ._plain import Plain
from ._wire import sleep as host_sleep

LONGEST_MS = 1e15


def pause(seconds: float) -> None:
    """Sleep on the host for a number of seconds that is known to be sensible."""
    host_sleep(min(seconds * 1000.0, LONGEST_MS))


def sleep(seconds: object, /) -> None:
    """Delay execution for a given number of seconds, which may be a fraction."""
    if isinstance(seconds, float):
        if seconds != seconds:
            raise ValueError("Invalid value NaN (not a number)")
        wanted = float(seconds)
    else:
        wanted = float(index(seconds))  # type: ignore[arg-type]  # raises time.sleep's own TypeError
    if wanted < 0:
        raise ValueError("sleep length must be non-negative")
    if wanted > 9.2e9:
        raise OverflowError("timestamp out of range for platform time_t")
    pause(wanted)


def select(
    rlist: object, wlist: object, xlist: object, timeout: float | None = None, /
) -> tuple[list[int], list[int], list[int]]:
    """Wait for `timeout` seconds; descriptors to wait for do not exist here."""
    if any(len(list(group)) for group in (rlist, wlist, xlist)):  # type: ignore[call-overload]
        raise OSError(errno.EBADF, "Bad file descriptor")
    if timeout is None:
        raise RuntimeError("deadlock: this wait has no timeout and nothing can end it")
    if timeout < 0:
        raise ValueError("timeout must be non-negative")
    pause(float(timeout))
    return [], [], []


def install() -> None:
    """Replace the originals; must run before anything imports them by name."""
    _time.sleep = Plain(sleep, "time")
    _select.select = Plain(select, "select")
    for name in ("poll", "epoll", "kqueue", "devpoll"):
        if hasattr(_select, name):
            delattr(_select, name)
    # The sandbox has no clock of the processor's time; its own began before the snapshot and reads negative.
    _time.process_time = Plain(_time.perf_counter, "time")
    _time.process_time_ns = Plain(_time.perf_counter_ns, "time")
    _time.thread_time = Plain(_time.perf_counter, "time")
    _time.thread_time_ns = Plain(_time.perf_counter_ns, "time")
