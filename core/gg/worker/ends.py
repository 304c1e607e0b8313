"""The first and the last bytes of an output whose middle may be lost."""

from __future__ import annotations

__all__ = ["Ends"]

_SLACK = 1 << 16


class Ends:
    """Keeps the first and the last half of ``bound`` bytes; ``lost`` counts what went between them."""

    def __init__(self, bound: int) -> None:
        self._half = bound // 2
        self._first = bytearray()
        self._last = bytearray()
        self.lost = 0

    def add(self, data: bytes) -> None:
        """Take in what was written."""
        room = self._half - len(self._first)
        if room > 0:
            self._first += data[:room]
            data = data[room:]
        self._last += data
        if len(self._last) > self._half + _SLACK:
            self._cut()

    def whole(self, line_end: bytes = b"") -> bytes:
        """Return what is kept. With ``line_end`` the lines that the loss has cut are left out on both its sides."""
        self._cut()
        if not self.lost or not line_end:
            return bytes(self._first + self._last)
        head = self._first[: self._first.rfind(line_end) + 1]
        tail = self._last[self._last.find(line_end) + 1 :]
        return bytes(head + tail)

    def _cut(self) -> None:
        over = len(self._last) - self._half
        if over > 0:
            self.lost += over
            del self._last[:over]
