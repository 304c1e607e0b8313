"""All that one agent knows: the skills it was given, the memories it keeps, and the code of both."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from gg.knowledge.code import LoadedCode
from gg.knowledge.memories import Memories
from gg.knowledge.skills import Skill, read_skills
from gg.record.tape import NO_TAPE, Tape
from gg.types import ArmInfo

__all__ = ["Knowledge", "open_knowledge", "prompt_section"]


@dataclass
class Knowledge:
    """One agent's. ``pinned`` are the skills whose body stands in the window already."""

    skills: dict[str, Skill]
    memories: Memories
    code: LoadedCode
    pinned: set[str] = field(default_factory=set[str])


def open_knowledge(
    info: ArmInfo, skills: str | os.PathLike[str] | None, memories: str | os.PathLike[str] | None, tape: Tape = NO_TAPE
) -> Knowledge:
    """Read the skills and memories of a session; in a replay they are those that the session began with.

    :raises UsageError: naming the file that is at fault.
    """

    def find_skills() -> list[list[str | None]]:
        return [] if skills is None else [_plain(skill) for skill in read_skills(skills, info.extensions).values()]

    kept = Memories(None if tape.replays else memories, info.extensions)
    nothing: list[list[str | None]] = []
    read = [_skill(plain) for plain in tape.fact("skills", find_skills, nothing)]
    began = tape.fact("memories", lambda: [_plain(memory) for memory in kept], nothing)
    if tape.replays:
        for plain in began:
            kept.write(_skill(plain))
    return Knowledge({skill.name: skill for skill in read}, kept, LoadedCode(info))


def _plain(skill: Skill) -> list[str | None]:
    return [skill.name, skill.description, skill.body, skill.code, skill.on_use]


def _skill(plain: list[Any]) -> Skill:
    return Skill(*plain)


def prompt_section(knowledge: Knowledge, *, skills: bool, memories: bool) -> str:
    """Return the system prompt's list of skills, and of the memories that are there; empty where neither is held."""
    parts: list[str] = []
    for held, title, entries in (
        (skills, "Skills you can read", list(knowledge.skills.values())),
        (memories, "Memories of earlier sessions", list(knowledge.memories)),
    ):
        if held and entries:
            parts.append("\n".join(["", f"{title}:", *(f"- `{one.name}`: {one.description}" for one in entries)]))
    return "\n".join(parts)
