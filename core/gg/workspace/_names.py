"""Which characters a path or a label may hold.

Line breaks and control characters would forge headings in the model's window, and bidirectional overrides would show
an operator another name than the one that is used.
"""

from __future__ import annotations

import re
from typing import Final

from gg.workspace._errors import InvalidArgument

_FORBIDDEN: Final = re.compile(
    "(?P<control>[\x00-\x1f\x7f-\x9f])|(?P<line>[\u2028\u2029])|(?P<bidi>[\u202a-\u202e\u2066-\u2069])"
    "|(?P<surrogate>[\ud800-\udfff])"
)
_WHAT: Final = {
    "control": "a control character",
    "line": "a line break",
    "bidi": "a bidirectional control character",
    "surrogate": "a lone surrogate",
}
_BY_NAME: Final = {"\0": "a NUL", "\n": "a line break", "\r": "a line break", "\x85": "a line break"}


def forbidden_character(text: str) -> str | None:
    """Return what kind of character makes `text` unfit for a path or a label, such as ``a line break``, or `None`."""
    found = _FORBIDDEN.search(text)
    if found is None:
        return None
    return _BY_NAME.get(found.group()) or _WHAT[str(found.lastgroup)]


def check_path(path: str, parameter: str = "path") -> None:
    """Raise `InvalidArgument` for a path that is empty or holds a character no path may hold."""
    if not path:
        raise InvalidArgument("`{parameter}` is empty", parameter)
    what = forbidden_character(path)
    if what:
        raise InvalidArgument("`{parameter}` holds " + what, parameter)


def encode(text: str, parameter: str) -> bytes:
    """Return `text` as UTF-8. Raises `InvalidArgument` for a lone surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidArgument("`{parameter}` holds a lone surrogate", parameter) from None
