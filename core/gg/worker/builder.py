"""The process that builds an arm's toolchain: a worker without a host, which runs no program and ends."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence

from gg.types import OperationSpec, ToolchainFailed
from gg.warden.messages import Spawn
from gg.worker.plugins import load_arm
from gg.worker.starting import Surroundings, confine
from gg.worker.toolchain import WardenLink
from gg.worker.workspace import Preparations

__all__ = ["build"]


def build(warden: socket.socket, spawn: Spawn, added: Sequence[OperationSpec], where: Surroundings) -> None:
    """Fill ``out`` of the private folder with what `gg_build_toolchain` makes; ends the process when it cannot.

    What it writes to standard error is the reason, for the operator. The SDK covers gg's own operations and those that
    plugins ``added``.
    """
    from gg.operations.builtin import builtin_operations  # not in the warden: that has no use for them

    os.chdir(where.private_folder)
    link = WardenLink(warden)
    arm = load_arm(spawn.arm, spawn.plugins, where.settings)
    link.declare(arm.info.compilers)
    confine(spawn, where, arm.info, building=True)
    workspace = Preparations(link, where.private_folder).make("out")
    operations = (*(row.spec() for row in builtin_operations()), *added)
    failed = arm.hook.gg_build_toolchain(operations=operations, workspace=workspace)
    if isinstance(failed, ToolchainFailed):
        print(failed.detail, file=sys.stderr)
        raise SystemExit(1)
