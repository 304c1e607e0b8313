"""The ``views`` module: the only channel out of a program."""

from __future__ import annotations

import msgspec

from gg.operations.context import CallContext
from gg.operations.docs import page_of
from gg.operations.files import FileText, ReadFile, read_workspace_file, workspace_failures
from gg.operations.table import Arguments, Operation, OperationFailure, Record, TargetText
from gg.window.views import ViewKind, ViewRefused
from gg.workspace import MAX_IMAGE_BYTES

__all__ = ["VIEWS_OPERATIONS"]


class _OpenText(Arguments, frozen=True):
    label: str
    body: str


class _Close(Arguments, frozen=True):
    selector: str


class _OpenDocs(Arguments, frozen=True):
    target: TargetText


class _Nothing(Arguments, frozen=True):
    pass


class _View(Record, frozen=True):
    kind: ViewKind
    selector: str
    tokens: int


def _open_file(context: CallContext, arguments: ReadFile) -> FileText:
    read = read_workspace_file(context, arguments)
    if read.media_type is not None:
        return _open_picture(context, arguments.path, read)
    whole = arguments.offset is None and arguments.limit is None
    try:
        context.views.open_file(
            arguments.path,
            read.contents,
            read.first_line,
            read.last_line,
            read.total_lines,
            region=None if whole else (arguments.offset or 1, arguments.limit),
            truncated=read.truncated,
        )
    except ViewRefused as error:
        raise OperationFailure(error.code, str(error)) from None
    return read


def _open_picture(context: CallContext, path: str, read: FileText) -> FileText:
    assert read.media_type is not None
    size, data = read.bytes or 0, None
    if size <= MAX_IMAGE_BYTES:
        with workspace_failures(context):
            data = context.workspace.read_bytes(path)
    try:
        shown = context.views.open_picture(path, read.media_type, size, data)
    except ViewRefused as error:
        raise OperationFailure(error.code, str(error)) from None
    reason = None if shown else f"it is over {MAX_IMAGE_BYTES} bytes"
    return msgspec.structs.replace(read, shown=shown, not_shown_reason=reason)


def _open_text(context: CallContext, arguments: _OpenText) -> None:
    try:
        context.views.open_text(arguments.label, arguments.body, label_name=context.arg("label"))
    except ViewRefused as error:
        raise OperationFailure(error.code, str(error)) from None


def _open_docs(context: CallContext, arguments: _OpenDocs) -> None:
    page = page_of(context, arguments.target)
    try:
        context.views.open_docs(page.key, page.name, page.body)
    except ViewRefused as error:
        raise OperationFailure(error.code, str(error)) from None


def _close(context: CallContext, arguments: _Close) -> int:
    if not arguments.selector:
        raise OperationFailure("invalid-argument", f"{context.arg('selector')} is empty")
    return context.views.close(arguments.selector)


def _current(context: CallContext, _arguments: _Nothing) -> list[_View]:
    return [_View(view.kind, view.selector, view.tokens) for view in context.views.current()]


VIEWS_OPERATIONS = (
    Operation(
        "views.open_file",
        ReadFile,
        _open_file,
        FileText,
        "Show yourself a file, or some of its lines, and return what was read.",
        "The view is in your context from the next turn on. A file of more than 65,536 bytes is refused: show a part. "
        "A picture (PNG, JPEG, GIF, WebP) is shown as one, if it is at most 8 MiB.",
        docs=(
            ("path", "Relative to the workspace, or absolute inside it."),
            ("offset", "The first line to show, from 1."),
            ("limit", "How many lines."),
        ),
        errors=(("not-found", "Nothing is there."), ("limit-exceeded", "The text is over the cap of a view.")),
    ),
    Operation(
        "views.open_text",
        _OpenText,
        _open_text,
        None,
        "Show yourself a text under a label.",
        "The view is in your context from the next turn on. The same label again replaces it.",
        docs=(("label", "Its name, at most 200 bytes, one line."), ("body", "The text, at most 65,536 bytes.")),
        errors=(("invalid-argument", "The label is empty or not one line."), ("limit-exceeded", "A cap was passed.")),
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "views.open_docs_view",
        _OpenDocs,
        _open_docs,
        None,
        "Show yourself the documentation of a function, a type or a module.",
        "The view is in your context from the next turn on, and is not sent again while it stands there unchanged.",
        docs=(("target", "The bound thing itself, or its name, with or without its module."),),
        errors=(
            ("not-found", "Nothing you may call has this name; the nearest names follow."),
            ("invalid-argument", "The target is no name and nothing of gg's, or its name is several things'."),
        ),
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "views.close",
        _Close,
        _close,
        int,
        "Close the views of a selector (a label or a path) and return how many were closed.",
        "Views of documentation are closed by `docs.close`.",
        docs=(("selector", "A view's label or path."),),
        errors=(("invalid-argument", "The selector is empty."),),
        backed=False,
        outlives_deadline=True,
    ),
    Operation(
        "views.current",
        _Nothing,
        _current,
        list[_View],
        "List the views that are open.",
        backed=False,
        outlives_deadline=True,
    ),
)
