"""What arms with a shared guest have in common: nothing is compiled, and the guest runs the source as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from gg.hookspecs import hookimpl
from gg.trimming import Band, Rule, trim
from gg.types import (
    ArmInfo,
    CodeModule,
    DocumentationEntry,
    Limits,
    OperationSpec,
    Outcome,
    Prepared,
    Program,
    TrimKind,
    Trimming,
)
from gg.worker.engine import Engine, Guest
from gg.worker.membrane import Membrane
from gg_rust_ext import TrimRules

__all__ = ["Classify", "Reading", "SharedArm", "Worded"]

Classify = Callable[[bytes, "int | None", "int | None"], Band]


@dataclass(frozen=True)
class Reading:
    """How a language's output is read: what each line is, and which band the whole of it belongs to."""

    rules: Sequence[Rule]
    classify: Classify

    @cached_property
    def compiled(self) -> TrimRules:
        """The rules, compiled once."""
        return TrimRules(self.rules)


class Worded:
    """The hooks that put an arm's words together: its pages of documentation, and what is kept of an error.

    ``package`` is the arm's, with a module ``_docs``; ``reading`` says how each kind of output is trimmed.
    """

    package: str
    info: ArmInfo
    reading: dict[TrimKind, Reading]

    @hookimpl
    def gg_documentation(self, operations: Sequence[OperationSpec]) -> Sequence[DocumentationEntry]:
        """Render the documentation of these operations."""
        renderer: Any = import_module(f"{self.package}._docs")
        entries: Sequence[DocumentationEntry] = renderer.render(operations, self.info)
        return entries

    @hookimpl
    def gg_trim(
        self,
        kind: TrimKind,
        text: bytes,
        protected: Sequence[tuple[int, int]],
        exit_status: int | None,
        signal: int | None,
    ) -> Trimming:
        """Keep the program's own frames and what the engine said; drop the rest."""
        reading = self.reading[kind]
        return trim(reading.compiled, reading.classify(text, exit_status, signal), text, protected)


@dataclass(frozen=True)
class _Artifact:
    """A program and the guest that runs it."""

    guest: Guest
    source: str


@dataclass(frozen=True)
class SharedArm(Worded):
    """An arm's hooks.

    ``package`` has a module ``_sdk`` too.
    """

    package: str
    info: ArmInfo
    reading: dict[TrimKind, Reading]

    @hookimpl
    def gg_arm_info(self) -> ArmInfo:
        """Say what this arm is."""
        return self.info

    @hookimpl
    def gg_doctor(self) -> list[str]:
        """Say what keeps the arm from running: nothing but a missing guest, which gg sees by itself."""
        return []

    @hookimpl
    def gg_render_sdk(self, operations: Sequence[OperationSpec]) -> str:
        """Render the SDK of these operations."""
        renderer: Any = import_module(f"{self.package}._sdk")
        source: str = renderer.render(operations)
        return source

    @hookimpl
    def gg_prepare(self, program: Program, modules: Sequence[CodeModule]) -> Prepared:
        """Prepare nothing: the language's engine reads the source."""
        return Prepared(program, tuple(modules))

    @hookimpl
    def gg_compile(self, prepared: Prepared, engine: Engine) -> _Artifact:
        """Pair the program with the worker's guest."""
        return _Artifact(engine.shared_guest(), prepared.program.source)

    @hookimpl
    def gg_run(self, artifact: _Artifact, membrane: Membrane, limits: Limits) -> Outcome:
        """Run the program in a fresh store of the shared guest."""
        return artifact.guest.run(artifact.source, membrane, limits)
