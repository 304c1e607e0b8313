"""Does confinement work here? `probe` asks the machine, `canary` a confined process, `prove` both."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from gg.confinement import _libc, landlock, seccomp
from gg.confinement._apply import Prepared, apply, prepare
from gg.confinement._errors import ConfinementError, ConfinementUnavailable

if TYPE_CHECKING:
    from gg.confinement.profile import Profile

_FOREIGN_FILE: Final = "/etc/passwd"


@dataclass(frozen=True, slots=True)
class Confinement:
    """What this machine offers."""

    level: Literal["full", "none"]
    """`full`: Landlock and seccomp both hold."""
    landlock_abi: int
    """The kernel's Landlock version, 0 without."""
    reason: str
    """Why it is `none`; empty otherwise."""


def probe() -> Confinement:
    """Ask kernel and libraries, without starting a process. Takes microseconds and raises nothing."""
    abi = 0
    try:
        abi = landlock.kernel_abi()
        seccomp.check_available()
    except ConfinementUnavailable as failure:
        return Confinement("none", abi, failure.reason)
    return Confinement("full", abi, "")


def prove(profile: Profile, *, landlock_abi: int | None = None) -> Confinement:
    """Confine a forked child with `profile` and run the canary in it; 3 ms. For single-threaded processes only."""
    try:
        prepared = prepare(profile, landlock_abi=landlock_abi)
    except ConfinementError as failure:
        return Confinement("none", 0, str(failure))
    with prepared:
        abi = prepared.landlock_abi
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            _confine_and_try(writing, prepared)
        os.close(writing)
        with open(reading, encoding="utf-8", errors="replace") as pipe:
            reason = pipe.read()
        _, status = os.waitpid(child, 0)
    if not reason and status != 0:
        reason = f"the confined process ended with wait status {status}"
    return Confinement("none", abi, reason) if reason else Confinement("full", abi, "")


def canary(profile: Profile) -> None:
    """Try, inside a confined process, what its profile refuses; 0.2 ms.

    Raises `ConfinementError` naming everything that went through. Leaves nothing behind.
    """
    attempts = [
        _Attempt("open a socket", _socket),
        _Attempt("write outside its folder", lambda: _write_beside(profile), (errno.EACCES, errno.EROFS)),
    ]
    if not any(_covers(folder, _FOREIGN_FILE) for folder in profile.read):
        attempts.append(_Attempt(f"read {_FOREIGN_FILE}", lambda: _open(_FOREIGN_FILE), (errno.EACCES, errno.ENOENT)))
    if not profile.may_fork:
        attempts.append(_Attempt("start a process", _fork))
        attempts.append(_Attempt("signal another process", lambda: os.kill(os.getppid(), 0)))
    if not profile.may_execute:
        # A folder cannot be executed in any case: without the filter the answer is EACCES.
        attempts.append(_Attempt("start a program", lambda: os.execv("/", ["gg-canary"])))  # noqa: S606
    holes = [attempt.what for attempt in attempts if not attempt.is_refused()]
    if holes:
        raise ConfinementError(f"the profile {profile.name} does not hold: the process could {', '.join(holes)}")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """Something a profile refuses, and the errors by which it does."""

    what: str
    act: Callable[[], object]
    errors: tuple[int, ...] = (errno.EPERM,)

    def is_refused(self) -> bool:
        try:
            self.act()
        except OSError as failure:
            return failure.errno in self.errors
        return False


def _open(path: str) -> None:
    os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))


def _socket() -> None:
    unix, stream = 1, 1  # Python's socket module would take longer to import than all of this
    fd = int(_libc.libc.socket(unix, stream, 0))
    if fd < 0:
        raise _libc.error("socket")
    os.close(fd)


def _write_beside(profile: Profile) -> None:
    folder = os.path.dirname(os.path.realpath(profile.write[0])) if profile.write else "/tmp"  # noqa: S108
    name = os.path.join(folder, f".gg-canary-{os.getpid()}")
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    os.unlink(name)


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _covers(folder: str, path: str) -> bool:
    return os.path.commonpath((os.path.realpath(folder), path)) == os.path.realpath(folder)


def _confine_and_try(pipe: int, prepared: Prepared) -> None:
    """In a forked child: confine it, run the canary, write what was raised to the pipe, and end the process."""
    try:
        apply(prepared)
        canary(prepared.profile)
    except BaseException as failure:  # noqa: BLE001  (a child that returns would run its parent's code)
        os.write(pipe, str(failure).encode() or b"unknown")
    finally:
        os._exit(0)
