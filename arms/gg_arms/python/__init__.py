"""The Python arm: hooks, and nothing that a stranger's arm could not do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from gg.hookspecs import hookimpl
from gg.types import (
    ArmInfo,
    CodeModule,
    Limits,
    OperationSpec,
    Outcome,
    Prepared,
    Program,
    TrimKind,
    Trimming,
)
from gg.worker.engine import Engine
from gg.worker.membrane import Membrane
from gg_rust_ext import TrimRules

from gg_arms._shared import Artifact, compile_shared, prepare_shared, run_shared
from gg_arms.python._trim import COMPILE_RULES, RUNTIME_RULES, classify_compile, classify_runtime

GUEST = Path(__file__).with_name("python.wasm")


@hookimpl
def gg_arm_info() -> ArmInfo:
    """Say what this arm is."""
    return ArmInfo(
        id="python",
        display_name="Python",
        print_call="print",
        extensions=("py",),
        guest="shared",
        guest_path=str(GUEST),
        guest_form="component",
        case="snake",
    )


@hookimpl
def gg_doctor() -> list[str]:
    """Say what keeps the arm from running: nothing but a missing guest, which gg sees by itself."""
    return []


@hookimpl
def gg_render_sdk(operations: Sequence[OperationSpec]) -> str:
    """Render the SDK of these operations."""
    from gg_arms.python._sdk import render

    return render(operations)


@hookimpl
def gg_prepare(program: Program, modules: Sequence[CodeModule]) -> Prepared:
    """Prepare nothing: the engine reads the source."""
    return prepare_shared(program, modules)


@hookimpl
def gg_compile(prepared: Prepared, engine: Engine) -> Artifact:
    """Pair the program with the shared guest."""
    return compile_shared(prepared, engine)


@hookimpl
def gg_run(artifact: Artifact, membrane: Membrane, limits: Limits) -> Outcome:
    """Run the program in a fresh store of the shared guest."""
    return run_shared(artifact, membrane, limits)


@cache
def _rules(kind: TrimKind) -> TrimRules:
    return TrimRules(COMPILE_RULES if kind == "compile" else RUNTIME_RULES)


@hookimpl
def gg_trim(
    kind: TrimKind, text: bytes, protected: Sequence[tuple[int, int]], exit_status: int | None, signal: int | None
) -> Trimming:
    """Keep the program's own frames and what the engine said; drop the rest."""
    classify = classify_compile if kind == "compile" else classify_runtime
    trimmed = _rules(kind).trim(text, protected)
    return Trimming(
        classify(text, exit_status, signal),
        tuple(trimmed.ranges),
        trimmed.dropped_lines,
        trimmed.dropped_diagnostics,
        trimmed.dropped_frames,
    )
