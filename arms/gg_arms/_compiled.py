"""What arms that compile each program to a module of its own have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from gg.hookspecs import hookimpl
from gg.toolchain import NOT_STARTED, CompilerResult, Machine
from gg.types import (
    ArmInfo,
    CompileRejected,
    Limits,
    OperationSpec,
    Outcome,
    Prepared,
    PreparedModule,
    Program,
    ToolchainFailed,
)
from gg.worker.engine import Engine, Guest
from gg.worker.membrane import Membrane
from gg.worker.toolchain import CompilerRefused
from gg.worker.workspace import Workspace
from gg_arms._shared import Worded

__all__ = ["CompiledArm", "NoCompiler", "sources_of", "verdict"]


class NoCompiler(Exception):
    """The machine has no compiler that the arm can use; the text says so, and how to get one, in one sentence."""


class CompiledArm(Worded, ABC):
    """An arm's hooks. A subclass says what its toolchain is and how it compiles.

    ``info`` is what is true wherever it runs.
    """

    def __init__(self) -> None:
        self._missing: list[str] = []

    @abstractmethod
    def find(self, machine: Machine) -> ArmInfo:
        """Return ``info`` with the compilers of this machine, and what identifies the toolchain.

        :raises NoCompiler: when there is none.
        """

    @abstractmethod
    def build_toolchain(self, operations: Sequence[OperationSpec], workspace: Workspace) -> ToolchainFailed | None:
        """Fill ``workspace.folder`` with what programs are compiled with."""

    @abstractmethod
    def compile(
        self, program: Program, modules: Sequence[PreparedModule], workspace: Workspace
    ) -> bytes | CompileRejected | ToolchainFailed:
        """Return the program's module."""

    def outcome(self, outcome: Outcome, membrane: Membrane) -> Outcome:
        """Return how the run ended, in the words of the language's runtime.

        What was written to standard error is told after them. A subclass whose runtime writes its error there
        overrides this.
        """
        del membrane
        return outcome

    # -- hooks --------------------------------------------------------------------------------------------------------

    @hookimpl
    def gg_arm_info(self, machine: Machine) -> ArmInfo:
        """Say what this arm is, and which compiler it found."""
        try:
            return self.find(machine)
        except NoCompiler as missing:
            self._missing = [str(missing)]
            return self.info

    @hookimpl
    def gg_doctor(self) -> list[str]:
        """Say what keeps the arm from running: a compiler that is not here."""
        return self._missing

    @hookimpl
    def gg_build_toolchain(self, operations: Sequence[OperationSpec], workspace: Workspace) -> ToolchainFailed | None:
        """Build the SDK, and what else programs are compiled with."""
        return self.build_toolchain(operations, workspace)

    @hookimpl
    def gg_prepare(
        self, program: Program, modules: Sequence[PreparedModule], workspace: Workspace | None
    ) -> Prepared | CompileRejected | ToolchainFailed:
        """Compile the program."""
        assert workspace is not None
        try:
            made = self.compile(program, modules, workspace)
        except CompilerRefused as refused:
            return ToolchainFailed(str(refused))
        return Prepared(program, tuple(modules), made) if isinstance(made, bytes) else made

    @hookimpl
    def gg_compile(self, prepared: Prepared, engine: Engine, limits: Limits) -> Guest:
        """Compile the module to the machine's code."""
        return engine.program_guest(prepared.payload, limits)

    @hookimpl
    def gg_run(self, artifact: Guest, membrane: Membrane, limits: Limits) -> Outcome:
        """Run the module."""
        return self.outcome(artifact.run("", membrane, limits), membrane)


def verdict(result: CompilerResult, what: str) -> CompileRejected | ToolchainFailed | None:
    """Return what a compiler that ended has to say: None where it is content.

    A compiler that was killed, ran out of time or did not start has judged nothing (design 7.3); one that ended with
    another status has rejected the program, unless `gg_trim` reads a crash in its output.
    """
    if result.ok:
        return None
    tail = result.output[-2048:].decode("utf-8", "ignore")
    if result.timed_out:
        return ToolchainFailed(f"{what} ran out of time; {tail}")
    if result.signal is not None:
        return ToolchainFailed(f"{what} ended by signal {result.signal}; {tail}")
    if result.exit_status == NOT_STARTED:
        return ToolchainFailed(f"{what} could not be started: {tail}")
    return CompileRejected(result.output, result.exit_status)


def sources_of(package: str) -> list[str]:
    """Return the files of an arm's package, for `Machine.fingerprint`: another gg-arms makes another toolchain."""
    folder = Path(import_module(package).__file__ or "").parent
    return sorted(str(path) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
