"""Replaying a record: the same session again, with the record in place of the outside."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from gg.errors import RecordError, UsageError
from gg.host.host import Host
from gg.host.reply import Reply
from gg.record.divergence import Diverged, Divergence, RecordEnds
from gg.record.lines import CompactionLine, Ended, Header, ReplyLine, User
from gg.record.player import Player
from gg.record.reader import RecordReader
from gg.record.shapes import digest_of
from gg.types import MODES, Determinism, Limits, Mode
from gg.window.messages import ToolCall

if TYPE_CHECKING:
    from gg.host.session import Session
    from gg.stream.stream import Sink

__all__ = ["Replay", "replay"]


@dataclass(frozen=True)
class Replay:
    """What a replay came to.

    ``identical``: everything the record holds was reached again, the window byte for byte. ``complete``: the record
    goes to the closing of its session; ``torn``: its last line was cut and ignored. ``fed`` counts the ends of programs
    that were taken from the record, because the clock, a death or a cancel had decided them. ``messages`` and
    ``window`` are how many messages the replayed window holds, and their SHA-256.
    """

    header: Header
    identical: bool
    complete: bool
    torn: bool
    turns: int
    calls: int
    fed: int
    messages: int
    window: str
    divergence: Divergence | None = None

    @property
    def hint(self) -> str | None:
        """Return what may be behind a divergence."""
        if self.divergence is None or self.header.seed is not None:
            return None
        return (
            "the recorded session was not deterministic: a program that reads the clock or draws random numbers gets "
            "others in a replay"
        )


def replay(
    path: str | os.PathLike[str], *, host: Host | None = None, sinks: Iterable[Sink] = (),
    confinement: Literal["on", "off"] = "on",
) -> Replay:  # fmt: skip
    """Replay a session record. No workspace is touched, and no operation runs but gg's own on the window.

    The record is read line by line: what a replay keeps beside the session's own window does not grow with it, but for
    16 bytes a body.

    :param host: makes the session; None makes one with the plugins that were loaded then.
    :param sinks: called with each event of the replayed session.
    :raises RecordError: when the file is no record that this gg reads.
    :raises UsageError: when an arm, plugin or operation of the recorded session is not installed.
    :raises ArmUnavailable: when the arm cannot run here.
    """
    with RecordReader(path) as reader, ExitStack() as undo:
        header = reader.header
        if header.mode not in MODES:
            raise RecordError(1, f"is of a session in the mode {header.mode!r}, which this gg does not know")
        if host is None:
            host = undo.enter_context(Host(plugins=header.plugins, spares=False, confinement=confinement))
        player = Player(reader)
        return _Replaying(host, reader, player).run(sinks)


class _Replaying:
    """One replay."""

    def __init__(self, host: Host, reader: RecordReader, player: Player) -> None:
        self._host = host
        self._reader = reader
        self._player = player
        self._session: Session | None = None

    def run(self, sinks: Iterable[Sink]) -> Replay:
        """Replay until the record ends or the first divergence."""
        player, complete = self._player, False
        divergence: Divergence | None = None
        try:
            self._session = self._open(sinks)
            complete, divergence = self._play(self._session)
        except Diverged as diverged:
            divergence = diverged.divergence
        except RecordEnds:
            pass
        finally:
            player.stop()
            if self._session is not None:
                self._session.close()
        window = self._session.window if self._session is not None else ()
        return Replay(
            self._reader.header, divergence is None, complete, self._reader.torn, player.turns, player.calls,
            player.fed, len(window), digest_of(window), divergence,
        )  # fmt: skip

    def _open(self, sinks: Iterable[Sink]) -> Session:
        header = self._reader.header
        determinism = None
        if header.seed is not None:
            determinism = Determinism(header.seed) if header.clock is None else Determinism(header.seed, header.clock)
        return self._host.session(
            header.arm or None, mode=cast("Mode", header.mode), grants=header.grants,
            limits=Limits(header.timeout_s, header.memory_bytes), library=header.library, keep=header.keep,
            role=header.role, sinks=sinks, deterministic=determinism, tape=self._player,
        )  # fmt: skip

    def _play(self, session: Session) -> tuple[bool, Divergence | None]:
        """Feed what came in; say whether the record goes to the end of its session, and what differed there."""
        while (line := self._player.next_input()) is not None:
            if isinstance(line, User):
                session.user(line.content)
            elif isinstance(line, CompactionLine):
                with suppress(UsageError):  # it failed then too, and the stream says so
                    session.compact(line.summary, line.files)
            elif isinstance(line, ReplyLine):
                session.turn(_reply(line))
            else:
                return True, self._compare_ends(session, line)
        return False, None

    def _compare_ends(self, session: Session, line: Ended) -> Divergence | None:
        digest = digest_of(session.window)
        if (line.messages, line.window) == (len(session.window), digest):
            return None
        return Divergence(
            session.window.turn, None, self._reader.lines,
            f"a window of {line.messages} messages with the SHA-256 {line.window}",
            f"one of {len(session.window)} messages with {digest}",
        )  # fmt: skip


def _reply(line: ReplyLine) -> Reply:
    return Reply(line.content, [ToolCall(call.id, call.name, call.arguments) for call in line.tool_calls])
