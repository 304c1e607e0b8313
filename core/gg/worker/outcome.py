"""From what a guest reported and how its run came back, to an `Outcome`."""

from __future__ import annotations

import json
from typing import Any, cast

import wasmtime

from gg import wording
from gg.types import Limits, Outcome, OutcomeKind

__all__ = ["outcome_of"]

_KINDS: dict[str, OutcomeKind] = {"rejected": "rejected", "failed": "failed", "exited": "exited"}


def outcome_of(report: bytes | None, error: BaseException | None, limits: Limits) -> Outcome:
    """Say how a run ended. The guest's report comes first: what follows it is only the way out.

    :param report: the guest's report, JSON of the guest ABI.
    :param error: what the call of the guest's entry raised.
    """
    if report is not None:
        return _reported(report, limits)
    if error is None:
        return Outcome("returned")
    if isinstance(error, wasmtime.ExitTrap):
        return Outcome("returned") if error.code == 0 else _exited(error.code)
    text = str(error)
    if _interrupted(error, text):
        return Outcome("time_limit", (("message", wording.time_limit(limits.timeout_s)),))
    return Outcome("trapped", (("trap", text),))


def _interrupted(error: BaseException, text: str) -> bool:
    if isinstance(error, wasmtime.Trap):
        return error.trap_code == wasmtime.TrapCode.INTERRUPT
    return text.rstrip().endswith("wasm trap: interrupt")


def _exited(status: int, parts: tuple[tuple[str, str], ...] = ()) -> Outcome:
    return Outcome("exited", (("message", wording.exited(status)), *parts), status)


def _reported(report: bytes, limits: Limits) -> Outcome:
    try:
        # json, not msgspec: a guest's text may hold lone surrogates, which the host deletes.
        data = cast("dict[str, Any]", json.loads(report))
        kind = _KINDS[data["kind"]]
        parts = tuple((str(role), str(text)) for role, text in data.get("parts", []))
        status = data.get("status")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return Outcome("trapped", (("trap", f"the guest's report is unreadable: {type(error).__name__}"),))
    if kind != "exited":
        return Outcome(kind, parts)
    code = status if isinstance(status, int) else 1
    return Outcome("returned") if code == 0 else _exited(code, parts)
