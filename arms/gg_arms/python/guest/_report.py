"""The text of an error, as CPython prints it, in parts that say what is a frame and what is not.

The formatting is CPython's own `traceback` module, loaded a second time for the guest alone. Frames of the guest and of
gg's SDK are left out.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType, TracebackType
from typing import Any

from ._bounds import bounded
from ._own import own_builtins as __builtins__  # noqa: F401
from ._own import restore_builtins
from ._stack import hidden, traceback

PROGRAM_FILE = "program.py"
ROSTER_INDENT = "    "
PLAIN_FRAMES = 20

Part = tuple[str, str]

_lines: dict[str, Any] = linecache.cache


class _StackText(str):
    """A piece of a traceback that is frames, or the line above them."""

    __slots__ = ()


class _Context(traceback._ExceptionPrintContext):  # type: ignore[misc,name-defined]
    """The context CPython's formatter prints through; this one tells frames from the rest."""

    def emit(self, text: Any, margin_char: str | None = None) -> Iterator[str]:
        pieces: Iterable[str] = super().emit(text, margin_char)
        # The formatter hands frames over as a list, and the line above them as one of these two texts.
        frames = isinstance(text, list) or text in (
            "Traceback (most recent call last):\n",
            "Exception Group Traceback (most recent call last):\n",
        )
        return (_StackText(piece) for piece in pieces) if frames else iter(pieces)


def remember_source(source: str) -> None:
    """Let tracebacks and `inspect` find the program's lines; a form feed or U+2028 ends no line."""
    text = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = [line + "\n" for line in text.split("\n")]
    _lines[PROGRAM_FILE] = (len(source), None, lines, PROGRAM_FILE)


def rejection(error: BaseException) -> list[Part]:
    """Return the text of an error of the compiler: there is no stack, and nothing in it is a frame."""
    try:
        # Past its parser, the compiler takes the line from the file, of which there is none.
        if isinstance(error, SyntaxError) and error.text is None and error.filename == PROGRAM_FILE and error.lineno:
            error.text = linecache.getline(PROGRAM_FILE, error.lineno) or None
        formatted = traceback.TracebackException(type(error), error, None)
        return [("message", _printable("".join(formatted.format_exception_only())))]
    except Exception:
        return [("message", _plainly(error))]


def failure(error: BaseException, source: str, roster: list[str]) -> list[Part]:
    """Return the parts of an uncaught error's text. `roster` are the modules to name under a `NameError`."""
    restore_builtins()  # modules that the formatter needs look names up there
    parts = _formatted(error, source)
    names = _declared(error, roster)
    if names:
        role, text = parts[-1]
        parts[-1] = (role, f"{text}\n{ROSTER_INDENT}{', '.join(names)}")
    return parts


def _formatted(error: BaseException, source: str) -> list[Part]:
    """Format with CPython's formatter, and without it when a program or a lack of memory makes it fail."""
    try:
        remember_source(source)
        return _parts(traceback.TracebackException(type(error), error, error.__traceback__, compact=True))
    except BaseException:  # whatever a class of the program does when it is looked at
        pass
    try:
        return [*_frames(error.__traceback__), ("message", _plainly(error))]
    except BaseException:  # whatever a class of the program does when it is looked at
        return [("message", "MemoryError" if isinstance(error, MemoryError) else "an error whose text cannot be made")]


def _parts(formatted: Any) -> list[Part]:
    parts: list[tuple[str, list[str]]] = []
    for piece in formatted.format(_ctx=_Context()):
        role = "stack" if isinstance(piece, _StackText) else "message"
        if parts and parts[-1][0] == role:
            parts[-1][1].append(piece)
        else:
            parts.append((role, [piece]))
    return [(role, _printable("".join(pieces))) for role, pieces in parts]


def _printable(text: str) -> str:
    """Bound a text, write lone surrogates as standard error does, and take off the last newline."""
    return bounded(text.removesuffix("\n")).encode("utf-8", "backslashreplace").decode("utf-8")


def _declared(error: BaseException, roster: list[str]) -> list[str]:
    """Return the names that answer an unknown name: gg's modules, or what one of them declares."""
    if type(error) is NameError:
        return roster
    if isinstance(error, AttributeError):
        owner = error.obj
        name = owner.__dict__.get("__name__") if type(owner) is ModuleType else None
    elif isinstance(error, ImportError):
        name = error.name
    else:
        return []
    if type(name) is not str:
        return []
    if name == "lib" or (name[:4] == "lib." and isinstance(error, ModuleNotFoundError)):
        lib = sys.modules.get("lib")
        return [f"lib.{one}" for one in lib.__dict__["__all__"]] if lib is not None else []
    if name != "gg" and name[:3] != "gg.":
        return []
    module = sys.modules.get(name)
    declared = None if name == "gg" or module is None else module.__dict__.get("__all__")
    return [f"{name}.{one}" for one in declared] if declared else roster[1:]


def _frames(trace: TracebackType | None) -> list[Part]:
    """Return the last frames without their source."""
    lines: list[str] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if not hidden(code.co_filename):
            lines.append(f'  File "{code.co_filename}", line {trace.tb_lineno}, in {code.co_name}')
            del lines[:-PLAIN_FRAMES]
        trace = trace.tb_next
    return [("stack", "\n".join(["Traceback (most recent call last):", *lines]))]


def _plainly(error: BaseException) -> str:
    kind: str = bounded(type.__dict__["__name__"].__get__(type(error)))
    try:
        text = bounded(str(error))
    except BaseException:
        text = "<exception str() failed>"
    return _printable(f"{kind}: {text}" if text else kind)
