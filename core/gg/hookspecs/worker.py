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
    from gg.toolchain import Machine
    from gg.types import (
        ArmInfo,
        CodeModule,
        CompileRejected,
        DocumentationEntry,
        Limits,
        OperationSpec,
        Outcome,
        Prepared,
        PreparedModule,
        Program,
        ToolchainFailed,
        TrimKind,
        Trimming,
    )
    from gg.worker.engine import Engine
    from gg.worker.membrane import Membrane
    from gg.worker.workspace import Workspace

# ---------------------------------------------------------------------------------------------------------------------
# Who the arm is: once, before the worker is confined
# ---------------------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def gg_arm_info(machine: Machine) -> ArmInfo:
    """Say what this arm is. Called once when a worker starts, before confinement, so it may look at the disk.

    :param machine: the host's PATH and home folder, to look for compilers with; ``machine.ask`` runs one for its
        version. The compilers that may run later are those that `ArmInfo.compilers` names now.
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


@hookspec(firstresult=True)
def gg_build_toolchain(operations: Sequence[OperationSpec], workspace: Workspace) -> ToolchainFailed | None:
    """Make what programs are compiled with: the SDK, precompiled headers, libraries. Optional.

    Called for an arm whose `ArmInfo.toolchain` is not empty, when the cache does not hold it, in a process of its own
    that runs no program; once for that identity, these operations and this gg. It may take minutes.

    :param operations: all rows of the operations table that its SDK covers, those that plugins added included.
    :param workspace: ``workspace.folder`` is what to fill. It is kept, and every preparation finds it, at another path,
        as `Workspace.toolchain`.
    :returns: None, or `ToolchainFailed` with the reason; the arm is then unavailable.
    """


@hookspec(firstresult=True)
def gg_warm_up(workspace: Workspace) -> None:
    """Get ready for a first program, beside the first model request. Optional; for arms that declare compilers.

    Called once in each worker, confined, when the toolchain is there.

    :param workspace: its folder and its services live as long as the worker.
    """


# ---------------------------------------------------------------------------------------------------------------------
# One program: prepare, compile, run
# ---------------------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def gg_prepare(
    program: Program, modules: Sequence[PreparedModule], workspace: Workspace | None
) -> Prepared | CompileRejected | ToolchainFailed:
    """Turn what the model wrote into something the compile step takes. The whole call is the program's ``compileMs``.

    :param program: the submitted source, byte for byte.
    :param modules: the code modules in scope, as `gg_prepare_module` left them.
    :param workspace: the preparation's private folder, the toolchain, and ``run_compiler``; None for arms that declare
        no compiler.
    :returns: `Prepared`; `CompileRejected` when the language's compiler rejected it; `ToolchainFailed` when the
        toolchain broke. What is returned is a function of the arguments alone.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def gg_prepare_module(
    module: CodeModule, workspace: Workspace | None
) -> PreparedModule | CompileRejected | ToolchainFailed | None:
    """Turn the code half of a skill or memory into what programs import. The whole call counts in ``compileMs``.

    Called once for an agent, when its program first uses the skill; what it returns is kept for that agent and given
    to each `gg_prepare` of its programs. Optional: an arm without it is given modules as their source. Of an arm with
    a shared guest, ``built`` where there is any, and the source otherwise, is the ``code`` of the guest's context.

    :param module: its key, which programs import it by, and its source, byte for byte.
    :param workspace: as for `gg_prepare`.
    :returns: `PreparedModule`; `CompileRejected` when the language's compiler rejected it; `ToolchainFailed` when the
        toolchain broke.
    """


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
