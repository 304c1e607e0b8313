"""Compacting the window of a running session, and telling the operator of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from gg.errors import UsageError
from gg.host.strangers import Hung
from gg.window.clean import clean_text
from gg.window.compaction import BadCompaction, Compacted, Strategy, answered, keep_what_was_pinned, rewritten
from gg.window.messages import Message

if TYPE_CHECKING:
    from gg.host.session import Session

__all__ = ["CompactionFailed", "compact"]

_OWN: Any = object()
"""No choice was recorded: the strategy was gg's own."""


class CompactionFailed(UsageError):
    """The strategy broke, or its answer is no window; the window is as it was."""


def compact(session: Session, summary: str, files: Sequence[str], strategy: Strategy | None = None) -> Compacted:
    """Rewrite the session's window by a strategy, its own where none is given.

    :raises CompactionFailed: after it was reported on the stream.
    """
    window = session.window
    chosen = strategy or session.compaction
    text, deleted = clean_text(summary)
    session.tell_of_cleaning(deleted)
    try:
        messages = rewritten(window, _taped(session, chosen), text, files)
    except BadCompaction as error:
        message = f"the window was not compacted: of the strategy {_name(chosen)}, {error}"
        session.stream.log("error", "compaction_failed", message)
        raise CompactionFailed(message) from error
    gone = window.rewrite(messages)
    done = Compacted(len(gone), sum(message.tokens for message in gone))
    what = f"{done.messages} messages of {done.tokens} tokens were replaced by a summary"
    session.stream.log("info", "compacted", what, messages=done.messages, tokens=done.tokens)
    return done


def _taped(session: Session, strategy: Strategy) -> Strategy:
    """Return a strategy whose choice is bounded in time, recorded, and taken from the record in a replay.

    gg's own strategy needs none of it: it decides again.
    """
    if strategy is keep_what_was_pinned and not session.tape.replays:
        return strategy

    def taped(messages: Sequence[Message], summary: str, files: Sequence[str]) -> Any:
        places = {id(message): place for place, message in enumerate(messages)}

        def choose() -> list[Any]:  # an answer without end is cut where it cannot be right any more
            return list(islice(answered(strategy(messages, summary, files)), len(messages) + 1))

        def ask() -> list[int] | str:
            try:
                return [places.get(id(message), -1) for message in session.host.strangers.call(choose)]
            except BadCompaction as error:
                return str(error)
            except Hung as error:
                return f"it {error}"
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code: its failure is its own
                return f"it raised {type(error).__name__}: {error}"

        kept = session.tape.fact("kept", ask, _OWN)
        if kept is _OWN:  # a replay of a session that chose as gg does
            return strategy(messages, summary, files)
        if isinstance(kept, str):
            raise BadCompaction(kept)
        return [messages[place] if 0 <= place < len(messages) else None for place in kept]

    return taped


def _name(strategy: Strategy) -> str:
    return repr(getattr(strategy, "__name__", type(strategy).__name__))
