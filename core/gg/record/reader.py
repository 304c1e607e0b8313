"""Reading a record line by line. Bodies stay in the file: what is kept of one is where it begins."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NoReturn, cast

import msgspec

from gg.errors import RecordError
from gg.record.lines import SUM_LENGTH, VERSION, Header, Line, chained
from gg.record.pool import restored

__all__ = ["Numbered", "RecordReader"]

_CHUNK = 1 << 16
_MAX_LINE_BYTES = 1 << 30
_SUM_START = b',"sum":"'
_TAIL_BYTES = len(_SUM_START) + SUM_LENGTH + 2
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class Numbered:
    """A line with its number, from 1."""

    __slots__ = ("line", "number")

    def __init__(self, number: int, line: Line) -> None:
        self.number = number
        self.line = line


class RecordReader:
    """A record that has been read through once and found whole, but perhaps for a torn last line.

    ``header`` is its first line, ``torn`` whether the last line was cut (and is ignored), ``lines`` how many are whole.

    :raises RecordError: when it cannot be read or is no record this gg reads; it names the line.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._body_lines = array("Q")
        self._body_starts = array("Q")
        self.torn = False
        self.lines = 0
        try:
            self._fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise RecordError(None, f"{self.path} cannot be read: {why}") from None
        try:
            self.header = self._check()
        except BaseException:
            os.close(self._fd)
            raise

    def __iter__(self) -> Iterator[Numbered]:
        """Return the lines behind the header, bodies left out, what refers to a body with its text in place.

        :raises RecordError: for a line that is none this gg knows.
        """
        for number, _, line in self._whole_lines():
            read = self._read(number, line)
            if read is not None and number > 1:
                yield Numbered(number, read)

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)

    def __enter__(self) -> RecordReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- one pass over the whole --------------------------------------------------------------------------------------

    def _check(self) -> Header:
        before, header = "", None
        for number, start, line in self._whole_lines():
            before = self._check_sum(number, line, before)
            if line.startswith(b'{"type":"body",'):
                self._body_lines.append(number)
                self._body_starts.append(start)
                self._text_of(number, line)
            elif header is None:
                header = self._header(line)
            else:
                self._read(number, line)
            self.lines = number
        if header is None:
            what = "ends within its first line" if self.torn else "is empty"
            raise RecordError(None, f"{self.path} is no session record: it {what}")
        return header

    def _check_sum(self, number: int, line: bytes, before: str) -> str:
        head, tail = line[:-_TAIL_BYTES], line[-_TAIL_BYTES:]
        if not (tail.startswith(_SUM_START) and tail.endswith(b'"}') and head.startswith(b"{")):
            if number == 1:
                raise RecordError(None, f"{self.path} is no session record: its first line is none of a record")
            self._fail(number, "is none of a record: it does not end in a sum")
        said = tail[len(_SUM_START) : -2].decode("ascii", "replace")
        if number == 1:
            self._header(line)  # a newer version may reckon its sums in another way
        if said != chained(before, head):
            after = f", or does not belong after line {number - 1}" if number > 1 else ""
            self._fail(number, f"was changed{after}: its sum is wrong")
        return said

    def _header(self, line: bytes) -> Header:
        try:
            value = _decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise RecordError(None, f"{self.path} is no session record: its first line is no JSON object") from None
        if value.get("type") != "record" or type(value.get("v")) is not int:
            raise RecordError(None, f"{self.path} is no session record: its first line is none of a record")
        if value["v"] != VERSION:
            what = f"is of version {value['v']}, and this gg reads version {VERSION}"
            raise RecordError(1, f"{what}; a newer gg wrote it" if value["v"] > VERSION else what)
        read = self._read(1, line)
        assert isinstance(read, Header)
        return read

    # -- lines --------------------------------------------------------------------------------------------------------

    def _whole_lines(self) -> Iterator[tuple[int, int, bytes]]:
        """Return each whole line's number, where it begins, and its bytes without the line break."""
        number, start, place = 0, 0, 0
        held = bytearray()
        while chunk := self._pread(_CHUNK, place):
            place += len(chunk)
            searched = len(held)
            held += chunk
            while (end := held.find(b"\n", searched)) >= 0:
                number += 1
                line = bytes(held[:end])
                del held[: end + 1]
                yield number, start, line
                start += end + 1
                searched = 0
            if len(held) > _MAX_LINE_BYTES:
                self._fail(number + 1, f"is over {_MAX_LINE_BYTES} bytes")
        self.torn = bool(held)

    def _read(self, number: int, line: bytes) -> Line | None:
        """Return a line, or None for a body."""
        if line.startswith(b'{"type":"body",'):
            return None
        try:
            value = restored(_decode(line), self._body)
            del value["sum"]
            return cast("Line", msgspec.convert(value, Line))
        except RecordError as error:
            self._fail(number, f"refers to {error.reason}")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._fail(number, f"is none that this gg knows: {error}")
        except (ValueError, KeyError, TypeError) as error:
            self._fail(number, str(error))

    def _body(self, number: int) -> str:
        place = bisect_left(self._body_lines, number)
        if place == len(self._body_lines) or self._body_lines[place] != number:
            raise RecordError(None, f"line {number}, which holds no body before it")
        start, held = self._body_starts[place], bytearray()
        while (end := held.find(b"\n")) < 0:
            chunk = self._pread(_CHUNK if not held else len(held), start + len(held))
            if not chunk:
                raise RecordError(None, f"line {number}, which is gone: the record was changed while it was read")
            held += chunk
        return self._text_of(number, bytes(held[:end]))

    def _text_of(self, number: int, line: bytes) -> str:
        try:
            text = _decode(line).get("text")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._fail(number, f"is none that this gg knows: {error}")
        if not isinstance(text, str):
            self._fail(number, "is a body without a text")
        return text

    def _pread(self, size: int, place: int) -> bytes:
        try:
            return os.pread(self._fd, size, place)
        except OSError as error:
            raise RecordError(None, f"{self.path} cannot be read: {error.strerror}") from None

    def _fail(self, number: int, reason: str) -> NoReturn:
        raise RecordError(number, reason)
