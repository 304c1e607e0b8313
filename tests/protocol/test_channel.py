"""Frames over a socket pair: whole, in order, and never more than the bound; anything else is refused."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from gg.errors import ProtocolError
from gg.protocol import MAX_FRAME_BYTES, Call, Channel, ChannelClosed, ChannelTimeout, Log, Reply, Run
from gg.protocol._frames import FromWorker, ToWorker

Pair = tuple[Channel[Any], socket.socket]


@pytest.fixture
def host() -> Iterator[Pair]:
    """The host's end as a channel, the worker's as a bare socket."""
    ours, theirs = socket.socketpair()
    channel: Channel[Any] = Channel(ours, FromWorker)
    yield channel, theirs
    channel.close()
    theirs.close()


def framed(body: bytes) -> bytes:
    """Return a body behind its length."""
    return len(body).to_bytes(4, "little") + body


def test_round_trip() -> None:
    """What is sent is received, in order, also in pieces of one byte."""
    ours, theirs = socket.socketpair()
    host, worker = Channel[Any](ours, FromWorker), Channel[Any](theirs, ToWorker)
    run = Run("é\0", 3, "{}", (), 1.5, 64)
    host.send(run)
    host.send(Reply(b"\xff\0", False))
    assert (worker.receive(), worker.receive()) == (run, Reply(b"\xff\0", False))
    data = framed(msgspec.msgpack.encode(Call(b"x" * 300)))
    feeder = threading.Thread(target=lambda: [theirs.send(data[i : i + 1]) for i in range(len(data))])
    feeder.start()
    assert host.receive(5) == Call(b"x" * 300)
    feeder.join()
    host.close()
    worker.close()


def test_largest_frame() -> None:
    """A frame just inside the bound goes through; one past it is refused before anything is sent."""
    ours, theirs = socket.socketpair()
    host, worker = Channel[Any](ours, FromWorker), Channel[Any](theirs, ToWorker)
    big = Log(b"x" * (MAX_FRAME_BYTES - 64))
    sender = threading.Thread(target=worker.send, args=(big,))
    sender.start()
    assert host.receive(10) == big
    sender.join()
    with pytest.raises(ProtocolError):
        worker.send(Log(b"x" * MAX_FRAME_BYTES))
    worker.send(Log(b"after"))
    assert host.receive(5) == Log(b"after")
    host.close()
    worker.close()


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\xc1", b"\x90", b"\x91\xcc", msgspec.msgpack.encode([99, 1]), msgspec.msgpack.encode(["Call", b"x"]),
        msgspec.msgpack.encode([14, "text"]), msgspec.msgpack.encode([14]), msgspec.msgpack.encode({"a": 1}), random.Random(7).randbytes(64),
        msgspec.msgpack.encode(Reply(b"not from a worker")), msgspec.msgpack.encode(Log(b"x")) + b"more", b"\x91" * 5000,
    ],
)  # fmt: skip
def test_malformed_frames(host: Pair, body: bytes) -> None:
    """What is no frame of the peer's is a ProtocolError, never another exception."""
    channel, peer = host
    peer.sendall(framed(body))
    with pytest.raises(ProtocolError):
        channel.receive(5)


def test_length_past_the_bound(host: Pair) -> None:
    """A length past the bound is refused before its bytes are waited for."""
    channel, peer = host
    peer.sendall((MAX_FRAME_BYTES + 1).to_bytes(4, "little"))
    with pytest.raises(ProtocolError):
        channel.receive(5)


def test_peer_that_is_gone(host: Pair) -> None:
    """A closed peer is ChannelClosed, also in the middle of a frame, for reading and for writing."""
    channel, peer = host
    peer.sendall(framed(b"x" * 10)[:7])
    peer.close()
    with pytest.raises(ChannelClosed):
        channel.receive(5)
    with pytest.raises(ChannelClosed):
        channel.send(Reply(b"x" * 10_000_000))


def test_timeout_keeps_what_came(host: Pair) -> None:
    """A frame that comes late is received whole after a timeout in its middle."""
    channel, peer = host
    data = framed(msgspec.msgpack.encode(Log(b"late")))
    peer.sendall(data[:5])
    with pytest.raises(ChannelTimeout):
        channel.receive(0.02)
    with pytest.raises(ChannelTimeout):
        channel.receive(0)
    peer.sendall(data[5:])
    assert channel.receive(1) == Log(b"late")
