"""The cache of compiled guests: the user's folder, and a private one where that cannot serve."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from gg.cache._folder import GuestFolder, Unusable
from gg.cache._keys import key

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class GuestCache:
    """Where compiled guests are looked up and stored.

    ``lookup`` and ``store`` are used under ``lock`` by the process that compiles, so that of several hosts on a cold
    cache one compiles and the others find its work::

        with cache.lock(key):
            path = cache.lookup(key) or cache.store(key, compile_into)

    Attributes:
        reason: Why the user's folder is not written, one sentence; `None` where it is.

    """

    def __init__(self, folder: Path, private: Path, off: bool = False) -> None:
        """Open the cache.

        :param folder: the user's cache folder, `Settings.cache_folder`. Made with mode 0700 where it is missing.
        :param private: a folder of this host's own, used where the user's cannot be; made in any case, so that workers
            can be granted it before it is needed.
        :param off: leave the user's folder alone; guests are compiled anew into the private one.

        Raises `OSError` where the private folder is needed and cannot be used either.
        """
        self._private_path = private
        self._private: GuestFolder | None = None
        self._user: GuestFolder | None = None
        self.reason: str | None = None
        if off:
            self.reason = "the cache is off"
        else:
            try:
                self._user = GuestFolder(folder)
            except Unusable as failure:
                self.reason = str(failure)
            else:
                if not self._user.writable:
                    self.reason = f"{folder} cannot be written"
        try:
            self._fall_back()
        except OSError:
            if self.reason is not None:
                raise

    @property
    def folder(self) -> Path:
        """The folder that entries are written to."""
        return self._target().path

    def read_folders(self) -> tuple[str, ...]:
        """Return every folder that `lookup` may answer from: what workers must be able to read."""
        return tuple(str(folder.path) for folder in self._all())

    def write_folders(self) -> tuple[str, ...]:
        """Return every folder that `store` may write to: what the precompile process must be able to write."""
        return tuple(str(folder.path) for folder in self._all() if folder.writable)

    def key(self, wasm_path: str | os.PathLike[str], engine_id: str) -> str:
        """Return the key of a guest's module under an engine configuration; see `gg.cache.key`."""
        return key(wasm_path, engine_id)

    def lookup(self, key: str) -> Path | None:
        """Return the path of a verified entry, ready to be mapped, or `None`.

        The digest is computed once for each file and process (50 ms for the Python guest) until `forget_checks`.
        """
        for folder in self._all():
            found = folder.lookup(key)
            if found is not None:
                return found
        return None

    def store(self, key: str, data: bytes | Callable[[BinaryIO], object]) -> Path:
        """Write an entry, from bytes or by a function that writes them to a file, and return its path.

        Where the user's folder fails (a full disk), the private one is used from then on and `reason` says why.
        Raises `OSError` where that fails too, leaving nothing half-written.
        """
        write: Callable[[BinaryIO], object] = (lambda file: file.write(data)) if isinstance(data, bytes) else data
        target = self._target()
        try:
            return target.store(key, write)
        except OSError as failure:
            if target is not self._user:
                raise
            self.reason = f"{target.path} cannot be written: {failure.strerror}"
            return self._fall_back().store(key, write)

    @contextlib.contextmanager
    def lock(self, key: str, *, wait: bool = True, timeout_s: float | None = None) -> Generator[bool]:
        """Hold the entry's lock, across processes; yields whether it was had (always, if it may wait for ever)."""
        with self._target().lock(key, wait=wait, timeout_s=timeout_s) as held:
            yield held

    def forget_checks(self) -> None:
        """Verify every entry again at its next look-up: a worker that died by a signal may have met a damaged one."""
        for folder in self._all():
            folder.forget_checks()

    def prune(self, max_age_days: float) -> int:
        """Remove entries not used for so many days, and remains of killed processes. Returns how many files went."""
        return sum(folder.prune(max_age_days) for folder in self._all() if folder.writable)

    def _target(self) -> GuestFolder:
        if self.reason is None and self._user is not None:
            return self._user
        return self._fall_back()

    def _fall_back(self) -> GuestFolder:
        if self._private is None:
            try:
                self._private = GuestFolder(self._private_path)
            except Unusable as failure:
                raise OSError(str(failure)) from None
        return self._private

    def _all(self) -> tuple[GuestFolder, ...]:
        return tuple(folder for folder in (self._user, self._private) if folder is not None)
