"""What a submission put to use: the code it loads after each program, and the on-use scripts run at its end.

Both are prepared once for an agent. A failure is a notice that names the skill or memory and quotes no line of its
source, which the model was never shown (messages page, notices; design 7.23).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gg import wording
from gg.errors import ArmUnavailable, ProtocolError
from gg.host.program import COMPILE_TIMEOUT_S, ProgramResult
from gg.host.workers import WorkerGone
from gg.knowledge import OnUse, Unloaded
from gg.operations.bracket import CallDesk
from gg.operations.ending import Ending
from gg.operations.gate import Gate
from gg.operations.programs import HandOver
from gg.protocol import ChannelClosed, ChannelTimeout, ModulePrepared, PrepareModule, Run
from gg.stream.record import ProgramRecord
from gg.types import ArmInfo, CodeModule, PreparedModule
from gg.window.messages import COMPILER_ERROR, NOTICE
from gg.window.views import Views
from gg_rust_ext import apply_ranges

if TYPE_CHECKING:
    from gg.host.session import Session

__all__ = ["UsedCode", "without_echo"]

MakeDesk = Callable[[ArmInfo], CallDesk]
NOT_OURS = frozenset({"session", "programs.rerun"})
"""What no code but the model's own program may call: endings, and the hand-over."""


