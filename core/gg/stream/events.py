"""The events of the operator's stream. camelCase on the wire; a field that has nothing to say is left out."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

__all__ = [
    "AgentSurface",
    "ApiCall",
    "ApiResult",
    "CallRecord",
    "CodeExecution",
    "ContextBreakdown",
    "Event",
    "Level",
    "LogLine",
    "LogSlug",
    "Refusal",
    "SessionEnded",
    "SessionStarted",
    "SurfaceFunction",
    "SurfaceModule",
    "TurnOutcome",
    "TurnTiming",
    "UndocumentedCalls",
    "ViewRecord",
    "ViewsSuppressed",
    "level_of",
    "to_wire",
]

Level = Literal["debug", "info", "warn", "error"]
LogSlug = Literal[
    "ending_replaced",
    "session_ending",
    "ending_revoked",
    "ending_rejected",
    "handover_not_run",
    "programs_not_run",
    "no_program",
    "no_submission",
    "toolchain_failed",
    "warm_up_started",
    "warm_up_done",
    "sandbox_fallback",
    "confinement_off",
    "trimmed",
    "worker_died",
    "toolchain_waited",
    "worker_note",
    "plugin_failed",
    "operation_failed",
    "gg_failed",
    "transcript_ignored",
    "cache_unavailable",
    "text_cleaned",
    "session_cancelled",
    "unknown_tool",
    "calls_not_run",
    "compacted",
    "compaction_failed",
    "code_loaded",
    "code_not_loaded",
    "on_use_failed",
    "record_failed",
]


class Event(msgspec.Struct, rename="camel", tag_field="type", kw_only=True):
    """What every event carries: ``seq`` counts from 1 in a session, ``ts`` is seconds since the epoch."""

    seq: int = 0
    ts: float = 0.0
    turn: int | UnsetType = UNSET
    program: int | UnsetType = UNSET


class CallRecord(msgspec.Struct, rename="camel", omit_defaults=True):
    """One dispatched call of a program."""

    operation: str
    ok: bool
    code: str | None = None
    message: str | None = None


class UndocumentedCalls(msgspec.Struct, rename="camel"):
    """Calls the model wrote without a documentation view of them."""

    calls: int
    operations: dict[str, int]


class ViewsSuppressed(msgspec.Struct, rename="camel"):
    """How many view records of each kind the caps dropped."""

    opened: int = 0
    closed: int = 0
    refused: int = 0


class CodeExecution(Event, tag="code_execution", kw_only=True):
    """One submitted program, whatever became of it."""

    ok: bool
    tool_calls: int
    api_calls: int | UnsetType = UNSET
    duration_ms: float | UnsetType = UNSET
    error: str | UnsetType = UNSET
    finished: str | UnsetType = UNSET
    logs: list[str] | UnsetType = UNSET
    logs_suppressed: int | UnsetType = UNSET
    compile_wait_ms: float | UnsetType = UNSET
    compile_ms: float | UnsetType = UNSET
    undocumented_calls: UndocumentedCalls | UnsetType = UNSET
    calls: list[CallRecord] | UnsetType = UNSET
    calls_suppressed: int | UnsetType = UNSET
    refusals_suppressed: int | UnsetType = UNSET
    views_suppressed: ViewsSuppressed | UnsetType = UNSET


class ApiCall(Event, tag="api_call", kw_only=True):
    """The opening half of a call's bracket."""

    call: int
    operation: str


class ApiResult(Event, tag="api_result", kw_only=True):
    """The closing half: ``failure`` is the error's code, ``parked_ms`` how long the program waited for it."""

    call: int
    operation: str
    ok: bool
    failure: str | UnsetType = UNSET
    parked_ms: float


class Refusal(Event, tag="refusal", kw_only=True):
    """A call refused before it ran."""

    operation: str
    code: str
    message: str


class ViewRecord(Event, tag="view", kw_only=True):
    """A view opened, replaced, closed or refused."""

    action: Literal["opened", "replaced", "closed", "refused"]
    kind: str | UnsetType = UNSET
    selector: str | UnsetType = UNSET
    tokens: int | UnsetType = UNSET
    message: str | UnsetType = UNSET


class LogLine(Event, tag="log", kw_only=True):
    """A line gg itself writes for the operator; ``facts`` are written beside the other fields."""

    level: Level
    slug: LogSlug
    message: str
    facts: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class SurfaceFunction(msgspec.Struct, rename="camel"):
    """A function an agent holds: gg's name, how its language spells it, and the operation behind it."""

    name: str
    spelling: str
    operation: str


class SurfaceModule(msgspec.Struct, rename="camel"):
    """A module an agent holds."""

    module: str
    path: str
    functions: list[SurfaceFunction]


class AgentSurface(Event, tag="agent_surface", kw_only=True):
    """What the agent holds: the feed reads a call's spelling from it."""

    arm: str | UnsetType = UNSET
    mode: str
    modules: list[SurfaceModule]


class TurnOutcome(Event, tag="turn_outcome", kw_only=True):
    """How the turn ended; ``error`` is the kind of the first failure."""

    outcome: Literal["continue", "finished", "fatal"]
    error: str | UnsetType = UNSET


class TurnTiming(Event, tag="turn_timing", kw_only=True):
    """How long the turn took: ``run_ms`` in programs, ``total_ms`` altogether."""

    total_ms: float
    run_ms: float


class ContextBreakdown(Event, tag="context_breakdown", kw_only=True):
    """Tokens of the assembled window by band."""

    bands: dict[str, int]


class SessionStarted(Event, tag="session_started", kw_only=True):
    """A session began."""

    arm: str | UnsetType = UNSET
    mode: str
    library: bool
    grants: list[str]
    confinement: str | UnsetType = UNSET
    tokenizer: str = "o200k_base"


class SessionEnded(Event, tag="session_ended", kw_only=True):
    """A session ended."""

    reason: Literal["finished", "closed", "cancelled", "fatal"]


def level_of(event: Event) -> Level:
    """Return how loud an event is. Quiet means nothing at info or above beside calls and ``code_execution``."""
    if isinstance(event, LogLine):
        return event.level
    if isinstance(event, Refusal):
        return "warn"
    if isinstance(event, ViewRecord):
        return "warn" if event.action == "refused" else "debug"
    if isinstance(event, CodeExecution | ApiCall | ApiResult | SessionStarted | SessionEnded):
        return "info"
    return "debug"


def to_wire(event: Event) -> dict[str, Any]:
    """Return an event as the JSON object that goes out."""
    wire: dict[str, Any] = msgspec.to_builtins(event)
    if isinstance(event, LogLine):
        facts = wire.pop("facts")
        wire.update({key: value for key, value in facts.items() if key not in wire})
    return wire
