"""The ``shell`` module: one command, in the workspace, with everything the user's own account may do.

It is no sandbox, which is why no agent holds it unless it is granted by name.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import subprocess
import time
from typing import IO

from gg.operations.context import CallContext
from gg.operations.table import Arguments, Operation, OperationFailure, Record

__all__ = ["MAX_OUTPUT_BYTES", "SHELL_OPERATIONS"]

DEFAULT_TIMEOUT_S = 120.0
MAX_TIMEOUT_S = 86_400.0
MAX_OUTPUT_BYTES = 16 << 10
"""Of what the command wrote, the end that is returned."""
_TICK_S = 0.05
_SETTLE_S = 0.2
"""How long output is waited for once the command has ended: what it left running may hold the pipe for ever."""
_READ_BYTES = 64 << 10
_LIMITED = (
    "exec 3<&0 </dev/null; ulimit -c 0; "
    "(read -r _ <&3; kill -9 0) >/dev/null 2>&1 & "  # the pipe ends when this process does, however it ends
    'exec 3<&-; exec /bin/sh -c -- "$1"'
)
"""Runs the command in the group of a watcher that ends it with the host."""
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ")


class _Shell(Arguments, frozen=True):
    command: str
    timeout_secs: float | None = None


class _Finished(Record, frozen=True, omit_defaults=True):
    output: str
    truncated: bool
    exit_code: int | None = None


class _Tail:
    """The end of a stream of bytes."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self.cut = False

    def add(self, data: bytes) -> None:
        self._kept += data
        if len(self._kept) > MAX_OUTPUT_BYTES:
            self.cut = True
            del self._kept[:-MAX_OUTPUT_BYTES]

    def text(self) -> str:
        """Return it from a whole character on, without what is no UTF-8 and without what JSON's text cannot carry."""
        start = 0
        if self.cut:
            while start < min(4, len(self._kept)) and self._kept[start] & 0xC0 == 0x80:
                start += 1
        return self._kept[start:].decode("utf-8", "ignore")


def _shell(context: CallContext, arguments: _Shell) -> _Finished:
    if not arguments.command.strip():
        raise OperationFailure("invalid-argument", f"{context.arg('command')} is empty")
    if "\0" in arguments.command:
        raise OperationFailure("invalid-argument", f"{context.arg('command')} holds a NUL")
    timeout_s = DEFAULT_TIMEOUT_S if arguments.timeout_secs is None else arguments.timeout_secs
    if not (math.isfinite(timeout_s) and timeout_s > 0):
        raise OperationFailure(
            "invalid-argument", f"{context.arg('timeout_secs')} is {timeout_s:g}, and must be above 0"
        )
    timeout_s = min(timeout_s, MAX_TIMEOUT_S, context.left_s())
    process = _start(context, arguments.command)
    tail = _Tail()
    try:
        assert process.stdout is not None
        ended = _follow(context, process, process.stdout, tail, time.monotonic() + timeout_s)
    finally:
        _end(process)
    if not ended:
        if context.cancelled():
            raise OperationFailure("limit-exceeded", "the command was stopped: the session was cancelled")
        raise OperationFailure("limit-exceeded", f"the command was stopped after {timeout_s:g} s")
    code = process.returncode if process.returncode >= 0 else None
    return _Finished(tail.text(), tail.cut, code)


def _start(context: CallContext, command: str) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    folder = context.workspace.root
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", _LIMITED, "sh", command], cwd=folder, env={**environment, "HOME": folder},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise OperationFailure("io-error", f"the command could not be started: {error}") from None


def _follow(
    context: CallContext, process: subprocess.Popen[bytes], output: IO[bytes], tail: _Tail, until: float
) -> bool:
    """Read what the command writes until it has ended; say whether it did before ``until`` and a cancel."""
    fd, settle = output.fileno(), math.inf
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    open_ = True
    while True:
        now = time.monotonic()
        if settle is math.inf and _ended(process):
            settle = now + _SETTLE_S
        if settle is not math.inf and (not open_ or now >= settle):
            return True
        if settle is math.inf and (now >= until or context.cancelled()):
            return False
        if not open_:  # it closed its output and goes on
            time.sleep(min(_TICK_S, max(until - now, 0.0)))
            continue
        wait_s = max(min(_TICK_S, until - now), 0.0) if settle is math.inf else max(settle - now, 0.0)
        if poll.poll(wait_s * 1000):
            data = os.read(fd, _READ_BYTES)
            open_ = bool(data)
            tail.add(data)


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Say whether the command has ended, without reaping it: until then its group's number is nobody else's."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the command's process group, and reap the command."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


SHELL_OPERATIONS = (
    Operation(
        "shell.shell",
        _Shell,
        _shell,
        _Finished,
        "Run a command with `sh -c` in the workspace and return its exit code and the end of its output.",
        "An exit code other than 0 is no failure. Standard output and standard error come together, in the order they "
        "were written, the last 16 KiB of them. A command that a signal ended has no exit code.",
        docs=(
            ("command", "What the shell runs."),
            ("timeout_secs", "Seconds after which it is stopped with all it started: 120 unless given, a day at most."),
        ),
        errors=(
            ("invalid-argument", "The command is empty, or the timeout is not above 0."),
            ("limit-exceeded", "The command took longer than it may."),
            ("io-error", "The shell could not be started."),
        ),
    ),
)
