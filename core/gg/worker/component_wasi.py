"""The little of WASI that a component gets: a clock, randomness, an empty environment and no folders.

Everything else its runtime links (sockets, files, polls, standard streams, exit) traps when it is called.
"""

from __future__ import annotations

import os
import time
from typing import Any

from wasmtime import component

__all__ = ["define_wasi"]

_MAX_RANDOM_BYTES = 1 << 20
_NANOSECONDS = 1_000_000_000


def define_wasi(linker: component.Linker, guest: component.Component, engine: Any) -> None:
    """Define the interfaces above at whatever version the guest imports, and the rest as traps."""
    described: Any = guest.type
    imported = {str(name).partition("@")[0]: str(name) for name in described.imports(engine)}
    with linker.root() as root:
        for interface, functions in _INTERFACES.items():
            if interface not in imported:
                continue
            with root.add_instance(imported[interface]) as instance:
                for name, function in functions.items():
                    instance.add_func(name, function)
    linker.define_unknown_imports_as_traps(guest)


def _nothing(_store: Any) -> list[Any]:
    return []


def _wall_clock(_store: Any) -> Any:
    now = component.Record()
    raw: Any = now
    raw.seconds, raw.nanoseconds = divmod(time.time_ns(), _NANOSECONDS)
    return now


def _monotonic_clock(_store: Any) -> int:
    return time.monotonic_ns()


def _resolution(_store: Any) -> int:
    return 1


def _random_bytes(_store: Any, count: int) -> bytes:
    return os.urandom(min(count, _MAX_RANDOM_BYTES))


def _random_u64(_store: Any) -> int:
    return int.from_bytes(os.urandom(8), "little")


def _no_socket(_store: Any, _family: Any) -> str:
    return "access-denied"


_INTERFACES: dict[str, dict[str, Any]] = {
    "wasi:cli/environment": {"get-environment": _nothing, "get-arguments": _nothing},
    "wasi:clocks/wall-clock": {"now": _wall_clock},
    "wasi:clocks/monotonic-clock": {"now": _monotonic_clock, "resolution": _resolution},
    "wasi:random/random": {"get-random-bytes": _random_bytes, "get-random-u64": _random_u64},
    "wasi:sockets/tcp-create-socket": {"create-tcp-socket": _no_socket},
    "wasi:sockets/udp-create-socket": {"create-udp-socket": _no_socket},
    "wasi:filesystem/preopens": {"get-directories": _nothing},
}
