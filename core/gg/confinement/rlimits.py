"""Resource limits of a confined process.

Workers are bounded by RLIMIT_DATA: wasmtime reserves 4 GiB of address space for a memory, which makes RLIMIT_AS
unusable there. Compilers are bounded by address space and processor time.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from typing import Final

MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """ResourceLimits of one process; `None` leaves what the parent had. Core files are always off."""

    data_bytes: int | None = None
    """Private writable memory (RLIMIT_DATA)."""
    address_space_bytes: int | None = None
    """All mappings together (RLIMIT_AS)."""
    cpu_seconds: int | None = None
    """Processor time, whole seconds (RLIMIT_CPU); SIGKILL one second past it."""
    file_bytes: int | None = None
    """Size of any file it writes (RLIMIT_FSIZE); memory files that wasmtime makes count too."""
    open_files: int | None = None
    """Descriptors (RLIMIT_NOFILE)."""


def resolve_limits(limits: ResourceLimits) -> list[tuple[int, int, int]]:
    """Return (resource, soft, hard) of each limit, never above the hard limit that this process already has."""
    wanted = (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_DATA, limits.data_bytes, 0),
        (resource.RLIMIT_AS, limits.address_space_bytes, 0),
        (resource.RLIMIT_CPU, limits.cpu_seconds, 1),
        (resource.RLIMIT_FSIZE, limits.file_bytes, 0),
        (resource.RLIMIT_NOFILE, limits.open_files, 0),
    )
    resolved: list[tuple[int, int, int]] = []
    for which, value, grace in wanted:
        if value is not None:
            _, ceiling = resource.getrlimit(which)
            hard = value + grace if ceiling == resource.RLIM_INFINITY else min(value + grace, ceiling)
            resolved.append((which, min(value, hard), hard))
    return resolved


def apply_limits(limits: ResourceLimits) -> None:
    """Set the limits on this process, soft and hard."""
    for which, soft, hard in resolve_limits(limits):
        resource.setrlimit(which, (soft, hard))
