"""The values that cross gg's seams: between host and worker, and between gg and its plugins.

Everything here is plain data. Units are in the names: ``_ms`` milliseconds, ``_s`` seconds, ``_bytes`` bytes of UTF-8.
"""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from gg.errors import UsageError
from gg.toolchain import Compiler

__all__ = [
    "DEFAULT_LIMITS",
    "MAX_PROGRAM_BYTES",
    "MODES",
    "AgentStop",
    "ArmInfo",
    "CodeModule",
    "CompileRejected",
    "Determinism",
    "DocumentationEntry",
    "Limits",
    "Mode",
    "OperationSpec",
    "Outcome",
    "OutcomeKind",
    "Parameter",
    "PendingCall",
    "Prepared",
    "PreparedModule",
    "Program",
    "RecordSpec",
    "Shape",
    "ToolchainFailed",
    "TrimKind",
    "Trimming",
]

Mode = Literal["responses-as-code", "tool-calling"]
"""How a session's model acts: by submitting programs, or by calling the operations as tools."""
MODES: tuple[Mode, ...] = typing.get_args(Mode)

MAX_TIMEOUT_S = 86_400
MAX_CLOCK_S = 4e9
MIN_MEMORY_BYTES = 1 << 20
MAX_MEMORY_BYTES = 4096 << 20
MAX_PROGRAM_BYTES = 1 << 20
"""A program's source is at most 1 MiB (design: caps)."""

