"""What a host, its warden and the warden's workers say to each other: one msgpack value a packet."""

from __future__ import annotations

from typing import Literal

import msgspec

from gg.toolchain import Compiler, Machine
from gg.types import Limits

__all__ = [
    "MAX_PACKET_BYTES",
    "CompilerEnded",
    "Configure",
    "DeclareCompilers",
    "Died",
    "FromWarden",
    "GuestFailed",
    "GuestReady",
    "Kill",
    "NeedGuest",
    "NeedToolchain",
    "PluginRef",
    "RunCompiler",
    "Seal",
    "Spawn",
    "StopCompiler",
    "ToWarden",
    "ToolchainLacking",
    "ToolchainReady",
    "WardenReady",
    "WardenToWorker",
    "WorkerToWarden",
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
    machine: Machine = Machine("", "/")
    landlock_abi: int | None = None


class Spawn(msgspec.Struct, frozen=True, tag=True):
    """Host to warden, with the worker's end of a socket pair: start a worker for one arm.

    Without ``guest`` it loads none, and can describe itself and trim but run nothing. ``operations`` is a digest of all
    rows of the operations table; ``surface``: plugins added some, and the host sends those first.
    """

    worker: int
    arm: PluginRef
    plugins: tuple[PluginRef, ...]
    limits: Limits
    confinement: Literal["on", "off"]
    guest: bool = True
    operations: str = ""
    surface: bool = False


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


class DeclareCompilers(msgspec.Struct, frozen=True, tag=True):
    """Worker to warden, once, before it is confined: the compilers its arm may have run."""

    compilers: tuple[Compiler, ...]


class NeedToolchain(msgspec.Struct, frozen=True, tag=True):
    """Worker to warden: give me the built toolchain of this key. ``operations`` is a file of its private folder.

    The file holds the added operations as msgpack; empty where there are none.
    """

    key: str
    operations: str = ""


class Seal(msgspec.Struct, frozen=True, tag=True):
    """Worker to warden: what I needed I have. From here on nothing but runs of compilers may come from me."""


class RunCompiler(msgspec.Struct, frozen=True, tag=True):
    """Worker to warden: start a declared compiler. With it come the descriptors of its input (a service's) and output.

    ``folder`` is the name of a folder in the worker's private one; the compiler starts there and may write it.
    ``service``: it runs until its worker stops it or ends, whatever the compiler's limits of time are.
    """

    request: int
    compiler: str
    arguments: tuple[str, ...]
    folder: str
    service: bool = False


class StopCompiler(msgspec.Struct, frozen=True, tag=True):
    """Worker to warden: kill the compiler of a request, and all that it started."""

    request: int


class CompilerEnded(msgspec.Struct, frozen=True, tag=True):
    """Warden to worker: how a compiler ended. ``refused`` says why it was never started."""

    request: int
    exit_status: int | None = None
    signal: int | None = None
    timed_out: bool = False
    refused: str = ""


class ToolchainReady(msgspec.Struct, frozen=True, tag=True):
    """Warden to worker: the built toolchain is at ``path``; ``built`` it was just now."""

    path: str
    built: bool = False


class ToolchainLacking(msgspec.Struct, frozen=True, tag=True):
    """Warden to worker: the toolchain could not be built."""

    detail: str


ToWarden = Configure | Spawn | Kill
WorkerToWarden = DeclareCompilers | NeedGuest | NeedToolchain | Seal | RunCompiler | StopCompiler
WardenToWorker = GuestReady | GuestFailed | CompilerEnded | ToolchainReady | ToolchainLacking
FromWarden = WardenReady | Died
