"""Confinement profiles: what one kind of process may do, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from gg.confinement.rlimits import MIB, ResourceLimits

WORKER_HEADROOM_BYTES: Final = 512 * MIB
"""What a worker may use beside the program's own memory: the interpreter, the engine, frames."""

WORKER_FILE_BYTES: Final = 128 * MIB
PRECOMPILE_DATA_BYTES: Final = 4096 * MIB
PRECOMPILE_CPU_SECONDS: Final = 900
PRECOMPILE_FILE_BYTES: Final = 1024 * MIB
COMPILER_ADDRESS_SPACE_BYTES: Final = 4096 * MIB
COMPILER_CPU_SECONDS: Final = 120
COMPILER_FILE_BYTES: Final = 256 * MIB
OPEN_FILES: Final = 256


@dataclass(frozen=True, slots=True)
class Profile:
    """What a process may still do once `apply` has returned. Everything not named is refused.

    No profile may open a socket, signal or inspect a process outside itself, mount, or gain a privilege.
    """

    name: str
    """For messages: `worker`, `precompile`, a compiler's id."""
    read: tuple[str, ...]
    """Folders and files that can be read, with all below them. One that does not exist is skipped."""
    write: tuple[str, ...]
    """Folders that can be read and changed. One that does not exist is an error."""
    devices: tuple[str, ...] = ()
    """Device files that can be read and written, such as `/dev/null`. One that does not exist is skipped."""
    may_execute: bool = False
    """May start the programs that lie under `read`."""
    may_fork: bool = False
    """May start processes (threads are always allowed)."""
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    """Resource limits."""


def worker_profile(private_folder: str, read_paths: tuple[str, ...], memory_bytes: int) -> Profile:
    """Return the profile of a process that runs models' programs.

    :param private_folder: the one folder it may write to.
    :param read_paths: the guest cache and the roots its Python modules are imported from.
    :param memory_bytes: the memory limit of a program.
    """
    return Profile(
        name="worker",
        read=read_paths,
        write=(private_folder,),
        limits=ResourceLimits(
            data_bytes=memory_bytes + WORKER_HEADROOM_BYTES, file_bytes=WORKER_FILE_BYTES, open_files=OPEN_FILES
        ),
    )


def precompile_profile(read: tuple[str, ...], write: tuple[str, ...]) -> Profile:
    """Return the profile of the process that compiles guests into the cache and runs none."""
    return Profile(
        name="precompile",
        read=read,
        write=write,
        limits=ResourceLimits(
            data_bytes=PRECOMPILE_DATA_BYTES,
            cpu_seconds=PRECOMPILE_CPU_SECONDS,
            file_bytes=PRECOMPILE_FILE_BYTES,
            open_files=OPEN_FILES,
        ),
    )


def compiler_profile(
    name: str,
    folder: str,
    read: tuple[str, ...],
    *,
    address_space_bytes: int | None = COMPILER_ADDRESS_SPACE_BYTES,
    cpu_seconds: int = COMPILER_CPU_SECONDS,
    file_bytes: int = COMPILER_FILE_BYTES,
) -> Profile:
    """Return the profile of a compiler: it runs the toolchain under `read` and writes to its preparation `folder`.

    :param address_space_bytes: `None` for toolchains that reserve address space without using it (Go, Node).
    """
    return Profile(
        name=name,
        read=read,
        write=(folder,),
        devices=("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"),
        may_execute=True,
        may_fork=True,
        limits=ResourceLimits(
            address_space_bytes=address_space_bytes,
            cpu_seconds=cpu_seconds,
            file_bytes=file_bytes,
            open_files=4 * OPEN_FILES,
        ),
    )
