"""What the warden asks of the kernel about its children: death signals, adoption, process descriptors, sessions."""

from __future__ import annotations

import os
import signal

from gg.confinement import _libc


def set_pdeathsig(sig: int = signal.SIGKILL) -> None:
    """Have `sig` sent to this process when the *thread* that forked it ends; 0 takes it back.

    The signal is lost where the parent is gone already: compare `os.getppid()` with the expected id afterwards.
    """
    _libc.prctl("pdeathsig", _libc.PR_SET_PDEATHSIG, int(sig))


def set_child_subreaper() -> None:
    """Become the parent of every orphaned descendant, so that `waitpid` reports it here."""
    _libc.prctl("child_subreaper", _libc.PR_SET_CHILD_SUBREAPER, 1)


def pidfd_open(pid: int) -> int:
    """Return a descriptor of the process, which becomes readable when it has ended. Close-on-exec."""
    return os.pidfd_open(pid, 0)


def pidfd_send_signal(pidfd: int, sig: int) -> bool:
    """Send `sig` to the process; False where it has been reaped already."""
    try:
        signal.pidfd_send_signal(pidfd, sig)
    except ProcessLookupError:
        return False
    return True


def new_session() -> int:
    """Start a session and process group of this process's own and return its id. Must precede `apply`."""
    os.setsid()
    return os.getpid()


def kill_group(group: int, sig: int = signal.SIGKILL) -> bool:
    """Send `sig` to a process group; False where nobody is left in it."""
    try:
        os.killpg(group, sig)
    except ProcessLookupError:
        return False
    return True
