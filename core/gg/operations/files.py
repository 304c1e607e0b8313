"""The ``files`` module: the workspace, and nothing outside it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Literal

import msgspec

from gg.operations.context import CallContext
from gg.operations.table import Arguments, ErrorCode, Int64, Operation, OperationFailure, PathText, Record
from gg.workspace import FileError

__all__ = ["FILES_OPERATIONS", "FileText", "ReadFile", "read_workspace_file", "workspace_failures"]

_PATH = ("path", "Relative to the workspace, or absolute inside it.")
_PATH_ERRORS: tuple[tuple[ErrorCode, str], ...] = (
    ("not-found", "Nothing is there."),
    ("refused", "The path leads out of the workspace, or names no regular file."),
    ("invalid-argument", "The path is empty or holds control characters."),
)


class ReadFile(Arguments, frozen=True):
    """Which lines of which file: ``offset`` is the 1-based first line, ``limit`` how many."""

    path: PathText
    offset: Int64 | None = None
    limit: Int64 | None = None


class FileText(Record, frozen=True, omit_defaults=True):
    """Text of a file: lines ``first_line`` to ``last_line`` (1-based, inclusive) of ``total_lines``.

    Of a picture there is no text: it has a ``media_type``, a size in ``bytes``, and ``shown``, which says whether the
    model sees it on its next turn, with the reason in ``not_shown_reason`` where it does not.
    """

    contents: str
    first_line: int
    last_line: int
    total_lines: int
    truncated: bool
    media_type: Annotated[str | None, msgspec.Meta(description="Of a picture: what it is, such as image/png.")] = None
    bytes: Annotated[int | None, msgspec.Meta(description="Of a picture: its size.")] = None
    shown: Annotated[bool | None, msgspec.Meta(description="Of a picture: whether your next turn shows it.")] = None
    not_shown_reason: Annotated[str | None, msgspec.Meta(description="Of a picture: why you do not see it.")] = None


class _WriteFile(Arguments, frozen=True):
    path: PathText
    contents: str


class _EditFile(Arguments, frozen=True):
    path: PathText
    old_string: str
    new_string: str


class _ListDir(Arguments, frozen=True):
    path: PathText | None = None


class _Entry(Record, frozen=True):
    name: str
    kind: Literal["file", "directory", "other"]


@contextmanager
def workspace_failures(context: CallContext) -> Generator[None]:
    """Turn a workspace's exceptions into values for the program."""
    try:
        yield
    except FileError as error:
        raise OperationFailure(error.code, error.message(context.info.spell_name)) from None


def read_workspace_file(context: CallContext, arguments: ReadFile) -> FileText:
    """Read a page of a file as text.

    :raises OperationFailure: as the workspace says.
    """
    with workspace_failures(context):
        read = context.workspace.read_text(arguments.path, offset=arguments.offset, limit=arguments.limit)
    if read.media_type is None:
        return FileText(read.contents, read.first_line, read.last_line, read.total_lines, read.truncated)
    show = context.info.spell("views", "open_file")
    return FileText(
        "", 1, 0, 0, False, read.media_type, read.size_bytes, False, f"reading shows nothing: `{show}` does"
    )


def _write(context: CallContext, arguments: _WriteFile) -> int:
    with workspace_failures(context):
        return context.workspace.write(arguments.path, arguments.contents.encode())


def _edit(context: CallContext, arguments: _EditFile) -> None:
    with workspace_failures(context):
        context.workspace.edit(arguments.path, arguments.old_string, arguments.new_string)


def _list(context: CallContext, arguments: _ListDir) -> list[_Entry]:
    with workspace_failures(context):
        entries = context.workspace.list("." if arguments.path is None else arguments.path)
    return [_Entry(entry.name, entry.kind) for entry in entries]


FILES_OPERATIONS = (
    Operation(
        "files.read_file",
        ReadFile,
        read_workspace_file,
        FileText,
        "Read a text file, or some of its lines.",
        "At most 256 KiB a call: `truncated` says when there was more. Of a picture (PNG, JPEG, GIF, WebP) it returns "
        "what it is, and no text.",
        docs=(_PATH, ("offset", "The first line to read, from 1."), ("limit", "How many lines.")),
        errors=(*_PATH_ERRORS, ("io-error", "The file could not be read.")),
    ),
    Operation(
        "files.write_file",
        _WriteFile,
        _write,
        int,
        "Write a file, replacing what was there, and return how many bytes were written.",
        "Missing folders are made.",
        docs=(_PATH, ("contents", "The whole new text.")),
        errors=(*_PATH_ERRORS[1:], ("io-error", "The file could not be written.")),
    ),
    Operation(
        "files.edit_file",
        _EditFile,
        _edit,
        None,
        "Replace the one occurrence of a string in a file.",
        docs=(
            _PATH,
            ("old_string", "What to replace; it must occur exactly once."),
            ("new_string", "What to put there."),
        ),
        errors=(*_PATH_ERRORS, ("conflict", "The string occurs more than once.")),
    ),
    Operation(
        "files.list_dir",
        _ListDir,
        _list,
        list[_Entry],
        "List a folder by name.",
        docs=(("path", "The folder; the workspace itself when left out."),),
        errors=_PATH_ERRORS,
    ),
)
