"""Start a program confined: a fork, the profile, an exec. The caller has one thread."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from gg.confinement import process
from gg.confinement._apply import Prepared, apply
from gg.confinement.rlimits import apply_limits

__all__ = ["NOT_STARTED", "Program", "start"]

NOT_STARTED = 127
"""The exit status of a program that could not be started; why is in its output."""


@dataclass(frozen=True)
class Program:
    """What to start. ``folder``, ``stdin`` (None for an empty one) and ``output`` are descriptors of the caller's."""

    executable: str
    arguments: Sequence[str]
    environment: dict[str, str]
    folder: int
    stdin: int | None
    output: int


def start(program: Program, prepared: Prepared, *, confined: bool) -> int:
    """Start a program in a session of its own and return its id; it dies with the thread that started it.

    :param confined: without it only the profile's resource limits are set.
    """
    caller = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        process.set_pdeathsig(signal.SIGKILL)
        if os.getppid() != caller:
            os._exit(NOT_STARTED)
        null = os.open(os.devnull, os.O_RDWR) if program.stdin is None else program.stdin
        os.dup2(null, 0)
        os.dup2(program.output, 1)
        os.dup2(program.output, 2)
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and exec keeps that
            signal.signal(number, signal.SIG_DFL)
        os.fchdir(program.folder)
        if confined:
            apply(prepared)
        else:
            apply_limits(prepared.profile.limits)
        argv = [program.executable, *program.arguments]
        os.execve(program.executable, argv, program.environment)  # noqa: S606 - what is started is the caller's say
    except BaseException as error:  # noqa: BLE001 - the child must never return into its parent's code
        os.write(2, f"{program.executable} could not be started: {error}\n".encode())
    finally:
        os._exit(NOT_STARTED)
