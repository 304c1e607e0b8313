"""The board's operations: what a program calls, and the wait whose result is a notice of a later turn."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from dataclasses import dataclass

from gg.operations.context import CallContext
from gg.operations.table import Arguments, Int64, Operation, OperationFailure, Record
from gg_board.board import Board, BoardError, Issue, Status

__all__ = ["MODULE", "FindBoard", "board_operations"]

MODULE = "board"
FindBoard = Callable[[CallContext], Board]
"""Answers the board that an agent's calls are about."""


class _Create(Arguments, frozen=True):
    title: str
    description: str | None = None


class _List(Arguments, frozen=True):
    status: Status | None = None


class _Update(Arguments, frozen=True):
    id: Int64
    status: Status | None = None
    title: str | None = None
    description: str | None = None
    result: str | None = None


class _Wait(Arguments, frozen=True):
    id: Int64


class _Issue(Record, frozen=True):
    id: int
    title: str
    status: str
    description: str
    result: str


@dataclass(frozen=True)
class _Settled:
    """Waits for an issue. Two waits of one agent for one issue are equal, so it is told once."""

    board: Board
    id: int

    def __call__(self) -> str | None:
        issue = self.board.get(self.id)
        if not issue.settled:
            return None
        fact = f"Issue {issue.id}, {issue.title}, is {issue.status}."
        return f"{fact}\n\n{issue.result}" if issue.result.strip() else fact


_TITLE = "What it is about, in one line of at most 200 bytes."
_DESCRIPTION = "What is to be done."


def board_operations(find: FindBoard) -> tuple[Operation, ...]:
    """Return the rows of the module ``board``, on the boards that ``find`` answers."""

    def create(context: CallContext, arguments: _Create) -> _Issue:
        with _failing(context):
            return _record(find(context).create(arguments.title, arguments.description or ""))

    def list_(context: CallContext, arguments: _List) -> list[_Issue]:
        return [_record(issue) for issue in find(context).issues(arguments.status)]

    def update(context: CallContext, arguments: _Update) -> _Issue:
        with _failing(context):
            changed = find(context).update(
                arguments.id, status=arguments.status, title=arguments.title, description=arguments.description,
                result=arguments.result,
            )  # fmt: skip
            return _record(changed)

    def wait(context: CallContext, arguments: _Wait) -> None:
        board = find(context)
        with _failing(context):
            board.get(arguments.id)
        context.defer("board.wait_for_issue", _Settled(board, arguments.id))

    return (
        Operation(
            "board.create_issue", _Create, create, _Issue, "File an issue on the board and return it.",
            docs=(("title", _TITLE), ("description", _DESCRIPTION)),
            errors=(
                ("invalid-argument", "The title is blank, or no single line."),
                ("limit-exceeded", "A text is too long, or the board is full."),
            ),
        ),
        Operation(
            "board.list_issues", _List, list_, list[_Issue], "Return the issues of the board, oldest first.",
            docs=(("status", "Only those that are `open`, `in-progress`, `done` or `cancelled`."),),
        ),
        Operation(
            "board.update_issue", _Update, update, _Issue, "Change an issue and return it.",
            "What is not given stays as it is.",
            docs=(
                ("id", "Which issue."), ("status", "`open`, `in-progress`, `done` or `cancelled`."),
                ("title", _TITLE), ("description", _DESCRIPTION),
                ("result", "What came of it, for whoever waits for it."),
            ),
            errors=(
                ("not-found", "There is no such issue."),
                ("invalid-argument", "Nothing to change was given, or the title is no single line."),
                ("limit-exceeded", "A text is too long."),
            ),
        ),
        Operation(
            "board.wait_for_issue", _Wait, wait, None, "Ask to be told when an issue is done or cancelled.",
            "Returns at once. What came of the issue is a notice at the end of the turn in which that is known.",
            docs=(("id", "Which issue."),),
            errors=(("not-found", "There is no such issue."),),
        ),
    )  # fmt: skip


@contextlib.contextmanager
def _failing(context: CallContext) -> Generator[None]:
    """Turn what a board does not do into a failed call, with the argument spelled as the agent's language does."""
    try:
        yield
    except BoardError as error:
        message = f"{context.arg(error.field)} {error.message}" if error.field else error.message
        raise OperationFailure(error.code, message) from None


def _record(issue: Issue) -> _Issue:
    return _Issue(issue.id, issue.title, issue.status, issue.description, issue.result)
