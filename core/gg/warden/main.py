"""The warden's loop: one thread, one selector, and the only fork calls in gg."""

from __future__ import annotations

import collections
import contextlib
import gc
import os
import selectors
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from gg.cache import GuestCache
from gg.confinement.process import set_child_subreaper
from gg.warden import precompile
from gg.warden.children import Child, become_child, check_wasm, kill, kill_group
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

_MAX_UNTOLD = 1024
"""Messages kept for a host that does not read; the oldest go."""


class Warden:
    """Serves one host until its socket closes; then kills all that it started and leaves."""

    def __init__(self, host: socket.socket) -> None:
        self._host = host
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, Child] = {}
        self._waiting: dict[str, list[Child]] = {}
        self._untold: collections.deque[bytes] = collections.deque(maxlen=_MAX_UNTOLD)
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
            kill(child.pid)
        for child in self._children.values():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child.pid, 0)
        if self._settings is not None:
            shutil.rmtree(self._settings.private_folder, ignore_errors=True)

    # -- the host's requests ------------------------------------------------------------------------------------------

    def _from_host(self) -> bool:
        if self._untold:
            self._flush()
        try:
            data, fds, _, _ = socket.recv_fds(self._host, MAX_PACKET_BYTES, 4, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data:
            return False
        try:
            message = self._decoder.decode(data)
        except msgspec.MsgspecError:
            for fd in fds:  # closed, so that whoever waits for this worker learns that there is none
                os.close(fd)
            raise
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
                kill(child.pid)

    def _tell_host(self, message: msgspec.Struct) -> None:
        """Send a message as soon as the host takes it: one that reads nothing must not stop its warden."""
        self._untold.append(msgspec.msgpack.encode(message))
        self._flush()

    def _flush(self) -> None:
        try:
            while self._untold:
                self._host.send(self._untold[0], socket.MSG_DONTWAIT)
                self._untold.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self._untold.clear()  # the host is gone: the next read says so
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._untold else 0)
        self._selector.modify(self._host, wanted, self._from_host)

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

    def _fork(self, run: Callable[[], None], keep: tuple[int, ...]) -> Child:
        reader, writer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        warden = os.getpid()
        pid = os.fork()
        if pid == 0:
            status = 70
            try:
                become_child(warden, writer, keep)
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
        child = Child(pid, os.pidfd_open(pid), reader)
        self._children[pid] = child
        self._selector.register(child.pidfd, selectors.EVENT_READ, self._reap)
        self._selector.register(reader, selectors.EVENT_READ, lambda: self._drain(child))
        return child

    def _drain(self, child: Child) -> None:
        if not child.read_stderr():
            self._selector.unregister(child.stderr)

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

    def _buried(self, child: Child, status: int) -> None:
        kill_group(child.pid)  # whatever it started; its own id may be another's by now
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

    def _from_worker(self, child: Child) -> None:
        assert child.control is not None
        try:
            data = child.control.recv(MAX_PACKET_BYTES)
            need = self._need.decode(data) if data and not child.served else None
        except (OSError, msgspec.MsgspecError):
            need = None
        if need is None:
            # Gone, or not to be trusted: its death, if it has not died yet, is reported as any other.
            self._hang_up(child)
            kill(child.pid)
            return
        self._provide(child, need)

    def _hang_up(self, child: Child) -> None:
        if child.control is not None:
            self._selector.unregister(child.control)
            child.control.close()
            child.control = None

    def _provide(self, child: Child, need: NeedGuest) -> None:
        assert self._cache is not None
        child.served = True  # once, before it runs anything: a program that took its worker over asks in vain
        try:
            check_wasm(need.path)
            key = self._cache.key(Path(need.path), f"{ENGINE_ID}-{need.form}")
        except (OSError, ValueError) as error:
            child.answer(GuestFailed(str(error)))
            return
        found = self._cache.lookup(key)
        if found is not None:
            child.answer(GuestReady(str(found)))
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
            child.answer(answer)
