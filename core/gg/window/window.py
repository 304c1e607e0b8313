"""The window: append-only within what a provider has cached, but for views that are closed and for compaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from gg.window.messages import Message

__all__ = ["Window"]


class Window:
    """Messages in the order the next request carries them; turns never go back in it."""

    def __init__(self, watch: Callable[[str, Message], None] = lambda _action, _message: None) -> None:
        """Make an empty window; ``watch`` is told of each change: ``push``, ``replace`` or ``remove``, and of what."""
        self._watch = watch
        self._messages: list[Message] = []
        self._views: dict[tuple[object, ...], Message] = {}
        self._bands: Counter[str] = Counter()
        self.turn = 0

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def push(self, message: Message) -> Message:
        """Append a message of the current turn."""
        message.turn = self.turn
        self._messages.append(message)
        self._bands[message.band] += message.tokens
        self._watch("push", message)
        return message

    def place_view(self, message: Message) -> bool:
        """Open a view. Return whether it replaced a copy that was open.

        This turn's copy is replaced in place. A copy of an earlier turn stays as history, no longer open, and the new
        one goes to the tail.
        """
        assert message.key is not None
        old = self._views.get(message.key)
        self._views[message.key] = message
        if old is not None and old.turn == self.turn:
            message.turn = self.turn
            self._bands[message.band] += message.tokens - old.tokens
            self._messages[self._index(old)] = message
            self._watch("replace", message)
            return True
        if old is not None:
            old.key = old.selector = None
        self.push(message)
        return old is not None

    def view(self, key: tuple[object, ...]) -> Message | None:
        """Return the open view of a key."""
        return self._views.get(key)

    def close(self, which: Callable[[Message], bool]) -> list[Message]:
        """Remove the open views that ``which`` picks and return them."""
        closed = [message for message in self._views.values() if which(message)]
        for message in closed:
            assert message.key is not None
            del self._views[message.key]
            del self._messages[self._index(message)]
            self._bands[message.band] -= message.tokens
            self._watch("remove", message)
        return closed

    def answer(self, message: Message, content: str) -> None:
        """Write the answer of a call of this turn into the message that keeps its place."""
        self._bands[message.band] -= message.tokens
        message.write(content)
        self._bands[message.band] += message.tokens

    def rewrite(self, messages: Iterable[Message]) -> list[Message]:
        """Put other messages in the place of all, and return those that went. Views among these are no longer open.

        Messages that come in keep the turn they say they are of.
        """
        before, self._messages = self._messages, list(messages)
        stays = {id(message) for message in self._messages}
        self._views = {key: view for key, view in self._views.items() if id(view) in stays}
        self._bands = Counter()
        for message in self._messages:
            self._bands[message.band] += message.tokens
        was = {id(message) for message in before}
        gone = [message for message in before if id(message) not in stays]
        for message in gone:
            self._watch("remove", message)
        for message in self._messages:
            if id(message) not in was:
                self._watch("push", message)
        return gone

    def open_views(self) -> list[Message]:
        """Return the views that are open, in window order."""
        places = {id(message): place for place, message in enumerate(self._messages)}
        return sorted(self._views.values(), key=lambda view: places[id(view)])

    def documented(self) -> frozenset[str]:
        """Return the keys of what has a documentation view."""
        return frozenset(str(key[1]) for key in self._views if key[0] == "docs")

    def picture_bytes(self) -> int:
        """Return how many bytes of pictures this turn's messages hold."""
        return sum(len(m.image.data) for m in self.of_turn(self.turn) if m.image is not None)

    def of_turn(self, turn: int) -> list[Message]:
        """Return what was pushed to the model in ``turn``, in window order."""
        found: list[Message] = []
        for message in reversed(self._messages):
            if message.turn < turn:
                break
            if message.turn == turn and message.role in ("tool", "user"):
                found.append(message)
        return found[::-1]

    def ends_on_assistant(self) -> bool:
        """Say whether, receipts aside, the assembled window ends on the assistant's message."""
        for message in reversed(self._messages):
            if message.role != "tool":
                return message.role == "assistant"
        return False

    def bands(self) -> dict[str, int]:
        """Return the tokens of each band that holds any."""
        return {band: count for band, count in self._bands.items() if count}

    def _index(self, message: Message) -> int:
        for place in range(len(self._messages) - 1, -1, -1):
            if self._messages[place] is message:
                return place
        raise ValueError("the message is not in the window")
