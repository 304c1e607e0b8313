"""Starting a session record, and reading what asks for determinism."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import gg
from gg.errors import UsageError
from gg.operations.gate import Gate
from gg.record.lines import VERSION, Header
from gg.record.recorder import Recorder
from gg.types import Determinism, Limits, Mode
from gg.warden.messages import PluginRef
from gg.workspace import Workspace

if TYPE_CHECKING:
    from gg.host.host import Host

__all__ = ["read_determinism", "start_record"]


def start_record(
    host: Host, path: str | os.PathLike[str], arm: PluginRef | None, mode: Mode, workspace: Workspace, gate: Gate,
    grants: Iterable[str] | None, library: bool, keep: int | None, role: str, limits: Limits,
    run_timeout_s: float | None, determinism: Determinism | None,
) -> Recorder:  # fmt: skip
    """Begin the record of a session that is about to start.

    :raises UsageError: when the file cannot be made, or holds something.
    """
    header = Header(
        v=VERSION,
        gg=gg.__version__,
        arm="" if arm is None else arm.name,
        distribution="" if arm is None else arm.distribution,
        arm_version="" if arm is None else arm.version,
        mode=mode,
        role=role,
        grants=None if grants is None else list(grants),
        operations=[row.id for row in host.table if gate.permits(row)],
        library=library,
        keep=keep,
        timeout_s=limits.timeout_s,
        memory_bytes=limits.memory_bytes,
        run_timeout_s=run_timeout_s,
        plugins=host.plugin_names,
        workspace=workspace.root,
        seed=None if determinism is None else determinism.seed,
        clock=None if determinism is None else determinism.clock_s,
    )
    return Recorder(path, header)


def read_determinism(given: Any) -> Determinism | None:
    """Return what ``deterministic`` asks for.

    :raises UsageError: when it is no seed and no `Determinism`.
    """
    if given is None or isinstance(given, Determinism):
        return given
    if isinstance(given, bool) or not isinstance(given, int):
        raise UsageError(f"deterministic is a seed (an integer) or gg.Determinism(…), not {type(given).__name__}")
    return Determinism(given)
