"""What is what in the stacks of QuickJS, and in Node's, which models know best."""

from __future__ import annotations

import re
from typing import Final, Literal

from gg.trimming import SANDBOX_RULES, Rule, is_trap

RUNTIME_RULES: Final[tuple[Rule, ...]] = (
    *SANDBOX_RULES,
    # Built-in functions, gg's SDK, loaded code, Node's own modules. A brace opens the properties of the error.
    ("foreign_frame", r"^\s+at (?:.*\()?(?:native|<anonymous>|index \d+)\)(?: \{)?$"),
    ("foreign_frame", r"^\s+at (?:async )?(?:.* \()?(?:node:|internal/|gg:|gg-|lib:)\S*:\d+\)?(?: \{)?$"),
    ("foreign_frame", r"^\s+at .* \((?:gg(?:[:-][^()]*)?|lib:[^()]*)\)$"),
    ("own_frame", r"^\s+at .* \((?:[^()]*:\d+|<\w+>(?::\d+)*)\)(?: \{)?$"),
    ("own_frame", r"^\s+at (?:async )?\S+:\d+(?: \{)?$"),
    ("own_frame", r"^    at line \d+, column \d+$"),
    ("drop", r"^Node\.js v\d+\.\d+\.\d+"),
    ("drop", r"^\(Use `node --trace-"),
    ("keep", r"^ *(?:\[cause\]: )?[A-Za-z_$][\w$.]*(?:Error|Exception)(?: \[\w+\])?(?::|$)"),
)

# QuickJS words an error of its parser like any other: the sentence, and a frame that is the place.
COMPILE_RULES: Final = RUNTIME_RULES

_ERROR = re.compile(rb"^(?:[A-Za-z_$][\w$]*)?Error(?::|$)", re.MULTILINE)
_OUT_OF_MEMORY = re.compile(rb"^InternalError: out of memory$", re.MULTILINE)


def classify_compile(
    text: bytes, exit_status: int | None = None, signal: int | None = None
) -> Literal["Compiler error", "Notice", "clean"]:
    """Say what the model is told when preparing a program printed ``text``: parsing it or linking its imports."""
    if signal is not None or is_trap(text) or _OUT_OF_MEMORY.search(text):
        return "Notice"
    if exit_status == 0 or (exit_status is None and not text.strip()):
        return "clean"
    return "Compiler error" if _ERROR.search(text) else "Notice"


def classify_runtime(
    text: bytes, exit_status: int | None = None, signal: int | None = None
) -> Literal["Runtime error", "clean"]:
    """Say what the model is told when running a program printed ``text``."""
    if signal is None and (exit_status == 0 or (exit_status is None and not text.strip())):
        return "clean"
    return "Runtime error"
