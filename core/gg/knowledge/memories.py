"""Memories: what an agent notes for later, with code where it likes, for a session or in a directory that stays."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from gg.errors import UsageError
from gg.knowledge.skills import Skill, checked_place, read_skills

__all__ = ["Memories"]


class Memories:
    """The memories of one agent by name. With a ``place`` they are folders there, read once and written through.

    :raises UsageError: when the directory cannot be read or made.
    """

    def __init__(self, place: str | os.PathLike[str] | None, extensions: Sequence[str]) -> None:
        self._place = None if place is None else checked_place(place, "memory")
        self._extensions = tuple(extensions)
        self._held: dict[str, Skill] = {}
        if self._place is not None:
            try:
                self._place.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"the memory directory {str(place)!r} cannot be made: {error.strerror}") from None
            self._held = read_skills(self._place, self._extensions, "memory")

    def __iter__(self) -> Iterator[Skill]:
        return iter(self._held.values())

    def __len__(self) -> int:
        return len(self._held)

    def get(self, name: str) -> Skill | None:
        """Return the memory of this name."""
        return self._held.get(name)

    def write(self, memory: Skill) -> None:
        """Keep a memory, in the place of one of the same name.

        :raises OSError: when it cannot be written.
        """
        old = self._held.get(memory.name)
        if self._place is not None:
            folder = old.folder if old and old.folder else self._place / _folder_name(memory.name)
            self._write(folder, memory)
            memory = dataclasses.replace(memory, folder=folder)
        self._held[memory.name] = memory

    def delete(self, name: str) -> None:
        """Forget a memory that is there.

        :raises OSError: when its folder cannot be removed.
        """
        memory = self._held[name]
        if memory.folder is not None:
            shutil.rmtree(memory.folder)
        del self._held[name]

    def _write(self, folder: Path, memory: Skill) -> None:
        folder.mkdir(exist_ok=True)
        head = f"---\nname: {_quoted(memory.name)}\ndescription: {_quoted(memory.description)}\n---\n\n"
        _replace(folder / "memory.md", head + memory.body)
        for stem, source in (("memory", memory.code), ("on-use", memory.on_use)):
            first, *others = [folder / f"{stem}.{extension}" for extension in self._extensions]
            if source is not None:
                _replace(first, source)
            else:
                first.unlink(missing_ok=True)
            for other in others:
                other.unlink(missing_ok=True)


def _folder_name(name: str) -> str:
    stem = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40]
    return f"{stem or 'memory'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _quoted(text: str) -> str:
    """Write a value so that it is read as it is, whatever it begins with."""
    return f'"{text}"'


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    handle, made = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        os.replace(made, path)
    except BaseException:
        os.unlink(made)
        raise
