"""Token counts."""

from __future__ import annotations

import threading
from typing import Any

import case_files
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gg_rust_ext import count_tokens, load_tokens

COUNTS = case_files.token_counts()
CASES = [case for case in case_files.load("C") if case["id"] in COUNTS]


def test_there_are_cases() -> None:
    """The C cases are there to be counted."""
    assert len(CASES) >= 14


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_counts_equal_the_reference(case: dict[str, Any]) -> None:
    """A count is exactly o200k_base's, of text and of its bytes."""
    assert count_tokens(case["input"]) == COUNTS[case["id"]]
    assert count_tokens(case["input"].encode("utf-8", "surrogatepass")) == COUNTS[case["id"]]


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("a", 1), ("hello world", 2), ("<|endoftext|>", 7), (" " * 64, 1), ("1234567", 3), ("\n\n\n", 1)],
)
def test_counts_of_known_strings(text: str, count: int) -> None:
    """Short strings have their known counts; text that spells a special token is ordinary text."""
    assert count_tokens(text) == count


@given(st.binary(max_size=200))
def test_bytes_count_as_what_can_be_decoded_of_them(data: bytes) -> None:
    """Bytes that are not UTF-8 are deleted before counting."""
    assert count_tokens(data) == count_tokens(bytearray(data)) == count_tokens(data.decode("utf-8", "ignore"))


@given(st.lists(st.one_of(st.characters(categories=["Cs"]), st.text(max_size=5)), max_size=20).map("".join))
def test_lone_surrogates_count_nothing(text: str) -> None:
    """A str's lone surrogates are deleted before counting."""
    assert count_tokens(text) == count_tokens(text.encode("utf-8", "ignore"))


@given(st.text(min_size=1, max_size=50))
def test_a_count_lies_between_one_and_the_bytes(text: str) -> None:
    """No text but the empty one has no token, and no token is less than a byte."""
    assert 1 <= count_tokens(text) <= len(text.encode())


def test_other_types_are_refused() -> None:
    """What is neither text nor bytes is a TypeError that names the type."""
    with pytest.raises(TypeError, match="not int"):
        count_tokens(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_loading_may_come_from_several_threads() -> None:
    """The tokenizer is built once, whoever asks for it."""
    threads = [threading.Thread(target=load_tokens) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count_tokens("hello world") == 2
