"""Reading a transcript: NDJSON lines of a conversation, checked whole before anything runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

from gg.errors import TranscriptError
from gg.host.reply import Reply
from gg.types import MODES, Mode

__all__ = ["SessionLine", "Transcript", "read_transcript"]

DEFAULT_ARM = "javascript"
_SESSION_KEYS = frozenset({"arm", "mode", "workspace", "grants", "library", "role", "skills", "plugins", "limits"})


@dataclass(frozen=True)
class SessionLine:
    """The transcript's first line, where it has one."""

    arm: str = DEFAULT_ARM
    workspace: str | None = None
    grants: list[str] | None = None
    library: bool = False
    timeout_s: float = 30.0
    memory_mib: float = 256.0
    role: str = "standard"
    plugins: list[str] | None = None
    mode: Mode = "responses-as-code"
    skills: str | None = None


@dataclass(frozen=True)
class Transcript:
    """A conversation: user messages (text) and the model's replies, in order."""

    session: SessionLine = field(default_factory=SessionLine)
    lines: list[str | Reply] = field(default_factory=list[str | Reply])


def read_transcript(data: bytes) -> Transcript:
    """Read a transcript.

    :raises TranscriptError: naming the line and what is wrong with it.
    """
    session = SessionLine()
    lines: list[str | Reply] = []
    configured = False
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TranscriptError(data.count(b"\n", 0, error.start) + 1, "is not UTF-8") from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        item = _object(number, line)
        if "session" in item:
            if lines or configured:
                raise TranscriptError(number, "configures the session after its start")
            for key in item:
                if key != "session":
                    raise TranscriptError(number, f"has the key {key!r} beside `session`, which stands alone")
            session, configured = _session(number, item["session"]), True
        else:
            lines.append(_message(number, item))
    return Transcript(session, lines)


def _object(number: int, line: str) -> dict[str, Any]:
    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is no JSON")

    try:
        item = json.loads(line, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        raise TranscriptError(number, f"is not JSON: {error}") from None
    if not isinstance(item, dict):
        raise TranscriptError(number, "is no JSON object")
    return cast("dict[str, Any]", item)


def _message(number: int, item: Mapping[str, Any]) -> str | Reply:
    role = item.get("role")
    if role == "user":
        content = item.get("content")
        if not isinstance(content, str):
            raise TranscriptError(number, "is a user message whose `content` is no string")
        return content
    if role == "assistant":
        try:
            return Reply.read(item)
        except ValueError as error:
            raise TranscriptError(number, str(error)) from None
    raise TranscriptError(number, f"has the role {role!r}, not 'user' or 'assistant'")


def _session(number: int, value: Any) -> SessionLine:
    if not isinstance(value, dict):
        raise TranscriptError(number, "has a `session` that is no object")
    given = cast("dict[str, Any]", value)
    for key in given:
        if key not in _SESSION_KEYS:
            raise TranscriptError(
                number, f"has an unknown session key {key!r}; the keys are {', '.join(sorted(_SESSION_KEYS))}"
            )
    mode: Mode = given.get("mode", "responses-as-code")
    if mode not in MODES:
        raise TranscriptError(number, f"asks for the mode {mode!r}, not one of {', '.join(MODES)}")
    limits = _limits(number, given.get("limits"))
    grants = _names(number, "grant", given.get("grants"))
    plugins = _names(number, "plugin", given.get("plugins"))
    library = given.get("library", "off")
    if library not in ("on", "off"):
        raise TranscriptError(number, f"has the library {library!r}, not 'on' or 'off'")
    return SessionLine(
        _text(number, given, "arm") or DEFAULT_ARM, _text(number, given, "workspace"), grants, library == "on",
        limits.get("timeout", 30.0), limits.get("memory", 256.0), _text(number, given, "role") or "standard", plugins,
        mode, _text(number, given, "skills"),
    )  # fmt: skip


def _text(number: int, given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is not None and not isinstance(value, str):
        raise TranscriptError(number, f"has a {key} that is no string")
    return value


def _limits(number: int, value: Any) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, dict) or set(cast("dict[str, Any]", value)) - {"timeout", "memory"}:
        raise TranscriptError(number, "has limits that are no {timeout, memory}")
    limits = cast("dict[str, Any]", value)
    for name, limit in limits.items():
        if isinstance(limit, bool) or not isinstance(limit, int | float):
            raise TranscriptError(number, f"has a {name} that is no number")
    return limits


def _names(number: int, what: str, value: Any) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise TranscriptError(number, f"has {what}s that are no list")
    names = cast("list[Any]", value)
    if not all(isinstance(name, str) for name in names):
        raise TranscriptError(number, f"has a {what} that is no string")
    return names
