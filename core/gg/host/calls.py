"""What a program's calls and a model's own calls share: the services they are given, and the desk that answers them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gg.operations.bracket import CallDesk
from gg.operations.context import CallContext
from gg.operations.context_ops import CompactionRequest
from gg.operations.ending import Ending
from gg.operations.gate import Gate
from gg.operations.programs import HandOver
from gg.stream.record import ProgramRecord
from gg.types import AgentStop, ArmInfo, PendingCall
from gg.window.views import Views

if TYPE_CHECKING:
    from gg.host.session import Session

__all__ = ["TurnState", "make_desk", "objections"]


@dataclass
class TurnState:
    """What the submissions of a turn share: the ending, and what bounds hold for the whole of it.

    ``documented`` is what had a documentation view when the turn began.
    """

    documented: frozenset[str] = frozenset()
    ending: Ending = field(default_factory=Ending)
    composed_bytes: int = 0
    handed_over: int = 0
    run_ms: float = 0.0
    compaction: CompactionRequest = field(default_factory=CompactionRequest)


def make_desk(
    session: Session, state: TurnState, info: ArmInfo, hand_over: HandOver, views: Views, record: ProgramRecord,
    *, gate: Gate | None = None, ending: Ending | None = None,
) -> CallDesk:  # fmt: skip
    """Return the desk that answers calls, with the services of the session's agent behind it.

    :param gate: narrower than the session's, for code that is not the model's own program.
    :param ending: what takes an ending, where it is not the turn's.
    """
    context = CallContext(
        session.workspace, views, ending or state.ending, info, hand_over, session.library, session.deferred.add,
        lambda: session.cancelled, session.run_ends, session.documentation, state.compaction, session.knowledge,
    )  # fmt: skip
    context = session.tape.context(context)
    guards = session.host.judges.pre_call

    def objection(operation: str, arguments: dict[str, Any]) -> str | None:
        assert guards is not None
        call = PendingCall(session.info.id, session.role, session.window.turn, operation, arguments)
        return guards(call, session.tell_of_plugin)

    return CallDesk(
        session.host.table,
        gate or session.gate,
        context,
        record,
        session.run_ends,
        objection if guards is not None else None,
        session.tape,
    )


def objections(session: Session, ending: Ending) -> list[str]:
    """Ask the plugins about an ending; where any rejects it, take it back, say so, and return the reasons."""
    assert ending.summary is not None
    stop = AgentStop(session.info.id, session.role, session.window.turn, ending.operation, ending.summary)
    judges = session.host.judges
    reasons = session.tape.fact("judged", lambda: judges.agent_stop(stop, session.tell_of_plugin), list[str]())
    if reasons:
        ending.revoke()
        session.stream.log("warn", "ending_rejected", "a plugin rejected the ending", reasons=reasons)
    return reasons
