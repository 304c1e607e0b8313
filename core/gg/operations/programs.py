"""The ``programs`` module: the session's library, and the hand-over to a replacement program."""

from __future__ import annotations

from gg.library import Entry, Library
from gg.operations.context import CallContext
from gg.operations.table import Arguments, Operation, OperationFailure, Record
from gg.types import MAX_PROGRAM_BYTES
from gg.workspace import count_lines
from gg_rust_ext import clip

__all__ = ["MODULE", "PROGRAMS_OPERATIONS", "HandOver"]

MODULE = "programs"
_MOST_NAMED = 20
_MAX_ERROR_BYTES = 512


class HandOver:
    """The replacement that one program asked to be run in its place; the first call stands."""

    def __init__(self) -> None:
        self.source: str | None = None


class _History(Arguments, frozen=True):
    pass


class _Get(Arguments, frozen=True):
    id: str


class _Rerun(Arguments, frozen=True):
    source: str


class _Program(Record, frozen=True, omit_defaults=True):
    id: str
    turn: int
    lines: int
    chars: int
    ok: bool
    error: str | None = None


def _library(context: CallContext) -> Library:
    if context.library is None:  # the gate has refused the call already
        raise OperationFailure("unavailable", "this session keeps no programs")
    return context.library


def _history(context: CallContext, _arguments: _History) -> list[_Program]:
    return [_described(entry) for entry in _library(context)]


def _described(entry: Entry) -> _Program:
    error = None if entry.error is None else clip(entry.error, _MAX_ERROR_BYTES)
    return _Program(entry.id, entry.turn, count_lines(entry.source), len(entry.source), entry.ok, error)


def _get(context: CallContext, arguments: _Get) -> str:
    library = _library(context)
    entry = library.get(arguments.id)
    if entry is not None:
        return entry.source
    held = [f"{entry.id} (turn {entry.turn})" for entry in library][-_MOST_NAMED:]
    kept = ", ".join(held) if held else "none yet"
    newest = f"the newest {_MOST_NAMED} of them: " if len(library) > _MOST_NAMED else ""
    raise OperationFailure("not-found", f"no program is kept under {clip(arguments.id, 64)!r}; kept are {newest}{kept}")


def _rerun(context: CallContext, arguments: _Rerun) -> None:
    if context.hand_over.source is not None:
        raise OperationFailure("refused", "this program has handed over to a replacement already")
    if not arguments.source.strip():
        raise OperationFailure("invalid-argument", f"{context.arg('source')} is empty")
    size = len(arguments.source.encode())
    if size > MAX_PROGRAM_BYTES:
        raise OperationFailure(
            "limit-exceeded", f"{context.arg('source')} is {size} bytes, and a program is at most {MAX_PROGRAM_BYTES}"
        )
    context.hand_over.source = arguments.source


PROGRAMS_OPERATIONS = (
    Operation(
        "programs.history",
        _History,
        _history,
        list[_Program],
        "List the programs you submitted, oldest first, without their sources.",
        "The program that is running is not in it. A program is listed by the id that answered its submission.",
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "programs.get",
        _Get,
        _get,
        str,
        "Return the source of a program you submitted.",
        "Of a submission that handed over, it is the source of the program that did the work.",
        docs=(("id", "The id that answered its submission."),),
        errors=(("not-found", "No program is kept under this id."),),
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "programs.rerun",
        _Rerun,
        _rerun,
        None,
        "Hand over to another program, which runs when this one has returned.",
        "It takes this program's place: its result is the submission's. It is not run when this program fails or ends "
        "the session, and a turn runs at most three programs that were handed over.",
        docs=(("source", "A whole program."),),
        errors=(
            ("invalid-argument", "The source is empty."),
            ("refused", "This program has handed over already."),
            ("limit-exceeded", "The source is over 1 MiB."),
        ),
        backed=False,
        outlives_deadline=True,
    ),
)
