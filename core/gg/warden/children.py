"""The processes a warden forks, and what becomes of the warden's own things in them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
from dataclasses import dataclass, field

import msgspec

from gg.confinement.process import set_pdeathsig
from gg.toolchain import Compiler

__all__ = ["Child", "Declared", "become_child", "check_wasm", "kill", "kill_group"]

_STDERR_TAIL_BYTES = 4096


@dataclass
class Declared:
    """What a worker may have run: its declared compilers, its private folder, and whether they are confined.

    ``readable`` are the folders of built toolchains.
    """

    compilers: dict[str, Compiler]
    private: str
    readable: tuple[str, ...]
    confined: bool


@dataclass
class Child:
    """A process the warden forked: a worker, the precompile process of one guest, or the builder of one toolchain.

    ``declared`` is what it may have compiled by whom; ``sealed`` once it may ask for nothing else.
    """

    pid: int
    pidfd: int
    stderr: int
    worker: int | None = None
    control: socket.socket | None = None
    compiling: str | None = None
    building: str | None = None
    declared: Declared | None = None
    sealed: bool = False
    tail: bytearray = field(default_factory=bytearray)

    def answer(self, message: msgspec.Struct) -> None:
        """Send a message to the worker, where it still listens."""
        if self.control is not None:
            with contextlib.suppress(OSError):
                self.control.send(msgspec.msgpack.encode(message))

    def read_stderr(self) -> bool:
        """Keep the last of what the process wrote to standard error; return whether more may come."""
        try:
            data = os.read(self.stderr, 1 << 16)
        except BlockingIOError:
            return True
        self.tail += data
        del self.tail[:-_STDERR_TAIL_BYTES]
        return bool(data)


def check_wasm(path: str) -> None:
    """Refuse what is no WebAssembly file, without waiting on it.

    :raises ValueError: saying so, and nothing of what is in it.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or os.read(fd, 4) != b"\0asm":
            raise ValueError("the guest is no WebAssembly file")
    finally:
        os.close(fd)


def kill_group(pid: int) -> None:
    """Kill what a process of that id has started and left in its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill(pid: int) -> None:
    """Kill a child that was not waited for yet, and its group; one that has just started leads no group yet."""
    kill_group(pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def become_child(warden: int, writer: int, keep: tuple[int, ...]) -> None:
    """Leave nothing of the warden in a child but the descriptors it is given."""
    os.setsid()
    set_pdeathsig(signal.SIGKILL)
    if os.getppid() != warden:
        raise SystemExit(70)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(writer, 1)
    os.dup2(writer, 2)
    kept = {0, 1, 2, *keep}
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            with contextlib.suppress(OSError):
                os.close(int(name))
    os.environ.clear()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
