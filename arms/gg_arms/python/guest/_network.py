"""Network access, denied by an ordinary exception before the sandbox would have to."""

from __future__ import annotations

import socket
from typing import Any, NoReturn

from ._own import own_builtins as __builtins__  # noqa: F401
from ._plain import Plain

MESSAGE = "network access is denied in this sandbox"
LINUX_EACCES = 13
"""The number readers know; WASI's own is another one."""

_FUNCTIONS = (
    "getaddrinfo gethostbyname gethostbyname_ex gethostbyaddr getnameinfo create_connection create_server socketpair "
    "fromfd send_fds recv_fds"
).split()


def denied() -> PermissionError:
    """Return the error of everything that would reach the network."""
    return PermissionError(LINUX_EACCES, MESSAGE)


def _denying(name: str) -> Any:
    def deny(*arguments: Any, **named: Any) -> NoReturn:
        raise denied()

    deny.__name__ = deny.__qualname__ = name
    deny.__module__ = "socket"
    return deny


def _init(self: object, *arguments: Any, **named: Any) -> NoReturn:
    """Deny the socket before the interpreter opens it."""
    raise denied()


def install() -> None:
    """Deny sockets and look-ups in `socket` and in the C module under it, and URLs of every scheme that needs them."""
    import _socket
    import urllib.error
    import urllib.request

    for name in _FUNCTIONS:
        for module in (socket, _socket):
            setattr(module, name, _denying(name))
    socket.socket.__init__ = _init  # type: ignore[method-assign,assignment]
    socket.getfqdn = Plain(_getfqdn, "socket")  # type: ignore[assignment]
    socket.gethostname = Plain(_gethostname, "socket")
    unknown: Any = urllib.request.UnknownHandler.unknown_open

    def unknown_open(self: urllib.request.UnknownHandler, request: urllib.request.Request) -> NoReturn:
        # CPython is built without TLS here, so that `https` would be an unknown kind of URL.
        if request.type == "https":
            raise urllib.error.URLError(denied())
        unknown(self, request)
        raise AssertionError("the handler of unknown URLs raises")

    urllib.request.UnknownHandler.unknown_open = unknown_open  # type: ignore[method-assign]


def _getfqdn(name: str = "") -> str:
    return name or "localhost"


def _gethostname() -> str:
    return "localhost"
