"""CPython's `traceback` module, loaded again for the guest, reading deep stacks quickly.

A recursion of thousands of frames has a handful of different ones. Each different one is read and formatted once, and
frames of the guest and of gg's SDK are left out. Of a long message its ends are read.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable
from typing import Any

from ._bounds import bounded, bounded_line
from ._code import CODE_FILE_PREFIX
from ._own import own_builtins as __builtins__  # noqa: F401
from ._own import private_copy

SDK_FILE_PREFIX = "<gg sdk: "
KEPT_ENDS = 2000
"""Of a stack with more than twice as many frames, which takes a raised recursion limit, so many are kept at each
end.
"""

_GUEST_FOLDER = __file__.rpartition("/")[0] + "/"

traceback: Any = private_copy("traceback")
traceback.linecache = private_copy("linecache")
traceback.linecache.cache = linecache.cache
_position_of = traceback._get_code_position


def hidden(file: str) -> bool:
    """Return whether a frame of this file is gg's own, or one of loaded code."""
    return file.startswith((_GUEST_FOLDER, SDK_FILE_PREFIX, CODE_FILE_PREFIX))


class _Stack(traceback.StackSummary):  # type: ignore[misc,name-defined]  # a class of a module loaded at run time
    """The frames of one traceback, in which equal frames are one object."""

    _texts: dict[int, str]

    @classmethod
    def _extract_from_extended_frame_gen(cls, frame_gen: Iterable[Any], **options: Any) -> Any:
        extract = super()._extract_from_extended_frame_gen
        seen: dict[tuple[int, Any], int] = {}
        different: list[Any] = []
        order: list[int] = []
        for frame, position in frame_gen:
            code = frame.f_code
            if hidden(code.co_filename):
                continue
            key = (id(code), position)
            place = seen.get(key)
            if place is None:
                place = seen[key] = len(different)
                different.append((frame, position))
            order.append(place)
        if len(order) > 2 * KEPT_ENDS:
            del order[KEPT_ENDS:-KEPT_ENDS]
        if getattr(sys, "tracebacklimit", None) is not None:
            return extract((different[place] for place in order), **options)
        summary = extract(iter(different), **options)
        summary[:] = [summary[place] for place in order]
        return summary

    def format_frame_summary(self, frame_summary: Any, **options: Any) -> str:
        """Return the text of a frame, made once for each different one."""
        texts = self.__dict__.setdefault("_texts", {})
        text: str | None = texts.get(id(frame_summary))
        if text is None:
            text = texts[id(frame_summary)] = bounded(super().format_frame_summary(frame_summary, **options))
        return text


class _Exception(traceback.TracebackException):  # type: ignore[misc,name-defined]  # as above
    """An exception to be printed, of which a syntax error's own texts are bounded too."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if self._is_syntax_error:
            if isinstance(self.text, str):
                self.text = bounded_line(self.text)
            if isinstance(self.msg, str):
                self.msg = bounded(self.msg)


def _remembered() -> Any:
    known: dict[tuple[int, int], Any] = {}

    def position(code: Any, instruction: int) -> Any:
        key = (id(code), instruction)
        found = known.get(key)
        if found is None:
            found = known[key] = _position_of(code, instruction)
        return found

    return position, known


def _bounding(function: Any) -> Any:
    """Return a function that makes a text, which then makes no more of it than is reported."""

    def text(*arguments: Any, **named: Any) -> str:
        return bounded(function(*arguments, **named))

    return text


traceback._get_code_position, _known = _remembered()
traceback.StackSummary = _Stack
traceback.TracebackException = _Exception
traceback._safe_string = _bounding(traceback._safe_string)


def forget() -> None:
    """Forget the positions of code that may be gone; done once the warm-up has run."""
    _known.clear()
