"""Compacting the window of a running session, and telling the operator of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from gg.errors import UsageError
from gg.host.strangers import Hung, Strangers
from gg.window.clean import clean_text
from gg.window.compaction import BadCompaction, Compacted, Strategy, answered, keep_what_was_pinned, rewritten
from gg.window.messages import Message

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
    """Return a strategy whose choice is recorded, and taken from the record in a replay. gg's own decides again."""
    if strategy is keep_what_was_pinned and not session.tape.replays:
        return strategy
    bounded = _bounded(session.host.strangers, strategy)

    def taped(messages: Sequence[Message], summary: str, files: Sequence[str]) -> Any:
        places = {id(message): place for place, message in enumerate(messages)}

        def ask() -> list[int] | str:
            try:
                answer: Any = bounded(messages, summary, files)
                kept = [places.get(id(message), -1) for message in answered(answer)]
            except BadCompaction as error:
                return str(error)
            except Hung as error:
                return f"it {error}"
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code: its failure is its own
                return f"it raised {type(error).__name__}: {error}"
            return kept

        kept = session.tape.fact("kept", ask, _OWN)
        if kept is _OWN:  # a replay of a session that chose as gg does
            return strategy(messages, summary, files)
        if isinstance(kept, str):
            raise BadCompaction(kept)
        return [messages[place] if 0 <= place < len(messages) else None for place in kept]

    return taped


_OWN: Any = object()


def _bounded(strangers: Strangers, strategy: Strategy) -> Strategy:
    """Return a strategy that does not go on for ever, in its call or in what it answers. gg's own needs no thread."""
    if strategy is keep_what_was_pinned:
        return strategy

    def bounded(messages: Sequence[Message], summary: str, files: Sequence[str]) -> Any:
        def ask() -> Any:
            answer: Any = strategy(messages, summary, files)
            if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
                return answer
            return list(islice(cast("Iterable[Any]", answer), len(messages) + 1))

        return strangers.call(ask)

    return bounded


def _name(strategy: Strategy) -> str:
    return repr(getattr(strategy, "__name__", type(strategy).__name__))
