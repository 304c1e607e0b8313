"""gg runs the programs that language models write.

The centre: `Host` makes `Session`s, a session takes `Turn`s. ``gg.hookspecs`` is the contract of plugins.
Importing this package starts nothing and loads almost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gg.host.host import Host
    from gg.host.reply import Reply
    from gg.host.session import Session
    from gg.host.turn import Turn
    from gg.types import Determinism, Limits
    from gg.window.messages import Message, ToolCall

__all__ = ["Determinism", "Host", "Limits", "Message", "Reply", "Session", "ToolCall", "Turn"]
__version__ = "0.1.0"

_HOMES = {
    "Determinism": "gg.types",
    "Host": "gg.host.host",
    "Limits": "gg.types",
    "Message": "gg.window.messages",
    "Reply": "gg.host.reply",
    "Session": "gg.host.session",
    "ToolCall": "gg.window.messages",
    "Turn": "gg.host.turn",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gg' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
