"""Frames between gg's processes: length-prefixed msgpack over a socket pair."""

from gg.protocol._channel import Channel, ChannelClosed, ChannelTimeout
from gg.protocol._frames import (
    MAX_FRAME_BYTES,
    PROTOCOL_VERSION,
    Call,
    Document,
    Documented,
    Done,
    Hello,
    Log,
    Ready,
    Reply,
    Run,
    Started,
    Surface,
    Trim,
    Trimmed,
    Unavailable,
)

__all__ = [
    "MAX_FRAME_BYTES",
    "PROTOCOL_VERSION",
    "Call",
    "Channel",
    "ChannelClosed",
    "ChannelTimeout",
    "Document",
    "Documented",
    "Done",
    "Hello",
    "Log",
    "Ready",
    "Reply",
    "Run",
    "Started",
    "Surface",
    "Trim",
    "Trimmed",
    "Unavailable",
]
