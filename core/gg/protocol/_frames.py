"""The frames a host and a worker exchange. Changing one changes `PROTOCOL_VERSION`."""

from __future__ import annotations

from typing import Literal

import msgspec

from gg.types import (
    ArmInfo,
    CodeModule,
    DocumentationEntry,
    OperationSpec,
    OutcomeKind,
    PreparedModule,
    TrimKind,
)

__all__ = [
    "MAX_FRAME_BYTES",
    "PROTOCOL_VERSION",
    "Call",
    "Document",
    "Documented",
    "Done",
    "FromWorker",
    "Hello",
    "Log",
    "ModulePrepared",
    "PrepareModule",
    "Ready",
    "Reply",
    "Run",
    "Started",
    "Surface",
    "ToWorker",
    "Trim",
    "Trimmed",
    "Unavailable",
]

PROTOCOL_VERSION = 3
MAX_FRAME_BYTES = 16 << 20


class _Frame(msgspec.Struct, frozen=True, array_like=True):
    """A frame: a msgpack array whose first item is its tag, so that the hot ones cost no field names."""


class Run(_Frame, tag=1, frozen=True):
    """Host to worker: run this program. ``context`` is the guest's context object, as JSON.

    ``share_cpu``: a worker that calls again and again may stay on its CPU, where the host follows it. ``load`` names
    one of the modules, of which an import is the program. ``unseen``: no model has seen the source, so an error is its
    message alone. ``keep`` is what its preparation is kept under, for the next run of the same source; empty for none.
    ``fixed``: 32 bytes that the program's randomness follows from, and its clock in nanoseconds; None for real ones.
    """

    source: str
    index: int
    context: str
    modules: tuple[PreparedModule, ...]
    timeout_s: float
    memory_bytes: int
    share_cpu: bool = False
    load: str = ""
    unseen: bool = False
    keep: str = ""
    fixed: tuple[bytes, int] | None = None


class Reply(_Frame, tag=2, frozen=True):
    """Host to worker: the answer to the `Call` in flight. ``readable`` is false for an unreadable request."""

    payload: bytes
    readable: bool = True


class Trim(_Frame, tag=3, frozen=True):
    """Host to worker: trim this output of a compiler or runtime (``gg trim``)."""

    kind: TrimKind
    text: bytes
    exit_status: int | None = None
    signal: int | None = None


class Surface(_Frame, tag=4, frozen=True):
    """Host to worker: the operations that plugins added, for the arm to render (an `OperationSpec` each)."""

    operations: tuple[OperationSpec, ...]


class PrepareModule(_Frame, tag=5, frozen=True):
    """Host to worker: prepare the code half of a skill or memory."""

    module: CodeModule


class Document(_Frame, tag=6, frozen=True):
    """Host to worker: render the documentation of these operations."""

    operations: tuple[OperationSpec, ...]


class Hello(_Frame, tag=11, frozen=True):
    """Worker to host, first: its arm is loaded, and it is confined. The guest may still have to be compiled."""

    version: int
    info: ArmInfo
    confinement: Literal["full", "none", "off"]
    reason: str | None = None


class Ready(_Frame, tag=18, frozen=True):
    """Worker to host: toolchain and guest are there; programs may come. ``notes`` name fallbacks in use.

    ``strategy`` is what compiles a program's own module. ``toolchain_ms`` and then ``guest_ms`` were spent on them;
    ``built``: the toolchain was built just now.
    """

    notes: tuple[str, ...] = ()
    strategy: str = ""
    toolchain_ms: float = 0.0
    guest_ms: float = 0.0
    built: bool = False


class Unavailable(_Frame, tag=12, frozen=True):
    """Worker to host: this arm cannot run here. ``load_error`` is true when the plugin's own code failed."""

    reason: str
    load_error: bool
    info: ArmInfo | None = None


class Started(_Frame, tag=13, frozen=True):
    """Worker to host: compiled; from here on the program itself runs. Its death is a run-time failure after this.

    An arm that has nothing to compile (`ArmInfo.starts_at_once`) leaves it out: its programs start when they arrive.
    """

    compile_ms: float
    load_ms: float


class Call(_Frame, tag=14, frozen=True):
    """Worker to host: a request of 1 to 16 calls, as JSON.

    ``oversize`` is its size in bytes when it was cut to its head; ``late`` is set once the guest has reported;
    ``cpu`` is where the worker stays, or -1.
    """

    payload: bytes
    oversize: int = 0
    late: bool = False
    cpu: int = -1


class Log(_Frame, tag=15, frozen=True):
    """Worker to host: a batch of log records in the guest ABI's encoding."""

    records: bytes


class Done(_Frame, tag=16, frozen=True):
    """Worker to host: how the program ended.

    ``text`` is the whole error as the runtime or compiler composed it; ``ranges`` are what the arm keeps of it.
    ``stderr_told``: the text holds what was written to standard error. ``detail`` and ``facts`` (what worker plugins
    noted) are for the operator alone.
    """

    kind: OutcomeKind | Literal["compile_rejected", "toolchain_failed"]
    duration_ms: float | None
    compile_ms: float
    text: bytes = b""
    ranges: tuple[tuple[int, int], ...] = ()
    dropped: tuple[int, int, int] = (0, 0, 0)
    status: int | None = None
    detail: str = ""
    recycle: bool = False
    stderr_told: bool = False
    facts: dict[str, float | str] = {}


class Trimmed(_Frame, tag=17, frozen=True):
    """Worker to host: the answer to `Trim`."""

    band: str
    ranges: tuple[tuple[int, int], ...]
    dropped: tuple[int, int, int]


class ModulePrepared(_Frame, tag=19, frozen=True):
    """Worker to host: the answer to `PrepareModule`. ``text`` and ``ranges`` are a rejection's, as in `Done`."""

    kind: Literal["prepared", "rejected", "toolchain_failed"]
    compile_ms: float
    built: bytes = b""
    text: bytes = b""
    ranges: tuple[tuple[int, int], ...] = ()
    detail: str = ""


class Documented(_Frame, tag=20, frozen=True):
    """Worker to host: the answer to `Document`.

    ``entries`` is None from an arm that renders none; ``trouble`` says what was wrong with a hook's answer.
    """

    entries: tuple[DocumentationEntry, ...] | None
    trouble: str = ""


ToWorker = Run | Reply | Trim | Surface | PrepareModule | Document
FromWorker = Hello | Ready | Unavailable | Started | Call | Log | Done | Trimmed | ModulePrepared | Documented
