"""The conversation on a terminal: what was submitted, what the model reads, and the operator's feed between them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from msgspec import UNSET
from rich.console import Console
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from gg.cli._escape import escape_controls
from gg.host.reply import Reply, read_submission
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
from gg.window.clean import clean_text
from gg.window.messages import Message

__all__ = ["Pretty"]

_STYLES = {"debug": "dim", "info": "cyan", "warn": "yellow", "error": "bold red"}
_LEXERS = {"javascript": "javascript", "python": "python"}


class _Console(Console):
    """A console that leaves a closed pipe to the command."""

    def on_broken_pipe(self) -> None:
        """Raise again what the write raised: the command answers with its own status."""
        raise BrokenPipeError


class Pretty:
    """Prints a session as it happens. Colours only where the output is a terminal, or ``colour`` says so."""

    def __init__(self, *, colour: bool | None = None, language: str = "") -> None:
        self._console = _Console(force_terminal=colour, highlight=False, soft_wrap=True)
        self._language = language
        self._spelling: dict[str, str] = {}
        self._open: dict[int, str] = {}

    def heading(self, text: str) -> None:
        """Print a rule with a title."""
        self._console.print(Rule(Text(text), style="bold"))

    def note(self, text: str) -> None:
        """Print a caption."""
        self._console.print(Text(f"-- {text}", style="bold dim"))

    def user(self, content: str) -> None:
        """Print what the user said."""
        self._console.print(Text("user  ", style="bold green"), Text(escape_controls(clean_text(content).text)), sep="")

    def reply(self, reply: Reply) -> None:
        """Print what the model submitted."""
        if reply.content:
            self._console.print(Text("model ", style="bold magenta"), Text(escape_controls(reply.content)), sep="")
        for call in reply.tool_calls:
            submission = read_submission(call)
            self._console.print(Text(f"model submits {call.id}", style="bold magenta"))
            if submission.program is not None:
                code = escape_controls(submission.program.rstrip("\n"))
                highlighted = Syntax("", _LEXERS.get(self._language, "text"), theme="ansi_dark").highlight(code)
                highlighted.rstrip()
                for line in highlighted.split("\n"):
                    self._console.print(Text("  ").append_text(line))

    def messages(self, messages: Iterable[Message]) -> None:
        """Print what the model reads next."""
        for message in messages:
            style = "bold blue" if message.heading is None else "bold white on blue"
            title = f"receipt {message.tool_call_id}" if message.role == "tool" else message.heading or message.role
            self._console.print(Text(f" {escape_controls(title)} ", style=style))
            self._console.print(Text(_indent(escape_controls(message.content))))

    def event(self, event: Event) -> None:
        """Print one event of the operator's stream. That the reader has gone is told by what is printed next."""
        with contextlib.suppress(BrokenPipeError):
            self._event(event)

    def _event(self, event: Event) -> None:
        level = level_of(event)
        if level == "debug" and not isinstance(event, AgentSurface | ViewRecord):
            return
        if isinstance(event, AgentSurface):
            self._spelling = {f.operation: f.spelling for m in event.modules for f in m.functions}
        elif isinstance(event, ApiCall):
            self._open[event.call] = self._spelled(event.operation)
        elif isinstance(event, ApiResult):
            spelled = self._open.pop(event.call, event.operation)
            mark, style = ("ok", "green") if event.ok else (str(event.failure), "yellow")
            self._feed(f"{spelled} ", style="cyan", tail=f"{mark} ({event.parked_ms:.2f} ms)", tail_style=style)
        elif isinstance(event, CodeExecution):
            self._code_execution(event)
        elif isinstance(event, LogLine):
            self._feed(f"{event.slug}: {event.message}", style=_STYLES[level])
        elif isinstance(event, Refusal):
            self._feed(f"refused {self._spelled(event.operation)}: {event.message}", style=_STYLES[level])
        elif isinstance(event, ViewRecord):
            what = event.message if event.message is not UNSET else f"{event.selector} (~{event.tokens} tokens)"
            self._feed(f"view {event.action}: {what}", style=_STYLES[level])

    def _spelled(self, operation: str) -> str:
        """Return an operation as the agent's language writes it, or by its id where the agent does not hold it."""
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
        if event.finished is not UNSET and event.finished and event.ok:
            self._console.print(Text("agent ", style="bold green"), Text(escape_controls(event.finished)), sep="")

    def _feed(self, text: str, *, style: str, tail: str = "", tail_style: str = "") -> None:
        line = Text("  . ", style="dim")
        line.append(escape_controls(text), style=style)
        line.append(escape_controls(tail), style=tail_style or style)
        self._console.print(line)


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
