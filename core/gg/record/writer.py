"""Appending to a record: each line is one write, so that a killed process leaves at most its last line torn."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from gg.errors import UsageError
from gg.record.lines import chained
from gg.record.pool import pooled

__all__ = ["RecordWriter"]

_encode = msgspec.json.Encoder().encode
_ALWAYS: Any = object()
"""The default of a field that has none: no value equals it."""


class RecordWriter:
    """Writes the lines of one record. After the first write that fails it writes nothing more.

    Of each body it keeps 16 bytes of its hash and the number of its line.

    :param path: a file that does not exist yet, or is empty.
    :param failed: called once with what kept a line from being written.
    :raises UsageError: when the file cannot be made, or holds something.
    """

    def __init__(self, path: str | os.PathLike[str], failed: Callable[[OSError], None]) -> None:
        self.path = os.fspath(path)
        self._failed = failed
        self._bodies: dict[bytes, int] = {}
        self._sum = ""
        self._lines = 0
        self._fd = -1
        self._lock = threading.RLock()  # a session's cancel is told of on the thread that called it
        try:
            self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            size = os.fstat(self._fd).st_size
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"the record {self.path} cannot be written: {why}") from None
        if size:
            self.close()
            raise UsageError(f"the record {self.path} is there already, and a record is one session's")

    def write(self, line: msgspec.Struct) -> None:
        """Append a line, and before it the bodies it is the first to hold."""
        with self._lock:
            self._write(line)

    def _write(self, line: msgspec.Struct) -> None:
        if self._fd < 0:
            return
        # The mark of a body is told from a value of the session's own by `pooled`, so it goes over plain values.
        value = {key: item if key == "type" else pooled(item, self._body) for key, item in _fields(line).items()}
        self._append(value)

    def _body(self, text: str) -> int:
        data = text.encode()
        digest = hashlib.blake2b(data, digest_size=16).digest()
        known = self._bodies.get(digest)
        if known is None:
            self._append({"type": "body", "text": text})
            known = self._bodies[digest] = self._lines
        return known

    def _append(self, value: dict[str, Any]) -> None:
        if self._fd < 0:
            return
        line = _encode(value)[:-1]
        self._sum = chained(self._sum, line)
        data = line + b',"sum":"' + self._sum.encode() + b'"}\n'
        try:
            written = os.write(self._fd, data)
            if written != len(data):
                raise OSError(0, f"{written} of {len(data)} bytes of a line were written")
        except OSError as error:
            self.close()
            self._failed(error)
            return
        self._lines += 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            fd, self._fd = self._fd, -1
        if fd >= 0:
            with contextlib.suppress(OSError):
                os.close(fd)

    def discard(self) -> None:
        """Close the file and remove it: the session it was for never began."""
        self.close()
        with contextlib.suppress(OSError):
            if os.path.isfile(self.path):
                os.unlink(self.path)


class _Field(NamedTuple):
    """A field of a line: its names, what it is left out for, and whether it holds structs."""

    name: str
    wire: str
    default: Any
    structs: bool


@functools.cache
def _fields_of(kind: type[msgspec.Struct]) -> tuple[_Field, ...]:
    fields: list[_Field] = []
    for field in msgspec.structs.fields(kind):
        made = None if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        default = _ALWAYS if field.required else field.default if made is None else made
        fields.append(_Field(field.name, field.encode_name, default, field.name in ("effects", "tool_calls")))
    return tuple(fields)


def _fields(line: msgspec.Struct) -> dict[str, Any]:
    """Return a line's fields by their names on the wire, those left out that say nothing; values as they are."""
    config = line.__struct_config__
    found: dict[str, Any] = {str(config.tag_field): config.tag}
    for name, wire, default, structs in _fields_of(type(line)):
        value = getattr(line, name)
        if value is not msgspec.UNSET and value != default:
            found[wire] = [msgspec.to_builtins(item, builtin_types=(bytes,)) for item in value] if structs else value
    return found
