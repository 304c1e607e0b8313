"""Confinement: what a worker, the precompile process or a compiler may do, enforced by the kernel.

Read `profile` for what is allowed, `_policy` for what is refused and why, `_apply` for the order of it.

The warden builds with `prepare` and confines a forked child with `apply`; `prove` shows at start that it holds::

    with prepare(worker_profile(folder, roots, memory_bytes)) as prepared:
        if os.fork() == 0:
            new_session()
            apply(prepared)  # for good
            ...
"""

from __future__ import annotations

from gg.confinement._apply import Prepared, apply, prepare
from gg.confinement._errors import ConfinementError, ConfinementUnavailable
from gg.confinement._probe import Confinement, canary, probe, prove
from gg.confinement.process import (
    kill_group,
    new_session,
    pidfd_open,
    pidfd_send_signal,
    set_child_subreaper,
    set_pdeathsig,
)
from gg.confinement.profile import Profile, compiler_profile, precompile_profile, worker_profile
from gg.confinement.rlimits import ResourceLimits

__all__ = [
    "Confinement",
    "ConfinementError",
    "ConfinementUnavailable",
    "Prepared",
    "Profile",
    "ResourceLimits",
    "apply",
    "canary",
    "compiler_profile",
    "kill_group",
    "new_session",
    "pidfd_open",
    "pidfd_send_signal",
    "precompile_profile",
    "prepare",
    "probe",
    "prove",
    "set_child_subreaper",
    "set_pdeathsig",
    "worker_profile",
]
