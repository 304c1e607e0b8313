"""What goes wrong with a workspace.

::

    WorkspaceError            the workspace itself cannot be used (raised when it is opened)

    FileError                 an operation on a path failed; .code is the operation's error code
    ├── InvalidArgument       "invalid-argument"  .parameter
    ├── NotFound              "not-found"         a file, or in `edit` the text looked for
    ├── Conflict              "conflict"          .parameter .count
    ├── Refused               "refused"           leads out of the workspace, or is no regular file
    ├── LimitExceeded         "limit-exceeded"
    └── IoFailed              "io-error"          .errno

A message that names an argument must spell it as the agent's language does, so texts hold ``{parameter}`` and
`FileError.message` puts it in: ``failure.message(spell)``.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from gg.errors import GGError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

Code: TypeAlias = Literal["invalid-argument", "not-found", "conflict", "refused", "limit-exceeded", "io-error"]


class WorkspaceError(UsageError):
    """The folder cannot serve as a workspace; the text is one sentence that names it."""


class FileError(GGError):
    """An operation on a path of the workspace failed.

    Attributes:
        code: The operation's error code, the same for all instances of a class.
        template: The sentence, in which ``{parameter}`` stands for the argument's spelling.
        parameter: The argument the sentence is about, in snake_case; empty where it names none.

    """

    code: ClassVar[Code]

    def __init__(self, template: str, parameter: str = "") -> None:
        super().__init__(_spelled(template, parameter))
        self.template = template
        self.parameter = parameter

    def message(self, spell: Callable[[str], str] | None = None) -> str:
        """Return the sentence with the argument spelled by `spell` (as in Python without it)."""
        return _spelled(self.template, spell(self.parameter) if spell and self.parameter else self.parameter)


class InvalidArgument(FileError):
    """An argument that no file could make valid."""

    code = "invalid-argument"


class NotFound(FileError):
    """There is no such file, or no such text in it."""

    code = "not-found"


class Conflict(FileError):
    """The text to replace is not unique.

    Attributes:
        count: How many times it matched.

    """

    code = "conflict"

    def __init__(self, parameter: str, count: int, path: str) -> None:
        super().__init__(f"`{{parameter}}` matched {count} times in {path}", parameter)
        self.count = count


class Refused(FileError):
    """The path leads out of the workspace, or to something that is no regular file."""

    code = "refused"


class LimitExceeded(FileError):
    """A file or folder is larger than what is served."""

    code = "limit-exceeded"


class IoFailed(FileError):
    """The system could not do it.

    Attributes:
        errno: The system's error number.

    """

    code = "io-error"

    def __init__(self, path: str, number: int) -> None:
        if number == errno.ENAMETOOLONG:
            super().__init__("`{parameter}` is too long a name", "path")
        else:
            super().__init__(f"{path}: {os.strerror(number)}")
        self.errno = number


def _spelled(template: str, name: str) -> str:
    # Only once, and only where an argument is named: a path in the sentence may read "{parameter}" itself.
    return template.replace("{parameter}", name, 1) if name else template
