"""Compaction: which messages stay when a summary takes the place of the others.

A strategy is any callable ``(messages, summary, files) -> kept``: it gets the whole window and answers the messages of
it that stay. gg puts the summary behind the kept ones of earlier turns, and takes no answer that would break a window.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gg import wording
from gg.window.messages import NOTICE, Message
from gg.window.window import Window

__all__ = ["BadCompaction", "Compacted", "Strategy", "answered", "keep_what_was_pinned", "rewritten"]

Strategy = Callable[[Sequence[Message], str, Sequence[str]], Iterable[Message]]


class BadCompaction(Exception):
    """A strategy's answer is no window; the text says why."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction came to: how many messages went, and the tokens they held; the summary's are not counted."""

    messages: int
    tokens: int


def keep_what_was_pinned(messages: Sequence[Message], summary: str, files: Sequence[str]) -> list[Message]:  # noqa: ARG001 - a strategy's arguments
    """Keep the system prompt, documentation, skill bodies, the views of the named files, and the newest turn.

    Of documentation and files it is the copies that are open; older ones are history.
    """
    newest = max((message.turn for message in messages), default=0)
    return [
        message
        for message in messages
        if message.turn == newest
        or message.role == "system"
        or message.band == "skills"
        or (message.band == "docs_views" and message.key is not None)
        or (message.band == "file_views" and message.selector in files)
    ]


def rewritten(window: Window, strategy: Strategy, summary: str, files: Sequence[str]) -> list[Message]:
    """Return the window's messages as ``strategy`` wants them, with the summary in its place.

    The strategy is given copies: whatever it does to them, the window's own stay as they are.

    :raises BadCompaction: when the answer holds what is no message of the window, out of order or twice, lacks the
        system prompt, or parts a call from its answer. What the strategy raises goes through.
    """
    own = list(window)
    copies = [dataclasses.replace(message) for message in own]
    places = {id(copy): place for place, copy in enumerate(copies)}
    kept: list[int] = []
    for message in answered(strategy(tuple(copies), summary, tuple(files))):
        place = places.get(id(message))
        if place is None:
            raise BadCompaction("it answered something that is no message of the window")
        if kept and place <= kept[-1]:
            raise BadCompaction("it answered a message twice, or out of the window's order")
        kept.append(place)
    messages = [own[place] for place in kept]
    _check(own, messages)
    note = Message("user", wording.compacted(summary), "system", NOTICE, turn=max(window.turn - 1, 0))
    at = next((n for n, message in enumerate(messages) if message.turn == window.turn and message.role != "system"), -1)
    return [*messages, note] if at < 0 else [*messages[:at], note, *messages[at:]]


def answered(answer: Any) -> Iterable[Any]:
    """Return a strategy's answer as what it should be.

    :raises BadCompaction: for one that is no list of anything.
    """
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        raise BadCompaction(f"it answered {type(answer).__name__}, not the messages that stay")
    return cast("Iterable[Any]", answer)


def _check(own: Sequence[Message], kept: Sequence[Message]) -> None:
    """Check that what stays is a window still."""
    stays = {id(message) for message in kept}
    if any(message.role == "system" and id(message) not in stays for message in own):
        raise BadCompaction("it left out the system prompt")
    said: Message | None = None
    for message in own:
        if message.role == "assistant":
            said = message
        elif message.role == "tool" and (id(message) in stays) != (said is not None and id(said) in stays):
            raise BadCompaction("it kept a call without its answer, or an answer without its call")
