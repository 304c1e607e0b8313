"""What is what in CPython's tracebacks and syntax errors."""

from __future__ import annotations

import re
from typing import Final, Literal

from gg.trimming import SANDBOX_RULES, Rule, is_trap

# The margin of an exception group: its members' lines are those of any traceback, behind it.
_MARGIN = r"^(?: *\| )?"

# The standard library inside the guest, packages beside it, code without a file, loaded code, and gg.
_FOREIGN_FILE = r'(?:<frozen |<gg |<lib\.|gg/|/\d+/|/python/|/bundled/|[^"]*/lib/python3|[^"]*/site-packages/)[^"]*'

RUNTIME_RULES: Final[tuple[Rule, ...]] = (
    *SANDBOX_RULES,
    ("foreign_frame", rf'{_MARGIN}  File "{_FOREIGN_FILE}", line \d+'),
    ("own_frame", rf'{_MARGIN}  File "[^"]+", line \d+'),
    # Source lines and their carets. One that begins with a margin's mark is the next traceback's.
    ("frame_more", rf"{_MARGIN}     *[^|+ ]"),
    ("frame_more", rf"{_MARGIN}  \[Previous line repeated \d+ more times?\]$"),
    ("frame_header", rf"{_MARGIN}Traceback \(most recent call last\):$"),
    ("keep", r"^  \+ Exception Group Traceback \(most recent call last\):$"),
    ("keep", rf"{_MARGIN}(?:The above exception was the direct cause|During handling of the above exception)"),
    ("keep", rf"{_MARGIN}[A-Za-z_][\w.]*(?:Error|Exception|Exit|Group|Interrupt|Iteration|Warning)(?::|$| \()"),
)

# An error of CPython's compiler is the end of a traceback: a place, its source, its carets, the sentence.
COMPILE_RULES: Final = RUNTIME_RULES

_SYNTAX_ERROR = re.compile(rb"^(?:SyntaxError|IndentationError|TabError)(?::|$)", re.MULTILINE)
# A program nested too deep for the compiler, and one it cannot read, are its writer's to change.
_READER_ERROR = re.compile(
    rb"^(?:SyntaxError|IndentationError|TabError|RecursionError|ValueError|UnicodeError|OverflowError)(?::|$)",
    re.MULTILINE,
)
_TRACEBACK = re.compile(rb"^(?: *[+|] )?(?:Exception Group )?Traceback \(most recent call last\):", re.MULTILINE)


def classify_compile(
    text: bytes, exit_status: int | None = None, signal: int | None = None
) -> Literal["Compiler error", "Notice", "clean"]:
    """Say what the model is told when preparing a program printed ``text``."""
    if signal is not None or is_trap(text):
        return "Notice"
    if exit_status == 0 or (exit_status is None and not text.strip()):
        return "clean"
    return "Compiler error" if _READER_ERROR.search(text) else "Notice"


def classify_runtime(
    text: bytes, exit_status: int | None = None, signal: int | None = None
) -> Literal["Compiler error", "Runtime error", "clean"]:
    """Say what the model is told when running a program printed ``text``.

    A syntax error without a traceback is the program's own, so none of it ran; with one, a running program read code.
    What a signal ended was running.
    """
    if signal is None and (exit_status == 0 or (exit_status is None and not text.strip())):
        return "clean"
    if signal is None and _SYNTAX_ERROR.search(text) and not _TRACEBACK.search(text) and not is_trap(text):
        return "Compiler error"
    return "Runtime error"
