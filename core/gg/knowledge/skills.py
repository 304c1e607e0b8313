"""Skills: folders of a directory, each with a text and, where it has them, a module of code and an on-use script."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gg.errors import UsageError
from gg.types import MAX_PROGRAM_BYTES
from gg.workspace import forbidden_character

__all__ = [
    "MAX_BODY_BYTES",
    "MAX_NAME_BYTES",
    "Skill",
    "name_fault",
    "read_folder",
    "read_skills",
    "split_front_matter",
]

MAX_BODY_BYTES = 65_536
MAX_DESCRIPTION_CHARS = 1024
MAX_NAME_BYTES = 200
_RULE = "---"


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill or a memory as it stands in a folder. ``code`` and ``on_use`` are in the agent's language."""

    name: str
    description: str
    body: str
    code: str | None = None
    on_use: str | None = None
    folder: Path | None = None


def read_skills(place: str | os.PathLike[str], extensions: Sequence[str], noun: str = "skill") -> dict[str, Skill]:
    """Read every skill of a directory: each sub-folder is one; other files and hidden folders are passed over.

    :param extensions: of source files in the agent's language, without a dot.
    :param noun: what the files are called: ``skill.md``, or ``memory.md``.
    :raises UsageError: naming the file, for one that is missing, unreadable, no text, too long or does not parse, and
        for two of one name.
    """
    root = checked_place(place, noun)
    try:
        folders = sorted(entry for entry in root.iterdir() if not entry.name.startswith(".") and entry.is_dir())
    except OSError as error:
        raise UsageError(f"the {noun} directory {str(root)!r} cannot be read: {error.strerror}") from None
    found: dict[str, Skill] = {}
    for folder in folders:
        skill = read_folder(folder, extensions, noun)
        other = found.setdefault(skill.name, skill)
        if other is not skill:
            raise UsageError(f"two {noun} folders have the name {skill.name!r}: {other.folder} and {folder}")
    return found


def checked_place(place: object, noun: str) -> Path:
    """Return a directory's path.

    :raises UsageError: for what is no path, and for an empty one, which would be the current folder.
    """
    try:
        path = os.fsdecode(cast("str", place))
    except TypeError:
        path = ""
    if not path:
        raise UsageError(f"the {noun} directory is a path, not {place!r}")
    return Path(path)


def read_folder(folder: Path, extensions: Sequence[str], noun: str) -> Skill:
    """Read one folder.

    :raises UsageError: as `read_skills` does.
    """
    main = folder / f"{noun}.md"
    if not main.exists():
        raise UsageError(f"{main} does not exist, and every {noun} has one")
    fields, body = split_front_matter(main, _read(main, MAX_BODY_BYTES + (16 << 10)))
    for key in ("name", "description"):
        if not fields.get(key, "").strip():
            raise UsageError(f"{main} has no {key} in its front matter")
    name, description = fields["name"].strip(), " ".join(fields["description"].split())
    if fault := name_fault(name):
        raise UsageError(f"{main} has a name that {fault}")
    if len(description) > MAX_DESCRIPTION_CHARS:
        raise UsageError(f"{main} has a description of {len(description)} characters: {MAX_DESCRIPTION_CHARS} at most")
    if what := forbidden_character(description):
        raise UsageError(f"{main} has a description that holds {what}")
    if (size := len(body.encode())) > MAX_BODY_BYTES:
        raise UsageError(f"{main} has a body of {size} bytes, and it is at most {MAX_BODY_BYTES}")
    return Skill(name, description, body, _half(folder, noun, extensions), _half(folder, "on-use", extensions), folder)


def name_fault(name: str) -> str | None:
    """Say what is wrong with a name, as the end of a sentence, or None: names stand in headings, as labels do."""
    if not name.strip():
        return "is empty"
    if what := forbidden_character(name):
        return f"holds {what}"
    if (size := len(name.encode("utf-8", "replace"))) > MAX_NAME_BYTES:
        return f"is {size} bytes, and a name is at most {MAX_NAME_BYTES}"
    return None


def split_front_matter(path: Path, text: str) -> tuple[dict[str, str], str]:
    """Return the fields between the two ``---`` lines at a file's head, and the body under them.

    A field is ``key: value``; indented lines go on with the value of the field above.

    :raises UsageError: naming the file and line.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != _RULE:
        raise UsageError(f"{path} does not begin with front matter: its first line is not {_RULE!r}")
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == _RULE), None)
    if end is None:
        raise UsageError(f"{path} has front matter without an end: a second line {_RULE!r} is missing")
    body = "\n".join(lines[end + 1 :])
    return _fields(path, lines[1:end]), body.removeprefix("\r").removeprefix("\n")


def _fields(path: Path, lines: Iterable[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    key = None
    for number, line in enumerate(lines, 2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] in " \t":
            if key is None:
                raise UsageError(f"{path}, line {number}: an indented line goes on with no field")
            fields[key] = f"{fields[key]} {line.strip()}".strip()
            continue
        name, colon, value = line.partition(":")
        key = name.strip()
        if not colon or not key or " " in key:
            raise UsageError(f"{path}, line {number} of its front matter is no `key: value`")
        if key in fields:
            raise UsageError(f"{path}, line {number} gives {key!r} a second time")
        value = value.strip()
        if value[:1] in ("'", '"') and (len(value) < 2 or value[-1] != value[0]):
            raise UsageError(f"{path}, line {number} has a quote that is not closed")
        fields[key] = "" if value in (">", "|", ">-", "|-") else value[1:-1] if value[:1] in ("'", '"') else value
    return fields


def _half(folder: Path, stem: str, extensions: Sequence[str]) -> str | None:
    """Return the source of a folder's code of this stem in one of the extensions, or None where it has none."""
    there = [path for path in (folder / f"{stem}.{extension}" for extension in extensions) if path.exists()]
    if len(there) > 1:
        raise UsageError(f"{there[0]} and {there[1]} are both there, and only one of them can be meant")
    return _read(there[0], MAX_PROGRAM_BYTES) if there else None


def _read(path: Path, most: int) -> str:
    try:
        if not path.is_file():  # a pipe would be waited on
            raise UsageError(f"{path} is no regular file")
        with path.open("rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise UsageError(f"{path} is over {most} bytes")
        return data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: byte {error.start}") from None
