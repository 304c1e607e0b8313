"""What the warden asks of the kernel about its children."""

from __future__ import annotations

import os
import select
import signal
import time

from gg.confinement import kill_group, new_session, pidfd_open, pidfd_send_signal, set_child_subreaper, set_pdeathsig


def test_a_pidfd_signals_and_reports_the_end() -> None:
    """The signal arrives, the descriptor turns readable, and a reaped process is no error."""
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    fd = pidfd_open(child)
    assert not os.get_inheritable(fd)
    assert pidfd_send_signal(fd, signal.SIGKILL)
    assert select.select([fd], [], [], 10)[0] == [fd]
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert not pidfd_send_signal(fd, signal.SIGKILL)
    os.close(fd)


def test_a_session_is_killed_as_a_group() -> None:
    """A process in a session of its own leads a group that `kill_group` ends, children included."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        new_session()
        os.fork()
        os.write(writing, b"x")
        time.sleep(60)
        os._exit(0)
    assert [os.read(reading, 1) for _ in range(2)] == [b"x", b"x"]
    os.close(writing)
    assert kill_group(child)
    os.waitpid(child, 0)
    assert select.select([reading], [], [], 10)[0] == [reading]
    assert os.read(reading, 1) == b""  # the grandchild held the other end
    os.close(reading)


def test_a_child_dies_with_its_parent() -> None:
    """The signal asked for arrives when the parent ends, and a subreaper gets the orphan to reap."""
    reading, writing = os.pipe()
    reaper = os.fork()
    if reaper == 0:
        set_child_subreaper()
        parent = os.fork()
        if parent == 0:
            child = os.fork()
            if child == 0:
                set_pdeathsig(signal.SIGUSR1)
                os.write(writing, b"x")
                time.sleep(60)
                os._exit(0)
            os.read(reading, 1)
            os._exit(0)
        os.waitpid(parent, 0)
        _, status = os.wait()
        os._exit(status & 0x7F)
    assert os.waitstatus_to_exitcode(os.waitpid(reaper, 0)[1]) == signal.SIGUSR1
    os.close(reading)
    os.close(writing)
