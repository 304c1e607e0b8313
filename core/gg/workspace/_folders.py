"""Where a write goes: the folder that will hold the file, made where it is missing, and the name in it."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gg.workspace._resolve import inside

if TYPE_CHECKING:
    from collections.abc import Generator

    from gg.workspace._resolve import Resolver

_MAX_LINKS: Final = 40
_FOLDER: Final = os.O_PATH | os.O_DIRECTORY


@dataclass(frozen=True, slots=True)
class Slot:
    """A name in a folder of the workspace, no link."""

    folder: int
    """Descriptor of the folder."""
    name: str
    status: os.stat_result | None
    """What has the name now; `None` where nothing has."""


@contextlib.contextmanager
def slot(resolver: Resolver, prefixes: tuple[str, ...], path: str, *, create: bool) -> Generator[Slot]:
    """Find the place of a relative path; a link there is followed, so that what it names is written, not the link.

    Raises `OSError`: EXDEV where it leads out, EISDIR where it can only name a folder.
    """
    for _ in range(_MAX_LINKS):
        head, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        folder = _open_folder(resolver, head, create=create)
        try:
            status = _status(name, folder)
            if status is None or not stat.S_ISLNK(status.st_mode):
                yield Slot(folder, name, status)
                return
            target = os.readlink(name, dir_fd=folder)
        finally:
            os.close(folder)
        path = _target(head, target, prefixes)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def replace(place: Slot, data: bytes) -> None:
    """Write `data` beside and rename it into place: what is there afterwards is the old file or the whole new one.

    Mode and, where allowed, owner of an old file are kept. Raises `OSError`, leaving nothing behind.
    """
    if place.status is not None and not os.access(place.name, os.W_OK, dir_fd=place.folder):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # a rename would not have asked
    temporary = f".gg-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(temporary, flags, 0o666, dir_fd=place.folder)
    try:
        try:
            _write_all(fd, data)
            if place.status is not None:
                _copy_owner_and_mode(fd, place.status)
        finally:
            os.close(fd)
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=place.folder)
        raise


def _open_folder(resolver: Resolver, path: str, *, create: bool) -> int:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    depth = len(parts)
    while True:
        try:
            folder = resolver.open("/".join(parts[:depth]) or ".", _FOLDER)
            break
        except FileNotFoundError:
            # Of "new/.." nothing is made: the folder above is what was meant, and it cannot be had through "new".
            if not create or ".." in parts:
                raise
            depth -= 1
    for part in parts[depth:]:
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, dir_fd=folder)
            below = os.open(part, _FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        finally:
            os.close(folder)
        folder = below
    return folder


def _status(name: str, folder: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _target(head: str, target: str, prefixes: tuple[str, ...]) -> str:
    if not target.startswith("/"):
        return f"{head}/{target}" if head else target
    relative = inside(target, prefixes)
    if relative is None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return relative


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _copy_owner_and_mode(fd: int, status: os.stat_result) -> None:
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, status.st_uid, status.st_gid)
    os.fchmod(fd, stat.S_IMODE(status.st_mode) & 0o777)
