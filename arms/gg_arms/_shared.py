"""What arms with a shared guest have in common: nothing is compiled, and the guest runs the source as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gg.types import CodeModule, Limits, Outcome, Prepared, Program
from gg.worker.engine import Engine, Guest
from gg.worker.membrane import Membrane

__all__ = ["Artifact", "compile_shared", "prepare_shared", "run_shared"]


@dataclass(frozen=True)
class Artifact:
    """A program and the guest that runs it."""

    guest: Guest
    source: str


def prepare_shared(program: Program, modules: Sequence[CodeModule]) -> Prepared:
    """Prepare nothing: the language's engine reads the source."""
    return Prepared(program, tuple(modules))


def compile_shared(prepared: Prepared, engine: Engine) -> Artifact:
    """Pair the program with the worker's guest."""
    return Artifact(engine.shared_guest(), prepared.program.source)


def run_shared(artifact: Artifact, membrane: Membrane, limits: Limits) -> Outcome:
    """Run the program in the guest."""
    return artifact.guest.run(artifact.source, membrane, limits)
