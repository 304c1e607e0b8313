"""Views: the caps that refuse them, and how they are headed (messages page; design: caps and window)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gg.operations.table import ErrorCode
from gg.window.messages import Message
from gg.window.window import Window
from gg.workspace import forbidden_character

__all__ = [
    "DOCS_VIEW",
    "MAX_BODY_BYTES",
    "MAX_COMPOSED_BYTES",
    "MAX_LABEL_BYTES",
    "SEARCH_RESULTS",
    "OpenView",
    "ViewRefused",
    "Views",
]

MAX_BODY_BYTES = 65_536
MAX_LABEL_BYTES = 200
MAX_COMPOSED_BYTES = 8 << 20
SEARCH_RESULTS = "search results"
"""The selector of the view of a search's results."""
DOCS_VIEW = "docs"
"""The first item of a documentation view's key; the second is the page's key."""


class ViewRefused(Exception):
    """A view was refused at the call that opens it; the text names the cap."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code


@dataclass(frozen=True, slots=True)
class OpenView:
    """A view that stands in the window."""

    kind: Literal["file", "text", "docs"]
    selector: str
    tokens: int


class Views:
    """The views one program opens, pushed into the window as it runs.

    :param record: told of each view opened, replaced or closed: ``(action, kind, selector, tokens)``.
    :param composed: bytes of text bodies already composed in this turn; read back from `composed_bytes`.
    """

    def __init__(
        self, window: Window, record: Callable[[str, str, str, int | None], None], program: int, composed: int
    ) -> None:
        self._window = window
        self._record = record
        self._program = program
        self.composed_bytes = composed

    def open_text(self, label: str, body: str, *, label_name: str = "`label`") -> None:
        """Open a text view.

        :raises ViewRefused: ``invalid-argument`` for a label that is empty, blank or more than one line;
            ``limit-exceeded`` past a cap.
        """
        if not label.strip():
            raise ViewRefused("invalid-argument", f"{label_name} is empty")
        if forbidden_character(label):  # it could forge a heading
            raise ViewRefused("invalid-argument", f"{label_name} holds a line break or a control character")
        size = len(label.encode())
        if size > MAX_LABEL_BYTES:
            raise ViewRefused(
                "limit-exceeded", f"{label_name} is {size} bytes, and a label is at most {MAX_LABEL_BYTES}"
            )
        self._compose(body)
        self._place(Message("user", body, "text_views", f"View: {label}", selector=label, key=("text", label)), "text")

    def open_file(
        self, path: str, contents: str, first: int, last: int, total: int, *,
        region: tuple[int, int | None] | None, truncated: bool,
    ) -> None:  # fmt: skip
        """Open a file view: lines ``first`` to ``last`` of ``total``.

        :raises ViewRefused: ``limit-exceeded`` when the text is over a view's cap or was cut by the read.
        """
        if truncated:
            raise ViewRefused("limit-exceeded", f"{path} is over the {MAX_BODY_BYTES} bytes a view holds")
        self._compose(contents)
        heading = f"File: {path}:{first}-{last} of {total} lines" if total and last >= first else f"File: {path}"
        key = ("file", path, region)
        self._place(Message("user", contents, "file_views", heading, selector=path, key=key), "file")

    def open_docs(self, key: str, name: str, body: str) -> None:
        """Open the documentation view of ``name``. One that stands unchanged is left as it is, and nothing is recorded.

        :raises ViewRefused: ``limit-exceeded`` when the page is over a view's cap.
        """
        size = len(body.encode())
        if size > MAX_BODY_BYTES:
            raise ViewRefused("limit-exceeded", f"the page is {size} bytes, and a view holds at most {MAX_BODY_BYTES}")
        whole = (DOCS_VIEW, key)
        standing = self._window.view(whole)
        if standing is None or standing.content != body:
            heading = f"Documentation: {name}"
            self._place(Message("user", body, "docs_views", heading, selector=name, key=whole), "docs")

    def open_search(self, body: str) -> None:
        """Open the view of a search's results, in place of the one before it.

        :raises ViewRefused: ``limit-exceeded`` when it is over a view's cap.
        """
        size = len(body.encode())
        if size > MAX_BODY_BYTES:
            raise ViewRefused("limit-exceeded", f"the hits are {size} bytes, and a view holds at most {MAX_BODY_BYTES}")
        heading = f"View: {SEARCH_RESULTS}"
        message = Message("user", body, "search_results", heading, selector=SEARCH_RESULTS, key=("search",))
        self._place(message, "search")

    def close_docs(self, which: Callable[[str], bool]) -> int:
        """Close the documentation views whose keys ``which`` picks and return how many there were."""
        closed = self._window.close_views(lambda view: _is_docs(view) and which(str((view.key or ("", ""))[1])))
        for view in closed:
            self._record("closed", "docs", view.selector or "", view.tokens)
        return len(closed)

    def close(self, selector: str) -> int:
        """Close the views of a label or path and return how many there were."""
        closed = self._window.close(selector)
        for view in closed:
            self._record("closed", "search" if view.band == "search_results" else _kind(view), selector, view.tokens)
        return len(closed)

    def current(self) -> list[OpenView]:
        """Return the views that are open, in window order."""
        return [OpenView(_kind(m), m.selector or "", m.tokens) for m in self._window.open_views()]

    def _compose(self, body: str) -> None:
        """Count a body towards the turn's, or refuse it by a cap."""
        size = len(body.encode())
        if size > MAX_BODY_BYTES:
            raise ViewRefused("limit-exceeded", f"the body is {size} bytes, and a view holds at most {MAX_BODY_BYTES}")
        if self.composed_bytes + size > MAX_COMPOSED_BYTES:
            left = MAX_COMPOSED_BYTES - self.composed_bytes
            raise ViewRefused(
                "limit-exceeded",
                f"the views of a turn hold at most {MAX_COMPOSED_BYTES} bytes, and {left} of them are left",
            )
        self.composed_bytes += size

    def _place(self, message: Message, kind: str) -> None:
        message.program = self._program
        replaced = self._window.place_view(message)
        self._record("replaced" if replaced else "opened", kind, message.selector or "", message.tokens)


def _kind(message: Message) -> Literal["file", "text", "docs"]:
    if _is_docs(message):
        return "docs"
    return "file" if message.band == "file_views" else "text"


def _is_docs(message: Message) -> bool:
    return message.band == "docs_views"
