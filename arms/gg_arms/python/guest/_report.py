"""The text of an error, as CPython prints it, in parts that say what is a frame and what is not.

The formatting is CPython's own `traceback` module, loaded a second time for the guest alone. Frames of the guest and of gg's SDK
are left out.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator
from types import ModuleType, TracebackType
from typing import Any

from ._own import own_builtins as __builtins__  # noqa: F401
from ._own import private_copy

PROGRAM_FILE = "program.py"
SDK_FILE_PREFIX = "<gg sdk: "
ROSTER_INDENT = "    "
_GUEST_FOLDER = __file__.rpartition("/")[0] + "/"

Part = tuple[str, str]

_traceback: Any = private_copy("traceback")
_traceback.linecache = private_copy("linecache")
_traceback.linecache.cache = linecache.cache
_lines: dict[str, Any] = linecache.cache


class _Stack(str):
    """A piece of a traceback that is frames, or the line above them."""

    __slots__ = ()


class _Context(_traceback._ExceptionPrintContext):  # type: ignore[misc,name-defined]
    """The context CPython's formatter prints through; this one tells frames from the rest."""

    def emit(self, text: Any, margin_char: str | None = None) -> Iterator[str]:
        pieces: Iterable[str] = super().emit(text, margin_char)
        # The formatter hands frames over as a list, and the line above them as one of these two texts.
        frames = isinstance(text, list) or text in (
            "Traceback (most recent call last):\n",
            "Exception Group Traceback (most recent call last):\n",
        )
        return (_Stack(piece) for piece in pieces) if frames else iter(pieces)


def remember_source(source: str) -> None:
    """Let tracebacks and `inspect` find the program's lines; a form feed or U+2028 ends no line."""
    text = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = [line + "\n" for line in text.split("\n")]
    _lines[PROGRAM_FILE] = (len(source), None, lines, PROGRAM_FILE)


def hidden(file: str) -> bool:
    """Return whether a frame of this file is gg's own."""
    return file.startswith((_GUEST_FOLDER, SDK_FILE_PREFIX))


def rejection(error: BaseException) -> list[Part]:
    """Return the text of an error of the compiler: there is no stack, and nothing in it is a frame."""
    try:
        formatted = _traceback.TracebackException(type(error), error, None)
        return [("message", _printable("".join(formatted.format_exception_only())))]
    except Exception:
        return [("message", _plainly(error))]


def failure(error: BaseException, source: str, roster: list[str]) -> list[Part]:
    """Return the parts of an uncaught error's text. `roster` are the modules to name under a `NameError`."""
    try:
        remember_source(source)
        formatted = _traceback.TracebackException(type(error), error, error.__traceback__, compact=True)
        _without_guest(formatted)
        parts = _parts(formatted)
    except Exception:
        parts = [*_frames(error.__traceback__), ("message", _plainly(error))]
    names = _declared(error, roster)
    if names:
        role, text = parts[-1]
        parts[-1] = (role, f"{text}\n{ROSTER_INDENT}{', '.join(names)}")
    return parts


def _parts(formatted: Any) -> list[Part]:
    parts: list[tuple[str, list[str]]] = []
    for piece in formatted.format(_ctx=_Context()):
        role = "stack" if isinstance(piece, _Stack) else "message"
        if parts and parts[-1][0] == role:
            parts[-1][1].append(piece)
        else:
            parts.append((role, [piece]))
    return [(role, _printable("".join(pieces))) for role, pieces in parts]


def _printable(text: str) -> str:
    """Write lone surrogates as standard error does, and take off the last newline."""
    return text.removesuffix("\n").encode("utf-8", "backslashreplace").decode("utf-8")


def _without_guest(formatted: Any) -> None:
    waiting, seen = [formatted], set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if one.stack is not None:
            one.stack[:] = [frame for frame in one.stack if not hidden(frame.filename)]
        waiting += [one.__cause__, one.__context__, *(one.exceptions or ())]


def _declared(error: BaseException, roster: list[str]) -> list[str]:
    """Return the names that answer an unknown name: gg's modules, or what one of them declares."""
    if type(error) is NameError:
        return roster
    if isinstance(error, AttributeError):
        owner = error.obj
        if isinstance(owner, ModuleType):
            name = owner.__dict__.get("__name__")
            declared = owner.__dict__.get("__all__")
            if isinstance(name, str) and (name == "gg" or name.startswith("gg.")) and isinstance(declared, list):
                return [f"{name}.{one}" for one in declared]
    return []


def _frames(trace: TracebackType | None) -> list[Part]:
    """Return the frames without their source, for when CPython's formatter cannot be used."""
    lines = ["Traceback (most recent call last):"]
    while trace is not None:
        code = trace.tb_frame.f_code
        if not hidden(code.co_filename):
            lines.append(f'  File "{code.co_filename}", line {trace.tb_lineno}, in {code.co_name}')
        trace = trace.tb_next
    return [("stack", "\n".join(lines))]


def _plainly(error: BaseException) -> str:
    kind: str = type.__dict__["__name__"].__get__(type(error))
    try:
        text = str(error)
    except Exception:
        text = "<exception str() failed>"
    return _printable(f"{kind}: {text}" if text else kind)
