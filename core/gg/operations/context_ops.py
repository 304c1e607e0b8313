"""The ``context`` module: what an agent may do about its own window."""

from __future__ import annotations

from gg.operations.context import CallContext
from gg.operations.table import Arguments, Operation, OperationFailure
from gg.window.views import MAX_BODY_BYTES
from gg_rust_ext import clip

__all__ = ["CONTEXT_OPERATIONS", "CompactionRequest"]


class CompactionRequest:
    """The compaction that a turn's programs asked for; the last call stands. ``summary`` is None while none did."""

    def __init__(self) -> None:
        self.summary: str | None = None
        self.files: tuple[str, ...] = ()


class _Compact(Arguments, frozen=True):
    summary: str
    files: list[str] | None = None


def _compact(context: CallContext, arguments: _Compact) -> None:
    if context.compaction is None:
        raise OperationFailure("unavailable", "nothing compacts this window")
    if not arguments.summary.strip():
        raise OperationFailure("invalid-argument", f"{context.arg('summary')} is empty")
    size = len(arguments.summary.encode())
    if size > MAX_BODY_BYTES:
        raise OperationFailure(
            "limit-exceeded", f"{context.arg('summary')} is {size} bytes, and a summary is at most {MAX_BODY_BYTES}"
        )
    shown = {view.selector for view in context.views.current() if view.kind == "file"}
    for path in arguments.files or ():
        if path not in shown:
            raise OperationFailure("not-found", f"no view of the file {clip(path, 256)!r} is open")
    context.compaction.summary = arguments.summary
    context.compaction.files = tuple(arguments.files or ())


CONTEXT_OPERATIONS = (
    Operation(
        "context.compact",
        _Compact,
        _compact,
        None,
        "Replace what you have read and said so far by a summary of your own.",
        "It is done when this turn's programs have run. The system prompt, documentation, skills, the views of the "
        "files you name and this turn stay; everything else goes. The last call of a turn stands.",
        docs=(
            ("summary", "What you need to know from here on: the task, what was done, what is left."),
            ("files", "Paths of files whose views stay, as they were opened."),
        ),
        errors=(
            ("invalid-argument", "The summary is empty."),
            ("not-found", "No view of a named file is open."),
            ("limit-exceeded", "The summary is over 65,536 bytes."),
        ),
        backed=False,
        outlives_deadline=True,
    ),
)
