"""Open what a path names inside a root, never anything outside, whatever is renamed meanwhile.

`openat2` does it in the kernel in one call. `Walk` does it by hand, a folder at a time and never through a link it has
not read itself: for kernels and containers without `openat2`, and for absolute links, of which the kernel cannot say
whether they lead back inside.

Both raise `OSError`: EXDEV for a path that leads out, otherwise what `open` would have said.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Final, Protocol

from gg.confinement._libc import open_how

_BENEATH_NO_MAGICLINKS: Final = 0x08 | 0x02
_RACE_RETRIES: Final = 8
_MAX_LINKS: Final = 40


class Resolver(Protocol):
    """Opens paths below a root."""

    def open(self, path: str, flags: int) -> int:
        """Return a descriptor of what the relative `path` names; links inside are followed."""
        ...


def resolver(root: int, prefixes: tuple[str, ...], *, walk: bool = False) -> Resolver:
    """Return the best way to open paths below the root's descriptor.

    :param prefixes: the absolute names of the root; an absolute link that begins with one leads inside.
    :param walk: walk by hand even where `openat2` works.
    """
    by_hand = Walk(root, prefixes)
    if walk:
        return by_hand
    try:
        os.close(open_how(root, b".", os.O_PATH | os.O_CLOEXEC, 0, _BENEATH_NO_MAGICLINKS))
    except OSError:  # ENOSYS before Linux 5.6; EPERM from the seccomp profile of an old container runtime
        return by_hand
    return _Kernel(root, by_hand)


def inside(path: str, prefixes: tuple[str, ...]) -> str | None:
    """Return an absolute path relative to the root, or `None` where it names something else."""
    for prefix in prefixes:
        stem = prefix.rstrip("/")
        if path.rstrip("/") == stem:
            return "."
        if path.startswith(stem + "/"):
            return path[len(stem) :].lstrip("/") or "."
    return None


class _Kernel:
    def __init__(self, root: int, by_hand: Walk) -> None:
        self._root = root
        self._by_hand = by_hand

    def open(self, path: str, flags: int) -> int:
        name = os.fsencode(path)
        for _ in range(_RACE_RETRIES):
            try:
                return open_how(self._root, name, flags | os.O_CLOEXEC, 0, _BENEATH_NO_MAGICLINKS)
            except OSError as failure:
                if failure.errno == errno.EXDEV:
                    break  # out, or an absolute link that the kernel will not follow back in
                if failure.errno != errno.EAGAIN:  # EAGAIN: something was renamed while a ".." was looked up
                    raise
        return self._by_hand.open(path, flags)


class Walk:
    """Resolves component by component, keeping the descriptors of the folders it is in."""

    def __init__(self, root: int, prefixes: tuple[str, ...]) -> None:
        """Take the root's descriptor, which stays the caller's, and the root's absolute names."""
        self._root = root
        self._prefixes = prefixes

    def open(self, path: str, flags: int) -> int:
        """Return a descriptor of what the relative `path` names."""
        folders: list[int] = []
        try:
            return self._open(path, flags | os.O_CLOEXEC, folders)
        finally:
            for fd in folders:
                os.close(fd)

    def _open(self, path: str, flags: int, folders: list[int]) -> int:
        todo = _components(path)
        links = 0
        while todo:
            name = todo.pop()
            here = folders[-1] if folders else self._root
            if name == "..":
                if not folders:
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
                os.close(folders.pop())
                continue
            last = not todo
            entry = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            folders.append(entry)  # closed with the others, whatever it is
            kind = os.fstat(entry).st_mode
            if stat.S_ISLNK(kind):
                links += 1
                if links > _MAX_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                target = os.readlink("", dir_fd=entry)
                os.close(folders.pop())
                if target.startswith("/"):
                    target = self._back_inside(target, folders)
                todo.extend(_components(target))
            elif last and not (flags & os.O_DIRECTORY and stat.S_ISDIR(kind)):
                # The same object once more, now with the access asked for; a link put in its place is not followed.
                os.close(folders.pop())
                return os.open(name, flags | os.O_NOFOLLOW, dir_fd=here)
            elif not stat.S_ISDIR(kind):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return os.open(".", flags, dir_fd=folders[-1] if folders else self._root)

    def _back_inside(self, target: str, folders: list[int]) -> str:
        relative = inside(target, self._prefixes)
        if relative is None:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        while folders:
            os.close(folders.pop())
        return relative


def _components(path: str) -> list[str]:
    """Return the components in reverse order; a trailing slash asks for a folder, as a final dot does."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts and path.endswith(("/", "/.")):
        parts.append(".")
    parts.reverse()
    return parts
