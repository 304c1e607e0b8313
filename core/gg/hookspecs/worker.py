"""Hooks that run in a worker process, in the order of a program's life.

A worker's plugin manager holds exactly one arm and the worker plugins (entry points ``gg.arms`` and
``gg.worker_plugins``). Every hook here stops at the first result; a worker plugin joins in with
``hookimpl(wrapper=True)``. An implementation may leave out arguments it does not need.

An arm never measures its own time, spawns a process, picks a temporary folder or reads the environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gg.hookspecs import hookspec

if TYPE_CHECKING:
    from gg.types import (
        ArmInfo,
        CodeModule,
        CompileRejected,
        DocumentationEntry,
        Limits,
        OperationSpec,
        Outcome,
        Prepared,
        Program,
        ToolchainFailed,
        TrimKind,
        Trimming,
    )
    from gg.worker.engine import Engine
    from gg.worker.membrane import Membrane

# ---------------------------------------------------------------------------------------------------------------------
# Who the arm is: once, before the worker is confined
# ---------------------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def gg_arm_info() -> ArmInfo:
    """Say what this arm is. Called once when a worker starts, before confinement, so it may look at the disk.

    :returns: the arm's `ArmInfo`.
    :raises Exception: anything raised is reported as a `PluginLoadError` that names the distribution.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def gg_render_sdk(operations: Sequence[OperationSpec]) -> str | None:
    """Render the SDK of these operations as source of the language.

    Called at build time for gg's own operations (the source is baked into a shared guest) and when a session starts
    for operations that plugins added.

    :param operations: rows of the operations table.
    :returns: source text the guest evaluates before the program, or None for an arm without an SDK.
    """


@hookspec(firstresult=True)
def gg_documentation(operations: Sequence[OperationSpec]) -> Sequence[DocumentationEntry] | None:
    """Render the documentation of these operations in the language's own spelling. Optional.

    Called when a program of the arm's first looks something up, once for a host. The worker that is asked loads no
    guest. `gg.documentation.Style` and `render_pages` render most of it.

    :param operations: all rows of the operations table.
    :returns: a `DocumentationEntry` for each function, module and type; gg renders those that are left out, and all of
        them where the answer is None.
    """


# ---------------------------------------------------------------------------------------------------------------------
# One program: prepare, compile, run
# ---------------------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def gg_prepare(
    program: Program, modules: Sequence[CodeModule], workspace: Any
) -> Prepared | CompileRejected | ToolchainFailed:
    """Turn what the model wrote into something the compile step takes. The whole call is the program's ``compileMs``.

    :param program: the submitted source, byte for byte.
    :param modules: the code modules in scope.
    :param workspace: the preparation's private folder and ``run_compiler`` (None for arms that declare no compiler).
    :returns: `Prepared`; `CompileRejected` when the language's compiler rejected it; `ToolchainFailed` when the
        toolchain broke. What is returned is a function of the arguments alone.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def gg_compile(prepared: Prepared, engine: Engine, limits: Limits) -> Any:
    """Give the prepared program an artifact the engine runs.

    :param prepared: what `gg_prepare` returned.
    :param engine: ``engine.shared_guest()`` is the loaded guest of a ``shared`` arm; ``engine.program_guest(wasm,
        limits)`` compiles a module that is one program's own.
    :param limits: what the program may use.
    :returns: an artifact for the same arm's `gg_run`.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def gg_run(artifact: Any, membrane: Membrane, limits: Limits) -> Outcome:
    """Run the artifact in a fresh store under ``limits``, its calls going through ``membrane``.

    :param artifact: what `gg_compile` returned.
    :param membrane: the one way out of the sandbox.
    :param limits: seconds of execution and bytes of memory.
    :returns: how the run ended. A program's failure is an `Outcome`, never an exception.
    """
    raise NotImplementedError


# ---------------------------------------------------------------------------------------------------------------------
# What the model reads of a failure
# ---------------------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def gg_trim(
    kind: TrimKind, text: bytes, protected: Sequence[tuple[int, int]], exit_status: int | None, signal: int | None
) -> Trimming:
    """Say which bytes of a compiler's or a runtime's output the model reads.

    :param kind: ``compile`` for a compiler's output, ``runtime`` for a runtime's.
    :param text: the whole output.
    :param protected: byte ranges that hold message text, in which nothing is a frame.
    :param exit_status: of the process that wrote it, where there was one.
    :param signal: that ended it, where one did.
    :returns: `Trimming`: ranges of ``text`` (the host applies them, so nothing but deletion is possible) and the band.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def gg_doctor() -> list[str]:
    """Return what keeps this arm from running here, one sentence each; an empty list when nothing does."""
    raise NotImplementedError
