"""What a confined worker cannot do, at every Landlock ABI from 1 to the kernel's."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gg.confinement import Profile, _libc, _policy, seccomp

DENIED = (["errno", errno.EPERM], ["errno", errno.EACCES])


def test_files_outside_the_read_roots_cannot_be_read(worker: Profile, confined: Any, abi: int) -> None:
    """/etc/passwd and /proc answer EACCES."""
    for path in ("/etc/passwd", "/proc/self/environ", "/proc/version"):
        assert confined(worker, lambda path=path: open(path).read(), abi) == ["errno", errno.EACCES]


def test_a_link_in_a_read_root_leads_nowhere(worker: Profile, private: Path, confined: Any, abi: int) -> None:
    """Landlock judges the file a link leads to, not the link."""
    (private / "link").symlink_to("/etc/passwd")
    assert confined(worker, lambda: (private / "link").read_text(), abi) == ["errno", errno.EACCES]


def test_nothing_is_written_outside_the_private_folder(worker: Profile, private: Path, confined: Any, abi: int) -> None:
    """Creating, changing, removing, renaming out and linking in are refused; the files are as before."""
    victim = private.parent / "victim"
    victim.write_text("kept")
    attempts = {
        "create": lambda: (private.parent / "new").write_text("x"),
        "change": lambda: victim.write_text("x"),
        "append": lambda: victim.open("a").close(),
        "remove": victim.unlink,
        "folder": (private.parent / "folder").mkdir,
        "rename in": lambda: victim.rename(private / "victim"),
        "link in": lambda: (private / "hard").hardlink_to(victim),
        "import root": lambda: (Path(os.__file__).parent / "gg_intruder.py").write_text("x"),
    }
    answers = {name: confined(worker, attempt, abi) for name, attempt in attempts.items()}
    refused = (errno.EPERM, errno.EACCES, errno.EXDEV)
    assert {name: answer for name, answer in answers.items() if answer[0] != "errno" or answer[1] not in refused} == {}
    assert victim.read_text() == "kept"


def test_readable_files_cannot_be_truncated(worker: Profile, tmp_path: Path, confined: Any, abi: int) -> None:
    """By path, by O_TRUNC without write access, by the odd access mode 3: refused also before ABI 3."""
    root = tmp_path / "root"
    root.mkdir()
    module = root / "module.py"
    module.write_text("kept")
    profile = Profile(worker.name, (*worker.read, str(root)), worker.write)
    for flags in (os.O_RDONLY | os.O_TRUNC, os.O_ACCMODE | os.O_TRUNC, os.O_WRONLY | os.O_TRUNC):
        assert confined(profile, lambda flags=flags: os.open(module, flags), abi) in DENIED, flags
    assert confined(profile, lambda: os.truncate(module, 0), abi) in DENIED
    how = os.O_RDONLY | os.O_TRUNC
    answer = confined(profile, lambda: _libc.open_how(-100, os.fsencode(module), how, 0, 0), abi)
    assert answer in (*DENIED, ["errno", errno.ENOSYS])
    assert module.read_text() == "kept"


def test_attributes_of_readable_files_are_safe(worker: Profile, tmp_path: Path, confined: Any, abi: int) -> None:
    """Mode, owner, times and extended attributes, which Landlock does not cover, cannot be changed."""
    root = tmp_path / "root"
    root.mkdir()
    profile = Profile(worker.name, (*worker.read, str(root)), worker.write)
    attempts = (
        lambda: os.chmod(root, 0o777),
        lambda: os.chown(root, os.getuid(), os.getgid()),
        lambda: os.utime(root, (0, 0)),
        lambda: os.setxattr(root, "user.gg", b"x"),
    )
    for attempt in attempts:
        assert confined(profile, attempt, abi) == ["errno", errno.EPERM]


def test_no_process_is_started(worker: Profile, confined: Any, abi: int) -> None:
    """fork, vfork, posix_spawn, subprocess and exec are refused; clone3 is unknown."""
    true = "/bin/true"
    attempts = (
        os.fork,
        lambda: os.posix_spawn(true, [true], {}),
        lambda: subprocess.run([true], check=True),  # noqa: S603
        lambda: os.execv(true, [true]),
        lambda: os.execv(sys.executable, [sys.executable]),
    )
    for attempt in attempts:
        assert confined(worker, attempt, abi) == ["errno", errno.EPERM]
    assert confined(worker, lambda: _libc.syscall("clone3", 435, 0, 0), abi) == ["errno", errno.ENOSYS]


def test_a_memory_file_cannot_be_executed(worker: Profile, confined: Any, abi: int) -> None:
    """Fexecve of a memfd is refused like any exec."""

    def attempt() -> None:
        fd = os.memfd_create("x")
        os.write(fd, Path(sys.executable).resolve().read_bytes()[:4096])
        os.execve(fd, ["x"], {})

    profile = Profile(worker.name, (*worker.read, os.path.dirname(os.path.realpath(sys.executable))), worker.write)
    assert confined(profile, attempt, abi) == ["errno", errno.EPERM]


@pytest.mark.parametrize("family", [socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK])
def test_no_socket_is_opened(worker: Profile, confined: Any, abi: int, family: int) -> None:
    """No family of sockets, pairs included."""
    kind = socket.SOCK_RAW if family == socket.AF_NETLINK else socket.SOCK_STREAM
    assert confined(worker, lambda: socket.socket(family, kind), abi) == ["errno", errno.EPERM]
    assert confined(worker, socket.socketpair, abi) == ["errno", errno.EPERM]


def test_no_other_process_is_touched(worker: Profile, confined: Any, abi: int) -> None:
    """Signals, pidfds, limits and ownership of signals do not reach the parent, which lives on."""
    parent = os.getpid()
    reading, writing = os.pipe()
    attempts = {
        "kill": lambda: os.kill(parent, signal.SIGTERM),
        "kill 0": lambda: os.kill(parent, 0),
        "killpg": lambda: os.killpg(os.getpgid(parent), signal.SIGTERM),
        "tgkill": lambda: _libc.syscall("tgkill", _number("tgkill"), parent, parent, signal.SIGTERM),
        "tkill": lambda: _libc.syscall("tkill", _number("tkill"), parent, signal.SIGTERM),
        "pidfd": lambda: os.pidfd_open(parent),
        "prlimit": lambda: resource.prlimit(parent, resource.RLIMIT_NOFILE, (0, 0)),
        "fcntl": lambda: fcntl.fcntl(reading, fcntl.F_SETOWN, parent),
    }
    answers = {name: confined(worker, attempt, abi) for name, attempt in attempts.items()}
    assert {name: answer for name, answer in answers.items() if answer != ["errno", errno.EPERM]} == {}
    os.close(reading)
    os.close(writing)


def test_a_worker_cannot_give_up_its_leash(worker: Profile, confined: Any, abi: int) -> None:
    """The parent-death signal, the session and the process group stay what the warden made them."""
    attempts = (
        lambda: _libc.prctl("pdeathsig", _libc.PR_SET_PDEATHSIG, 0),
        os.setsid,
        lambda: os.setpgid(0, 0),
    )
    for attempt in attempts:
        assert confined(worker, attempt, abi) == ["errno", errno.EPERM]


def test_capabilities_are_gone(worker: Profile, confined: Any, abi: int) -> None:
    """Even of root nothing is left but reading files of other owners, and no limit can be raised again."""

    def held() -> list[int]:
        header = _libc.ffi.new("struct capability_header *", (0x20080522, 0))
        data = _libc.ffi.new("struct capability_data[2]")
        _libc.libc.capget(header, data)
        return [data[0].effective & ~2, data[1].effective, data[0].permitted & ~2, data[1].permitted]

    assert confined(worker, held, abi) == [0, 0, 0, 0]
    raising = confined(worker, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)), abi)
    assert raising[0] == "raised"
    assert "not allowed to raise" in raising[1]


def test_every_unconditional_refusal_answers(worker: Profile, confined: Any, abi: int) -> None:
    """Each call the policy names answers the policy's error when made directly, whatever its arguments."""
    rules = [
        (rule.call, _number(rule.call), rule.error)
        for rule in _policy.refusals(worker, abi)
        if not rule.conditions and rule.call not in ("fork", "vfork")
    ]

    def call_all() -> dict[str, int]:
        wrong = {}
        for name, number, error in rules:
            if number < 0:
                continue
            try:
                _libc.syscall(name, number)
                wrong[name] = 0
            except OSError as failure:
                if failure.errno != error:
                    wrong[name] = failure.errno or -1
        return wrong

    assert len(rules) > 100  # noqa: PLR2004
    assert confined(worker, call_all, abi) == {}


def test_calls_newer_than_the_list_are_unknown(worker: Profile, confined: Any, abi: int) -> None:
    """Setxattrat (463) and whatever comes after the newest known call answer ENOSYS."""
    for number in (451, 452, 463, 469, 900):
        assert confined(worker, lambda number=number: _libc.syscall("x", number), abi) == ["errno", errno.ENOSYS]


def test_memory_is_bounded(worker: Profile, confined: Any) -> None:
    """Past the program's memory and the headroom an allocation fails; nothing is killed."""
    answer = confined(worker, lambda: bytearray(1 << 30))
    assert answer[0] == "raised"
    assert "MemoryError" in answer[1]


def _number(name: str) -> int:
    found = int(seccomp.library().seccomp_syscall_resolve_name(name.encode()))
    return found if found >= 0 else _policy.UNIFIED_NUMBERS.get(name, -1)
