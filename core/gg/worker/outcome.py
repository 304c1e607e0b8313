"""From what a guest reported and how its run came back, to an `Outcome`."""

from __future__ import annotations

import json
from typing import Any, cast

import wasmtime

from gg import wording
from gg.types import Limits, Outcome, OutcomeKind

__all__ = ["interrupted", "outcome_of"]

_KINDS: dict[str, OutcomeKind] = {"rejected": "rejected", "failed": "failed", "exited": "exited"}


def outcome_of(
    report: bytes | None, error: BaseException | None, limits: Limits, *, fired: bool = False, status: int | None = None
) -> Outcome:
    """Say how a run ended. The guest's report comes first: what follows it is only the way out.

    :param report: the guest's report, JSON of the guest ABI.
    :param error: what the call of the guest's entry raised.
    :param fired: whether the deadline had passed.
    :param status: what the guest gave to ``proc_exit``, where it left that way.
    """
    if report is not None:
        return _reported(report)
    if isinstance(error, wasmtime.ExitTrap):
        status = error.code
    if status is not None:
        return Outcome("returned") if status == 0 else _exited(status)
    text = "" if error is None else str(error)
    if fired or interrupted(error):
        return Outcome("time_limit", (("message", wording.time_limit(limits.timeout_s)),))
    return Outcome("returned") if error is None else Outcome("trapped", (("trap", text),))


def interrupted(error: BaseException | None) -> bool:
    """Say whether the deadline's epoch stopped the guest."""
    if isinstance(error, wasmtime.Trap):
        return error.trap_code == wasmtime.TrapCode.INTERRUPT
    return error is not None and str(error).rstrip().endswith("wasm trap: interrupt")


def _exited(status: int, parts: tuple[tuple[str, str], ...] = ()) -> Outcome:
    return Outcome("exited", (("message", wording.exited(status)), *parts), status)


def _reported(report: bytes) -> Outcome:
    try:
        # json, not msgspec: a guest's text may hold lone surrogates, which the host deletes.
        data = cast("dict[str, Any]", json.loads(report))
        kind = _KINDS[data["kind"]]
        parts = tuple((str(role), str(text)) for role, text in data.get("parts", []))
        status = data.get("status")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return Outcome("trapped", (("trap", f"the guest's report is unreadable: {type(error).__name__}"),))
    if kind != "exited":
        said = any(text.strip() for _, text in parts)
        return Outcome(kind, parts if said else (("message", wording.NOTHING_SAID),))
    code = status if type(status) is int and -(1 << 31) <= status < 1 << 32 else 1
    return Outcome("returned") if code == 0 else _exited(code, parts)
