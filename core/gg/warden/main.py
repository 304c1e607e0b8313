"""The warden's loop: one thread, one selector, and the only fork calls in gg."""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import shutil
import signal
import socket
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from gg.cache import GuestCache
from gg.confinement.process import set_child_subreaper, set_pdeathsig
from gg.warden import precompile
from gg.warden.messages import (
    MAX_PACKET_BYTES,
    Configure,
    Died,
    GuestFailed,
    GuestReady,
    Kill,
    NeedGuest,
    Spawn,
    ToWarden,
    WardenReady,
)
from gg.worker import main as worker_main
from gg.worker.engine import ENGINE_ID

__all__ = ["Warden"]

_STDERR_TAIL_BYTES = 4096


@dataclass
class _Child:
    """A process the warden forked: a worker, or the precompile process of one guest."""

    pid: int
    pidfd: int
    stderr: int
    worker: int | None = None
    control: socket.socket | None = None
    compiling: str | None = None
    served: bool = False
    tail: bytearray = field(default_factory=bytearray)


class Warden:
    """Serves one host until its socket closes; then kills all that it started and leaves."""

    def __init__(self, host: socket.socket) -> None:
        self._host = host
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, _Child] = {}
        self._waiting: dict[str, list[_Child]] = {}
        self._settings: Configure | None = None
        self._cache: GuestCache | None = None
        self._decoder = msgspec.msgpack.Decoder(ToWarden)
        self._need = msgspec.msgpack.Decoder(NeedGuest)

    def serve(self) -> int:
        """Run until the host is gone."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        set_child_subreaper()
        self._selector.register(self._host, selectors.EVENT_READ, self._from_host)
        try:
            while True:
                for key, _ in self._selector.select():
                    watched = self._selector.get_map().get(key.fd)
                    if watched is None or watched.data is not key.data:
                        continue  # an earlier action of this batch buried the child it belonged to
                    action: Callable[[], bool | None] = key.data
                    if self._guarded(action) is False:
                        return 0
        finally:
            self._leave()

    def _guarded(self, action: Callable[[], bool | None]) -> bool | None:
        """Run an action; what goes wrong with one child must not end the warden, and with it every worker."""
        try:
            return action()
        except Exception as error:  # noqa: BLE001 - said where the operator looks, and lived through
            print(f"gg: the warden went on after {type(error).__name__}: {error}", file=sys.stderr)
            return None

    def _leave(self) -> None:
        for child in self._children.values():
            _kill(child.pid)
        for child in self._children.values():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child.pid, 0)
        if self._settings is not None:
            shutil.rmtree(self._settings.private_folder, ignore_errors=True)

    # -- the host's requests ------------------------------------------------------------------------------------------

    def _from_host(self) -> bool:
        try:
            data, fds, _, _ = socket.recv_fds(self._host, MAX_PACKET_BYTES, 4)
        except OSError:
            return False
        if not data:
            return False
        message = self._decoder.decode(data)
        if isinstance(message, Configure):
            self._configure(message)
        elif isinstance(message, Spawn):
            self._spawn(message, fds[0])
        else:
            self._kill_worker(message)
        return True

    def _configure(self, message: Configure) -> None:
        self._settings = message
        self._cache = precompile.open_cache(message)
        # What is imported by now is shared by all workers: keep the collector from touching (and so copying) it.
        gc.collect()
        gc.freeze()
        self._tell_host(WardenReady(self._cache.reason))

    def _kill_worker(self, message: Kill) -> None:
        for child in self._children.values():
            if child.worker == message.worker:
                _kill(child.pid)

    def _tell_host(self, message: msgspec.Struct) -> None:
        with contextlib.suppress(OSError):
            self._host.send(msgspec.msgpack.encode(message))

    # -- forking ------------------------------------------------------------------------------------------------------

    def _spawn(self, message: Spawn, host_fd: int) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        settings, cache = self._settings, self._cache
        assert settings is not None
        assert cache is not None
        private = os.path.join(settings.private_folder, f"worker-{message.worker}")

        def run() -> None:
            os.makedirs(private, mode=0o700, exist_ok=True)
            worker_main.serve(
                socket.socket(fileno=host_fd),
                socket.socket(fileno=theirs.detach()),
                message,
                worker_main.Surroundings(private, cache.read_folders(), settings.trace_hooks),
            )

        child = self._fork(run, keep=(host_fd, theirs.fileno()))
        os.close(host_fd)
        theirs.close()
        child.worker, child.control = message.worker, ours
        self._selector.register(ours, selectors.EVENT_READ, lambda: self._from_worker(child))

    def _fork(self, run: Callable[[], None], keep: tuple[int, ...]) -> _Child:
        reader, writer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        warden = os.getpid()
        pid = os.fork()
        if pid == 0:
            status = 70
            try:
                _become_child(warden, writer, keep)
                run()
                status = 0
            except SystemExit as leaving:
                status = leaving.code if isinstance(leaving.code, int) else 1
            except BaseException as error:  # noqa: BLE001 - the child must never return into the warden's loop
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
            finally:
                with contextlib.suppress(OSError, ValueError):
                    sys.stderr.flush()
                os._exit(status)
        os.close(writer)
        os.set_blocking(reader, False)
        child = _Child(pid, os.pidfd_open(pid), reader)
        self._children[pid] = child
        self._selector.register(child.pidfd, selectors.EVENT_READ, self._reap)
        self._selector.register(reader, selectors.EVENT_READ, lambda: self._drain(child))
        return child

    def _drain(self, child: _Child) -> None:
        try:
            data = os.read(child.stderr, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(child.stderr)
            return
        child.tail += data
        del child.tail[:-_STDERR_TAIL_BYTES]

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            child = self._children.pop(pid, None)
            if child is not None:
                self._buried(child, status)

    def _buried(self, child: _Child, status: int) -> None:
        _kill(child.pid)  # whatever it started is in its group
        with contextlib.suppress(KeyError):
            self._drain(child)
        for watched in (child.pidfd, child.stderr):
            with contextlib.suppress(KeyError):
                self._selector.unregister(watched)
            os.close(watched)
        code = os.waitstatus_to_exitcode(status)
        if code < 0 and self._cache is not None:
            self._cache.forget_checks()
        detail = child.tail.decode("utf-8", "ignore").strip()
        self._hang_up(child)
        if child.compiling is not None:
            self._compiled(child.compiling, None if code == 0 else detail or f"the compile ended with {code}")
        elif child.worker is not None:
            died = Died(child.worker, code if code >= 0 else None, -code if code < 0 else None, detail)
            self._tell_host(died)

    # -- compiled guests ----------------------------------------------------------------------------------------------

    def _from_worker(self, child: _Child) -> None:
        assert child.control is not None
        try:
            data = child.control.recv(MAX_PACKET_BYTES)
            need = self._need.decode(data) if data and not child.served else None
        except (OSError, msgspec.MsgspecError):
            need = None
        if need is None:
            # Gone, or not to be trusted: its death, if it has not died yet, is reported as any other.
            self._hang_up(child)
            _kill(child.pid)
            return
        self._provide(child, need)

    def _hang_up(self, child: _Child) -> None:
        if child.control is not None:
            self._selector.unregister(child.control)
            child.control.close()
            child.control = None

    def _provide(self, child: _Child, need: NeedGuest) -> None:
        assert self._cache is not None
        child.served = True  # once, before it runs anything: a program that took its worker over asks in vain
        try:
            _check_wasm(need.path)
            key = self._cache.key(Path(need.path), f"{ENGINE_ID}-{need.form}")
        except (OSError, ValueError) as error:
            _answer(child, GuestFailed(str(error)))
            return
        found = self._cache.lookup(key)
        if found is not None:
            _answer(child, GuestReady(str(found)))
            return
        waiting = self._waiting.setdefault(key, [])
        waiting.append(child)
        if len(waiting) == 1:
            settings = self._settings
            assert settings is not None
            compiler = self._fork(lambda: precompile.run(settings, key, need), keep=())
            compiler.compiling = key

    def _compiled(self, key: str, failure: str | None) -> None:
        assert self._cache is not None
        found = None if failure else self._cache.lookup(key)
        answer: Any = GuestReady(str(found)) if found else GuestFailed(failure or "the compiled guest is not there")
        for child in self._waiting.pop(key, []):
            _answer(child, answer)


def _answer(child: _Child, message: msgspec.Struct) -> None:
    if child.control is not None:
        with contextlib.suppress(OSError):
            child.control.send(msgspec.msgpack.encode(message))


def _check_wasm(path: str) -> None:
    """Refuse what is no WebAssembly file, without waiting on it.

    :raises ValueError: saying so, and nothing of what is in it.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or os.read(fd, 4) != b"\0asm":
            raise ValueError("the guest is no WebAssembly file")
    finally:
        os.close(fd)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _become_child(warden: int, writer: int, keep: tuple[int, ...]) -> None:
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