Shape: TypeAlias = "str | tuple[Any, ...] | None"
"""What an operation takes or returns, as plain data an SDK renderer walks.

``None`` nothing; ``"string" | "path" | "integer" | "number" | "boolean" | "any"`` a scalar; ``("list", shape)``;
``("optional", shape)``; ``("record", ((snake_name, wireName, shape), ...))``. ``"target"`` is a string that names one
of gg's functions, modules or types; an SDK takes the bound thing itself too, and sends its name.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use.

    ``timeout_s`` bounds the program's own execution, time parked in a call excluded; ``memory_bytes`` bounds the
    guest's linear memory.
    """

    timeout_s: float = 30.0
    memory_bytes: int = 256 << 20

    def __post_init__(self) -> None:
        """Check the limits.

        :raises UsageError: when one is out of range.
        """
        if not (math.isfinite(self.timeout_s) and 0 < self.timeout_s <= MAX_TIMEOUT_S):
            raise UsageError(f"a timeout is more than 0 and at most {MAX_TIMEOUT_S} seconds, not {self.timeout_s:g}")
        if not MIN_MEMORY_BYTES <= self.memory_bytes <= MAX_MEMORY_BYTES:
            low, high = MIN_MEMORY_BYTES >> 20, MAX_MEMORY_BYTES >> 20
            raise UsageError(f"memory is {low} to {high} MiB, not {self.memory_bytes / (1 << 20):g}")


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Determinism:
    """A fixed clock and fixed randomness for the programs of a session.

    ``seed`` is what all randomness follows from; ``clock_s`` is what a clock shows before the first turn, in seconds
    since the epoch.
    """

    seed: int = 0
    clock_s: float = 1_767_225_600.0

    def __post_init__(self) -> None:
        """Check the values.

        :raises UsageError: when one is out of range.
        """
        seed: Any = self.seed
        if isinstance(seed, bool) or not isinstance(seed, int) or not -(1 << 63) <= seed < 1 << 63:
            raise UsageError(f"a seed is an integer of 64 bits, not {seed!r}")
        if not (math.isfinite(self.clock_s) and 0 <= self.clock_s <= MAX_CLOCK_S):
            raise UsageError(f"a clock shows 0 to {MAX_CLOCK_S:g} seconds since the epoch, not {self.clock_s:g}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an operation. ``name`` is snake_case, ``wire`` camelCase; ``kind`` is a scalar `Shape`."""

    name: str
    wire: str
    kind: Shape
    required: bool
    doc: str = ""

    def __post_init__(self) -> None:
        """Turn a shape that crossed a process as a list into what it was."""
        object.__setattr__(self, "kind", _shape(self.kind))


@dataclass(frozen=True, slots=True)
class RecordSpec:
    """A record that an operation takes or answers; ``fields`` say what is in it, ``doc`` is its own docstring."""

    name: str
    fields: tuple[Parameter, ...]
    doc: str = ""

    @property
    def shape(self) -> Shape:
        """Return the record's `Shape`."""
        return ("record", tuple((field.name, field.wire, field.kind) for field in self.fields))


@dataclass(frozen=True, slots=True)
class OperationSpec:
    """One row of the operations table as arms render it: required parameters positional, optional ones by name.

    ``records`` are those its result and its arguments are made of, for the documentation.
    """

    id: str
    module: str
    name: str
    parameters: tuple[Parameter, ...]
    result: Shape
    summary: str
    detail: str = ""
    errors: tuple[tuple[str, str], ...] = ()
    records: tuple[RecordSpec, ...] = ()

    def __post_init__(self) -> None:
        """Turn shapes that crossed a process as lists into what they were."""
        object.__setattr__(self, "result", _shape(self.result))


def _shape(value: Any) -> Shape:
    if isinstance(value, list | tuple):
        return tuple(_shape(item) for item in cast("list[Any]", value))
    shape: Shape = value
    return shape


@dataclass(frozen=True, slots=True)
class ArmInfo:
    """What an arm says of itself.

    ``guest`` is ``shared`` when one prebuilt guest runs every program (``guest_path`` is its wasm and ``guest_form``
    its ABI form) and ``per_program`` when the compile step makes one. ``case`` is how the language writes names.
    ``print_call`` is what its users print with: the success notice names it. ``import_line`` imports a code module in
    a program, ``{key}`` standing for its name.

    An arm whose prepare step runs ``compilers`` declares them here. ``toolchain`` identifies what `gg_build_toolchain`
    makes for them (see `Machine.fingerprint`); empty for an arm that needs nothing built. ``strategy`` is how the
    engine compiles a program's own module: ``winch`` in a single pass, or ``cranelift`` for modules that Winch refuses
    (those with exceptions).
    """

    id: str
    display_name: str
    print_call: str
    extensions: tuple[str, ...]
    guest: Literal["shared", "per_program"]
    guest_path: str | None = None
    guest_form: Literal["core", "component"] = "core"
    checker: str | None = None
    case: Literal["camel", "snake"] = "camel"
    member_separator: str = "."
    compiles: bool = False
    compilers: tuple[Compiler, ...] = ()
    toolchain: str = ""
    strategy: Literal["winch", "cranelift"] = "winch"
    import_line: str = ""

    @property
    def starts_at_once(self) -> bool:
        """Say whether nothing comes between a program's submission and its run: no compiler, and a shared guest."""
        return self.guest == "shared" and not self.compiles

    def spell(self, module: str, name: str) -> str:
        """Return how a program writes one of gg's functions, such as ``gg.files.readFile``."""
        return self.member_separator.join(("gg", module, self.spell_name(name)))

    def spell_name(self, name: str) -> str:
        """Return a snake_case name in the language's case."""
        if self.case == "snake":
            return name
        first, *rest = name.split("_")
        return first + "".join(word.capitalize() for word in rest)


@dataclass(frozen=True, slots=True)
class CodeModule:
    """The code half of a skill or memory: importable by the program under ``name``."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class PreparedModule(CodeModule):
    """A code module as `gg_prepare_module` left it: ``built`` is what its arm made of it, empty where it made nothing.

    It is kept for one agent and given to each preparation of its programs.
    """

    built: bytes = b""


@dataclass(frozen=True, slots=True)
class Program:
    """What the model submitted: ``source`` is compiled as it is; ``index`` is its place in the turn, from 0."""

    source: str
    index: int = 0


@dataclass(frozen=True, slots=True)
class Prepared:
    """What `gg_prepare` made of a program: whatever the same arm's `gg_compile` wants, in ``payload``."""

    program: Program
    modules: tuple[CodeModule, ...] = ()
    payload: Any = None


@dataclass(frozen=True, slots=True)
class CompileRejected:
    """The language's compiler rejected the program; ``diagnostic`` is its output, verbatim and whole.

    ``exit_status`` and ``signal`` are how it ended: a compiler that crashed rejected nothing (design 7.3).
    """

    diagnostic: bytes
    exit_status: int | None = None
    signal: int | None = None


@dataclass(frozen=True, slots=True)
class ToolchainFailed:
    """The toolchain crashed or could not be started; ``detail`` is for the operator alone."""

    detail: str


OutcomeKind: TypeAlias = Literal["returned", "rejected", "failed", "exited", "time_limit", "trapped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, as `gg_run` answers it.

    ``parts`` are ``(role, text)`` in the order the runtime composed them: role ``message`` holds no frame, ``stack``
    holds frames that trimming may drop, ``trap`` is the sandbox's own text, and ``stderr`` what the runtime wrote of
    the error to standard error (`Membrane.stderr`), which is then not told twice. ``status`` is an explicit exit's.
    """

    kind: OutcomeKind
    parts: tuple[tuple[str, str], ...] = ()
    status: int | None = None


TrimKind: TypeAlias = Literal["compile", "runtime"]


@dataclass(frozen=True, slots=True)
class Trimming:
    """What `gg_trim` answers: byte ranges of its input to keep, ascending, and what was dropped.

    ``band`` is decided on the whole text, exit status and signal, before anything is cut.
    """

    band: Literal["Compiler error", "Runtime error", "Notice", "clean"]
    ranges: tuple[tuple[int, int], ...] = ()
    dropped_lines: int = 0
    dropped_diagnostics: int = 0
    dropped_frames: int = 0


@dataclass(frozen=True, slots=True)
class AgentStop:
    """An ending that stands unless a plugin objects. ``operation`` declared it, such as ``session.finish``.

    ``arm`` is empty where the model calls tools.
    """

    arm: str
    role: str
    turn: int
    operation: str
    summary: str


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that is about to be dispatched. ``arguments`` are plain values by their snake_case names.

    ``arm`` is empty where the model calls tools.
    """

    arm: str
    role: str
    turn: int
    operation: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DocumentationEntry:
    """One page of an agent's documentation, as an arm renders it (`gg_documentation`).

    ``key`` is gg's own name: ``files.read_file``, ``files``, ``files.FileText``. ``name`` and ``fqn`` are the
    language's: ``readFile`` and ``gg.files.readFile``. ``signature`` is how it is declared, a line for each way to
    call it, ``brief`` one sentence, ``detail`` what else there is to find by words (argument descriptions included),
    ``body`` the page without its
    heading. ``operations`` are the ids that the page is about: the function's own, or those that use the type. What of
    a module or a type depends on what the agent holds (its functions, who returns it) is not in ``body``: gg adds it.
    """

    key: str
    kind: Literal["function", "type", "module"]
    module: str
    name: str
    fqn: str
    signature: str
    brief: str
    detail: str
    body: str
    operations: tuple[str, ...] = ()
