"""Cleaning and clipping."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gg_rust_ext import clean, clip

# Bytes at which decoders differ: overlong forms, surrogates, the end of Unicode, cut sequences.
EDGES = st.sampled_from(
    [
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf0\x80\x80\x80",
        b"\xe2\x82",
        b"\x80",
        b"a",
    ]
)
ANY_BYTES = st.one_of(st.binary(max_size=60), st.lists(st.one_of(EDGES, st.binary(max_size=3))).map(b"".join))


@given(ANY_BYTES)
def test_clean_is_decoding_with_errors_ignored(data: bytes) -> None:
    """What is deleted is exactly what Python's own decoder ignores, and it is counted."""
    text, deleted = clean(data)
    assert text == data.decode("utf-8", "ignore")
    assert deleted == len(data) - len(text.encode())


def clip_oracle(text: str, max_bytes: int) -> str:
    """Take whole characters while they fit."""
    kept = ""
    for character in text:
        if len((kept + character).encode()) > max_bytes:
            break
        kept += character
    return kept


@given(st.text(max_size=30), st.integers(0, 60))
@example("船", 2)
def test_clip_takes_whole_characters_while_they_fit(text: str, max_bytes: int) -> None:
    """The result is the longest prefix of whole characters within the bound."""
    assert clip(text, max_bytes) == clip_oracle(text, max_bytes)


def test_clip_deletes_lone_surrogates() -> None:
    """A lone surrogate takes no room, since it has no encoding."""
    assert clip("a\ud800bc", 2) == "ab"


def test_clip_refuses_a_negative_bound() -> None:
    """A bound below zero is an error, not a count from the end."""
    with pytest.raises(OverflowError):
        clip("abc", -1)
