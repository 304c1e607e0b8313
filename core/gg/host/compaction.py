"""Compacting the window of a running session, and telling the operator of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gg.errors import UsageError
from gg.window.clean import clean_text
from gg.window.compaction import BadCompaction, Compacted, Strategy, rewritten

if TYPE_CHECKING:
    from gg.host.session import Session

__all__ = ["CompactionFailed", "compact"]


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
        messages = rewritten(window, chosen, text, files)
    except (Exception, SystemExit) as error:  # a stranger's code: its failure is its own
        why = str(error) if isinstance(error, BadCompaction) else f"it raised {type(error).__name__}: {error}"
        message = f"the window was not compacted: of the strategy {_name(chosen)}, {why}"
        session.stream.log("error", "compaction_failed", message)
        raise CompactionFailed(message) from error
    gone = window.rewrite(messages)
    done = Compacted(len(gone), sum(message.tokens for message in gone))
    what = f"{done.messages} messages of {done.tokens} tokens were replaced by a summary"
    session.stream.log("info", "compacted", what, messages=done.messages, tokens=done.tokens)
    return done


def _name(strategy: Strategy) -> str:
    return repr(getattr(strategy, "__name__", type(strategy).__name__))
