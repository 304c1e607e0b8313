"""The host's end of its warden: start it, ask it for workers, learn how they ended."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
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
        self._lock = threading.Lock()
        self._ready: WardenReady | None = None
        self._deaths: dict[int, Died] = {}
        self._numbers = 0
        self._decoder = msgspec.msgpack.Decoder(FromWarden)
        self.private_folder = tempfile.mkdtemp(prefix="gg-")
        self._sock, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", "gg.warden", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=None,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                env={name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ},
            )
        except OSError as error:
            raise WardenError(f"the warden could not be started: {error}") from error
        finally:
            theirs.close()
        self._send(Configure(str(settings.cache_folder), settings.cache, self.private_folder, settings.trace_hooks), [])

    @property
    def cache_reason(self) -> str | None:
        """Return why the cache folder is not used, or None. Waits for the warden."""
        with self._lock:
            return self._await_ready().cache_reason

    def spawn(
        self, arm: PluginRef, plugins: tuple[PluginRef, ...], limits: Limits, confinement: str
    ) -> tuple[int, Channel[FromWorker]]:
        """Ask for a worker; return its number and the channel to it. What it says first tells how it went.

        :raises WardenError: when the warden is gone.
        """
        ours, theirs = socket.socketpair()
        with self._lock:
            self._await_ready()
            self._numbers += 1
            number = self._numbers
            spawn = Spawn(number, arm, plugins, limits, confinement)  # type: ignore[arg-type]
            self._send(spawn, [theirs.fileno()])
        theirs.close()
        return number, Channel(ours, FromWorker)

    def kill(self, worker: int) -> None:
        """Kill a worker; it may be gone already."""
        with self._lock, contextlib.suppress(WardenError):
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
        if os.getpid() != self._pid:
            self._sock.close()
            return
        with self._lock:
            self._sock.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _await_ready(self) -> WardenReady:
        until = time.monotonic() + _START_TIMEOUT_S
        while self._ready is None:
            left = until - time.monotonic()
            if left <= 0 or not self._receive(left):
                raise WardenError("the warden did not start; its own words are on standard error")
        return self._ready

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
        message: Any = self._decoder.decode(data)
        if isinstance(message, WardenReady):
            self._ready = message
        else:
            self._deaths[message.worker] = message
            while len(self._deaths) > 256:
                del self._deaths[next(iter(self._deaths))]
        return True

    def _send(self, message: msgspec.Struct, fds: list[int]) -> None:
        if os.getpid() != self._pid:
            raise WardenError("this host was forked: make a new Host in the new process")
        try:
            socket.send_fds(self._sock, [msgspec.msgpack.encode(message)], fds)
        except OSError as error:
            raise WardenError(f"the warden is gone: {error}") from error
