"""What compilers and runtimes print: the real samples of `tests/cases`, changed in every way that breaks a reader."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

from hypothesis import strategies as st

__all__ = ["SAMPLES", "outputs", "ranges_of", "readable_lines"]

_CASES = Path(__file__).resolve().parents[1] / "cases"
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-Za-z]")


def _sample(path: Path) -> bytes:
    case = json.loads(path.read_text("utf-8"))
    return case["input"].encode() if "input" in case else base64.b64decode(case["input_b64"])


SAMPLES = [_sample(path) for path in sorted(_CASES.glob("B-*.json"))]
_PIECES = [
    b"", b"\n", b"\n\n\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xe8\x88", b"\xed\xa0\x80", b"\xf0\x9f", "船é\u2028".encode(), b"\x1b[31m",
    b"\x1b]8;;http://x\x1b\\", b"\x1b", b"\x1b[", b"\x1b]8;;", b" " * 300, b"\t", b"x" * 2047 + "é".encode(), b"x" * 2048, b"y" * 70_000,
    b"Notice\n----\n", b"View: a\n----\n", b"Runtime error\n----\n", b"\nSyntaxError: no\n", b"\nError: no\n", b"    at f (program.js:1:2)\n",
    b"    at native (native)\n", b'  File "program.py", line 3, in f\n', b'  File "<frozen x>", line 3, in f\n    x\n    ^\n',
    b"Traceback (most recent call last):\n", b"error while executing at wasm backtrace:\n", b"    0: 0x12 - <unknown>!f\n", b"Caused by:\n",
    b"    2: wasm trap: out of bounds memory access\n", b"  | ", b"  + Exception Group Traceback (most recent call last):\n",
]  # fmt: skip


@st.composite
def outputs(draw: st.DrawFn) -> bytes:
    """A real sample, or bytes that never were one, with pieces put in, taken out, moved and repeated."""
    text = draw(
        st.one_of(st.sampled_from(SAMPLES), st.binary(max_size=60), st.lists(st.sampled_from(_PIECES)).map(b"".join))
    )
    for kind, where, length, piece in draw(
        st.lists(
            st.tuples(
                st.sampled_from(["put", "put", "cut", "repeat", "lines", "crlf", "flip", "end"]),
                st.integers(0, 1 << 16), st.integers(0, 400), st.one_of(st.sampled_from(_PIECES), st.binary(max_size=8)),
            ),
            max_size=6,
        )
    ):  # fmt: skip
        at = where % (len(text) + 1)
        if kind == "put":
            text = text[:at] + piece + text[at:]
        elif kind == "cut":
            text = text[:at] + text[at + length :]
        elif kind == "repeat":
            text = text[:at] + text[at : at + length] * (where % 90) + text[at + length :]
        elif kind == "lines":
            lines = text.split(b"\n")
            first = where % len(lines)
            text = b"\n".join([*lines[first:], *lines[:first]])
        elif kind == "crlf":
            text = text.replace(b"\n", b"\r\n")
        elif kind == "flip" and at < len(text):
            text = text[:at] + bytes([text[at] ^ (1 << (length % 8))]) + text[at + 1 :]
        elif kind == "end":
            text = text[: len(text) - length % 3]
    return text[: 1 << 19]


@st.composite
def ranges_of(draw: st.DrawFn, size: int) -> list[tuple[int, int]]:
    """Ranges within a text of this size, and past it, in any order, also empty and reversed ones."""
    place = st.integers(0, size + 3)
    return draw(st.lists(st.tuples(place, place), max_size=5))


def readable_lines(text: bytes) -> list[str]:
    """Return what a reader sees of each line: no escape sequence, no undecodable byte, not the CR of a CRLF."""
    lines = text.decode("utf-8", "ignore").split("\n")
    return [_ANSI.sub("", line.removesuffix("\r") if at + 1 < len(lines) else line) for at, line in enumerate(lines)]
