"""`Host`: what an embedder makes one of. It owns the warden, the plugins, the operations and the pool."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Literal

from gg.config import Settings
from gg.errors import UsageError
from gg.host.catalogues import Catalogues
from gg.host.discovery import HostPlugins, check_plugins, find_arm, find_arms, find_worker_plugins
from gg.host.judges import Judges
from gg.host.recording import read_determinism, start_record
from gg.host.session import Session
from gg.host.sharing import CpuSharing
from gg.host.strangers import Strangers
from gg.host.warden import WardenClient
from gg.host.workers import Pool
from gg.library import Library
from gg.operations.builtin import builtin_operations
from gg.operations.ending import endings_of_other_roles
from gg.operations.gate import Gate
from gg.operations.programs import MODULE as PROGRAMS_MODULE
from gg.operations.skills import MODULE as SKILLS_MODULE
from gg.operations.table import Operation, OperationTable
from gg.record.tape import NO_TAPE, Tape
from gg.stream.stream import Sink
from gg.types import MODES, Determinism, Limits, Mode
from gg.warden.messages import PluginRef
from gg.window.compaction import Strategy
from gg.workspace import Workspace
from gg_rust_ext import load_tokens

__all__ = ["Host"]


class Host:
    """A host process's gg. Thread-safe; each session is used by one thread at a time.

    :param sinks: called with each event of every session.
    :param operations: rows added to the operations table for all sessions.
    :param confinement: ``off`` runs workers unconfined, and the stream says so.
    :param plugins: whether installed plugins (entry points ``gg.plugins``, ``gg.worker_plugins``) are loaded, or the
        names of those that are.
    :param spares: whether a worker is kept warm for the next session of the same arm and limits.
    :param share_cpu: whether a program's worker and the thread that waits for it share a CPU meanwhile.
    :param settings: what the environment says; read from it when None.
    :raises WardenError: when the warden cannot be started.
    :raises UsageError: for the name of a plugin that is not installed.
    """

    def __init__(
        self,
        *,
        sinks: Iterable[Sink] = (),
        operations: Sequence[Operation] = (),
        confinement: Literal["on", "off"] = "on",
        plugins: bool | Iterable[str] = True,
        spares: bool = True,
        share_cpu: bool = True,
        settings: Settings | None = None,
    ) -> None:
        only = None if isinstance(plugins, bool) else check_plugins(plugins)
        self.settings = settings or Settings.from_environment()
        self.warden = WardenClient(self.settings)  # first: it starts up while we go on
        threading.Thread(target=load_tokens, name="gg-tokens").start()
        self._sinks = list(sinks)
        self.strangers = Strangers()
        self.plugins = HostPlugins(only, self.strangers) if plugins is not False else None
        self.table = OperationTable(builtin_operations())
        self.rejected_rows: list[tuple[str, str]] = []
        added_rows = [(row, "") for row in operations] + (self.plugins.operations() if self.plugins else [])
        for row, distribution in added_rows:
            try:
                self.table.add(row)
            except ValueError as error:
                self.rejected_rows.append((str(error), distribution))
        self.judges = Judges(self.plugins, self.strangers)
        self._worker_plugins = find_worker_plugins(only) if plugins is not False else ()
        builtin = tuple(row.spec() for row in builtin_operations())  # a shared guest has these baked in
        own = {row.id for row in builtin}
        added = tuple(row.spec() for row in self.table if row.id not in own)
        self.pool = Pool(self.warden, self._worker_plugins, builtin, added, confinement, spares=spares)
        self.catalogues = Catalogues(self.pool, self.table)
        self.sharing = CpuSharing(enabled=share_cpu)
        self._closed = False

    @property
    def plugin_names(self) -> list[str]:
        """Return the names of the plugins that were loaded, of both sides."""
        host_side = self.plugins.names if self.plugins is not None else []
        return sorted({*host_side, *(ref.name for ref in self._worker_plugins)})

    def arms(self) -> dict[str, PluginRef]:
        """Return the installed arms by id."""
        return find_arms(self.settings)

    def session(
        self,
        language: str | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        grants: Iterable[str] | None = None,
        limits: Limits | None = None,
        library: bool = False,
        keep: int | None = None,
        role: str = "standard",
        sinks: Iterable[Sink] = (),
        run_timeout_s: float | None = None,
        mode: Mode = "responses-as-code",
        compaction: Strategy | None = None,
        skills: str | os.PathLike[str] | None = None,
        memories: str | os.PathLike[str] | None = None,
        record: str | os.PathLike[str] | None = None,
        deterministic: int | Determinism | None = None,
        tape: Tape | None = None,
    ) -> Session:
        """Start a session. Its worker, and its guest where need be, start at once beside the first model request.

        :param language: the id of an installed arm; not used where the model calls tools.
        :param workspace: the folder its programs may reach; None makes an empty one that goes with the session.
        :param grants: modules or operations it holds; None for every module but shell and context.
        :param library: whether programs are kept, and receipts are their ids.
        :param keep: how many of the newest programs the library keeps; None keeps all.
        :param role: ``standard`` ends with ``session.finish``, ``review`` with ``approve`` or ``request_changes``.
        :param run_timeout_s: seconds the whole session may take before dispatched calls are refused.
        :param mode: ``responses-as-code``: the model submits programs. ``tool-calling``: it calls the operations as
            ordinary tools; no worker starts, and no library is kept.
        :param compaction: chooses the messages that stay when the window is compacted (`Session.compact`, and
            ``context.compact`` of programs); None for `keep_what_was_pinned`.
        :param skills: a directory of skills, a sub-folder each; without one the agent holds no ``skills``.
        :param memories: a directory that keeps the agent's memories; None keeps them for this session alone.
        :param record: a new file that everything the session takes in is written to, so that it can be replayed.
        :param deterministic: a seed, or a seed and a clock: programs get a fixed clock and fixed randomness of them,
            and a library's ids follow from the seed.
        :param tape: what notes, or answers, all that comes from outside; ``record`` makes one.
        :raises UsageError: for an unknown arm, grant, role or mode, a workspace that cannot be used, a skill or memory
            that cannot be read, or a record that cannot be made.
        :raises ArmUnavailable: when the arm cannot run here.
        """
        if self._closed:
            raise UsageError("this host is closed")
        self.warden.check_process()
        given: Any = limits
        if given is not None and not isinstance(given, Limits):
            raise UsageError(f"limits are gg.Limits(timeout_s=…, memory_bytes=…), not {type(given).__name__}")
        if mode not in MODES:
            raise UsageError(f"there is no mode {mode!r}; the modes are: {', '.join(MODES)}")
        if compaction is not None and not callable(compaction):
            raise UsageError(f"a compaction strategy is something to call, not {type(compaction).__name__}")
        if mode == "tool-calling" and library:
            raise UsageError("a session in which the model calls tools keeps no programs: there are none")
        if language is None and mode != "tool-calling":
            raise UsageError(f"a language is needed; the arms are: {', '.join(self.arms())}")
        arm = None if language is None or mode == "tool-calling" else find_arm(self.settings, language)
        determinism = read_determinism(deterministic)
        programs = Library(keep, None if determinism is None else determinism.seed) if library else None
        without = endings_of_other_roles(role)
        if not library:
            without |= {PROGRAMS_MODULE}
        if skills is None and not (tape is not None and tape.has_skills):
            without |= {SKILLS_MODULE}
        grants = grants if grants is None or isinstance(grants, str) else list(grants)
        gate = Gate(self.table, grants, without=without)
        replays = tape is not None and tape.replays
        plugin_sinks: list[Sink] = self.plugins.event_sinks() if self.plugins and not replays else []
        with contextlib.ExitStack() as undo:
            place = workspace
            if place is None:
                # In the private folder, which the warden removes even when this process is killed.
                folder = self.warden.private_folder
                place = undo.enter_context(
                    tempfile.TemporaryDirectory(prefix="workspace-", dir=folder, ignore_cleanup_errors=True)
                )
            room = undo.enter_context(Workspace(place))
            everyone = (*self._sinks, *plugin_sinks, *sinks)
            limits = limits or Limits()
            if record is not None:
                facts = (grants, programs is not None, keep, role, limits, run_timeout_s, determinism)
                tape = start_record(self, record, arm, mode, room, gate, *facts)
            session = Session(
                self,
                arm,
                room,
                gate,
                limits,
                library=programs,
                role=role,
                sinks=everyone,
                run_timeout_s=run_timeout_s,
                compaction=compaction,
                skills=skills,
                memories=memories,
                determinism=determinism,
                tape=tape or NO_TAPE,
            )
            session.release = undo.pop_all()
        return session

    def close(self) -> None:
        """End the warden, and with it every worker."""
        if not self._closed:
            self._closed = True
            self.pool.close()
            self.warden.close()

    def __enter__(self) -> Host:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
