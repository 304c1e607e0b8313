"""Which system calls a profile refuses, as data for `seccomp`.

The list has three reasons: what Landlock cannot express at any ABI (attributes, other processes, kernel facilities with
a history of holes), what this kernel's ABI cannot express yet, and what a profile has no use for (programs, processes).
System calls newer than `NEWEST_CALL` answer ENOSYS, so that tomorrow's kernel adds nothing to a sandbox of today.
"""

from __future__ import annotations

import enum
import errno
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gg.confinement import landlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gg.confinement.profile import Profile

NEWEST_CALL: Final = 450  # set_mempolicy_home_node, Linux 5.17; later ones are the same on every architecture

OWN_PID: Final = 0x5A17C0DE
"""Stands for the confined process's id in a filter; `seccomp.load` puts the real one in its place."""


class Compare(enum.IntEnum):
    """How an argument is compared; the values are libseccomp's."""

    NOT_EQUAL = 1
    EQUAL = 4
    MASKED_EQUAL = 7


@dataclass(frozen=True, slots=True)
class Condition:
    """A test on one argument of a call."""

    argument: int
    compare: Compare
    value: int
    mask: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that answers `error`, always or where all `conditions` hold; 0 is a success in which nothing is done."""

    call: str
    conditions: tuple[Condition, ...] = ()
    error: int = errno.EPERM


def _names(text: str) -> tuple[Refusal, ...]:
    return tuple(Refusal(name) for name in text.split())


_NEVER: Final = _names("""
    socket connect bind listen accept accept4
    ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp move_pages migrate_pages
    pidfd_open pidfd_getfd pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo
    mount umount2 pivot_root chroot unshare setns
    fsopen fsconfig fsmount fspick open_tree move_mount mount_setattr
    bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register
    keyctl add_key request_key
    init_module finit_module delete_module kexec_load kexec_file_load reboot
    open_by_handle_at name_to_handle_at fanotify_init fanotify_mark lookup_dcookie
    chown fchown lchown fchownat
    setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    shmget shmat shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink
    setsid setpgid
    modify_ldt iopl ioperm vhangup acct swapon swapoff quotactl quotactl_fd syslog nfsservctl
    sethostname setdomainname settimeofday clock_settime clock_adjtime adjtimex
    setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset
""")

_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15
_IOCTL_REFUSED: Final = (
    0x5412,  # TIOCSTI: types into a terminal
    0x541C,  # TIOCLINUX
    0x5423,  # TIOCSETD
    0x8901,  # FIOSETOWN: sends signals
    0x8902,  # SIOCSPGRP
)
# The low 32 bits decide in these calls, whatever the upper half of the register holds.
_LOW: Final = 0xFFFF_FFFF

_NEVER_WITH: Final = (
    Refusal("prlimit64", (Condition(0, Compare.NOT_EQUAL, 0),)),
    *(
        Refusal("fcntl", (Condition(1, Compare.MASKED_EQUAL, command, _LOW),))
        for command in (_F_SETOWN, _F_SETSIG, _F_SETOWN_EX)
    ),
    *(Refusal("ioctl", (Condition(1, Compare.MASKED_EQUAL, request, _LOW),)) for request in _IOCTL_REFUSED),
    Refusal("clone3", error=errno.ENOSYS),  # its flags lie in memory; libc falls back to clone
)

_NO_PROGRAMS: Final = _names("execve execveat")

_CLONE_THREAD: Final = 0x0001_0000
_NO_PROCESSES: Final = (
    *_names("fork vfork"),
    Refusal("clone", (Condition(0, Compare.MASKED_EQUAL, 0, _CLONE_THREAD),)),
)
_NEW_NAMESPACES: Final = (0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000)
_NO_NAMESPACES: Final = tuple(
    Refusal("clone", (Condition(0, Compare.MASKED_EQUAL, flag, flag),)) for flag in _NEW_NAMESPACES
)

# A process that starts nothing has no use for these.
_ALONE: Final = (
    *_names("""
        socketpair kill tkill chmod fchmod fchmodat utime utimes utimensat futimesat truncate personality
        inotify_init inotify_init1 inotify_add_watch
        setpriority sched_setscheduler sched_setparam sched_setattr ioprio_set
    """),
    Refusal("tgkill", (Condition(0, Compare.NOT_EQUAL, OWN_PID),)),  # abort() and pthread_kill stay possible
    Refusal("prctl", (Condition(0, Compare.MASKED_EQUAL, 1, _LOW),)),  # PR_SET_PDEATHSIG: may not outlive the warden
)

# Landlock knows no right to change modes and times, and linkers set those of what they made. They are told that it was
# done: of the files that a compiler may only read none changes, and its own are read by their worker in any case.
_PRETENDED: Final = tuple(
    Refusal(call, error=0) for call in ("chmod", "fchmod", "fchmodat", "utime", "utimes", "utimensat", "futimesat")
)

_SIGURG: Final = 23
# Landlock's signal scope is missing before ABI 6. Go's scheduler sends itself SIGURG, which kills nobody.
_UNSCOPED_SIGNALS: Final = (
    *_names("kill tkill"),
    Refusal("tgkill", (Condition(2, Compare.NOT_EQUAL, _SIGURG),)),
)

# Before ABI 3 Landlock lets a file that may be read be truncated: by path, or by opening it without write access.
_ACCESS_AND_TRUNCATE: Final = os.O_ACCMODE | os.O_TRUNC
_UNSEEN_TRUNCATION: Final = (
    *_names("truncate"),
    *(
        Refusal(call, (Condition(argument, Compare.MASKED_EQUAL, os.O_TRUNC | access, _ACCESS_AND_TRUNCATE),))
        for call, argument in (("open", 1), ("openat", 2))
        for access in (os.O_RDONLY, os.O_ACCMODE)
    ),
    Refusal("openat2", error=errno.ENOSYS),  # its flags lie in memory
)

# Numbers of calls that an old libseccomp may not know by name; all are numbered alike on every architecture.
UNIFIED_NUMBERS: Final = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_open": 434,
    "clone3": 435,
    "openat2": 437,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "process_mrelease": 448,
}


def refusals(profile: Profile, abi: int) -> tuple[Refusal, ...]:
    """Return what seccomp has to refuse for `profile` on top of Landlock `abi` (0: no Landlock)."""
    return tuple(dict.fromkeys(_refusals(profile, abi)))


def _refusals(profile: Profile, abi: int) -> Iterator[Refusal]:
    yield from _NEVER
    yield from _NEVER_WITH
    if not profile.may_execute:
        yield from _NO_PROGRAMS
    if profile.may_fork:
        yield from _NO_NAMESPACES
        yield from _PRETENDED
    else:
        yield from _NO_PROCESSES
        yield from _ALONE
    if abi < landlock.ABI_TRUNCATE:
        yield from _UNSEEN_TRUNCATION
    if abi < landlock.ABI_SCOPE and profile.may_fork:
        yield from _UNSCOPED_SIGNALS


def unconditional(rules: Iterable[Refusal]) -> frozenset[str]:
    """Return the names of the calls that are refused whatever their arguments are."""
    return frozenset(rule.call for rule in rules if not rule.conditions)
