"""Workers as the host sees them, and the pool that keeps one warm."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from typing import Literal

import msgspec

from gg.errors import ArmUnavailable, GGError, ProtocolError, WardenError
from gg.host.warden import WardenClient
from gg.protocol import PROTOCOL_VERSION, Channel, ChannelClosed, Hello, Ready, Surface, Unavailable
from gg.protocol._frames import FromWorker
from gg.types import DEFAULT_LIMITS, ArmInfo, Limits, OperationSpec
from gg.warden.messages import Died, PluginRef

__all__ = ["MAX_SPARES", "Pool", "Worker", "WorkerGone"]

MAX_SPARES = 3
"""How many workers wait for a next session, of the latest arms and limits; the longest waiting goes first."""


class WorkerGone(GGError):
    """A worker ended before it was ready. ``died`` says how, where the warden knows."""

    def __init__(self, died: Died | None) -> None:
        super().__init__(f"the worker ended: {describe(died)}")
        self.died = died


def describe(died: Died | None) -> str:
    """Say how a worker ended, for the operator."""
    if died is None:
        return "its end is unknown"
    how = f"signal {died.signal}" if died.signal is not None else f"exit status {died.exit_status}"
    return f"{how}: {died.detail}" if died.detail else how


class Worker:
    """A worker process: asked for, then told of (`hello`), then ready. It serves one session."""

    def __init__(self, warden: WardenClient, number: int, channel: Channel[FromWorker], arm: PluginRef) -> None:
        self._warden = warden
        self._arm = arm
        self._hello: Hello | None = None
        self._failure: ArmUnavailable | None = None
        self.number = number
        self.channel = channel
        self.ready: Ready | None = None
        self.info: ArmInfo | None = None

    def hello(self) -> Hello:
        """Wait for the worker's first word.

        :raises ArmUnavailable: when the arm cannot run here.
        :raises WorkerGone: when the worker ended.
        """
        while self._hello is None:
            self._step()
        return self._hello

    def wait_ready(self) -> Ready:
        """Wait until programs may be sent; raises as `hello` does."""
        while self.ready is None:
            self._step()
        return self.ready

    def poll_ready(self) -> bool:
        """Say whether programs may be sent, without waiting; raises as `hello` does."""
        while self.ready is None and self.channel.readable():
            self._step()
        return self.ready is not None

    def _step(self) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            frame = self.channel.receive()
        except (ChannelClosed, ProtocolError):
            raise WorkerGone(self.died()) from None
        if isinstance(frame, Unavailable):
            self.info = frame.info
            self._failure = ArmUnavailable(self._arm.name, frame.reason)
        elif isinstance(frame, Hello):
            if frame.version != PROTOCOL_VERSION:
                self._failure = ArmUnavailable(self._arm.name, f"its worker speaks protocol {frame.version}")
            self._hello, self.info = frame, frame.info
        elif isinstance(frame, Ready):
            self.ready = frame

    def is_alive(self) -> bool:
        """Say whether the worker, so far as can be seen without waiting, still serves."""
        try:
            self.poll_ready()
        except GGError:
            return False
        return not (self.ready is not None and self.channel.readable())

    def kill(self) -> None:
        """Kill the worker, and close the channel to it."""
        self._warden.kill(self.number)
        self.channel.close()

    def died(self) -> Died | None:
        """Make sure the worker is dead, and return how it ended."""
        self._warden.kill(self.number)
        return self._warden.death_of(self.number)


class Pool:
    """Hands out workers. One that served a session is replaced, so that the next session finds a warm one."""

    def __init__(
        self,
        warden: WardenClient,
        plugins: tuple[PluginRef, ...],
        builtin: tuple[OperationSpec, ...],
        operations: tuple[OperationSpec, ...],
        confinement: Literal["on", "off"],
        *,
        spares: bool,
    ) -> None:
        self._warden = warden
        self._plugins = plugins
        self._operations = operations
        self._digest = hashlib.sha256(msgspec.msgpack.encode((*builtin, *operations))).hexdigest()
        self._confinement = confinement
        self._spares = spares
        self._idle: dict[tuple[str, Limits], Worker] = {}
        self._lock = threading.Lock()
        self._closed = False

    def take(self, arm: PluginRef, limits: Limits) -> Worker:
        """Return a worker that has run nothing yet.

        :raises WardenError: when the warden is gone.
        """
        with self._lock:
            worker = self._idle.pop((arm.name, limits), None)
        if worker is not None and worker.is_alive():
            return worker
        return self._start(arm, limits)

    def take_mute(self, arm: PluginRef) -> Worker:
        """Return a worker without a guest: it can describe its arm and trim, and run nothing."""
        return self._start(arm, DEFAULT_LIMITS, guest=False)

    def give_back(self, worker: Worker, arm: PluginRef, limits: Limits) -> None:
        """End a worker that served a session, and start a fresh one in its place."""
        worker.kill()
        with self._lock, contextlib.suppress(WardenError):  # under the lock, so that no two fill one place
            if self._spares and not self._closed and (arm.name, limits) not in self._idle:
                while len(self._idle) >= MAX_SPARES:
                    self._idle.pop(next(iter(self._idle))).kill()
                self._idle[(arm.name, limits)] = self._start(arm, limits)

    def close(self) -> None:
        """End the idle workers."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, {}
        for worker in idle.values():
            worker.kill()

    def _start(self, arm: PluginRef, limits: Limits, *, guest: bool = True) -> Worker:
        number, channel = self._warden.spawn(
            arm,
            self._plugins,
            limits,
            self._confinement,
            guest=guest,
            operations=self._digest,
            surface=guest and bool(self._operations),
        )
        worker = Worker(self._warden, number, channel, arm)
        if self._operations and guest:
            with contextlib.suppress(ChannelClosed):  # a worker that ended at once says so when it is asked
                channel.send(Surface(self._operations))
        return worker
