"""Prose of the operations table as it goes on a page: in the language's spelling, and unable to forge a heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

__all__ = ["one_line", "paragraphs", "safe_page", "spelled"]

_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_RULE = re.compile(r"[-=_*~─—–]{2,}")
_CODE = re.compile(r"(`+)([A-Za-z_][A-Za-z0-9_.]*)\1")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def one_line(text: str) -> str:
    """Return a text as one line: white space runs become a space, control and format characters go."""
    spaced = " ".join(text.split())
    return "".join(character for character in spaced if unicodedata.category(character) not in _UNSEEN)


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, each on one line; one that is nothing but a rule is left out."""
    lines = (one_line(part) for part in _BLANK_LINE.split(text.replace("\r\n", "\n").replace("\r", "\n")))
    return [line for line in lines if line and not _RULE.fullmatch(line)]


def safe_page(text: str) -> str:
    """Return a page's body without lines that could pass for the rule under a heading, whoever rendered it."""
    lines = (
        "".join(c for c in line if c == "\t" or unicodedata.category(c) not in _UNSEEN) for line in text.split("\n")
    )
    return "\n".join(line for line in lines if not _RULE.fullmatch(line.strip())).strip("\n")


def spelled(text: str, names: Iterable[str], spell_name: Callable[[str], str]) -> str:
    """Return a text whose code words that are among ``names`` (snake_case) are in the language's case."""
    known = frozenset(names)

    def spell(match: re.Match[str]) -> str:
        word = match[2]
        return f"`{spell_name(word) if word in known else word}`"

    return _CODE.sub(spell, text)
