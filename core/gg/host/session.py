"""`Session`: one agent's window, stream and worker, and the turns it takes."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from gg.documentation import Catalogue, Documentation
from gg.errors import SessionClosed, UsageError
from gg.host.compaction import compact
from gg.host.reply import Reply
from gg.host.starting import begin
from gg.host.tool_calling import ToolTurn
from gg.host.turn import Turn, TurnRunner
from gg.host.workers import Worker, describe
from gg.library import Library
from gg.operations.deferred import Deferred
from gg.operations.gate import Gate
from gg.operations.table import Operation
from gg.record.determinism import world_of
from gg.record.tape import NO_TAPE, Tape
from gg.stream.events import Event, SessionEnded
from gg.stream.stream import Sink, Stream
from gg.types import ArmInfo, Determinism, Limits, Mode
from gg.warden.messages import PluginRef
from gg.window.clean import clean_text
from gg.window.compaction import Compacted, Strategy, keep_what_was_pinned
from gg.window.messages import Message
from gg.window.prompt import TOOL_NAME
from gg.window.shapes import check_shape, render, render_tool, render_tool_choice
from gg.window.tools import NO_LANGUAGE
from gg.window.window import Window
from gg.workspace import Workspace

if TYPE_CHECKING:
    from gg.host.host import Host

__all__ = ["Session"]


class Session:
    """A conversation with one agent. Made by `Host.session`; used by one thread at a time.

    ``ended`` is true once an ending stands, and ``summary`` is then what it said. ``mode`` is how its model acts; where
    it calls tools there is no arm.
    """

    def __init__(
        self, host: Host, arm: PluginRef | None, workspace: Workspace, gate: Gate, limits: Limits, *,
        library: Library | None, role: str, sinks: Iterable[Sink], run_timeout_s: float | None,
        compaction: Strategy | None = None,
        skills: str | os.PathLike[str] | None = None, memories: str | os.PathLike[str] | None = None,
        determinism: Determinism | None = None, tape: Tape = NO_TAPE,
    ) -> None:  # fmt: skip
        self.host, self.arm, self.workspace, self.gate, self.limits = host, arm, workspace, gate, limits
        self.mode: Mode = "tool-calling" if arm is None else "responses-as-code"
        self.compaction = compaction or keep_what_was_pinned
        self.tape = tape
        self.stream = Stream((*sinks, *(() if tape is NO_TAPE else (tape.event,))))
        self.window = Window(tape.window)
        self.determinism = determinism
        self.summary: str | None = None
        self.ended = False
        self.cancelled = False
        self._was_cancelled = False
        self.run_ends = None if run_timeout_s is None else time.monotonic() + run_timeout_s
        self.library = library
        self.role = role
        self.deferred = Deferred()
        self.documentation = Documentation(host.table, gate, self._catalogue)
        self.release = contextlib.ExitStack()
        self._closed = False
        self._lock = threading.Lock()
        self._turning = threading.Lock()
        self._worker: Worker | None = None
        self._told_of: int | None = None
        try:
            tape.attach(self)
            began = begin(self, skills, memories)
        except BaseException:
            self.drop_worker()
            tape.abandoned()
            raise
        self.info: ArmInfo = began.info
        self.knowledge = began.knowledge
        self._tools, self._context = began.tools, began.context

    # -- what an embedder calls ---------------------------------------------------------------------------------------

    def user(self, content: str) -> None:
        """Add a user message.

        :raises UsageError: when it is no text.
        """
        given: Any = content
        self._check_open()
        if not isinstance(given, str):
            raise UsageError(f"a user message is text, not {type(given).__name__}")
        text, deleted = clean_text(given)
        self.tape.user(given)
        self.tell_of_cleaning(deleted)
        self.window.push(Message("user", text, "user_prompt"))

    @overload
    def messages(self, shape: Literal["openai-chat", "openai-responses"] = ...) -> list[dict[str, Any]]: ...
    @overload
    def messages(self, shape: Literal["anthropic"]) -> dict[str, Any]: ...
    @overload
    def messages(self, shape: str) -> Any: ...
    def messages(self, shape: str = "openai-chat") -> Any:
        """Return the window as the next request carries it.

        :param shape: ``openai-chat``, a list of messages; ``openai-responses``, a list of input items; ``anthropic``,
            an object with ``system`` and ``messages``.
        :raises UsageError: for another shape.
        """
        return render(self.window, check_shape(shape))

    def tools(self, shape: str = "openai-chat") -> list[dict[str, Any]]:
        """Return the tools the request offers: `submit_program`, or one an operation where the model calls them.

        :param shape: as for `messages`.
        :raises UsageError: for another shape.
        """
        wanted = check_shape(shape)
        return [render_tool(tool, wanted) for tool in self._tools]

    def tool_choice(self, shape: str = "openai-chat") -> Any:
        """Return the request's choice of a tool: pinned to `submit_program`, or left to a model that calls tools.

        :param shape: as for `messages`.
        :raises UsageError: for another shape.
        """
        return render_tool_choice(TOOL_NAME if self.mode == "responses-as-code" else None, check_shape(shape))

    def compact(self, summary: str, files: Sequence[str] = (), *, strategy: Strategy | None = None) -> Compacted:
        """Put a summary in the place of what was said and shown so far; between two turns.

        :param files: paths whose views stay, for a strategy that keeps them.
        :param strategy: chooses the messages that stay, in the place of the session's own strategy.
        :returns: how many messages went, and how many tokens they held.
        :raises UsageError: for a blank summary, while a turn runs, or when the strategy breaks; nothing changes then.
        :raises SessionClosed: when the session has ended or was closed.
        """
        self._check_open()
        given: Any = summary
        if not isinstance(given, str) or not given.strip():
            raise UsageError("a summary is a text with words in it")
        paths: Any = files
        if isinstance(paths, str) or not all(isinstance(path, str) for path in paths):
            raise UsageError("the files of a compaction are a list of paths")
        if not self._turning.acquire(blocking=False):
            raise UsageError("a turn of this session is running")
        try:
            self.tape.compaction(summary, files)
            return compact(self, summary, tuple(files), strategy)
        finally:
            self._turning.release()

    def turn(self, reply: Reply | Mapping[str, Any]) -> Turn:
        """Take the model's reply: acknowledge its programs, run them, and push what the model reads next.

        :raises SessionClosed: when the session has ended or was closed.
        :raises UsageError: when the reply has no shape gg reads.
        """
        self._check_open()
        self.host.warden.check_process()
        try:
            read = Reply.read(reply)
        except ValueError as error:
            raise UsageError(f"the reply {error}") from None
        if not self._turning.acquire(blocking=False):
            raise UsageError("a turn of this session is running in another thread")
        try:
            self.tape.reply(self.window.turn + 1, read)
            turn = (TurnRunner if self.arm is not None else ToolTurn)(self).take(read)
        finally:
            with self._lock:
                self._was_cancelled, self.cancelled = self.cancelled, False
                if self._was_cancelled:
                    self.drop_worker()  # it was told to end, and may read one more program before it does
                self._turning.release()
        if turn.outcome != "continue":
            self.ended, self.summary = True, turn.summary
            self.stream.emit(SessionEnded(reason="finished" if turn.outcome == "finished" else "fatal"))
        self.tape.turn(turn.number, turn.outcome, turn.summary)
        return turn

    @property
    def events(self) -> list[Event]:
        """Return the events so far that belong to no turn."""
        return self.stream.events

    def cancel(self) -> None:
        """Stop the turn that is running, from any thread; its program ends as if its sandbox had, and no other runs.

        Between two turns there is nothing to stop, and the stream says so: the next turn is not affected.
        """
        with self._lock:
            running = self._turning.locked()
            if running:
                self.cancelled = True
                worker = self._worker
                if worker is not None:
                    self.host.warden.kill(worker.number)
        if not running:
            self.stream.log("info", "session_cancelled", "no turn was running, so nothing was stopped")

    def close(self) -> None:
        """End the session and its worker; a temporary workspace goes with it."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if not self.host.warden.is_ours():  # in a forked child: everything else is the parent's
            if self._worker is not None:
                self._worker.channel.close()
            self.workspace.close()
            return
        if not self.ended:
            self.stream.emit(SessionEnded(reason="cancelled" if self._was_cancelled or self.cancelled else "closed"))
        try:
            self.tape.ended(self.window)
        finally:
            if self._worker is not None and self.arm is not None:
                self.host.pool.give_back(self._worker, self.arm, self.limits)
                self._worker = None
            self.release.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- what a turn calls --------------------------------------------------------------------------------------------

    def worker(self) -> Worker:
        """Return the session's worker, starting another where the last one is spent, or has died while it idled."""
        if self._worker is not None and self._worker.ready is not None and self._worker.channel.readable():
            self.stream.log("warn", "worker_died", f"an idle worker ended: {describe(self._worker.died())}")
            self.drop_worker()
        if self._worker is None:
            assert self.arm is not None, "a session without an arm runs no program"
            self._worker = self.host.pool.take(self.arm, self.limits)
        return self._worker

    def stopped(self) -> bool:
        """Say whether the session was cancelled; asked between programs."""
        return self.tape.fact("cancelled", lambda: self.cancelled, False)

    def fixed_world(self, program: int, run: int) -> tuple[bytes, int] | None:
        """Return the seed and the clock, in nanoseconds, of a program of the current turn, or None for real ones."""
        return None if self.determinism is None else world_of(self.determinism, self.window.turn, program, run)

    def tell_of_cleaning(self, deleted: int) -> None:
        """Tell the operator of characters deleted from what goes to the model."""
        if deleted:
            self.stream.log("warn", "text_cleaned", f"{deleted} lone surrogates were deleted", characters=deleted)

    def tell_of_plugin(self, what: str, distribution: str) -> None:
        """Tell the operator of a plugin whose hook broke."""
        self.stream.log("error", "plugin_failed", what, distribution=distribution)

    def tell_of_warm_up(self) -> None:
        """Tell the operator, once a worker, that it is ready, and of what works here by its slower way."""
        worker = self._worker
        if worker is None or worker.ready is None or worker.number == self._told_of:
            return
        self._told_of = worker.number
        strategy = worker.ready.strategy
        self.stream.log("debug", "warm_up_done", "the worker and its guest are ready", strategy=strategy)
        for note in worker.ready.notes:
            self.stream.log("warn", "sandbox_fallback", f"a fallback is in use: {note}", what=note)

    def drop_worker(self) -> None:
        """Give up a worker that has died or must not run another program."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()

    def operations(self) -> list[Operation]:
        """Return the operations this agent holds, in table order."""
        return [row for row in self.host.table if self.gate.permits(row)]

    def _catalogue(self) -> Catalogue:
        if self.arm is None:
            return self.host.catalogues.of_tools(NO_LANGUAGE)
        return self.host.catalogues.of(self.arm, self.info, self.tell_of_plugin)

    def guest_context(self) -> str:
        """Return the guest's context object (guest ABI v1)."""
        return self._context

    def _check_open(self) -> None:
        if self._closed or self.ended:
            raise SessionClosed("the session has ended" if self.ended else "the session is closed")
