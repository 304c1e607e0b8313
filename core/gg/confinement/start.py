"""Start a program confined, without a copy of this process: see `gg_rust_ext.start_confined`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gg.confinement._apply import Prepared
from gg.confinement.rlimits import resolve_limits
from gg_rust_ext import start_confined

__all__ = ["Program", "start"]


@dataclass(frozen=True)
class Program:
    """What to start. ``folder``, ``stdin`` (None for an empty one) and ``output`` are descriptors of the caller's."""

    executable: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: int
    stdin: int | None
    output: int


def start(program: Program, prepared: Prepared, *, confined: bool) -> int:
    """Start a program in a session of its own and return its id; it dies with the thread that started it.

    :param prepared: of a profile that may start programs.
    :param confined: without it only the profile's resource limits are set.
    :raises OSError: when there is no process to be had.
    :raises ValueError: for an argument that holds a zero.
    """
    if confined and (prepared.ruleset is None or not prepared.profile.may_fork):
        raise ValueError(f"the profile {prepared.profile.name} cannot be started under")
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        return start_confined(
            [program.executable, *program.arguments],
            [f"{name}={value}" for name, value in program.environment.items()],
            program.folder,
            null if program.stdin is None else program.stdin,
            program.output,
            resolve_limits(prepared.profile.limits),
            prepared.ruleset if confined else None,
            prepared.program,
        )
    finally:
        os.close(null)
