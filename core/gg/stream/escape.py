"""Text for a terminal: what it would obey is written out."""

from __future__ import annotations

import re

__all__ = ["escape_controls"]

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def escape_controls(text: str) -> str:
    """Return text with control and bidirectional characters written out, fit for a terminal."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
