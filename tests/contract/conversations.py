"""Conversations: sessions of several turns, written once in steps and held on every arm."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arms import Arm, Step
from support import Ran

from gg import Host, Limits, Reply, ToolCall
from gg.record.replay import Replay, replay
from gg.stream.events import to_wire

Programs = Sequence[Sequence[Step]]
RECORD = "session.ndjson"
LIMITS = Limits(1.0, 256 << 20)


@dataclass(frozen=True)
class Said:
    """One thing that happens in a conversation, in the order it was written down.

    ``programs`` are submitted as one turn, with ``content`` beside them; ``calls`` are tool calls as they come, each a
    name and arguments; ``user``, ``compact`` and ``file`` (path, text) come from outside.
    """

    programs: Programs | None = None
    content: str = ""
    calls: Sequence[tuple[str, Any]] | None = None
    user: str | None = None
    compact: str | None = None
    file: tuple[str, bytes] | None = None


@dataclass(frozen=True)
class Skill:
    """A skill of a conversation: its text, the code it has (a key of `Arm.code`, or source) and its on-use script."""

    body: str = "Do it well."
    code: str = ""
    on_use: Sequence[Step] = ()


@dataclass(frozen=True)
class Conversation:
    """What is said, and to what kind of session."""

    said: Sequence[Said]
    options: Mapping[str, Any] = field(default_factory=dict)
    skills: Mapping[str, Skill] = field(default_factory=dict)
    plugins: Sequence[Callable[[], object]] = ()
    operations: Callable[[], Sequence[Any]] | None = None


@dataclass(frozen=True)
class Turned:
    """One of the things said, and what came of it: a turn, or None; the windows before and after, as they go out."""

    said: Said
    source: Sequence[str]
    ran: Ran | None
    before: Sequence[Mapping[str, Any]]
    after: Sequence[Mapping[str, Any]]
    between: Sequence[Mapping[str, Any]]
    """Events of no turn."""


@dataclass(frozen=True)
class Held:
    """A conversation as it went, and the replay of its record."""

    turns: Sequence[Turned]
    replay: Replay


def turn(*programs: Sequence[Step], content: str = "") -> Said:
    """Return a turn that submits these programs."""
    return Said(programs=programs, content=content)


def calls(*made: tuple[str, Any], content: str = "") -> Said:
    """Return a turn that makes these tool calls."""
    return Said(calls=made, content=content)


def held(arm: Arm, name: str, conversation: Conversation) -> Held:
    """Return how a conversation went on an arm; it is held once a process."""
    key = (arm.id, name)
    if key not in _held:
        with TemporaryDirectory() as place, contextlib.ExitStack() as stack:
            host = stack.enter_context(_host_for(conversation)) if _is_special(conversation) else _plain_host()
            turns = tuple(_hold(host, arm, conversation, Path(place)))
            _held[key] = Held(turns, replay(Path(place) / RECORD, host=host))
    return _held[key]


_held: dict[tuple[str, str], Held] = {}


def _hold(host: Host, arm: Arm, conversation: Conversation, folder: Path) -> Iterator[Turned]:
    with contextlib.ExitStack() as stack:
        options: dict[str, Any] = {"limits": LIMITS, "deterministic": 7, **conversation.options}
        if conversation.skills:
            options["skills"] = _write_skills(folder, arm, conversation.skills)
        workspace = folder / "workspace"
        workspace.mkdir()
        between: list[Any] = []
        language = None if options.get("mode") == "tool-calling" else arm.id
        options |= {"workspace": workspace, "sinks": [between.append], "record": folder / RECORD}
        session = stack.enter_context(host.session(language, **options))
        for said in conversation.said:
            before, seen = session.messages(), len(between)
            source = [arm.program(program) for program in said.programs or ()]
            ran = None
            if said.user is not None:
                session.user(said.user)
            elif said.compact is not None:
                session.compact(said.compact)
            elif said.file is not None:
                (workspace / said.file[0]).write_bytes(said.file[1])
            else:
                made = [("submit_program", {"program": text}) for text in source] if said.calls is None else said.calls
                tool_calls = [ToolCall(f"c{n}", tool, arguments) for n, (tool, arguments) in enumerate(made, 1)]
                ran = Ran(session.turn(Reply(said.content, tool_calls)), session)
            events = [to_wire(event) for event in between[seen:]] if ran is None else []
            yield Turned(said, source, ran, before, session.messages(), events)


@cache
def _plain_host() -> Host:
    return Host(plugins=False)


def _is_special(conversation: Conversation) -> bool:
    return bool(conversation.plugins or conversation.operations)


@contextlib.contextmanager
def _host_for(conversation: Conversation) -> Iterator[Host]:
    operations = () if conversation.operations is None else conversation.operations()
    with Host(plugins=[] if conversation.plugins else False, operations=operations, spares=False) as host:
        if host.plugins is not None:
            for number, plugin in enumerate(conversation.plugins):
                host.plugins.register(plugin(), f"plugin{number}")
        yield host


def _write_skills(folder: Path, arm: Arm, skills: Mapping[str, Skill]) -> Path:
    for name, skill in skills.items():
        place = folder / "skills" / name
        place.mkdir(parents=True)
        (place / "skill.md").write_text(f"---\nname: {name}\ndescription: About {name}.\n---\n{skill.body}")
        if skill.code:
            (place / f"skill.{arm.extension}").write_text(arm.code.get(skill.code, skill.code))
        if skill.on_use:
            (place / f"on-use.{arm.extension}").write_text(arm.program(skill.on_use))
    return folder / "skills"
