"""The one way out of the sandbox, on the worker's side: frames to the host, and the clock that stops meanwhile."""

from __future__ import annotations

import time

from gg.protocol import MAX_FRAME_BYTES, Call, Channel, Log, Reply
from gg.protocol._frames import ToWorker
from gg.worker.clock import ProgramClock
from gg.worker.ends import Ends
from gg.worker.world import World

__all__ = ["Membrane"]

_FRAME_ROOM = MAX_FRAME_BYTES - 1024
_HEAD_BYTES = 256
_RECORD_ROOM = _FRAME_ROOM - 5
_STDERR_BYTES = 8192


class Membrane:
    """Carries one program's calls, logs and report to the host.

    ``context`` is the guest's context object as JSON text; ``report`` the first report the guest made, if any;
    ``facts`` what worker plugins note for the operator; ``world`` the program's time and randomness.
    """

    def __init__(
        self, channel: Channel[ToWorker], clock: ProgramClock, context: str, world: World | None = None
    ) -> None:
        self._channel = channel
        self._clock = clock
        self.context = context
        self.world = world or World()
        self.report: bytes | None = None
        self.facts: dict[str, float | str] = {}
        self._stderr = Ends(_STDERR_BYTES)

    def call(self, request: bytes) -> Reply:
        """Have the host answer a request of 1 to 16 calls; the program's clock stands still meanwhile.

        A request too large to frame is cut to its head, from which the host names the call it refuses.
        """
        self._clock.park()
        late = self.report is not None
        if len(request) > _FRAME_ROOM:
            self._channel.send(Call(request[:_HEAD_BYTES], len(request), late))
        else:
            self._channel.send(Call(request, 0, late))
        reply = self._channel.receive()
        if not isinstance(reply, Reply):
            raise RuntimeError(f"a reply was due, not {type(reply).__name__}")
        self._clock.resume()
        return reply

    def log(self, records: bytes) -> None:
        """Send log records (guest ABI encoding) to the host."""
        for start in range(0, len(records), _FRAME_ROOM):
            self._channel.send(Log(records[start : start + _FRAME_ROOM]))

    def write(self, stream: int, data: bytes) -> None:
        """Log what a program wrote to standard output (1) or standard error (2)."""
        if stream == 2:
            self._stderr.add(data)
        for start in range(0, len(data), _RECORD_ROOM):
            part = data[start : start + _RECORD_ROOM]
            self._channel.send(Log(bytes((stream,)) + len(part).to_bytes(4, "little") + part))

    def stderr(self) -> str:
        """Return what was written to standard error by `write`: its first and last 4 KiB, whole lines at the cut.

        An arm whose runtime writes its errors there gives it as a part ``stderr`` of its `Outcome`.
        """
        return self._stderr.whole(b"\n").decode("utf-8", "ignore")

    def take_report(self, payload: bytes) -> None:
        """Keep the guest's report; only the first one counts."""
        if self.report is None:
            self.report = payload

    def sleep(self, ms: float) -> None:
        """Sleep for the program: the time counts, and never goes past the deadline."""
        self.world.slept(ms)
        wanted_s = ms / 1000 if ms > 0 else 0.0
        left_s = self._clock.remaining_s()
        # A little past the deadline, so that the timer has fired when the guest is back in wasm.
        time.sleep(wanted_s if wanted_s < left_s else left_s + 0.002)
