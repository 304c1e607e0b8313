"""The board itself: issues in the order they were filed. It knows nothing of agents."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, get_args

from gg.operations.table import ErrorCode
from gg.workspace import forbidden_character

__all__ = [
    "MAX_ISSUES",
    "MAX_TEXT_BYTES",
    "MAX_TITLE_BYTES",
    "SETTLED",
    "STATUSES",
    "Board",
    "BoardError",
    "Issue",
    "Status",
]

MAX_ISSUES = 1_000
"""Issues a board holds at most."""
MAX_TITLE_BYTES = 200
MAX_TEXT_BYTES = 16 << 10
"""Of a description, and of a result."""

Status: TypeAlias = Literal["open", "in-progress", "done", "cancelled"]
STATUSES: tuple[Status, ...] = get_args(Status)
_T = TypeVar("_T")
SETTLED: frozenset[Status] = frozenset({"done", "cancelled"})
"""Where an issue is no longer waited for."""


class BoardError(Exception):
    """Something a board does not do. ``code`` is what a program gets; ``field`` names what was wrong, where one was."""

    def __init__(self, code: ErrorCode, message: str, field: str | None = None) -> None:
        super().__init__(f"{field} {message}" if field else message)
        self.code: ErrorCode = code
        self.message = message
        self.field = field


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue. ``result`` is what came of it, said by whoever settled it."""

    id: int
    title: str
    status: Status = "open"
    description: str = ""
    result: str = ""

    @property
    def settled(self) -> bool:
        """Say whether nobody has to wait for it any more."""
        return self.status in SETTLED


class Board:
    """Issues by id, from 1. Threads and sessions may share one; every method raises a `BoardError`."""

    def __init__(self) -> None:
        self._issues: dict[int, Issue] = {}
        self._lock = threading.Lock()

    def create(self, title: str, description: str = "") -> Issue:
        """File an issue, open."""
        _check(title, description, None)
        with self._lock:
            if len(self._issues) >= MAX_ISSUES:
                raise BoardError("limit-exceeded", f"a board holds at most {MAX_ISSUES} issues")
            issue = Issue(len(self._issues) + 1, title, description=description)
            self._issues[issue.id] = issue
            return issue

    def get(self, id: int) -> Issue:
        """Return an issue as it stands."""
        with self._lock:
            return self._found(id)

    def issues(self, status: Status | None = None) -> list[Issue]:
        """Return the issues, oldest first; those of one status where it is given."""
        with self._lock:
            return [issue for issue in self._issues.values() if status in (None, issue.status)]

    def update(
        self, id: int, *, status: Status | None = None, title: str | None = None, description: str | None = None,
        result: str | None = None,
    ) -> Issue:  # fmt: skip
        """Change what is given of an issue, and return it. None leaves a field as it is."""
        _check(title, description, result)
        if status is not None and status not in STATUSES:
            raise BoardError("invalid-argument", f"is none of {', '.join(STATUSES)}", "status")
        if (status, title, description, result) == (None, None, None, None):
            raise BoardError("invalid-argument", "nothing to change was given")
        with self._lock:
            old = self._found(id)
            issue = self._issues[id] = Issue(
                id, _or(title, old.title), _or(status, old.status), _or(description, old.description),
                _or(result, old.result),
            )  # fmt: skip
            return issue

    def _found(self, id: int) -> Issue:
        issue = self._issues.get(id)
        if issue is None:
            raise BoardError("not-found", f"there is no issue {id}")
        return issue


def _or(given: _T | None, old: _T) -> _T:
    return old if given is None else given


def _check(title: str | None, description: str | None, result: str | None) -> None:
    if title is not None:
        if not title.strip():
            raise BoardError("invalid-argument", "is empty", "title")
        if what := forbidden_character(title):  # it stands in the first line of a notice
            raise BoardError("invalid-argument", f"holds {what}", "title")
    for field, value, bound in (
        ("title", title, MAX_TITLE_BYTES), ("description", description, MAX_TEXT_BYTES),
        ("result", result, MAX_TEXT_BYTES),
    ):  # fmt: skip
        if value is None:
            continue
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            raise BoardError("invalid-argument", "holds a lone surrogate", field) from None
        if size > bound:
            raise BoardError("limit-exceeded", f"is {size} bytes, and at most {bound} are kept", field)
