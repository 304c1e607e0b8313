"""Standard output, error and input of the program.

Text goes through CPython's own text layer, line by line, into one batch that both streams share, so that their order is
kept. The first 512 lines leave at once; later ones leave when 4 KiB or 2 ms have gathered, at every call of the host,
and at the end. A program that is stopped loses one batch at most. While a program prints faster than 4 KiB in 2 ms, the
text layer itself gathers the batch, which saves a call for each line.
"""

from __future__ import annotations

import io
import os
import sys
from codecs import utf_8_decode
from time import monotonic_ns

from ._own import own_builtins as __builtins__  # noqa: F401
from ._plain import Plain
from ._wire import log, wire

STDIN = 0
STDOUT = 1
STDERR = 2
EAGER_LINES = 512
BATCH_BYTES = 4096
BATCH_NS = 2_000_000
PIECE_BYTES = 65_536


class _Outlet:
    """The bytes of one stream that have not been sent, and the start of a character that has not ended, per stream."""

    def __init__(self) -> None:
        self.stream = STDOUT
        self.parts: list[bytes] = []
        self.size = 0
        self.lines = 0
        self.sent_ns = 0
        self.quick = False
        self.rests = {STDOUT: b"", STDERR: b""}
        self.stdout: io.TextIOWrapper | None = None

    def add(self, stream: int, data: bytes) -> None:
        """Take what one write to a stream has completed."""
        if stream != self.stream:
            self._turn_to(stream)
        self.parts.append(data)
        self.size += len(data)
        if self.lines < EAGER_LINES:
            self.lines += data.count(b"\n")
            self.send()
            return
        now = monotonic_ns()
        if now - self.sent_ns >= BATCH_NS:
            self._gather(False)
        elif self.size >= BATCH_BYTES:
            self._gather(stream == STDOUT)
        else:
            return
        self.sent_ns = now
        self.send()

    def _turn_to(self, stream: int) -> None:
        if stream == STDERR and self.quick:
            self.flush_stdout()
        self.send()
        self.stream = stream

    def _gather(self, quick: bool) -> None:
        """Let the text layer gather a batch, or have it pass on each line."""
        if quick == self.quick or self.stdout is None:
            return
        try:
            self.stdout.reconfigure(line_buffering=not quick)
        except (ValueError, OSError, AttributeError):
            return  # the program has closed the stream or taken it apart
        self.quick = quick

    def flush_stdout(self) -> None:
        """Have the text layer pass on what it holds."""
        if self.stdout is not None:
            try:
                self.stdout.flush()
            except (ValueError, OSError, AttributeError):
                return

    def forget(self) -> None:
        """Count lines anew."""
        self._gather(False)
        self.lines = self.sent_ns = 0
        self.stream = STDOUT

    def send(self) -> None:
        if not self.parts:
            return
        stream = self.stream
        data = self.rests[stream] + b"".join(self.parts)
        self.parts.clear()
        self.size = 0
        for start in range(0, len(data), PIECE_BYTES):
            piece = data[start : start + PIECE_BYTES] if len(data) > PIECE_BYTES else data
            if start:
                piece = self.rests[stream] + piece
            # Bytes that are no UTF-8 are deleted; a character cut in two waits for its other half.
            text, used = utf_8_decode(piece, "ignore", False)
            self.rests[stream] = piece[used:]
            if text:
                log(stream, text)


class _Buffer(io.BufferedIOBase):
    """The binary layer under a text stream: `sys.stdout.buffer`."""

    def __init__(self, outlet: _Outlet, stream: int) -> None:
        super().__init__()
        self._add = outlet.add
        self._stream = stream
        self.mode = "wb"
        self.name = "<stdout>" if stream == STDOUT else "<stderr>"

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        if self.closed:
            raise ValueError("write to closed file")
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        copy = bytes(memoryview(data))  # type: ignore[arg-type]  # raises the TypeError a real buffer raises
        self._add(self._stream, copy)
        return len(copy)


class Streams:
    """The streams of this instance; made once, in the snapshot."""

    def __init__(self) -> None:
        self._outlet = _Outlet()
        self.stdout = self._outlet.stdout = _text(_Buffer(self._outlet, STDOUT), "strict")
        self.stderr = _text(_Buffer(self._outlet, STDERR), "backslashreplace")
        self.stdin = io.TextIOWrapper(io.BufferedReader(_Nothing()), encoding="utf-8", errors="strict")
        self.stdin.mode = "r"

    def install(self) -> None:
        """Make these the streams of the interpreter, of `os.write` and of the host's calls."""
        sys.stdin = sys.__stdin__ = self.stdin  # type: ignore[misc]
        sys.stdout = sys.__stdout__ = self.stdout  # type: ignore[misc]
        sys.stderr = sys.__stderr__ = self.stderr  # type: ignore[misc]
        wire.flush = self.flush
        original = os.write
        add = self._outlet.add

        def write(fd: int, data: bytes, /) -> int:
            if fd not in (STDOUT, STDERR):
                return original(fd, data)
            copy = bytes(memoryview(data))
            add(fd, copy)
            return len(copy)

        os.write = Plain(write, "os")
        _deny_descriptors()

    def flush(self) -> None:
        """Send every completed write to the host; a stream the program has closed or taken apart is passed over."""
        self._outlet.flush_stdout()
        try:
            self.stderr.flush()
        except (ValueError, OSError, AttributeError):
            pass
        self._outlet.send()

    def reset(self) -> None:
        """Forget what has been printed, and count lines anew."""
        self.flush()
        self._outlet.forget()

    def error(self, text: str) -> None:
        """Write a text to standard error as the interpreter does, whatever the program made of `sys.stderr`."""
        self.flush()
        self._outlet.add(STDERR, text.encode("utf-8", "backslashreplace"))


def _deny_descriptors() -> None:
    """Answer for the standard descriptors, which the sandbox does not have."""
    original = os.read

    def read(fd: int, length: int, /) -> bytes:
        return b"" if fd == STDIN else original(fd, length)

    def isatty(fd: int, /) -> bool:
        return False

    os.read = Plain(read, "os")
    os.isatty = Plain(isatty, "os")


class _Nothing(io.RawIOBase):
    """An input with nothing in it."""

    name = "<stdin>"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        return 0


def _text(buffer: _Buffer, errors: str) -> io.TextIOWrapper:
    stream = io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, newline="\n", line_buffering=True)
    stream.mode = "w"
    stream._CHUNK_SIZE = BATCH_BYTES  # type: ignore[attr-defined]  # how much the text layer gathers
    return stream


streams = Streams()
