"""The limits of the process: leaving it, starting others (which is denied), and the depth of its stack."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from operator import index
from typing import Any, NoReturn

from ._network import LINUX_EACCES
from ._own import own_builtins as __builtins__  # noqa: F401
from ._plain import Plain
from ._streams import streams

MESSAGE = "starting processes is denied in this sandbox"
PIPES = "pipes are denied in this sandbox"
SIGNAL_BASE = 128
"""What a shell adds to a signal's number to make an exit status of it."""

_leave: Callable[[int], NoReturn] = os._exit
_raise_signal: Callable[[int], None] = signal.raise_signal
_IGNORED = {"SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH"}

DEEPEST_RECURSION = 100_000
"""Python's frames need no stack of the sandbox's, but letting go of a traceback of so many takes some 25 MiB of it."""

_SPAWNING = (
    "system fork forkpty vfork execv execve execl execle execlp execlpe execvp execvpe posix_spawn posix_spawnp spawnl "
    "spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe popen startfile"
).split()


def denied() -> PermissionError:
    """Return the error of everything that would start a process."""
    return PermissionError(LINUX_EACCES, MESSAGE)


def _denying(name: str, message: str) -> Any:
    def deny(*arguments: Any, **named: Any) -> NoReturn:
        raise PermissionError(LINUX_EACCES, message)

    deny.__name__ = deny.__qualname__ = name
    return deny


def install(report_exit: Callable[[int], None]) -> None:
    """Replace what ends or starts processes. `report_exit` tells the host the status with which the program leaves."""

    def leave(status: int) -> NoReturn:
        streams.flush()
        report_exit(status & 0xFF)
        _leave(status & 0xFF)

    def _exit(status: object) -> NoReturn:
        """Exit to the system with specified status, without normal exit processing."""
        leave(index(status))  # type: ignore[arg-type]  # raises os._exit's own TypeError

    def abort() -> NoReturn:
        """Abort the interpreter immediately."""
        leave(SIGNAL_BASE + signal.SIGABRT)

    def raise_signal(signalnum: object, /) -> None:
        """Send a signal to the executing process."""
        number = index(signalnum)  # type: ignore[arg-type]
        handler = signal.getsignal(number)  # raises the ValueError of a signal out of range
        if callable(handler):
            handler(number, sys._getframe(1))
        elif handler == signal.SIG_DFL and signal.Signals(number).name not in _IGNORED:
            leave(SIGNAL_BASE + number)

    def kill(pid: int, signalnum: int, /) -> None:
        """Send a signal to a process; this one is the only one there is."""
        if pid not in (0, os.getpid()):
            raise ProcessLookupError(3, "No such process")
        if signalnum:
            raise_signal(signalnum)

    os._exit = Plain(_exit, "os")  # type: ignore[assignment]
    os.abort = Plain(abort, "os")  # type: ignore[assignment]
    os.kill = Plain(kill, "os")
    signal.raise_signal = Plain(raise_signal, "signal")
    for name in _SPAWNING:
        setattr(os, name, _denying(name, MESSAGE))
    for name in ("pipe", "pipe2", "openpty"):
        setattr(os, name, _denying(name, PIPES))

    set_limit = sys.setrecursionlimit

    def setrecursionlimit(limit: int, /) -> None:
        """Set the maximum depth of the Python interpreter stack to n."""
        set_limit(min(index(limit), DEEPEST_RECURSION))

    sys.setrecursionlimit = Plain(setrecursionlimit, "sys")
    subprocess.Popen.__init__ = _denying("__init__", MESSAGE)  # type: ignore[method-assign]
