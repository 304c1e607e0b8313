"""Landlock: which files a process may reach, enforced by the kernel.

A ruleset is a file descriptor, made in the parent and inherited by the forked child, where `restrict_self` binds the
calling thread for good. What an older ABI cannot express is refused by seccomp instead (see `_policy`).
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from typing import Final

from gg.confinement import _libc
from gg.confinement._errors import ConfinementError, ConfinementUnavailable

# Rights on files, as the kernel numbers them.
EXECUTE: Final = 1 << 0
WRITE_FILE: Final = 1 << 1
READ_FILE: Final = 1 << 2
READ_DIR: Final = 1 << 3
REMOVE_DIR: Final = 1 << 4
REMOVE_FILE: Final = 1 << 5
MAKE_CHAR: Final = 1 << 6
MAKE_DIR: Final = 1 << 7
MAKE_REG: Final = 1 << 8
MAKE_SOCK: Final = 1 << 9
MAKE_FIFO: Final = 1 << 10
MAKE_BLOCK: Final = 1 << 11
MAKE_SYM: Final = 1 << 12
REFER: Final = 1 << 13  # ABI 2: rename and link between folders
TRUNCATE: Final = 1 << 14  # ABI 3
IOCTL_DEV: Final = 1 << 15  # ABI 5

ABI_TRUNCATE: Final = 3
ABI_NETWORK: Final = 4
ABI_IOCTL: Final = 5
ABI_SCOPE: Final = 6  # signals and abstract sockets

READ: Final = READ_FILE | READ_DIR
WRITE: Final = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SYM | REFER | TRUNCATE
DEVICE: Final = READ_FILE | WRITE_FILE | TRUNCATE
_ON_A_FILE: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

_CREATE_VERSION: Final = 1
_RULE_PATH_BENEATH: Final = 1
_TCP_BIND_AND_CONNECT: Final = 3
_ABSTRACT_SOCKETS_AND_SIGNALS: Final = 3

_NO_LANDLOCK: Final = {
    errno.ENOSYS: "the kernel was built without Landlock (Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK has it)",
    errno.EOPNOTSUPP: "Landlock is switched off at boot (add landlock to the kernel's lsm= list)",
    errno.EPERM: "Landlock's system calls are blocked here, by a container's seccomp profile most likely",
}


def kernel_abi() -> int:
    """Return the version of Landlock this kernel speaks, 1 or more.

    Raises `ConfinementUnavailable` with the reason where it has none.
    """
    try:
        return _libc.syscall("landlock version", _libc.LANDLOCK_CREATE_RULESET, 0, 0, _CREATE_VERSION)
    except OSError as failure:
        reason = _NO_LANDLOCK.get(failure.errno or 0, f"Landlock is not usable here: {failure.strerror}")
        raise ConfinementUnavailable(reason) from None


def handled(abi: int) -> int:
    """Return the rights on files that a ruleset of this ABI restricts: all it knows."""
    rights = REFER - 1
    if abi >= 2:
        rights |= REFER
    if abi >= ABI_TRUNCATE:
        rights |= TRUNCATE
    if abi >= ABI_IOCTL:
        rights |= IOCTL_DEV
    return rights


def create_ruleset(abi: int) -> int:
    """Return the descriptor of a ruleset that refuses every file, TCP and (from ABI 6) foreign signals."""
    attributes = struct.pack(
        "=QQQ",
        handled(abi),
        _TCP_BIND_AND_CONNECT if abi >= ABI_NETWORK else 0,
        _ABSTRACT_SOCKETS_AND_SIGNALS if abi >= ABI_SCOPE else 0,
    )
    size = 24 if abi >= ABI_SCOPE else 16 if abi >= ABI_NETWORK else 8
    buffer = _libc.ffi.from_buffer(attributes)
    return _libc.syscall("landlock ruleset", _libc.LANDLOCK_CREATE_RULESET, _libc.address(buffer), size)


def allow(ruleset: int, path: str, rights: int, abi: int) -> None:
    """Grant `rights` on `path` and everything below it. Raises `OSError` where it cannot be opened."""
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        granted = rights & handled(abi)
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            granted &= _ON_A_FILE
        rule = _libc.ffi.from_buffer(struct.pack("=Qi", granted, fd))
        _libc.syscall("landlock rule", _libc.LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, _libc.address(rule))
    finally:
        os.close(fd)


def restrict_self(ruleset: int) -> None:
    """Bind the calling thread, and what it starts from now on, to the ruleset. Needs no_new_privs."""
    try:
        _libc.syscall("landlock restrict_self", _libc.LANDLOCK_RESTRICT_SELF, ruleset, 0)
    except OSError as failure:
        raise ConfinementError(f"Landlock refused the ruleset: {failure.strerror}") from failure
