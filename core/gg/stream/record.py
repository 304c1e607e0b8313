"""The operator's record of one program, under the caps of the messages page."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from msgspec import UNSET

from gg.operations.table import OperationFailure
from gg.stream.events import (
    ApiCall,
    ApiResult,
    CallRecord,
    CodeExecution,
    Event,
    LogLine,
    Refusal,
    UndocumentedCalls,
    ViewRecord,
    ViewsSuppressed,
)
from gg_rust_ext import clip

__all__ = ["MAX_CALLS", "MAX_FAILURE_BYTES", "MAX_REFUSALS", "MAX_VIEWS", "ProgramRecord"]

_MAX_TRACEBACK_BYTES = 4096

MAX_CALLS = 500
MAX_REFUSALS = 100
MAX_VIEWS = 100
MAX_FAILURE_BYTES = 512

_VIEW_KINDS = {"opened": "opened", "replaced": "opened", "closed": "closed", "refused": "refused"}


class ProgramRecord:
    """Counts and describes what one program did. ``emit`` is where its events go at once.

    ``documented`` are the operations of which a documentation view stood in the window when the turn began. A call
    the agent does not hold counts as neither: it can have no such view. Nor does one of code that is not the model's,
    while ``model_wrote`` is false.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self.tool_calls = 0
        self.api_calls = 0
        self.parked_ms = 0.0
        self.documented: frozenset[str] = frozenset()
        self.model_wrote = True
        self._undocumented: dict[str, int] = {}
        self._calls: list[CallRecord] = []
        self._refusals = 0
        self._views = {"opened": 0, "closed": 0, "refused": 0}

    # -- calls --------------------------------------------------------------------------------------------------------

    def call_opened(self, operation: str) -> None:
        """Open a call's bracket."""
        self.api_calls += 1
        self._emit(ApiCall(call=self.api_calls, operation=operation))

    def call_closed(
        self, operation: str, *, dispatched: bool, failure: OperationFailure | None, parked_ms: float
    ) -> None:
        """Close it. A call that was not dispatched though something backs it was refused before it ran."""
        self.parked_ms += parked_ms
        code = failure.code if failure else None
        if self.model_wrote and code != "unavailable" and operation not in self.documented:
            self._undocumented[operation] = self._undocumented.get(operation, 0) + 1
        if dispatched:
            self.tool_calls += 1
            if len(self._calls) < MAX_CALLS:
                message = clip(failure.message, MAX_FAILURE_BYTES) if failure else None
                self._calls.append(CallRecord(operation, failure is None, code, message))
        if failure is not None and not dispatched:
            if operation.startswith("views.") and failure.code != "unavailable":
                self.view("refused", message=clip(failure.message, MAX_FAILURE_BYTES))
            else:
                self._refused(operation, failure)
        elif failure is not None and operation == "views.open_file":
            self.view("refused", message=clip(failure.message, MAX_FAILURE_BYTES))
        self._emit(
            ApiResult(
                call=self.api_calls, operation=operation, ok=failure is None, failure=code or UNSET, parked_ms=parked_ms
            )
        )

    def _refused(self, operation: str, failure: OperationFailure) -> None:
        self._refusals += 1
        if self._refusals <= MAX_REFUSALS:
            message = clip(failure.message, MAX_FAILURE_BYTES)
            self._emit(Refusal(operation=operation, code=failure.code, message=message))

    def unreadable_request(self, reason: str) -> None:
        """Record a request that no call could be read from: a guest gone wrong, not a program's call."""
        self.api_calls += 1
        self._emit(ApiCall(call=self.api_calls, operation="unknown"))
        self.call_closed("unknown", dispatched=False, failure=OperationFailure("invalid-argument", reason), parked_ms=0)

    def handler_broke(self, operation: str, error: BaseException) -> None:
        """Record an exception of an operation's own code."""
        self._emit(
            LogLine(
                level="error",
                slug="operation_failed",
                message=f"the operation {operation} raised {type(error).__name__}: {error}",
                facts={"operation": operation, "detail": _traceback_end(error)},
            )
        )

    # -- views --------------------------------------------------------------------------------------------------------

    def view(
        self, action: str, kind: str | None = None, selector: str | None = None, tokens: int | None = None,
        message: str | None = None,
    ) -> None:  # fmt: skip
        """Record a view opened, replaced, closed or refused."""
        group = _VIEW_KINDS[action]
        self._views[group] += 1
        if self._views[group] <= MAX_VIEWS:
            self._emit(
                ViewRecord(
                    action=action,  # type: ignore[arg-type]
                    kind=UNSET if kind is None else kind,
                    selector=UNSET if selector is None else selector,
                    tokens=UNSET if tokens is None else tokens,
                    message=UNSET if message is None else message,
                )
            )

    # -- the event ----------------------------------------------------------------------------------------------------

    def fill(self, event: CodeExecution) -> None:
        """Write the counts into the program's event."""
        event.tool_calls = self.tool_calls
        if self.api_calls:
            event.api_calls = self.api_calls
        if self._undocumented:
            event.undocumented_calls = UndocumentedCalls(sum(self._undocumented.values()), self._undocumented)
        if self._calls:
            event.calls = self._calls
        if self.tool_calls > len(self._calls):
            event.calls_suppressed = self.tool_calls - len(self._calls)
        if self._refusals > MAX_REFUSALS:
            event.refusals_suppressed = self._refusals - MAX_REFUSALS
        over = {kind: max(0, count - MAX_VIEWS) for kind, count in self._views.items()}
        if any(over.values()):
            event.views_suppressed = ViewsSuppressed(**over)


def _traceback_end(error: BaseException) -> str:
    """Return the last bytes of a traceback: its end names the line that raised."""
    text = "".join(traceback.format_exception(error)).encode(errors="replace")
    return text[-_MAX_TRACEBACK_BYTES:].decode(errors="ignore")
