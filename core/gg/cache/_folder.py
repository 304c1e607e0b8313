"""One folder of compiled guests, trusted only as far as it was checked.

An entry is `<key>.cwasm` with its SHA-256 beside it in `<key>.sha256`. wasmtime runs what it is given (it notices
truncation, not flipped bytes), so an entry counts only if folder and file are this user's, nobody else can write them,
and the digest agrees. Entries are written beside and renamed: rewriting a mapped file would kill who mapped it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from io import BufferedReader

GUEST: Final = ".cwasm"
DIGEST: Final = ".sha256"
LOCK: Final = ".lock"
TEMPORARY: Final = ".tmp"

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_DAY_S: Final = 86_400
_ABANDONED_S: Final = 3_600
_LOCK_POLL_S: Final = 0.02


class Unusable(Exception):
    """The folder cannot hold guests; the text says why."""


class GuestFolder:
    """A checked folder. It holds no descriptor, so that processes forked later may close what they like."""

    def __init__(self, path: Path) -> None:
        """Make the folder where it is missing, and check it. Raises `Unusable` with the reason."""
        self.path: Final = path
        self._checked: set[tuple[int, ...]] = set()
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = path.lstat()
        except OSError as failure:
            raise Unusable(f"{path} cannot be used: {failure.strerror}") from None
        defect = folder_defect(status)
        if defect:
            raise Unusable(f"{path} {defect}")
        if status.st_mode & _OTHERS:
            with contextlib.suppress(OSError):  # on a read-only file system others may go on reading it
                path.chmod(0o700)
        self.writable: Final = self._can_be_written()

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def lookup(self, key: str) -> Path | None:
        """Return the entry, its digest verified unless this very file was before; `None` where there is none.

        An entry that does not hold is removed where it is this user's.
        """
        try:
            if folder_defect(self.path.lstat()):
                return None
            fd = os.open(self._at(key + GUEST), _READ)
        except FileNotFoundError:
            return None
        except OSError:  # a link, or something else that cannot be opened
            self._discard(key)
            return None
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            os.close(fd)
            self._discard(key, status.st_ino)
            return None
        with open(fd, "rb") as file:
            identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            trusted = _is_safe(status) and (identity in self._checked or self._digest_agrees(key, file))
        if not trusted:
            self._discard(key, status.st_ino)
            return None
        if identity not in self._checked:
            self._checked.add(identity)
            self._mark_used(key)
        return self.path / (key + GUEST)

    def store(self, key: str, write: Callable[[BinaryIO], object]) -> Path:
        """Write an entry and return it. Raises `OSError`, leaving nothing behind."""
        guest = digest = None
        try:
            guest, value = self._write_beside(key, write)
            digest, _ = self._write_beside(key, lambda file: file.write(value.encode()))
            # The digest first: who looks in between finds no guest, or an old one that no longer agrees.
            os.rename(self._at(digest), self._at(key + DIGEST))
            os.rename(self._at(guest), self._at(key + GUEST))
        except BaseException:
            for name in filter(None, (guest, digest)):
                self._unlink(name)
            raise
        return self.path / (key + GUEST)

    def forget_checks(self) -> None:
        """Verify every entry again when it is next looked up."""
        self._checked.clear()

    def prune(self, max_age_days: float) -> int:
        """Remove what was not used for so long, and what a killed process left behind; return how many files."""
        now = time.time()
        removed = 0
        for name in os.listdir(self.path):
            key, suffix = os.path.splitext(name)
            if suffix not in (GUEST, DIGEST, LOCK, TEMPORARY):
                continue
            with contextlib.suppress(OSError):
                age = now - self._last_use(key, name)
                if age > (_ABANDONED_S if suffix == TEMPORARY else max_age_days * _DAY_S):
                    removed += self._remove_unlocked(key, name)
        return removed

    @contextlib.contextmanager
    def lock(self, key: str, *, wait: bool = True, timeout_s: float | None = None) -> Generator[bool]:
        """Hold the entry's lock across processes; yields False where it was not had in time.

        A folder that cannot be written needs no lock and yields True: a store into it will say why.
        """
        fd = self._lock_file(key)
        if fd is None:
            yield True
            return
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while not self._has(fd, key):
            if not wait or (deadline is not None and time.monotonic() >= deadline):
                os.close(fd)
                yield False
                return
            os.close(fd)
            time.sleep(_LOCK_POLL_S)
            fd = self._lock_file(key)
            if fd is None:
                yield True
                return
        try:
            yield True
        finally:
            os.close(fd)  # and with it the lock

    def _lock_file(self, key: str) -> int | None:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            return os.open(self._at(key + LOCK), flags, 0o600)
        except OSError:
            return None

    def _has(self, fd: int, key: str) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        # Pruning may have removed the file between opening and locking it; such a lock excludes nobody.
        with contextlib.suppress(FileNotFoundError):
            return os.stat(self._at(key + LOCK), follow_symlinks=False).st_ino == os.fstat(fd).st_ino
        return False

    def _can_be_written(self) -> bool:
        name = f"{secrets.token_hex(8)}{TEMPORARY}"
        try:
            fd = os.open(self._at(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        os.close(fd)
        self._unlink(name)
        return True

    def _digest_agrees(self, key: str, guest: BufferedReader) -> bool:
        try:
            with open(os.open(self._at(key + DIGEST), _READ), "rb") as file:
                if not _is_safe(os.fstat(file.fileno())):
                    return False
                expected = file.read(65)
            return hashlib.file_digest(guest, "sha256").hexdigest().encode() == expected
        except OSError:
            return False

    def _write_beside(self, key: str, write: Callable[[BinaryIO], object]) -> tuple[str, str]:
        name = f"{key}.{secrets.token_hex(8)}{TEMPORARY}"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            # Read-only from the start: the confined process that compiles may not change modes.
            with open(os.open(self._at(name), flags, 0o400), "w+b") as file:
                write(file)
                file.flush()
                file.seek(0)
                return name, hashlib.file_digest(file, "sha256").hexdigest()
        except BaseException:
            self._unlink(name)
            raise

    def _discard(self, key: str, inode: int | None = None) -> None:
        """Remove an entry that does not hold, unless it is another user's or somebody is just replacing it."""
        with contextlib.suppress(OSError), self.lock(key, wait=False) as held:
            if not held or not self.writable:
                return
            status = os.stat(self._at(key + GUEST), follow_symlinks=False)
            if status.st_uid == os.geteuid() and inode in (None, status.st_ino):
                self._unlink(key + GUEST)
                self._unlink(key + DIGEST)

    def _mark_used(self, key: str) -> None:
        with contextlib.suppress(OSError):
            os.utime(self._at(key + DIGEST), follow_symlinks=False)

    def _last_use(self, key: str, name: str) -> float:
        with contextlib.suppress(FileNotFoundError):
            return os.stat(self._at(key + DIGEST), follow_symlinks=False).st_mtime
        return os.stat(self._at(name), follow_symlinks=False).st_mtime

    def _remove_unlocked(self, key: str, name: str) -> int:
        if name.endswith(TEMPORARY):
            self._unlink(name)
            return 1
        with self.lock(key, wait=False) as held:
            if not held:
                return 0
            removed = [self._unlink(key + suffix) for suffix in (GUEST, DIGEST, LOCK)]
        return sum(removed)

    def _unlink(self, name: str) -> bool:
        with contextlib.suppress(OSError):
            os.unlink(self._at(name))
            return True
        return False


def _is_safe(status: os.stat_result) -> bool:
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_uid == os.geteuid()
        and not status.st_mode & _WRITABLE_BY_OTHERS
        and status.st_size > 0
    )


def folder_defect(status: os.stat_result) -> str | None:
    """Return what makes a folder unfit, or `None`."""
    if not stat.S_ISDIR(status.st_mode):
        return "is not a directory" if not stat.S_ISLNK(status.st_mode) else "is a link"
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    if status.st_mode & _WRITABLE_BY_OTHERS:
        return "can be written by others (its mode should be 0700)"
    return None
