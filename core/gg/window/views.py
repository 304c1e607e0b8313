"""Views: the caps that refuse them, and how they are headed (messages page; design: caps and window)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gg import wording
from gg.operations.table import ErrorCode
from gg.window.messages import Image, Message
from gg.window.window import Window
from gg.workspace import MAX_IMAGE_BYTES, forbidden_character

__all__ = [
    "MAX_BODY_BYTES",
    "MAX_COMPOSED_BYTES",
    "MAX_LABEL_BYTES",
    "MAX_PICTURES_BYTES",
    "OpenView",
    "ViewKind",
    "ViewRefused",
    "Views",
]

ViewKind = Literal["file", "text", "docs"]
SEARCH_RESULTS = "search results"
_RANGE = re.compile(r":[0-9]+-[0-9]+ of [0-9]+ lines\Z")
MAX_BODY_BYTES = 65_536
MAX_LABEL_BYTES = 200
MAX_COMPOSED_BYTES = 8 << 20
MAX_PICTURES_BYTES = 4 * MAX_IMAGE_BYTES
"""Of the pictures that one turn attaches; the design bounds one alone, and a loop could open thousands."""


class ViewRefused(Exception):
    """A view was refused at the call that opens it; the text names the cap."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code


@dataclass(frozen=True, slots=True)
class OpenView:
    """A view that stands in the window."""

    kind: ViewKind
    selector: str
    tokens: int


class Views:
    """The views one program opens, pushed into the window as it runs.

    :param record: told of each view opened, replaced or closed: ``(action, kind, selector, tokens)``.
    :param composed: bytes of text bodies already composed in this turn; read back from `composed_bytes`.
    """

    def __init__(
        self, window: Window, record: Callable[[str, str, str, int | None], None], program: int | None, composed: int
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
        heading = f"File: {path}:{first}-{last} of {total} lines" if total and last >= first else _without_lines(path)
        key = ("file", path, region)
        self._place(Message("user", contents, "file_views", heading, selector=path, key=key), "file")

    def open_picture(self, path: str, media_type: str, size: int, data: bytes | None) -> bool:
        """Open a file view of a picture; return whether it is attached, which one over `MAX_IMAGE_BYTES` is not.

        :param data: its bytes, or None for one that is over it.
        :raises ViewRefused: ``limit-exceeded`` past what the pictures of a turn hold.
        """
        key = ("file", path, None)
        image = None
        if data is None:
            body = wording.picture_not_attached(media_type, size, MAX_IMAGE_BYTES)
        else:
            old = self._window.view(key)
            held = self._window.picture_bytes() - (len(old.image.data) if old is not None and old.image else 0)
            image = Image(media_type, bytes(data))  # a record that was edited may say that it is a text
            size = len(data)
            if held + size > MAX_PICTURES_BYTES:
                raise ViewRefused(
                    "limit-exceeded",
                    f"the pictures of a turn hold at most {MAX_PICTURES_BYTES} bytes, "
                    f"and {MAX_PICTURES_BYTES - held} of them are left",
                )
            body = wording.picture(media_type, size)
        self._compose(body)
        message = Message("user", body, "file_views", _without_lines(path), selector=path, key=key, image=image)
        self._place(message, "file")
        return image is not None

    def pin_skill(self, name: str, body: str) -> None:
        """Put a skill's text into the window. It is no view that a program can close or replace."""
        message = Message("user", body, "skills", f"View: {name}", program=self._program)
        self._window.push(message)
        self._record("opened", "skill", name, message.tokens)

    def open_docs(self, key: str, name: str, text: str) -> None:
        """Open the documentation of ``key``; one that stands there unchanged is not sent again.

        :raises ViewRefused: ``limit-exceeded`` when the page is over a view's cap.
        """
        _check_size("page", text)
        view = ("docs", key)
        old = self._window.view(view)
        if old is None or old.content != text:
            self._place(Message("user", text, "docs_views", f"Documentation: {name}", selector=name, key=view), "docs")

    def open_search(self, body: str) -> None:
        """Open the view of a documentation search; the next search replaces it.

        :raises ViewRefused: ``limit-exceeded`` when it is over a view's cap.
        """
        _check_size("body", body)
        key = ("search",)
        heading = f"View: {SEARCH_RESULTS}"
        self._place(Message("user", body, "search_results", heading, selector=SEARCH_RESULTS, key=key), "text")

    def close(self, selector: str) -> int:
        """Close the views of a label or path, documentation excepted, and return how many there were."""
        return self._close(lambda view: view.selector == selector and _kind(view) != "docs")

    def close_docs(self, key: str | None) -> int:
        """Close the documentation of ``key``, or all of it, and return how many views there were."""
        wanted = ("docs", key)
        return self._close(lambda view: _kind(view) == "docs" and (key is None or view.key == wanted))

    def _close(self, which: Callable[[Message], bool]) -> int:
        closed = self._window.close(which)
        for view in closed:
            self._record("closed", _kind(view), view.selector or "", view.tokens)
        return len(closed)

    def current(self) -> list[OpenView]:
        """Return the views that are open, in window order."""
        return [OpenView(_kind(m), m.selector or "", m.tokens) for m in self._window.open_views()]

    def _compose(self, body: str) -> None:
        """Count a body towards the turn's, or refuse it by a cap."""
        size = _check_size("body", body)
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


def _without_lines(path: str) -> str:
    """Return the heading of a file without lines: a name that ends as if it had a range is given the empty one."""
    return f"File: {path}:0-0 of 0 lines" if _RANGE.search(path) else f"File: {path}"


def _check_size(what: str, text: str) -> int:
    """Return a text's size in bytes, or refuse it by the cap of a view."""
    size = len(text.encode())
    if size > MAX_BODY_BYTES:
        raise ViewRefused("limit-exceeded", f"the {what} is {size} bytes, and a view holds at most {MAX_BODY_BYTES}")
    return size


def _kind(message: Message) -> ViewKind:
    return _KINDS.get(message.band, "text")


_KINDS: dict[str, ViewKind] = {"file_views": "file", "docs_views": "docs"}
