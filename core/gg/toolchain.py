"""What an arm that compiles says of its toolchain, and what it is answered: compilers, their results, the machine.

Everything here is plain data, but for `Machine`, through which an arm looks for a toolchain before it is confined.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["MIB", "NOT_STARTED", "Compiler", "CompilerResult", "Machine"]

MIB: Final = 1 << 20
NOT_STARTED: Final = 127
"""The exit status of a compiler that could not be started; none has it of its own. Why is in its output."""
_ASK_TIMEOUT_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Compiler:
    """A program of a toolchain that the warden starts on the arm's behalf, confined. An arm declares it once.

    ``executable`` is an absolute path; ``arguments`` come before those of a run. It may read the folders and files of
    ``read`` (with all below them), the system's shared libraries and what `gg_build_toolchain` made, and it may write
    the folder of its preparation alone. ``environment`` is all it gets beside HOME, TMPDIR and PATH. A run ends at the
    limits: bytes of address space (None for toolchains that reserve it without using it), seconds of processor and of
    wall clock, bytes of a file; of its output the first and the last half of ``output_bytes`` are kept.
    """

    id: str
    executable: str
    version: str = ""
    arguments: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    address_space_bytes: int | None = 4096 * MIB
    cpu_s: int = 60
    wall_s: float = 60.0
    file_bytes: int = 256 * MIB
    output_bytes: int = MIB


@dataclass(frozen=True, slots=True)
class CompilerResult:
    """How a compiler ended: by an exit status, by a signal, or by the wall clock (``timed_out``, a signal too).

    ``output`` is what it wrote to standard output and standard error, in the order it came; ``lost_bytes`` of it were
    past the bound, in its middle.
    """

    exit_status: int | None
    signal: int | None
    output: bytes = b""
    lost_bytes: int = 0
    timed_out: bool = False

    @property
    def ok(self) -> bool:
        """Say whether it ended with status 0."""
        return self.exit_status == 0


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine as an arm's probe sees it, before confinement: the host's PATH and home folder, and programs to ask.

    A probe looks for files rather than starting programs where it can: it runs in each worker.
    """

    path: str
    home: str

    def which(self, name: str) -> str | None:
        """Return the absolute path of a program on the host's PATH, links followed, or None."""
        found = shutil.which(name, path=self.path)
        return None if found is None else os.path.realpath(found)

    def ask(self, executable: str, *arguments: str) -> str:
        """Run a program of the machine's own for its answer, such as a version; empty where it fails or takes long."""
        try:
            done = subprocess.run(
                [executable, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_ASK_TIMEOUT_S,
                env={"PATH": self.path, "HOME": self.home, "LC_ALL": "C"},
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""

    @staticmethod
    def fingerprint(paths: Iterable[str | os.PathLike[str]], *more: str) -> str:
        """Return a digest of what files are (path, size, time of change), without reading them, and of ``more``.

        For `ArmInfo.toolchain`: a toolchain that was replaced is another one. A file that is missing counts as such.
        """
        digest = hashlib.sha256()
        for path in paths:
            real = os.path.realpath(path)
            try:
                status = os.stat(real)
            except OSError:
                digest.update(f"{real}\0missing\0".encode())
            else:
                digest.update(f"{real}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
        for text in more:
            digest.update(text.encode() + b"\0")
        return digest.hexdigest()
