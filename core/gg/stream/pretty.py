"""The activity feed: a session's events as lines for a person, its calls in the model's own vocabulary."""

from __future__ import annotations

import contextlib

from msgspec import UNSET
from rich.console import Console
from rich.text import Text

from gg.stream.escape import escape_controls
from gg.stream.events import (
    AgentSurface,
    ApiCall,
    ApiResult,
    CodeExecution,
    Event,
    LogLine,
    Refusal,
    ViewRecord,
    level_of,
)

__all__ = ["FeedConsole", "Pretty"]

_STYLES = {"debug": "dim", "info": "cyan", "warn": "yellow", "error": "bold red"}


class FeedConsole(Console):
    """A console that leaves a closed pipe to whoever prints."""

    def on_broken_pipe(self) -> None:
        """Raise again what the write raised."""
        raise BrokenPipeError


class Pretty:
    """Prints each event of one session as it happens.

    A call is shown as the agent's language writes it, by the surface the session reported; one that is not on it, by
    its id. The summary a session ends with is shown as the agent's own message. That the reader has gone is no error
    here: whatever is printed next finds out.

    :param console: where to; standard output when None, with colours where that is a terminal.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or FeedConsole(highlight=False, soft_wrap=True)
        self._spelling: dict[str, str] = {}
        self.mode = "responses-as-code"

    def __call__(self, event: Event) -> None:
        """Print the event, where it is for a person."""
        with contextlib.suppress(BrokenPipeError):
            self._event(event)

    def _event(self, event: Event) -> None:
        level = level_of(event)
        if isinstance(event, AgentSurface):
            self._spelling = {f.operation: f.spelling for m in event.modules for f in m.functions}
            self.mode = event.mode
        elif isinstance(event, ViewRecord):
            what = event.message if event.message is not UNSET else f"{event.selector} (~{event.tokens} tokens)"
            self._feed(f"view {event.action}: {what}", style=_STYLES[level])
        elif level == "debug" or isinstance(event, ApiCall):
            return
        elif isinstance(event, ApiResult):
            mark, style = ("ok", "green") if event.ok else (str(event.failure), "yellow")
            tail = f"{mark} ({event.parked_ms:.2f} ms)"
            self._feed(f"{self._spelled(event.operation)} ", style="cyan", tail=tail, tail_style=style)
        elif isinstance(event, CodeExecution):
            self._code_execution(event)
        elif isinstance(event, LogLine):
            if event.slug == "session_ending" and self.mode == "tool-calling":  # no program's event says it
                self._agent(str(event.facts.get("summary", "")))
            else:
                self._feed(f"{event.slug}: {event.message}", style=_STYLES[level])
        elif isinstance(event, Refusal):
            self._feed(f"refused {self._spelled(event.operation)}: {event.message}", style=_STYLES[level])

    def _spelled(self, operation: str) -> str:
        return self._spelling.get(operation, operation)

    def _code_execution(self, event: CodeExecution) -> None:
        took = "" if event.duration_ms is UNSET else f" in {event.duration_ms:.2f} ms"
        calls = 0 if event.api_calls is UNSET else event.api_calls
        waited = "" if event.compile_wait_ms is UNSET else f", waited {event.compile_wait_ms:.0f} ms for its guest"
        style = "bold green" if event.ok else "bold red"
        self._feed(
            f"program {'ok' if event.ok else 'failed'}{took}, {calls} {'call' if calls == 1 else 'calls'}{waited}",
            style=style,
        )
        for line in [] if event.logs is UNSET else event.logs:
            self._feed(f"  | {line}", style="dim")
        if event.finished is not UNSET and event.ok:
            self._agent(event.finished)

    def _agent(self, summary: str) -> None:
        if summary:
            self._console.print(Text("agent ", style="bold green"), Text(escape_controls(summary)), sep="")

    def _feed(self, text: str, *, style: str, tail: str = "", tail_style: str = "") -> None:
        line = Text("  . ", style="dim")
        line.append(escape_controls(text), style=style)
        line.append(escape_controls(tail), style=tail_style or style)
        self._console.print(line)
