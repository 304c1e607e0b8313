"""Compilers that workers ask for: only declared ones, confined to the preparation's folder, killed when it ends.

The worker reads a compiler's output from a pipe of its own, so that nothing of it passes through the warden.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from gg.confinement import ConfinementUnavailable, Prepared, compiler_profile, prepare
from gg.confinement.start import Program, start
from gg.toolchain import Compiler
from gg.warden.children import Child, Declared, kill_group
from gg.warden.messages import CompilerEnded, RunCompiler

__all__ = ["CompilerService"]

MAX_RUNNING: Final = 32
"""How many compilers one worker may have running."""
MAX_ARGUMENT_BYTES: Final = 48 << 10
_FOLDER: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_SYSTEM: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/etc/ld.so.conf")
"""What programs are loaded from. Nothing below is secret, and nothing of it is a user's."""


@dataclass
class _Running:
    child: Child
    request: int
    pid: int
    pidfd: int
    deadline: float
    timed_out: bool = field(default=False)


class CompilerService:
    """Starts compilers, and sees to their end.

    :param selector: the warden's; ``reap`` is what it calls when one has ended.
    """

    def __init__(self, selector: selectors.BaseSelector, reap: Callable[[], None]) -> None:
        self._selector = selector
        self._reap = reap
        self._running: dict[int, _Running] = {}
        self.landlock_abi: int | None = None

    def start(self, child: Child, message: RunCompiler, fds: Sequence[int]) -> None:
        """Start a compiler for a worker, or tell it why not. Takes over the descriptors."""
        try:
            refused = self._start(child, message, fds)
        except (OSError, ValueError, ConfinementUnavailable) as error:
            refused = f"{message.compiler} could not be started: {error}"
        finally:
            for fd in fds:
                os.close(fd)
        if refused:
            child.answer(CompilerEnded(message.request, refused=refused))

    def _start(self, child: Child, message: RunCompiler, fds: Sequence[int]) -> str:
        declared = child.declared
        compiler = declared.compilers.get(message.compiler) if declared else None
        if declared is None or compiler is None:
            return f"no compiler {message.compiler!r} was declared"
        if len(fds) != (2 if message.service else 1):
            return "the descriptors of its input and output did not come with it"
        if not _FOLDER.fullmatch(message.folder):
            return f"{message.folder!r} is no folder of this worker's"
        if sum(len(text.encode()) + 1 for text in message.arguments) > MAX_ARGUMENT_BYTES:
            return f"its arguments are over {MAX_ARGUMENT_BYTES} bytes"
        if sum(running.child is child for running in self._running.values()) >= MAX_RUNNING:
            return f"{MAX_RUNNING} compilers of this worker are running"
        root = os.open(declared.private, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            folder = os.open(message.folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)
        finally:
            os.close(root)
        try:
            # Through the descriptor, so that what was checked is what is granted: a worker could put a link there.
            with self._prepare(compiler, f"/proc/self/fd/{folder}", declared) as prepared:
                program = Program(
                    compiler.executable,
                    (*compiler.arguments, *message.arguments),
                    self._environment(compiler, os.path.join(declared.private, message.folder)),
                    folder,
                    fds[0] if message.service else None,
                    fds[-1],
                )
                pid = start(program, prepared, confined=declared.confined)
        finally:
            os.close(folder)
        wall = float("inf") if message.service else time.monotonic() + compiler.wall_s
        running = _Running(child, message.request, pid, os.pidfd_open(pid), wall)
        self._running[pid] = running
        self._selector.register(running.pidfd, selectors.EVENT_READ, self._reap)
        return ""

    def _prepare(self, compiler: Compiler, folder: str, declared: Declared) -> Prepared:
        profile = compiler_profile(
            compiler.id,
            folder,
            (compiler.executable, *_SYSTEM, *compiler.read, *declared.readable),
            address_space_bytes=compiler.address_space_bytes,
            cpu_seconds=compiler.cpu_s,
            file_bytes=compiler.file_bytes,
        )
        if declared.confined:
            return prepare(profile, landlock_abi=self.landlock_abi)
        return Prepared(profile, 0, b"", None)

    def _environment(self, compiler: Compiler, home: str) -> dict[str, str]:
        own = {"HOME": home, "TMPDIR": home, "XDG_CACHE_HOME": home, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        return own | dict(compiler.environment)

    # -- ends ---------------------------------------------------------------------------------------------------------

    def ended(self, pid: int, status: int) -> None:
        """Tell the worker how the compiler of a process that was waited for has ended."""
        running = self._running.pop(pid, None)
        if running is None:
            return
        kill_group(pid)  # what it started and left; the pipe closes with the last of them
        self._selector.unregister(running.pidfd)
        os.close(running.pidfd)
        code = os.waitstatus_to_exitcode(status)
        exit_status, signal = (code, None) if code >= 0 else (None, -code)
        running.child.answer(CompilerEnded(running.request, exit_status, signal, running.timed_out))

    def stop(self, child: Child, request: int | None = None) -> None:
        """Kill a worker's compiler, or all of them."""
        for running in self._running.values():
            if running.child is child and request in (None, running.request):
                self._kill(running)

    def leave(self) -> None:
        """Kill and wait for all, when the warden ends."""
        for running in self._running.values():
            self._kill(running)
        for pid in self._running:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def wait_s(self) -> float | None:
        """Return the seconds until the next deadline, or None."""
        nearest = min((running.deadline for running in self._running.values()), default=float("inf"))
        return None if nearest == float("inf") else max(nearest - time.monotonic(), 0.0)

    def expire(self) -> None:
        """Kill what is over its deadline."""
        now = time.monotonic()
        for running in self._running.values():
            if running.deadline <= now:
                running.timed_out, running.deadline = True, float("inf")
                self._kill(running)

    @staticmethod
    def _kill(running: _Running) -> None:
        kill_group(running.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it may lead no group yet
            os.kill(running.pid, 9)
