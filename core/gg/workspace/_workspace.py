"""The files of an agent: everything a program reads or writes goes through a `Workspace`."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from gg.workspace import _text
from gg.workspace._errors import (
    Conflict,
    FileError,
    InvalidArgument,
    IoFailed,
    LimitExceeded,
    NotFound,
    Refused,
    WorkspaceError,
)
from gg.workspace._folders import Slot, replace, slot
from gg.workspace._names import check_path, encode
from gg.workspace._resolve import inside, resolver
from gg.workspace._text import MAX_READ_BYTES, ReadResult

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from types import TracebackType

MAX_FILE_BYTES: Final = 1 << 30
"""A larger file is not read, not even in part: its lines could not be counted in time."""
MAX_EDIT_BYTES: Final = 64 << 20
"""A larger file is not edited."""
MAX_ENTRIES: Final = 20_000
"""A folder with more entries is not listed."""
MAX_IMAGE_BYTES: Final = 8 << 20

_PATH_MAX_BYTES: Final = 4096  # the kernel's own; walking would get further
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a folder."""

    name: str
    kind: Literal["file", "directory", "other"]
    """Of what a link leads to; `other` where it leads out or nowhere."""


class Workspace:
    """A folder, and nothing outside it.

    Paths are relative to the folder, or absolute and inside it. Links are followed as long as they stay inside. All
    methods raise a `FileError`; none waits on a pipe or a device. Threads may share an instance.
    """

    def __init__(self, root: str | os.PathLike[str], *, walk: bool = False) -> None:
        """Open the folder. Raises `WorkspaceError` where it does not exist, is no folder, or may not be entered.

        :param walk: resolve paths component by component even where `openat2` works.
        """
        name = os.fspath(root)
        try:
            self._root = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            what = f"the workspace {name} does not exist" if name else "the path of the workspace is empty"
            raise WorkspaceError(what) from None
        except NotADirectoryError:
            raise WorkspaceError(f"the workspace {name} is not a directory") from None
        except (OSError, ValueError) as failure:
            reason = failure.strerror if isinstance(failure, OSError) else failure
            raise WorkspaceError(f"the workspace {name} cannot be opened: {reason}") from None
        if not os.access(name, os.X_OK):
            os.close(self._root)
            raise WorkspaceError(f"the workspace {name} cannot be opened: {os.strerror(errno.EACCES)}")
        self.root: Final = os.path.realpath(name)
        """The folder's real absolute name."""
        self._prefixes = tuple(dict.fromkeys((os.path.abspath(name), self.root)))
        self._resolver = resolver(self._root, self._prefixes, walk=walk)
        self._open = True

    def close(self) -> None:
        """Give the folder's descriptor back. Safe to call twice."""
        if self._open:
            self._open = False
            os.close(self._root)

    def read_text(
        self, path: str, offset: int | None = None, limit: int | None = None, max_bytes: int = MAX_READ_BYTES
    ) -> ReadResult:
        """Read lines of a text file; of a picture, what it is.

        :param offset: 1-based first line; an empty file has a line 1 for this purpose.
        :param limit: how many lines; all that are left without it.
        :param max_bytes: how many bytes are kept at most; past it the result is `truncated`.
        """
        first = 1 if offset is None else offset
        for name, value in (("offset", first), ("limit", limit)):
            if value is not None and value < 1:
                raise InvalidArgument(f"`{{parameter}}` is {value}; it counts from 1", name)
        fd, size = self._open_regular(path)
        try:
            if size > MAX_FILE_BYTES:
                raise LimitExceeded(f"{path} is {size} bytes; files of at most {MAX_FILE_BYTES} bytes are read")
            result = _text.read(fd, size, first, limit, max_bytes)
        except OSError as failure:
            raise _translated(failure, path) from None
        finally:
            os.close(fd)
        if result.kind == "text" and first > max(1, result.total_lines):
            lines = "1 line" if result.total_lines == 1 else f"{result.total_lines} lines"
            raise InvalidArgument(f"`{{parameter}}` is {first}, past the end: {path} has {lines}", "offset")
        return result

    def read_bytes(self, path: str, max_bytes: int = MAX_IMAGE_BYTES) -> bytes:
        """Read a whole file. Raises `LimitExceeded` where it is larger than `max_bytes`."""
        fd, _ = self._open_regular(path)
        try:
            return _read_all(fd, path, max_bytes)
        except OSError as failure:
            raise _translated(failure, path) from None
        finally:
            os.close(fd)

    def write(self, path: str, data: bytes | str) -> int:
        """Write a file as a whole and return its size in bytes.

        Missing folders are made. The file is replaced by a rename, keeping its mode; a link inside the workspace stays
        and what it leads to is written. Other hard links to the file keep the old contents.
        """
        payload = encode(data, "contents") if isinstance(data, str) else data
        with self._slot(path, create=True) as place:
            replace(place, payload)
        return len(payload)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace the one occurrence of `old` in a file by `new`; bytes that are no UTF-8 elsewhere in it stay.

        Raises `Conflict` where `old` matches more than once, overlapping matches included, `NotFound` where it does
        not match or the file is missing. Messages call them `old_string` and `new_string`.
        """
        if not old:
            raise InvalidArgument("`{parameter}` is empty", "old_string")
        wanted, replacement = encode(old, "old_string"), encode(new, "new_string")
        with self._slot(path, create=False) as place:
            if place.status is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            fd = os.open(place.name, _READ | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.folder)
            try:
                before = _read_all(fd, path, MAX_EDIT_BYTES)
            finally:
                os.close(fd)
            count = before.count(wanted)
            position = before.find(wanted)
            if count == 1 and before.find(wanted, position + 1) >= 0:
                count = 2  # it overlaps with itself, which `count` does not see
            if count == 0:
                raise NotFound(f"`{{parameter}}` was not found in {path}", "old_string")
            if count > 1:
                raise Conflict("old_string", count, path)
            replace(place, before[:position] + replacement + before[position + len(wanted) :])

    def list(self, path: str = ".") -> list[Entry]:
        """Return the entries of a folder by name, `.` and `..` apart. Undecodable bytes in names are deleted."""
        with self._failures(path):
            relative = self._relative(path)
            fd = self._resolver.open(relative, os.O_RDONLY | os.O_NONBLOCK)
            try:
                if not stat.S_ISDIR(os.fstat(fd).st_mode):
                    raise Refused(f"{path} is not a directory")
                entries = [self._entry(entry, relative) for entry in _scan(fd, path)]
            finally:
                os.close(fd)
        return sorted(entries, key=lambda entry: entry.name)

    def _entry(self, entry: os.DirEntry[str], folder: str) -> Entry:
        name = os.fsencode(entry.name).decode("utf-8", "ignore")
        if entry.is_symlink():
            mode = self._mode(f"{folder}/{entry.name}")
            return Entry(name, "directory" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other")
        return Entry(name, "directory" if entry.is_dir() else "file" if entry.is_file() else "other")

    def _mode(self, relative: str) -> int:
        try:
            fd = self._resolver.open(relative, os.O_PATH)
        except OSError:
            return 0
        try:
            return os.fstat(fd).st_mode
        finally:
            os.close(fd)

    def _relative(self, path: str) -> str:
        check_path(path)
        if len(os.fsencode(path)) >= _PATH_MAX_BYTES:
            raise IoFailed(path, errno.ENAMETOOLONG)
        if not path.startswith("/"):
            return path
        relative = inside(path, self._prefixes)
        if relative is None:
            raise Refused(f"{path} is outside the workspace")
        return relative

    def _open_regular(self, path: str) -> tuple[int, int]:
        """Return descriptor and size of a regular file, without waiting on anything else that may have its name."""
        self._check_open()
        relative = self._relative(path)
        try:
            fd = self._resolver.open(relative, _READ)
        except OSError as failure:
            raise _translated(failure, path) from None
        try:
            status = os.fstat(fd)
            _check_regular(status.st_mode, path)
        except BaseException:
            os.close(fd)
            raise
        return fd, status.st_size

    def _check_open(self) -> None:
        if not self._open:
            message = "the workspace is closed"
            raise ValueError(message)

    @contextlib.contextmanager
    def _slot(self, path: str, *, create: bool) -> Generator[Slot]:
        with self._failures(path), slot(self._resolver, self._prefixes, self._relative(path), create=create) as place:
            if place.status is not None:
                _check_regular(place.status.st_mode, path)
            yield place

    @contextlib.contextmanager
    def _failures(self, path: str) -> Generator[None]:
        self._check_open()
        try:
            yield
        except OSError as failure:
            raise _translated(failure, path) from None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _scan(fd: int, path: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(fd) as entries:
        for count, entry in enumerate(entries):
            if count == MAX_ENTRIES:
                raise LimitExceeded(f"{path} has more than {MAX_ENTRIES} entries")
            yield entry


def _read_all(fd: int, path: str, max_bytes: int) -> bytes:
    parts: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (part := os.read(fd, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    if left <= 0:
        raise LimitExceeded(f"{path} is larger than {max_bytes} bytes")
    return b"".join(parts)


def _check_regular(mode: int, path: str) -> None:
    if stat.S_ISDIR(mode):
        raise Refused(f"{path} is a directory")
    if not stat.S_ISREG(mode):
        raise Refused(f"{path} is not a regular file")


def _translated(failure: OSError, path: str) -> FileError:
    number = failure.errno or errno.EIO
    if number == errno.EXDEV:
        return Refused(f"{path} leads out of the workspace")
    if number in (errno.ENOENT, errno.ENOTDIR):
        return NotFound(f"{path} does not exist")
    if number == errno.EISDIR:
        return Refused(f"{path} is a directory")
    if number in (errno.ENXIO, errno.ENODEV):
        return Refused(f"{path} is not a regular file")
    return IoFailed(path, number)
