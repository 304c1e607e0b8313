"""Built toolchains for workers: looked up, or built once by a process of its own, for all that wait."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from gg.cache import ToolchainCache
from gg.types import OperationSpec
from gg.warden.children import Child
from gg.warden.messages import Configure, NeedToolchain, Spawn, ToolchainLacking, ToolchainReady

__all__ = ["Toolchains", "open_toolchains"]

KEEP_DAYS: Final = 60
RETRY_S: Final = 0.25
"""How often a key that another host is building is looked up again."""
_MAX_OPERATIONS_BYTES: Final = 16 << 20


def open_toolchains(settings: Configure) -> ToolchainCache:
    """Open the cache of toolchains as a host configured it: beside that of compiled guests."""
    folder = Path(settings.cache_folder).parent / "toolchains"
    return ToolchainCache(folder, Path(settings.private_folder, "toolchains"), off=settings.cache == "off")


@dataclass
class _Build:
    """A toolchain somebody waits for. ``part`` and ``lock`` are there while a builder of this warden's runs."""

    spawn: Spawn
    operations: tuple[OperationSpec, ...]
    waiting: list[Child] = field(default_factory=list[Child])
    part: Path | None = None
    lock: int | None = None


class Toolchains:
    """What is built, and by whom.

    :param fork_builder: starts a builder for (spawn, operations, key, folder).
    """

    def __init__(
        self, cache: ToolchainCache, fork_builder: Callable[[Spawn, tuple[OperationSpec, ...], str, str], None]
    ) -> None:
        self.cache = cache
        self._fork_builder = fork_builder
        self._builds: dict[str, _Build] = {}

    def provide(self, child: Child, spawn: Spawn, need: NeedToolchain, private: str) -> None:
        """Answer a worker's need, now or when it is built."""
        try:
            found = self.cache.lookup(need.key)
            if found is not None:
                child.answer(ToolchainReady(str(found)))
                return
            build = self._builds.get(need.key)
            if build is None:
                build = self._builds[need.key] = _Build(spawn, _operations(private, need.operations))
            build.waiting.append(child)
            self._begin(need.key, build)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            self._builds.pop(need.key, None)
            child.answer(ToolchainLacking(str(error)))

    def _begin(self, key: str, build: _Build) -> None:
        if build.part is not None:
            return
        lock = self.cache.try_lock(key)
        if lock is None:
            return  # another host builds it: `retry` sees
        build.lock, build.part = lock, self.cache.begin(key)
        self._fork_builder(build.spawn, build.operations, key, str(build.part))

    def retry(self) -> None:
        """Look again for what other hosts build, and build what they gave up."""
        for key, build in tuple(self._builds.items()):
            if build.part is None:
                found = self.cache.lookup(key)
                if found is not None:
                    self._tell(key, ToolchainReady(str(found)))
                else:
                    self._begin(key, build)

    @property
    def waits(self) -> bool:
        """Say whether `retry` is due in a while."""
        return any(build.part is None for build in self._builds.values())

    def built(self, key: str, failure: str | None) -> None:
        """Take in how a builder has ended."""
        build = self._builds.get(key)
        if build is None or build.part is None:
            return
        answer: ToolchainReady | ToolchainLacking
        try:
            if failure is None:
                answer = ToolchainReady(str(self.cache.keep(key, build.part)), built=True)
            else:
                self.cache.discard(build.part)
                answer = ToolchainLacking(failure)
        except OSError as error:
            self.cache.discard(build.part)
            answer = ToolchainLacking(str(error))
        if build.lock is not None:
            os.close(build.lock)
        self._tell(key, answer)
        self.cache.prune(KEEP_DAYS)

    def leave(self) -> None:
        """Remove what is half built, when the warden ends."""
        for build in self._builds.values():
            if build.part is not None:
                self.cache.discard(build.part)

    def _tell(self, key: str, answer: msgspec.Struct) -> None:
        for child in self._builds.pop(key).waiting:
            child.answer(answer)


def _operations(private: str, name: str) -> tuple[OperationSpec, ...]:
    if not name:
        return ()
    fd = os.open(os.path.join(private, os.path.basename(name)), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(fd, "rb") as file:
        data = file.read(_MAX_OPERATIONS_BYTES)
    return msgspec.msgpack.decode(data, type=tuple[OperationSpec, ...])
