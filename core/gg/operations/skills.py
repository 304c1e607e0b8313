"""The ``skills`` module: reading a skill, which puts its code to use."""

from __future__ import annotations

from gg.knowledge import MAX_SCRIPTS, Knowledge, Owner, Skill, TooManyScripts
from gg.operations.context import CallContext
from gg.operations.table import Arguments, Operation, OperationFailure
from gg_rust_ext import clip

__all__ = ["MODULE", "SKILLS_OPERATIONS", "knowledge_of", "put_to_use"]

MODULE = "skills"


class _Read(Arguments, frozen=True):
    name: str


def knowledge_of(context: CallContext) -> Knowledge:
    """Return the agent's knowledge; the gate has refused the call already where it has none."""
    if context.knowledge is None:
        raise OperationFailure("unavailable", "this session has no skills and no memories")
    return context.knowledge


def put_to_use(knowledge: Knowledge, owner: Owner, entry: Skill) -> None:
    """Have an entry's code loaded and its on-use script queued.

    :raises OperationFailure: ``limit-exceeded`` when too many scripts wait.
    """
    try:
        knowledge.code.use(owner, entry.code, entry.on_use)
    except TooManyScripts:
        message = f"{MAX_SCRIPTS} on-use scripts wait to be run, and no more than that may"
        raise OperationFailure("limit-exceeded", message) from None


def _read_skill(context: CallContext, arguments: _Read) -> str:
    knowledge = knowledge_of(context)
    skill = knowledge.skills.get(arguments.name)
    if skill is None:
        names = ", ".join(f"`{name}`" for name in knowledge.skills) or "none"
        raise OperationFailure("not-found", f"there is no skill {clip(arguments.name, 64)!r}; the skills are: {names}")
    put_to_use(knowledge, Owner("skill", skill.name), skill)
    if skill.name not in knowledge.pinned:
        knowledge.pinned.add(skill.name)
        if skill.body.strip():
            context.views.pin_skill(skill.name, skill.body)
    return skill.body


SKILLS_OPERATIONS = (
    Operation(
        "skills.read_skill",
        _Read,
        _read_skill,
        str,
        "Read a skill: its text is returned, and stands in your context from the next turn on.",
        "Where the skill has code, your next program can import it from `lib`.",
        docs=(("name", "The skill's name."),),
        errors=(
            ("not-found", "There is no skill of this name; the message lists those there are."),
            ("limit-exceeded", "Too many on-use scripts wait to be run."),
        ),
    ),
)
