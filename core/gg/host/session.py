"""`Session`: one agent's window, stream and worker, and the turns it takes."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gg.documentation import Documentation
from gg.errors import ArmUnavailable, SessionClosed, UsageError
from gg.host.reply import Reply
from gg.host.turn import Turn, TurnRunner
from gg.host.workers import Worker, WorkerGone, describe
from gg.library import Library
from gg.operations.deferred import Deferred
from gg.operations.gate import Gate
from gg.operations.table import Operation
from gg.record.determinism import world_of
from gg.record.tape import NO_TAPE, Tape
from gg.stream.events import AgentSurface, Event, SessionEnded, SessionStarted, SurfaceFunction, SurfaceModule
from gg.stream.stream import Sink, Stream
from gg.types import ArmInfo, Determinism, Limits
from gg.warden.messages import PluginRef
from gg.window.clean import clean_text
from gg.window.messages import Message
from gg.window.prompt import submit_program_tool, system_prompt
from gg.window.render import openai_messages
from gg.window.window import Window
from gg.workspace import Workspace

if TYPE_CHECKING:
    from gg.host.host import Host

__all__ = ["Session"]

_MODE = "responses-as-code"


class Session:
    """A conversation with one agent. Made by `Host.session`; used by one thread at a time.

    ``ended`` is true once an ending stands, and ``summary`` is then what it said.
    """

    def __init__(
        self, host: Host, arm: PluginRef, workspace: Workspace, gate: Gate, limits: Limits, *,
        library: Library | None, role: str, sinks: Iterable[Sink], run_timeout_s: float | None,
        determinism: Determinism | None = None, tape: Tape = NO_TAPE,
    ) -> None:  # fmt: skip
        self.host, self.arm, self.workspace, self.gate, self.limits = host, arm, workspace, gate, limits
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
        self.documentation = Documentation(
            host.table, gate, lambda: host.catalogues.of(arm, self.info, self.tell_of_plugin)
        )
        self.release = contextlib.ExitStack()
        self._closed = False
        self._lock = threading.Lock()
        self._turning = threading.Lock()
        self._worker: Worker | None = None
        self._told_of: int | None = None
        try:
            tape.attach(self)
            self._start()
        except BaseException:
            self.drop_worker()
            tape.abandoned()
            raise

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

    def messages(self) -> list[dict[str, Any]]:
        """Return the window as the next request carries it, in the OpenAI chat shape."""
        return openai_messages(self.window)

    def tools(self) -> list[dict[str, object]]:
        """Return the one tool the request offers, in the OpenAI shape."""
        return [submit_program_tool(self.info)]

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
            turn = TurnRunner(self).take(read)
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
        self.tape.ended(self.window)
        if self._worker is not None:
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
        self.stream.log("debug", "warm_up_done", "the worker and its guest are ready")
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

    def guest_context(self) -> str:
        """Return the guest's context object (guest ABI v1)."""
        return self._context

    # -- starting -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self.stream.log("debug", "warm_up_started", "the worker and its guest are starting")
        hello = None
        for attempt in (1, 2):  # a worker killed while it started is replaced once
            try:
                hello = self.worker().hello()
                break
            except WorkerGone as gone:
                self.drop_worker()
                if attempt == 2:
                    raise ArmUnavailable(self.arm.name, str(gone)) from None
                self.stream.log("warn", "worker_died", str(gone))
        assert hello is not None
        self.info: ArmInfo = hello.info
        held = self.operations()
        modules = list(dict.fromkeys(row.module for row in held))
        self._context = json.dumps({"modules": modules, "lib": False, "code": []})
        self.window.push(Message("system", system_prompt(self.info, held), "system"))
        self.stream.emit(
            SessionStarted(
                arm=self.info.id,
                mode=_MODE,
                library=self.library is not None,
                grants=modules,
                confinement=hello.confinement,
            )
        )
        self.stream.emit(AgentSurface(arm=self.info.id, mode=_MODE, modules=[self._surface(m, held) for m in modules]))
        self._tell_operator(hello.confinement, hello.reason)

    def _tell_operator(self, confinement: str, reason: str | None) -> None:
        if confinement != "full":
            self.stream.log("warn", "confinement_off", f"workers are not confined: {reason}", confinement=confinement)
        if (cache := self.host.warden.cache_reason) is not None and self.host.settings.cache != "off":
            self.stream.log("warn", "cache_unavailable", f"compiled guests are not kept: {cache}")
        if self.host.plugins:
            for failure in self.host.plugins.failures:
                self.stream.log("error", "plugin_failed", str(failure), distribution=failure.distribution)
        for rejected, distribution in self.host.rejected_rows:
            self.stream.log("error", "plugin_failed", rejected, distribution=distribution or "no distribution")

    def _surface(self, module: str, held: list[Operation]) -> SurfaceModule:
        functions = [
            SurfaceFunction(
                name=self.info.spell_name(row.name), spelling=self.info.spell(module, row.name), operation=row.id
            )
            for row in held
            if row.module == module
        ]
        return SurfaceModule(module=module, path=self.info.member_separator.join(("gg", module)), functions=functions)

    def _check_open(self) -> None:
        if self._closed or self.ended:
            raise SessionClosed("the session has ended" if self.ended else "the session is closed")
