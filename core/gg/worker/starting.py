"""What a process that loads an arm needs before it may serve: its surroundings, and confinement."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gg.types import ArmInfo
from gg.warden.messages import Configure, Spawn

__all__ = ["Surroundings", "confine"]


@dataclass(frozen=True)
class Surroundings:
    """Where a worker lives: its private folder, the folders of guests and toolchains, and the warden's settings."""

    private_folder: str
    readable_folders: Sequence[str]
    settings: Configure


def confine(
    spawn: Spawn, where: Surroundings, info: ArmInfo, *, building: bool = False
) -> tuple[Literal["full", "none", "off"], str | None]:
    """Confine this process for good, and try what its profile refuses.

    :param building: a process that builds a toolchain may write larger files, and reads what its compilers read.
    :returns: how well it is confined, and why not where it is not.
    :raises ConfinementError: when the profile does not hold.
    """
    from gg.confinement import ConfinementUnavailable, apply, canary, prepare, worker_profile

    if spawn.confinement == "off":
        return "off", "confinement is switched off"
    guest = () if info.guest_path is None else (os.path.dirname(info.guest_path),)
    roots = [path for path in sys.path if os.path.isdir(path)]
    tools = [path for compiler in info.compilers for path in compiler.read] if building else []
    read = (*where.readable_folders, *guest, *roots, *tools)
    profile = worker_profile(where.private_folder, read, spawn.limits.memory_bytes)
    abi = where.settings.landlock_abi
    try:
        apply(prepare(profile, landlock_abi=abi))
    except ConfinementUnavailable as error:
        with contextlib.suppress(ConfinementUnavailable):  # what is left of it: seccomp and the limits
            apply(prepare(profile, without_landlock=True))
        return "none", str(error)
    canary(profile)
    return "full", None
