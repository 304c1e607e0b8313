"""A socket that carries frames. One reader and one writer at a time."""

from __future__ import annotations

import errno
import select
import socket
from typing import Any, Generic, TypeVar

import msgspec

from gg.errors import ProtocolError
from gg.protocol._frames import MAX_FRAME_BYTES

__all__ = ["Channel", "ChannelClosed", "ChannelTimeout"]

Incoming = TypeVar("Incoming")
_CHUNK = 1 << 16


class ChannelClosed(Exception):
    """The other end is gone. ``unread``: it went without having read what was sent to it."""

    def __init__(self, reason: str, *, unread: bool = False) -> None:
        super().__init__(reason)
        self.unread = unread


class ChannelTimeout(Exception):
    """Nothing came within the time given."""


class Channel(Generic[Incoming]):
    """Frames over one end of a stream socket pair: a little-endian u32 length, then msgpack.

    :param sock: a connected stream socket; the channel owns it.
    :param incoming: the union of frame types this end reads.
    """

    def __init__(self, sock: socket.socket, incoming: Any) -> None:
        self._sock = sock
        self._decoder: msgspec.msgpack.Decoder[Incoming] = msgspec.msgpack.Decoder(incoming)
        self._encoder = msgspec.msgpack.Encoder()
        self._buffer = bytearray()
        sock.settimeout(None)
        self._poll = select.poll()  # not select: that knows no descriptors over 1023
        self._poll.register(sock, select.POLLIN)

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._sock.fileno()

    def send(self, frame: msgspec.Struct) -> None:
        """Send one frame.

        :raises ChannelClosed: when the other end is gone.
        :raises ProtocolError: when the frame would pass `MAX_FRAME_BYTES`.
        """
        data = bytearray(4)
        self._encoder.encode_into(frame, data, 4)
        size = len(data) - 4
        if size > MAX_FRAME_BYTES:
            raise ProtocolError(f"a frame of {size} bytes is over the bound of {MAX_FRAME_BYTES}")
        data[:4] = size.to_bytes(4, "little")
        try:
            self._sock.sendall(data)
        except OSError as error:
            raise ChannelClosed(str(error), unread=True) from None

    def receive(self, timeout_s: float | None = None) -> Incoming:
        """Return the next frame.

        :param timeout_s: seconds to wait for it; None waits for ever.
        :raises ChannelTimeout: when it did not come in time; what has arrived of it is kept.
        :raises ChannelClosed: when the other end is gone.
        :raises ProtocolError: when what came is no frame of the kind this end reads.
        """
        buffer = self._buffer
        size = -1
        while True:
            if size < 0 and len(buffer) >= 4:
                size = int.from_bytes(buffer[:4], "little")
                if size > MAX_FRAME_BYTES:
                    raise ProtocolError(f"a frame of {size} bytes is over the bound of {MAX_FRAME_BYTES}")
            if 0 <= size <= len(buffer) - 4:
                try:
                    with memoryview(buffer) as view, view[4 : 4 + size] as body:
                        frame = self._decoder.decode(body)
                except msgspec.MsgspecError as error:
                    raise ProtocolError(f"a malformed frame: {error}") from None
                del buffer[: 4 + size]
                return frame
            self._fill(timeout_s)

    def _fill(self, timeout_s: float | None) -> None:
        # The socket stays blocking, and a wait is a poll: a timeout of the socket's own costs two more system calls.
        try:
            if timeout_s is not None and not self._poll.poll(max(timeout_s * 1000, 1)):
                raise ChannelTimeout
            data = self._sock.recv(_CHUNK)
        except OSError as error:
            raise ChannelClosed(str(error), unread=error.errno == errno.ECONNRESET) from None
        if not data:
            raise ChannelClosed("the other end is gone")
        self._buffer += data

    def readable(self, timeout_s: float = 0.0) -> bool:
        """Say whether something has arrived that `receive` has not returned, or does within ``timeout_s`` seconds."""
        return len(self._buffer) > 0 or bool(self._poll.poll(timeout_s * 1000))

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()
