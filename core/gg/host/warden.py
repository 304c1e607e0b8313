"""The host's end of its warden: start it, ask it for workers, learn how they ended."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from typing import Any

import msgspec

from gg.config import Settings
from gg.errors import WardenError
from gg.protocol import Channel
from gg.protocol._frames import FromWorker
from gg.types import Limits
from gg.warden.messages import MAX_PACKET_BYTES, Configure, Died, FromWarden, Kill, PluginRef, Spawn, WardenReady

__all__ = ["WardenClient"]

_START_TIMEOUT_S = 30.0


class WardenClient:
    """One warden process. Thread-safe; a host forked from this one must start its own."""

    def __init__(self, settings: Settings) -> None:
        """Start the warden and return at once: it is waited for when a first worker is asked for.

        :raises WardenError: when it cannot be started.
        """
        self._pid = os.getpid()
        self._settings = settings
        self._lock = threading.Lock()
        self._ready: WardenReady | None = None
        self._deaths: dict[int, Died] = {}
        self._numbers = 0
        self._closed = False
        self._decoder = msgspec.msgpack.Decoder(FromWarden)
        self.private_folder = tempfile.mkdtemp(prefix="gg-")
        self._start()
        _clients.add(self)

    def _start(self) -> None:
        self._ready = None
        self._sock, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", "gg.warden", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=_standard_error(),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                env={name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ},
            )
        except OSError as error:
            self._sock.close()
            raise WardenError(f"the warden could not be started: {error}") from error
        finally:
            theirs.close()
        settings = self._settings
        configure = Configure(
            str(settings.cache_folder),
            settings.cache,
            self.private_folder,
            settings.trace_hooks,
            settings.machine,
            settings.landlock_abi,
        )
        self._send(configure, [])

    def is_ours(self) -> bool:
        """Say whether this process started the warden; a forked child did not."""
        return os.getpid() == self._pid

    def check_process(self) -> None:
        """Refuse a process that was forked from the one that started the warden.

        :raises WardenError: in such a process.
        """
        if not self.is_ours():
            raise WardenError("this host was forked: make a new Host in the new process")

    def leave_to_parent(self) -> None:
        """Close this process's copy of the socket: called in a forked child, so that the warden sees its host end."""
        self._sock.close()

    @property
    def cache_reason(self) -> str | None:
        """Return why the cache folder is not used, or None. Waits for the warden."""
        with self._lock:
            return self._await_ready().cache_reason

    def spawn(
        self,
        arm: PluginRef,
        plugins: tuple[PluginRef, ...],
        limits: Limits,
        confinement: str,
        *,
        guest: bool = True,
        operations: str = "",
        surface: bool = False,
    ) -> tuple[int, Channel[FromWorker]]:
        """Ask for a worker; return its number and the channel to it. What it says first tells how it went.

        :raises WardenError: when the warden is gone.
        """
        self.check_process()
        ours, theirs = socket.socketpair()
        try:
            with self._lock:
                self._numbers += 1
                spawn = Spawn(self._numbers, arm, plugins, limits, confinement, guest, operations, surface)  # type: ignore[arg-type]
                try:
                    self._await_ready()
                    self._hear()
                    self._send(spawn, [theirs.fileno()])
                except WardenError:
                    self._restart()
                    self._send(spawn, [theirs.fileno()])
                return spawn.worker, Channel(ours, FromWorker)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()

    def _restart(self) -> None:
        """Start another warden in the place of one that was killed, once its process has ended."""
        if self._closed:
            raise WardenError("this host is closed")
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            raise WardenError("the warden does not answer; its own words are on standard error") from None
        self._sock.close()
        os.makedirs(self.private_folder, mode=0o700, exist_ok=True)
        self._start()
        self._await_ready()

    def kill(self, worker: int) -> None:
        """Kill a worker; it may be gone already."""
        with self._lock, contextlib.suppress(WardenError):
            self._hear()
            self._send(Kill(worker), [])

    def death_of(self, worker: int, timeout_s: float = 2.0) -> Died | None:
        """Return how a worker ended, waiting for the news; None when it does not come."""
        until = time.monotonic() + timeout_s
        with self._lock:
            while worker not in self._deaths:
                left = until - time.monotonic()
                if left <= 0 or not self._receive(left):
                    return None
            return self._deaths.pop(worker)

    def close(self) -> None:
        """End the warden and all that it started."""
        if not self.is_ours() or self._closed:
            return
        with self._lock:
            self._closed = True
            self._sock.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.private_folder, ignore_errors=True)  # the warden has done so, unless it was killed

    def _await_ready(self) -> WardenReady:
        until = time.monotonic() + _START_TIMEOUT_S
        while self._ready is None:
            left = until - time.monotonic()
            if left <= 0 or not self._receive(left):
                raise WardenError("the warden did not start; its own words are on standard error")
        return self._ready

    def _hear(self) -> None:
        """Take in what the warden has said, without waiting for more."""
        while self._sock.fileno() >= 0:
            try:
                data = self._sock.recv(MAX_PACKET_BYTES, socket.MSG_DONTWAIT)
            except OSError:
                return
            if not data:
                return
            self._take_in(data)

    def _receive(self, timeout_s: float) -> bool:
        self._sock.settimeout(timeout_s)
        try:
            data = self._sock.recv(MAX_PACKET_BYTES)
        except OSError:
            return False
        finally:
            with contextlib.suppress(OSError):
                self._sock.settimeout(None)
        if not data:
            return False
        self._take_in(data)
        return True

    def _take_in(self, data: bytes) -> None:
        message: Any = self._decoder.decode(data)
        if isinstance(message, WardenReady):
            self._ready = message
        else:
            self._deaths[message.worker] = message
            while len(self._deaths) > 256:
                del self._deaths[next(iter(self._deaths))]

    def _send(self, message: msgspec.Struct, fds: list[int]) -> None:
        self.check_process()
        try:
            socket.send_fds(self._sock, [msgspec.msgpack.encode(message)], fds)
        except OSError as error:
            raise WardenError(f"the warden is gone: {error}") from error


def _standard_error() -> int | None:
    """Return what a warden writes its troubles to: this process's standard error, unless that is closed."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return None


_clients: weakref.WeakSet[WardenClient] = weakref.WeakSet()


def _after_fork() -> None:
    for client in tuple(_clients):
        client.leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)
