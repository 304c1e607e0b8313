"""Read lines of a file, bounded, as text; tell pictures by their first bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final, Literal

MAX_READ_BYTES: Final = 256 * 1024
"""What one read returns at most."""

_CHUNK_BYTES: Final = 1 << 20
_LONGEST_MAGIC: Final = 12


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Lines of a text file, or the description of a picture."""

    kind: Literal["text", "image"]
    contents: str
    """The lines with their line ends, as in the file; bytes that are no UTF-8 are deleted. Empty for a picture."""
    first_line: int
    """1-based number of the first line in `contents`."""
    last_line: int
    """Number of the last line, inclusive; `first_line` - 1 where there is none."""
    total_lines: int
    """Lines of the whole file as an editor counts them: a final line end starts no further line."""
    truncated: bool
    """The byte bound cut the lines asked for: after a whole line, or inside one that is longer than the bound."""
    size_bytes: int
    """Size of the whole file."""
    deleted_bytes: int = 0
    """How many undecodable bytes `contents` lacks."""
    media_type: str | None = None
    """`image/png`, `image/jpeg`, `image/gif` or `image/webp` for a picture."""


def media_type(head: bytes) -> str | None:
    """Return the media type of a picture that begins with these 12 bytes, or `None`."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return None


def count_lines(text: str) -> int:
    """Return how many lines a text has, as an editor counts them: a final line end starts no further line."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def read(fd: int, size: int, first: int, limit: int | None, max_bytes: int) -> ReadResult:
    """Read `limit` lines from line `first` (1-based) of a regular file that is positioned at its start.

    `size` is the file's, to choose buffers by. A `first` past the end gives no lines; the caller compares it with
    `total_lines`. The file is read to its end, to count lines, but no more than the wanted ones are kept.
    """
    wanted = min(size + 1, _CHUNK_BYTES)  # one more than there is tells the end without a further call
    chunk = os.read(fd, wanted)
    picture = media_type(chunk[:_LONGEST_MAGIC])
    if picture:
        return ReadResult("image", "", 1, 0, 0, False, size, media_type=picture)
    lines = _Lines(first, None if limit is None else first + limit - 1, max_bytes)
    lines.feed(chunk)
    if len(chunk) == wanted:
        while chunk := os.read(fd, _CHUNK_BYTES):
            lines.feed(chunk)
    return lines.result()


class _Lines:
    """Keeps the wanted lines of the chunks it is fed and counts all."""

    def __init__(self, first: int, last: int | None, max_bytes: int) -> None:
        self._first, self._last, self._max_bytes = first, last, max_bytes
        self._kept = bytearray()
        self._size = 0
        self._line_ends = 0
        self._ends_with_line_end = True

    def feed(self, chunk: bytes) -> None:
        line = self._line_ends + 1  # the one that the chunk's first byte belongs to
        ends = chunk.count(b"\n")
        self._size += len(chunk)
        self._line_ends += ends
        self._ends_with_line_end = chunk.endswith(b"\n") or not self._size
        if len(self._kept) > self._max_bytes or line + ends < self._first or (self._last or line) < line:
            return
        begin = _after_line_ends(chunk, self._first - line)
        end = len(chunk)
        if self._last is not None and line + ends > self._last:
            end = _after_line_ends(chunk, self._last - line + 1)
        # One byte more than the bound tells that there was more; slicing first keeps a large chunk out.
        self._kept += chunk[begin : min(end, begin + self._max_bytes + 1 - len(self._kept))]

    def result(self) -> ReadResult:
        kept = bytes(self._kept)
        truncated = len(kept) > self._max_bytes
        if truncated:
            kept = _cut(kept, self._max_bytes)
        contents, deleted = _decode(kept)
        count = kept.count(b"\n") + (kept != b"" and not kept.endswith(b"\n"))
        return ReadResult(
            "text",
            contents,
            self._first,
            self._first + count - 1,
            self._line_ends + (not self._ends_with_line_end),
            truncated,
            self._size,
            deleted_bytes=deleted,
        )


def _decode(kept: bytes) -> tuple[str, int]:
    """Return the text and how many bytes had to be deleted for it."""
    try:
        return kept.decode(), 0
    except UnicodeDecodeError:
        contents = kept.decode("utf-8", "ignore")
        return contents, len(kept) - len(contents.encode())


def _after_line_ends(chunk: bytes, count: int) -> int:
    """Return the position after the first `count` line ends, of which the chunk has as many."""
    position = 0
    for _ in range(count):
        position = chunk.index(b"\n", position) + 1
    return position


def _cut(kept: bytes, bound: int) -> bytes:
    """Cut after the last whole line within the bound, or inside the first line between characters."""
    end = kept.rfind(b"\n", 0, bound) + 1
    if end:
        return kept[:end]
    end = bound
    for _ in range(3):  # a character has at most three bytes after its first
        if end and kept[end] & 0xC0 == 0x80:
            end -= 1
    return kept[:end]