class UsedCode:
    """Loads and runs what one submission put to use.

    :param desk: makes what answers a program's calls.
    :param run: runs a program in the session's worker, another one where that has ended.
    :param notices: takes what the model is to read.
    """

    def __init__(
        self, session: Session, record: ProgramRecord, views: Views, index: int,
        desk: Callable[[ArmInfo, Gate, Ending, HandOver], CallDesk],
        run: Callable[[Run, MakeDesk], ProgramResult], notices: list[str],
    ) -> None:  # fmt: skip
        self._session, self._record, self._views, self._index = session, record, views, index
        self._desk, self._run, self._notices = desk, run, notices
        self._code = session.knowledge.code

    def load(self) -> Iterator[ProgramResult]:
        """Load what was used and is not loaded, and yield what each cost and logged; one is loaded at a time."""
        while not self._session.cancelled and (waiting := self._code.unloaded()):
            yield self._load(waiting[0])

    def run_scripts(self) -> Iterator[ProgramResult]:
        """Run the on-use scripts that wait, and yield what each cost and logged. What they queue waits for the next."""
        for script in self._code.take_scripts():
            if self._session.cancelled:
                return
            yield self._script(script)
            yield from self.load()

    # -- one of each --------------------------------------------------------------------------------------------------

    def _load(self, code: Unloaded) -> ProgramResult:
        owner, module = code.owner, CodeModule(code.key, code.source)
        answer = self._prepare(module)
        result = ProgramResult(compile_ms=answer.compile_ms)
        if answer.kind == "toolchain_failed":
            self._not_loaded(code, "toolchain", "", answer.detail)
            return result
        if answer.kind == "rejected":
            self._not_loaded(code, "rejected", apply_ranges(answer.text, answer.ranges))
            return result
        prepared = PreparedModule(code.key, code.source, answer.built)
        if not self._session.info.compiles:  # its engine says whether it is a module when it is evaluated
            run = self._frame("", (*self._code.modules, prepared), load=code.key)
            ran = self._own(run)
            ran.compile_ms += result.compile_ms
            result = ran
            if result.heading is not None:
                how = {COMPILER_ERROR: "rejected", NOTICE: "toolchain"}.get(result.heading, "failed")
                self._not_loaded(code, how, result.body)
                return result
        self._code.settle(code, prepared)
        self._document(code)
        message = f"the code of the {owner.kind} {owner.name!r} is loaded as lib.{code.key}"
        self._session.stream.log("debug", "code_loaded", message, kind=owner.kind, name=owner.name, key=code.key)
        return result

    def _document(self, code: Unloaded) -> None:
        """Open the page of a module that was loaded: the line that reaches it, and whose code it is."""
        info, owner, knowledge = self._session.info, code.owner, self._session.knowledge
        entry = knowledge.skills.get(owner.name) if owner.kind == "skill" else knowledge.memories.get(owner.name)
        about = f": {entry.description}" if entry is not None else "."
        name = info.member_separator.join(("lib", code.key))
        reach = [info.import_line.format(key=code.key), ""] if info.import_line else []
        page = "\n".join([*reach, f"The code of the {owner.kind} `{owner.name}`{about}"])
        self._views.open_docs(f"lib.{code.key}", name, page)

    def _not_loaded(self, code: Unloaded, how: str, said: str, detail: str = "") -> None:
        owner = code.owner
        self._code.settle(code, None, again=how == "toolchain")
        said = without_echo(said, code.source)
        self._notices.append(wording.code_not_loaded(owner.kind, owner.name, how, said))
        message = f"the code of the {owner.kind} {owner.name!r} was not loaded"
        stream = self._session.stream
        stream.log("warn", "code_not_loaded", message, kind=owner.kind, name=owner.name, reason=how)
        if detail:
            stream.log("error", "toolchain_failed", f"{message}: {detail}", detail=detail)

    def _script(self, script: OnUse) -> ProgramResult:
        owner, modules = script.owner, self._code.module_of(script.owner)
        digest = hashlib.sha256("\0".join((script.source, *(module.source for module in modules))).encode())
        keep = f"{owner.kind} {owner.name} {digest.hexdigest()}"
        result = self._own(self._frame(script.source, modules, keep=keep))
        if result.heading is not None:
            how = {COMPILER_ERROR: "rejected", NOTICE: "toolchain"}.get(result.heading, "failed")
            said = without_echo(result.body, script.source)
            self._notices.append(wording.on_use_failed(owner.kind, owner.name, how, said))
            message = f"the on-use script of the {owner.kind} {owner.name!r} failed"
            self._session.stream.log("warn", "on_use_failed", message, kind=owner.kind, name=owner.name, reason=how)
        return result

    # -- in the worker ------------------------------------------------------------------------------------------------

    def _prepare(self, module: CodeModule) -> ModulePrepared:
        worker = self._session.worker()
        try:
            worker.wait_ready()
            worker.channel.send(PrepareModule(module))
            answer = worker.channel.receive(COMPILE_TIMEOUT_S)
            if not isinstance(answer, ModulePrepared):
                raise ProtocolError(f"{type(answer).__name__} was not due")
        except (ArmUnavailable, WorkerGone, ProtocolError, ChannelClosed, ChannelTimeout) as error:
            self._session.drop_worker()
            return ModulePrepared("toolchain_failed", 0.0, detail=str(error))
        return answer

    def _frame(self, source: str, modules: tuple[PreparedModule, ...], *, load: str = "", keep: str = "") -> Run:
        limits, context = self._session.limits, self._session.guest_context()
        return Run(
            source, self._index, context, modules, limits.timeout_s, limits.memory_bytes,
            load=load, unseen=True, keep=keep,
        )  # fmt: skip

    def _own(self, run: Run) -> ProgramResult:
        """Run code that is not the model's: it has no endings and no hand-over, and its calls are not undocumented."""
        session = self._session
        gate = session.gate.narrowed(NOT_OURS)

        self._record.model_wrote = False
        try:
            result = self._run(run, lambda info: self._desk(info, gate, Ending(), HandOver()))
        finally:
            self._record.model_wrote = True
        if result.worker_spent:
            session.drop_worker()
        return result


def without_echo(said: str, source: str) -> str:
    """Return what a failure said without the lines that echo its source, and without the marks under them."""
    lines = {line.strip() for line in source.splitlines()} - {""}
    kept = [line for line in said.split("\n") if not _echoes(line.strip(), lines)]
    return "\n".join(kept).strip("\n")


def _echoes(line: str, lines: set[str]) -> bool:
    if not line:
        return False
    return line in lines or not line.strip("^~ ") or (len(line) > 200 and any(line in one for one in lines))
