"""What arms build of their toolchains (SDKs, precompiled headers, standard libraries), kept for all hosts of a user.

An entry is a folder named by its key. It is built beside, by a confined process, and renamed when it is whole, so that
a compile of a model's program, which may read it, can never have written it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import time
from pathlib import Path
from typing import Final

from gg.cache._folder import folder_defect

__all__ = ["ToolchainCache"]

_PART: Final = ".part-"
_LOCK: Final = ".lock"
_ABANDONED_S: Final = 6 * 3_600
_DAY_S: Final = 86_400
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_.-]{0,127}")


class ToolchainCache:
    """A folder of built toolchains: the user's, or a private one where that is off or unusable."""

    def __init__(self, folder: Path, private: Path, off: bool = False) -> None:
        """Open the cache.

        :param folder: the user's folder, made with mode 0700 where it is missing.
        :param private: a folder of this host's own, used where the user's cannot be.
        :raises OSError: where neither can be used.
        """
        self.folder: Final = private if off or not _usable(folder) else folder
        if self.folder == private and not _usable(private):
            raise OSError(f"{private} cannot be used")

    def lookup(self, key: str) -> Path | None:
        """Return the built toolchain of a key, marked as used, or None.

        :raises ValueError: for what is no key.
        """
        path = self._entry(key)
        try:
            status = os.lstat(path)
        except OSError:
            return None
        if folder_defect(status):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return path

    def try_lock(self, key: str) -> int | None:
        """Return a descriptor that holds the key's lock across processes, or None where another one holds it."""
        path = self._entry(key).with_name(key + _LOCK)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        return fd

    def begin(self, key: str) -> Path:
        """Return a new folder to build the entry in; `keep` what is in its ``out``, or `discard` it."""
        part = self._entry(key).with_name(f"{key}{_PART}{secrets.token_hex(6)}")
        (part / "out").mkdir(parents=True, mode=0o700)
        return part

    def keep(self, key: str, part: Path) -> Path:
        """Put what was built in its place and return it.

        :raises OSError: when it cannot be.
        """
        entry = self._entry(key)
        if entry.exists():  # one that `lookup` did not trust
            entry.rename(part / "old")
        (part / "out").rename(entry)
        self.discard(part)
        return entry

    def discard(self, part: Path) -> None:
        """Remove what was begun."""
        shutil.rmtree(part, ignore_errors=True)

    def prune(self, max_age_days: float) -> None:
        """Remove what was not used for so long, and what killed processes left."""
        now = time.time()
        for name in os.listdir(self.folder):
            path = self.folder / name
            with contextlib.suppress(OSError):
                age = now - path.lstat().st_mtime
                if age > (_ABANDONED_S if _PART in name else max_age_days * _DAY_S):
                    path.unlink() if name.endswith(_LOCK) else self.discard(path)

    def _entry(self, key: str) -> Path:
        if not _NAME.fullmatch(key):
            raise ValueError(f"{key!r} is no key of a toolchain")
        return self.folder / key


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder_defect(folder.lstat()) is None and os.access(folder, os.W_OK)
    except OSError:
        return False
