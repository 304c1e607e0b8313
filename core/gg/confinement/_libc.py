"""libc through cffi: the few system calls that Python's `os` does not offer, typed.

Every function raises `OSError` with the call's `errno`. `ffi` and `libc` themselves are for the sibling modules that
need structures.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Final

# The generated module has no types; it is reached by name so that nothing infers them from its byte strings.
ffi: Final[Any] = importlib.import_module("gg.confinement._bindings").ffi
libc: Final[Any] = ffi.dlopen(None)

# These numbers are the same on x86-64 and aarch64 (and on every port of Linux newer than them).
OPENAT2: Final = 437
LANDLOCK_CREATE_RULESET: Final = 444
LANDLOCK_ADD_RULE: Final = 445
LANDLOCK_RESTRICT_SELF: Final = 446

PR_SET_PDEATHSIG: Final = 1
PR_SET_SECCOMP: Final = 22
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38


def error(what: str) -> OSError:
    """Return the `OSError` of the call that has just failed, saying `what` it was."""
    number = int(ffi.errno)
    return OSError(number, f"{what}: {os.strerror(number)}")


def address(buffer: Any) -> int:
    """Return the address of a cffi pointer or array, which the caller keeps alive."""
    return int(ffi.cast("intptr_t", buffer))


def syscall(what: str, number: int, *arguments: int) -> int:
    """Make a system call with integer arguments (six at most) and return its answer."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    answer = int(libc.syscall(number, *padded))
    if answer < 0:
        raise error(what)
    return answer


def prctl(what: str, option: int, *arguments: int) -> int:
    """Call `prctl` with integer arguments (four at most) and return its answer."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    answer = int(libc.prctl(option, *padded))
    if answer < 0:
        raise error(what)
    return answer


def open_how(directory: int, path: bytes, flags: int, mode: int, resolve: int) -> int:
    """Open `path` below the directory descriptor with `openat2` and return the new descriptor."""
    text = ffi.new("char[]", path)
    how = ffi.new("uint64_t[3]", (flags, mode, resolve))
    fd = int(libc.syscall(OPENAT2, directory, address(text), address(how), 24, 0, 0))
    if fd < 0:
        raise error("openat2")
    return fd
