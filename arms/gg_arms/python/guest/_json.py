"""JSON by the C parts of the standard library, bound once, which no change a program makes to `json` reaches."""

from __future__ import annotations

from collections.abc import Callable
from json import decoder, encoder, scanner
from typing import Any

from ._own import own_builtins as __builtins__  # noqa: F401


class _Settings:
    """What the scanner reads when it is made: strict JSON into plain values."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(float)


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is not JSON")


def _encoder(escape: Callable[[str], str]) -> Callable[[object], str]:
    make: Any = encoder.c_make_encoder  # type: ignore[attr-defined]  # private, checked by the build's warm-up
    encode = make(None, _refuse, escape, None, ":", ",", False, False, False)
    join = "".join

    def dumps(value: object) -> str:
        chunks: tuple[str, ...] = encode(value, 0)
        return join(chunks)

    return dumps


_scan: Callable[[str, int], tuple[Any, int]] = scanner.c_make_scanner(_Settings)  # type: ignore[attr-defined]

dumps = _encoder(encoder.c_encode_basestring)  # type: ignore[attr-defined]
dumps_ascii = _encoder(encoder.c_encode_basestring_ascii)  # type: ignore[attr-defined]
"""As `dumps`, with everything outside ASCII escaped, lone surrogates included."""

JSONDecodeError = decoder.JSONDecodeError


def loads(text: str) -> Any:
    """Read one JSON value that begins at the first character of `text`."""
    return _scan(text, 0)[0]
