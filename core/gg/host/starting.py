"""How a session starts: its worker is greeted, its knowledge read, its system prompt pushed, its operator told."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import UNSET

from gg.errors import ArmUnavailable
from gg.host.surface import surface_of_arm, surface_of_tools
from gg.host.workers import WorkerGone
from gg.knowledge import Knowledge, open_knowledge, prompt_section
from gg.protocol import Hello
from gg.stream.events import AgentSurface, SessionStarted
from gg.types import ArmInfo
from gg.warden.messages import PluginRef
from gg.window.messages import Message
from gg.window.shapes import Tool

if TYPE_CHECKING:
    from gg.host.session import Session

__all__ = ["Beginning", "begin"]


@dataclass(frozen=True)
class Beginning:
    """What a session knows once it has started. ``context`` is its guest's context object (guest ABI v1)."""

    info: ArmInfo
    knowledge: Knowledge
    tools: list[Tool]
    context: str


def begin(
    session: Session, skills: str | os.PathLike[str] | None, memories: str | os.PathLike[str] | None
) -> Beginning:
    """Start a session whose stream and window are there.

    :raises ArmUnavailable: when its arm cannot run here.
    :raises UsageError: for a skill or a memory that cannot be read.
    """
    hello = None if session.arm is None else _greet(session, session.arm)
    if hello is None:
        surface = surface_of_tools(session.host.table, session.gate)
    else:
        surface = surface_of_arm(hello.info, session.operations())
    knowledge = open_knowledge(surface.info, skills, memories, session.tape)
    modules = [module.module for module in surface.modules]
    known = prompt_section(knowledge, skills="skills" in modules, memories="memories" in modules)
    session.window.push(Message("system", surface.prompt + known, "system"))
    arm = surface.info.id or UNSET
    session.stream.emit(
        SessionStarted(
            arm=arm,
            mode=session.mode,
            library=session.library is not None,
            grants=modules,
            confinement=UNSET if hello is None else hello.confinement,
        )
    )
    session.stream.emit(AgentSurface(arm=arm, mode=session.mode, modules=surface.modules))
    _tell_operator(session, hello)
    context = json.dumps({"modules": modules, "lib": False, "code": []})
    return Beginning(surface.info, knowledge, surface.tools, context)


def _greet(session: Session, arm: PluginRef) -> Hello:
    """Start the worker and return what it says of itself."""
    session.stream.log("debug", "warm_up_started", "the worker and its guest are starting")
    try:
        return session.worker().hello()
    except WorkerGone as gone:  # a worker killed while it started is replaced once
        session.drop_worker()
        session.stream.log("warn", "worker_died", str(gone))
    try:
        return session.worker().hello()
    except WorkerGone as gone:
        session.drop_worker()
        raise ArmUnavailable(arm.name, str(gone)) from None


def _tell_operator(session: Session, hello: Hello | None) -> None:
    """Tell of what does not work here as it should."""
    stream, host = session.stream, session.host
    if hello is not None and hello.confinement != "full":
        message = f"workers are not confined: {hello.reason}"
        stream.log("warn", "confinement_off", message, confinement=hello.confinement)
    cache = None if hello is None else host.warden.cache_reason
    if cache is not None and host.settings.cache != "off":
        stream.log("warn", "cache_unavailable", f"compiled guests are not kept: {cache}")
    if host.plugins:
        for failure in host.plugins.failures:
            stream.log("error", "plugin_failed", str(failure), distribution=failure.distribution)
    for rejected, distribution in host.rejected_rows:
        stream.log("error", "plugin_failed", rejected, distribution=distribution or "no distribution")
