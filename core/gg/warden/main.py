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

import msgspec

from gg.confinement.process import set_child_subreaper
from gg.types import OperationSpec
from gg.warden import precompile
from gg.warden.children import Child, Declared, become_child, kill, kill_group
from gg.warden.compilers import CompilerService
from gg.warden.guests import Guests
from gg.warden.messages import (
    MAX_PACKET_BYTES,
    Configure,
    DeclareCompilers,
    Died,
    Kill,
    NeedGuest,
    NeedToolchain,
    RunCompiler,
    Seal,
    Spawn,
    StopCompiler,
    ToWarden,
    WardenReady,
    WorkerToWarden,
)
from gg.warden.toolchains import RETRY_S, Toolchains, open_toolchains
from gg.worker import builder
from gg.worker import main as worker_main
from gg.worker.starting import Surroundings

__all__ = ["Warden"]

_MAX_UNTOLD = 1024
"""Messages kept for a host that does not read; the oldest go."""


class Warden:
    """Serves one host until its socket closes; then kills all that it started and leaves."""

    def __init__(self, host: socket.socket) -> None:
        self._host = host
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, Child] = {}
        self._untold: collections.deque[bytes] = collections.deque(maxlen=_MAX_UNTOLD)
        self._settings: Configure | None = None
        self._guests: Guests | None = None
        self._decoder = msgspec.msgpack.Decoder(ToWarden)
        self._wishes = msgspec.msgpack.Decoder(WorkerToWarden)
        self._compilers = CompilerService(self._selector, self._reap)
        self._toolchains: Toolchains | None = None

    def serve(self) -> int:
        """Run until the host is gone."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        set_child_subreaper()
        self._selector.register(self._host, selectors.EVENT_READ, self._from_host)
        try:
            while True:
                events = self._selector.select(self._wait_s())
                self._guarded(self._compilers.expire)
                if self._toolchains is not None and self._toolchains.waits:
                    self._guarded(self._toolchains.retry)
                for key, _ in events:
                    watched = self._selector.get_map().get(key.fd)
                    if watched is None or watched.data is not key.data:
                        continue  # an earlier action of this batch buried the child it belonged to
                    action: Callable[[], bool | None] = key.data
                    if self._guarded(action) is False:
                        return 0
        finally:
            self._leave()

    def _wait_s(self) -> float | None:
        wait_s = self._compilers.wait_s()
        if self._toolchains is not None and self._toolchains.waits:
            return RETRY_S if wait_s is None else min(wait_s, RETRY_S)
        return wait_s

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
        self._compilers.leave()
        if self._toolchains is not None:
            self._toolchains.leave()
        if self._settings is not None:
            shutil.rmtree(self._settings.private_folder, ignore_errors=True)

    # -- the host's requests ------------------------------------------------------------------------------------------

    def _from_host(self) -> bool:
        if self._untold:
            self._flush()
        try:
            data, fds, _, _ = socket.recv_fds(
                self._host, MAX_PACKET_BYTES, 4, socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
            )
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
        self._guests = Guests(precompile.open_cache(message), self._fork_precompile)
        self._toolchains = Toolchains(open_toolchains(message), self._fork_builder)
        self._compilers.landlock_abi = message.landlock_abi
        # What is imported by now is shared by all workers: keep the collector from touching (and so copying) it.
        gc.collect()
        gc.freeze()
        self._tell_host(WardenReady(self._guests.cache.reason))

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
        settings = self._settings
        assert settings is not None
        private = os.path.join(settings.private_folder, f"worker-{message.worker}")

        os.makedirs(private, mode=0o700, exist_ok=True)
        where = Surroundings(private, self._readable(), settings)

        def run() -> None:
            link = socket.socket(fileno=theirs.detach())
            worker_main.serve(socket.socket(fileno=host_fd), link, message, where)

        child = self._fork(run, keep=(host_fd, theirs.fileno()))
        os.close(host_fd)
        theirs.close()
        child.worker = message.worker
        self._listen(child, ours, message, private)

    def _readable(self) -> tuple[str, ...]:
        """Return the folders of compiled guests and of built toolchains."""
        assert self._guests is not None
        assert self._toolchains is not None
        return (*self._guests.cache.read_folders(), str(self._toolchains.cache.folder))

    def _fork_precompile(self, key: str, need: NeedGuest) -> None:
        settings = self._settings
        assert settings is not None
        self._fork(lambda: precompile.run(settings, key, need), keep=()).compiling = key

    def _fork_builder(self, spawn: Spawn, operations: tuple[OperationSpec, ...], key: str, folder: str) -> None:
        """Start the process that builds one toolchain in ``folder``: an arm's worker, but that it runs no program."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        settings = self._settings
        assert settings is not None

        def run() -> None:
            where = Surroundings(folder, self._readable(), settings)
            builder.build(socket.socket(fileno=theirs.detach()), spawn, operations, where)

        child = self._fork(run, keep=(theirs.fileno(),))
        theirs.close()
        child.building = key
        self._listen(child, ours, spawn, folder)

    def _listen(self, child: Child, control: socket.socket, spawn: Spawn, private: str) -> None:
        child.control = control
        action: Callable[[], None] = lambda: self._from_worker(child, spawn, private)  # noqa: E731
        self._selector.register(control, selectors.EVENT_READ, action)

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
            else:
                self._compilers.ended(pid, status)

    def _buried(self, child: Child, status: int) -> None:
        kill_group(child.pid)  # whatever it started; its own id may be another's by now
        with contextlib.suppress(KeyError):
            self._drain(child)
        for watched in (child.pidfd, child.stderr):
            with contextlib.suppress(KeyError):
                self._selector.unregister(watched)
            os.close(watched)
        code = os.waitstatus_to_exitcode(status)
        if code < 0 and self._guests is not None:
            self._guests.cache.forget_checks()
        detail = child.tail.decode("utf-8", "ignore").strip()
        self._hang_up(child)
        self._compilers.stop(child)
        if child.compiling is not None and self._guests is not None:
            self._guests.compiled(child.compiling, None if code == 0 else detail or f"the compile ended with {code}")
        elif child.building is not None and self._toolchains is not None:
            self._toolchains.built(child.building, None if code == 0 else detail or f"the build ended with {code}")
        elif child.worker is not None:
            if self._settings is not None:  # nobody else removes what a killed worker left of its preparations
                place = os.path.join(self._settings.private_folder, f"worker-{child.worker}")
                shutil.rmtree(place, ignore_errors=True)
            died = Died(child.worker, code if code >= 0 else None, -code if code < 0 else None, detail)
            self._tell_host(died)

    # -- compiled guests ----------------------------------------------------------------------------------------------

    def _from_worker(self, child: Child, spawn: Spawn, private: str) -> None:
        assert child.control is not None
        fds: list[int] = []
        data = b""
        try:
            data, fds, _, _ = socket.recv_fds(child.control, MAX_PACKET_BYTES, 2, socket.MSG_CMSG_CLOEXEC)
            wish = self._wishes.decode(data) if data else None
        except (OSError, msgspec.MsgspecError):
            wish = None
        if isinstance(wish, RunCompiler):
            self._compilers.start(child, wish, fds)
            return
        for fd in fds:
            os.close(fd)
        if isinstance(wish, StopCompiler):
            self._compilers.stop(child, wish.request)
        elif wish is None or child.sealed:
            # Gone, or not to be trusted: its death, if it has not died yet, is reported as any other. A builder lets go
            # of its socket a moment before it ends, and how it ends decides what becomes of what it built.
            self._hang_up(child)
            if child.building is None or data:
                kill(child.pid)
        elif isinstance(wish, Seal):
            child.sealed = True
        elif isinstance(wish, DeclareCompilers):
            self._declare(child, wish, spawn, private)
        elif isinstance(wish, NeedToolchain):
            assert self._toolchains is not None
            self._toolchains.provide(child, spawn, wish, private)
        elif self._guests is not None:
            self._guests.provide(child, wish)

    def _declare(self, child: Child, wish: DeclareCompilers, spawn: Spawn, private: str) -> None:
        if (
            child.declared is None and self._toolchains is not None
        ):  # once, before the worker is confined and anything can have taken it over
            compilers = {compiler.id: compiler for compiler in wish.compilers}
            child.declared = Declared(
                compilers, private, (str(self._toolchains.cache.folder),), spawn.confinement == "on"
            )

    def _hang_up(self, child: Child) -> None:
        if child.control is not None:
            self._selector.unregister(child.control)
            child.control.close()
            child.control = None
