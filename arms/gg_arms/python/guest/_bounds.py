"""The two ends of a long text: an error's message may be most of the memory there is, and its report copies it."""

from __future__ import annotations

from ._own import own_builtins as __builtins__  # noqa: F401

TEXT_END = 1 << 16
TEXT_MOST = 2 * TEXT_END
"""Characters of a text that is reported whole."""

LINE_MOST = 1 << 12
"""Characters that are kept of one line."""

_length = str.__len__
_slice = str.__getitem__
_lines = str.split


def bounded(text: str) -> str:
    """Return the lines of a long text's ends: of one over 4 KiB its first 4 KiB, and no other in part."""
    length = _length(text)  # of a subclass, too, that counts otherwise
    if length <= TEXT_MOST:
        return text
    head = _lines(_slice(text, slice(TEXT_END)), "\n")
    tail = _lines(_slice(text, slice(length - TEXT_END, None)), "\n")
    if _length(head[-1]) <= LINE_MOST:
        del head[-1]
    del tail[0]
    return "\n".join([bounded_line(line) for line in head + tail])


def bounded_line(line: str) -> str:
    """Return the first 4 KiB of a line."""
    return line if _length(line) <= LINE_MOST else _slice(line, slice(LINE_MOST))
