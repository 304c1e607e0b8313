"""The window: append-only within what a provider has cached, but for views that are closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gg.window.messages import Message

__all__ = ["Window"]


class Window:
    """Messages in the order the next request carries them."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self.turn = 0

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def push(self, message: Message) -> Message:
        """Append a message of the current turn."""
        message.turn = self.turn
        self._messages.append(message)
        return message

    def place_view(self, message: Message) -> bool:
        """Open a view. Return whether it replaced this turn's copy in place.

        A copy of an earlier turn stays as history, no longer open, and the new one goes to the tail.
        """
        message.turn = self.turn
        for index, old in enumerate(self._messages):
            if old.key is not None and old.key == message.key:
                if old.turn == self.turn:
                    self._messages[index] = message
                    return True
                old.key = old.selector = None
                self._messages.append(message)
                return True
        self._messages.append(message)
        return False

    def close(self, selector: str) -> list[Message]:
        """Remove the open views of ``selector`` and return them."""
        closed = [m for m in self._messages if m.key is not None and m.selector == selector]
        self._messages = [m for m in self._messages if m not in closed]
        return closed

    def open_views(self) -> list[Message]:
        """Return the views that are open, in window order."""
        return [message for message in self._messages if message.key is not None]

    def of_turn(self, turn: int) -> list[Message]:
        """Return what was pushed to the model in ``turn``, in window order."""
        return [message for message in self._messages if message.turn == turn and message.role in ("tool", "user")]

    def ends_on_assistant(self) -> bool:
        """Say whether, receipts aside, the assembled window ends on the assistant's message."""
        for message in reversed(self._messages):
            if message.role != "tool":
                return message.role == "assistant"
        return False

    def bands(self) -> dict[str, int]:
        """Return the tokens of each band that holds any."""
        counter: Counter[str] = Counter()
        for message in self._messages:
            counter[message.band] += message.tokens
        return {band: count for band, count in counter.items() if count}
