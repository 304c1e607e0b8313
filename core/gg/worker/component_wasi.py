"""The little of WASI that a component gets: a clock, randomness, an empty environment and no folders.

Everything else its runtime links (sockets, files, polls, standard streams, exit) traps when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wasmtime import component

from gg.worker.world import World

__all__ = ["define_wasi"]

_MAX_RANDOM_BYTES = 1 << 20
_NANOSECONDS = 1_000_000_000


def define_wasi(linker: component.Linker, guest: component.Component, engine: Any, world: Callable[[], World]) -> None:
    """Define the interfaces above at whatever version the guest imports, and the rest as traps.

    :param world: answers the clocks and the randomness of the program that runs.
    """
    described: Any = guest.type
    imported = {str(name).partition("@")[0]: str(name) for name in described.imports(engine)}
    with linker.root() as root:
        for interface, functions in _interfaces(world).items():
            if interface not in imported:
                continue
            with root.add_instance(imported[interface]) as instance:
                for name, function in functions.items():
                    instance.add_func(name, function)
    linker.define_unknown_imports_as_traps(guest)


def _nothing(_store: Any) -> list[Any]:
    return []


def _resolution(_store: Any) -> int:
    return 1


def _no_socket(_store: Any, _family: Any) -> str:
    return "access-denied"


def _interfaces(world: Callable[[], World]) -> dict[str, dict[str, Any]]:
    def wall_clock(_store: Any) -> Any:
        now = component.Record()
        raw: Any = now
        raw.seconds, raw.nanoseconds = divmod(world().wall_ns(), _NANOSECONDS)
        return now

    def monotonic_clock(_store: Any) -> int:
        return world().monotonic_ns()

    def random_bytes(_store: Any, count: int) -> bytes:
        return world().random(min(count, _MAX_RANDOM_BYTES))

    def random_u64(_store: Any) -> int:
        return int.from_bytes(world().random(8), "little")

    return {
        "wasi:cli/environment": {"get-environment": _nothing, "get-arguments": _nothing},
        "wasi:clocks/wall-clock": {"now": wall_clock},
        "wasi:clocks/monotonic-clock": {"now": monotonic_clock, "resolution": _resolution},
        "wasi:random/random": {"get-random-bytes": random_bytes, "get-random-u64": random_u64},
        "wasi:sockets/tcp-create-socket": {"create-tcp-socket": _no_socket},
        "wasi:sockets/udp-create-socket": {"create-udp-socket": _no_socket},
        "wasi:filesystem/preopens": {"get-directories": _nothing},
    }
