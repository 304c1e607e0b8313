"""All that one agent knows: the skills it was given, the memories it keeps, and the code of both."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from gg.knowledge.code import LoadedCode
from gg.knowledge.memories import Memories
from gg.knowledge.skills import Skill, read_skills
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
    info: ArmInfo, skills: str | os.PathLike[str] | None, memories: str | os.PathLike[str] | None
) -> Knowledge:
    """Read the skills and memories of a session.

    :raises UsageError: naming the file that is at fault.
    """
    read = {} if skills is None else read_skills(skills, info.extensions)
    return Knowledge(read, Memories(memories, info.extensions), LoadedCode(info))


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
