"""The workspace: an agent's files, and the only way to them.

`_resolve` opens a path without ever leaving the root, `_folders` finds where a write goes and replaces atomically,
`_text` reads lines, `_workspace` ties them to the operations, `_errors` draws the tree of what can be answered.
"""

from __future__ import annotations

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
from gg.workspace._names import forbidden_character
from gg.workspace._text import MAX_READ_BYTES, ReadResult, count_lines
from gg.workspace._workspace import MAX_IMAGE_BYTES, Entry, Workspace

__all__ = [
    "MAX_IMAGE_BYTES",
    "MAX_READ_BYTES",
    "Conflict",
    "Entry",
    "FileError",
    "InvalidArgument",
    "IoFailed",
    "LimitExceeded",
    "NotFound",
    "ReadResult",
    "Refused",
    "Workspace",
    "WorkspaceError",
    "count_lines",
    "forbidden_character",
]
