"""Put a profile on a process: `prepare` in the parent, `apply` in the forked child.

The order in the child matters. Limits come first (lowering them may need privileges that go away), then
no_new_privs, without which neither Landlock nor seccomp may be set; Landlock before the capabilities go, seccomp last,
because it refuses some of the calls before it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gg.confinement import _libc, _policy, landlock, seccomp
from gg.confinement._errors import ConfinementError, ConfinementUnavailable
from gg.confinement.rlimits import apply_limits

if TYPE_CHECKING:
    from types import TracebackType

    from gg.confinement.profile import Profile

_CAPABILITY_VERSION: Final = 0x2008_0522
_CAP_DAC_OVERRIDE: Final = 1 << 1
_NO_LANDLOCK_ASKED: Final = "Landlock is treated as missing (ABI 0 was asked for)"


@dataclass(slots=True)
class Prepared:
    """A profile made ready for one child or many; owns a descriptor that `close` gives back."""

    profile: Profile
    landlock_abi: int
    """The ABI in use: the kernel's, or the lower one that was asked for; 0 without Landlock."""
    program: bytes = field(repr=False)
    """The seccomp filter."""
    ruleset: int | None = field(repr=False)
    """The Landlock ruleset's descriptor; `None` without Landlock or once closed."""

    def close(self) -> None:
        """Give the descriptor back. Safe to call twice."""
        if self.ruleset is not None:
            os.close(self.ruleset)
            self.ruleset = None

    def __enter__(self) -> Prepared:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def prepare(profile: Profile, *, landlock_abi: int | None = None, without_landlock: bool = False) -> Prepared:
    """Build what `apply` needs. Costs 0.1 ms; the first of a kind 1 ms more.

    :param landlock_abi: use at most this ABI, as an older kernel would (0: as a kernel without Landlock).
    :param without_landlock: where Landlock is missing, go on with seccomp and limits alone instead of raising; files
        are then protected by nothing but their owner and mode.

    Raises `ConfinementUnavailable` where this machine cannot confine, `ConfinementError` where a folder of
    `profile.write` cannot be opened.
    """
    abi = 0 if without_landlock else _usable_abi(landlock_abi)
    program = seccomp.build(_policy.refusals(profile, abi))
    ruleset = _ruleset(profile, abi) if abi else None
    return Prepared(profile, abi, program, ruleset)


def apply(prepared: Prepared) -> None:
    """Confine this process, for good. It must have one thread: the kernel binds threads, not processes.

    A POSIX timer of kind SIGEV_THREAD owns a thread, so `gg.deadline.EpochTimer` is made after this. Raises
    `ConfinementError`; the process must then end.
    """
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise ConfinementError(f"a process with {threads} threads cannot be confined, only the one that asks would be")
    try:
        apply_limits(prepared.profile.limits)
        _libc.prctl("no_new_privs", _libc.PR_SET_NO_NEW_PRIVS, 1)
        if prepared.ruleset is not None:
            landlock.restrict_self(prepared.ruleset)
            prepared.close()
        _drop_capabilities()
    except (OSError, ValueError) as failure:
        raise ConfinementError(f"the profile {prepared.profile.name} could not be applied: {failure}") from failure
    seccomp.load(prepared.program)


def _usable_abi(asked: int | None) -> int:
    if asked == 0:
        raise ConfinementUnavailable(_NO_LANDLOCK_ASKED)
    real = landlock.kernel_abi()
    return real if asked is None else min(real, asked)


def _ruleset(profile: Profile, abi: int) -> int:
    ruleset = landlock.create_ruleset(abi)
    try:
        read = landlock.READ | (landlock.EXECUTE if profile.may_execute else 0)
        for path in profile.read:
            _allow_if_there(ruleset, path, read, abi)
        for path in profile.devices:
            _allow_if_there(ruleset, path, landlock.DEVICE, abi)
        for path in profile.write:
            landlock.allow(ruleset, path, landlock.WRITE, abi)
    except OSError as failure:
        os.close(ruleset)
        raise ConfinementError(f"the profile {profile.name} names a path that cannot be used: {failure}") from failure
    return ruleset


def _allow_if_there(ruleset: int, path: str, rights: int, abi: int) -> None:
    try:
        landlock.allow(ruleset, path, rights, abi)
    except (FileNotFoundError, NotADirectoryError):
        return


def _drop_capabilities() -> None:
    """Drop every capability of this process; root keeps the right to read files of other owners.

    Without it root in a container could not import modules that lie in a user's private folder. Landlock bounds it.
    """
    header = _libc.ffi.new("struct capability_header *", (_CAPABILITY_VERSION, 0))
    held = _libc.ffi.new("struct capability_data[2]")
    if _libc.libc.capget(header, held) < 0:
        raise _libc.error("capget")
    kept = held[0].permitted & _CAP_DAC_OVERRIDE
    wanted = _libc.ffi.new("struct capability_data[2]", ((kept, kept, 0), (0, 0, 0)))
    if _libc.libc.capset(header, wanted) < 0:
        raise _libc.error("capset")
