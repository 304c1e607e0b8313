"""One message of the window, and the text that is sent for it."""

from __future__ import annotations

import base64
import functools
import json
from dataclasses import dataclass, field
from typing import Literal

from gg_rust_ext import count_tokens

__all__ = ["COMPILER_ERROR", "NOTICE", "RUNTIME_ERROR", "Band", "Image", "Message", "ToolCall", "headed"]

Band = Literal[
    "system",
    "user_prompt",
    "assistant",
    "tool_output",
    "compiler_errors",
    "runtime_errors",
    "file_views",
    "text_views",
    "docs_views",
    "search_results",
    "skills",
    "memories",
]

COMPILER_ERROR = "Compiler error"
RUNTIME_ERROR = "Runtime error"
NOTICE = "Notice"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model's: ``arguments`` is the text the provider gave, or the object it stands for."""

    id: str
    name: str
    arguments: str | dict[str, object]

    @property
    def argument_text(self) -> str:
        """Return the arguments as the JSON text that is sent."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Image:
    """A picture that goes out with a message. ``media_type`` is of its bytes, such as ``image/png``."""

    media_type: str
    data: bytes = field(repr=False)

    @functools.cached_property
    def base64(self) -> str:
        """Return the bytes as base64, made when it is first asked for."""
        return base64.b64encode(self.data).decode("ascii")

    @property
    def url(self) -> str:
        """Return the picture as a ``data:`` URL."""
        return f"data:{self.media_type};base64,{self.base64}"


@dataclass(slots=True)
class Message:
    """A message of the window.

    ``content`` is the body without its heading; ``text`` is what is sent. ``turn`` is 0 before the first turn;
    ``program`` the index of the program that pushed it. ``selector`` identifies a view while it is open. ``image`` goes
    out behind the text, and costs no tokens here: what a picture costs is the provider's own sum.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    band: Band
    heading: str | None = None
    turn: int = 0
    program: int | None = None
    tool_call_id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    selector: str | None = None
    key: tuple[object, ...] | None = None
    image: Image | None = None
    _tokens: int | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """Return what is sent: heading, rule and body, or the body alone."""
        return self.content if self.heading is None else headed(self.heading, self.content)

    def write(self, content: str) -> None:
        """Give it another body, before it is first sent."""
        self.content, self._tokens = content, None

    @property
    def tokens(self) -> int:
        """Return the exact o200k_base count of `text` and of the calls it carries."""
        if self._tokens is None:
            total = count_tokens(self.text)
            for call in self.tool_calls:
                total += count_tokens(call.name) + count_tokens(call.argument_text)
            self._tokens = total
        return self._tokens


def headed(heading: str, body: str) -> str:
    """Return a message's text: the heading, a rule, the body."""
    return f"{heading}\n----\n{body}"
