"""What gg takes from the environment, read in this one place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gg.toolchain import Machine

__all__ = ["Settings", "default_folder"]

_NOWHERE = Machine("", "/")


@dataclass(frozen=True, slots=True)
class Settings:
    """The environment's say.

    ``arms``: only these arms are loaded (``GG_ARMS=a,b``), None for all. ``cache_folder``: where compiled guests are
    kept; ``cache`` ``off`` (``GG_CACHE=off``) keeps them in a private folder of the host's instead.
    ``trace_hooks``: print each hook call of a worker (``GG_TRACE_HOOKS=1``). ``machine``: the PATH and HOME that arms
    look for compilers with. ``landlock_abi``: use at most this version of Landlock, as an older kernel would
    (``GG_LANDLOCK_ABI``; 0 for a kernel without), None for the kernel's own.
    """

    arms: frozenset[str] | None
    cache: Literal["on", "off"]
    cache_folder: Path
    trace_hooks: bool
    machine: Machine = _NOWHERE
    landlock_abi: int | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read ``environment`` (the process's own when None)."""
        env = os.environ if environment is None else environment
        named = env.get("GG_ARMS")
        arms = None if named is None else frozenset(name.strip() for name in named.split(",") if name.strip())
        return cls(
            arms=arms,
            cache="off" if env.get("GG_CACHE") == "off" else "on",
            cache_folder=default_folder(env),
            trace_hooks=env.get("GG_TRACE_HOOKS", "") not in ("", "0"),
            machine=Machine(env.get("PATH", os.defpath), env.get("HOME") or os.path.expanduser("~")),
            landlock_abi=int(abi) if (abi := env.get("GG_LANDLOCK_ABI", "")).isdecimal() else None,
        )


def default_folder(environment: Mapping[str, str]) -> Path:
    """Return the user's cache folder under an environment: ``$XDG_CACHE_HOME/gg/guests`` or ``~/.cache/gg/guests``.

    A relative XDG_CACHE_HOME is ignored, as its specification asks.
    """
    base = environment.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        base = os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".cache")
    return Path(base) / "gg" / "guests"
