"""What a host, its warden and the warden's workers say to each other: one msgpack value a packet."""

from __future__ import annotations

from typing import Literal

import msgspec

from gg.types import Limits

__all__ = [
    "MAX_PACKET_BYTES",
    "Configure",
    "Died",
    "FromWarden",
    "GuestFailed",
    "GuestReady",
    "Kill",
    "NeedGuest",
    "PluginRef",
    "Spawn",
    "ToWarden",
    "WardenReady",
]

MAX_PACKET_BYTES = 1 << 16


class PluginRef(msgspec.Struct, frozen=True):
    """An entry point: its ``name``, what it loads (``module:attribute``), and the distribution that ships it."""

    name: str
    value: str
    distribution: str
    version: str = ""


class Configure(msgspec.Struct, frozen=True, tag=True):
    """Host to warden, once, first: where compiled guests are kept, and a private folder for this host."""

    cache_folder: str
    cache: Literal["on", "off"]
    private_folder: str
    trace_hooks: bool = False


class Spawn(msgspec.Struct, frozen=True, tag=True):
    """Host to warden, with the worker's end of a socket pair: start a worker for one arm.

    Without ``guest`` it loads none, and can describe itself and trim but run nothing.
    """

    worker: int
    arm: PluginRef
    plugins: tuple[PluginRef, ...]
    limits: Limits
    confinement: Literal["on", "off"]
    guest: bool = True


class Kill(msgspec.Struct, frozen=True, tag=True):
    """Host to warden: kill a worker and all that it started."""

    worker: int


class WardenReady(msgspec.Struct, frozen=True, tag=True):
    """Warden to host: configured. ``cache_reason`` says why the cache folder is not used, where it is not."""

    cache_reason: str | None = None


class Died(msgspec.Struct, frozen=True, tag=True):
    """Warden to host: a worker has ended. ``detail`` is the last of what it wrote to standard error."""

    worker: int
    exit_status: int | None
    signal: int | None
    detail: str


class NeedGuest(msgspec.Struct, frozen=True, tag=True):
    """Worker to warden: give me the compiled form of this guest."""

    path: str
    form: Literal["core", "component"]


class GuestReady(msgspec.Struct, frozen=True, tag=True):
    """Warden to worker: the compiled guest is at ``path``."""

    path: str


class GuestFailed(msgspec.Struct, frozen=True, tag=True):
    """Warden to worker: the guest could not be compiled."""

    detail: str


ToWarden = Configure | Spawn | Kill
FromWarden = WardenReady | Died
