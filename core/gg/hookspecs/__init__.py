"""The contract: every hook a plugin may implement. Read `worker` for arms, `host` for everything else."""

from __future__ import annotations

import pluggy

__all__ = ["hookimpl", "hookspec"]

hookspec = pluggy.HookspecMarker("gg")
hookimpl = pluggy.HookimplMarker("gg")
