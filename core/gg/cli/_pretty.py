"""The conversation on a terminal: what was submitted, what the model reads, and the operator's feed between them."""

from __future__ import annotations

from collections.abc import Iterable

from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from gg.host.reply import Reply, read_submission
from gg.stream.escape import escape_controls
from gg.stream.pretty import FeedConsole
from gg.stream.pretty import Pretty as Feed
from gg.window.clean import clean_call, clean_text
from gg.window.messages import Message, ToolCall

__all__ = ["Pretty"]

_LEXERS = {"javascript": "javascript", "python": "python"}


class Pretty:
    """Prints a session as it happens. Colours only where the output is a terminal, or ``colour`` says so.

    ``event`` is the sink to give the session.
    """

    def __init__(self, *, colour: bool | None = None, language: str = "") -> None:
        self._console = FeedConsole(force_terminal=colour, highlight=False, soft_wrap=True)
        self._language = language
        self.event = Feed(self._console)

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
        """Print what the model submitted, or the tools it called."""
        if reply.content:
            self._console.print(Text("model ", style="bold magenta"), Text(escape_controls(reply.content)), sep="")
        for call in reply.tool_calls:
            if self.event.mode == "tool-calling":
                self._call(call)
            else:
                self._submission(call)

    def _submission(self, call: ToolCall) -> None:
        submission = read_submission(call)
        self._console.print(Text(f"model submits {call.id}", style="bold magenta"))
        if submission.program is not None:
            code = escape_controls(submission.program.rstrip("\n"))
            highlighted = Syntax("", _LEXERS.get(self._language, "text"), theme="ansi_dark").highlight(code)
            highlighted.rstrip()
            for line in highlighted.split("\n"):
                self._console.print(Text("  ").append_text(line))

    def _call(self, call: ToolCall) -> None:
        shown, _ = clean_call(call)
        self._console.print(Text(f"model calls {call.id}", style="bold magenta"))
        self._console.print(Text(_indent(escape_controls(f"{shown.name} {shown.argument_text}"))))

    def messages(self, messages: Iterable[Message]) -> None:
        """Print what the model reads next."""
        answer = "receipt" if self.event.mode == "responses-as-code" else "result"
        for message in messages:
            style = "bold blue" if message.heading is None else "bold white on blue"
            title = f"{answer} {message.tool_call_id}" if message.role == "tool" else message.heading or message.role
            self._console.print(Text(f" {escape_controls(title)} ", style=style))
            self._console.print(Text(_indent(escape_controls(message.content))))


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
