"""The hot paths in Rust: `GG_BENCH=1` measures them at full size and prints; without it they run at a small size as tests.

Ratios are taken in one run, and each figure is the best of several repetitions, since other work on the machine only
adds. tiktoken is compared with when it is installed and has its vocabulary (`TIKTOKEN_CACHE_DIR`); nothing is fetched.
"""

from __future__ import annotations

import os
import pathlib
import struct
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gg_rust_ext import LogCapture, TrimRules, apply_ranges, clean, count_tokens, load_tokens

FULL = os.environ.get("GG_BENCH") == "1"
REPETITIONS = 7 if FULL else 1
SIZE = 1_000_000 if FULL else 20_000


def best_ms(work: Callable[[], Any]) -> float:
    """Return the shortest of several runs in milliseconds."""
    best = float("inf")
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        work()
        best = min(best, (time.perf_counter() - begin) * 1000)
    return best


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Print a figure past pytest's capture, at full size only."""
    if FULL:
        with capsys.disabled():
            print(f"\n{line}", end="")


def source_text(size: int) -> str:
    """Return ``size`` characters of program text of many hands: the standard library's top modules."""
    modules = sorted(pathlib.Path(os.__file__).parent.glob("*.py"))
    return "\n".join(module.read_text(encoding="utf-8") for module in modules)[:size]


def offline_tiktoken() -> Any:
    """Return tiktoken's encoding, or skip."""
    tiktoken = pytest.importorskip("tiktoken")
    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        pytest.skip("TIKTOKEN_CACHE_DIR names no folder with tiktoken's vocabulary")
    return tiktoken.get_encoding("o200k_base")


def test_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    """Counting is linear and its result does not depend on what was counted before."""
    load_tokens()
    text = source_text(SIZE)
    assert count_tokens(text) == count_tokens(text) > 0
    took = best_ms(lambda: count_tokens(text))
    report(capsys, f"tokens: {len(text) / took / 1000:.1f} MB/s of program text")


def test_tokens_against_tiktoken(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts equal tiktoken's, at a multiple of its throughput."""
    encoding = offline_tiktoken()
    for name, text in (("program text", source_text(SIZE)), ("Chinese", "港口办公室保存着两本账簿。" * (SIZE // 40))):
        assert count_tokens(text) == len(encoding.encode_ordinary(text))
        theirs = best_ms(partial(encoding.encode_ordinary, text))
        report(
            capsys, f"tokens: {theirs / best_ms(partial(count_tokens, text)):.1f} times tiktoken's throughput on {name}"
        )


def test_capture(capsys: pytest.CaptureFixture[str]) -> None:
    """A program's 20,000 lines are counted exactly, in one write, in records and line by line."""
    count = SIZE // 50
    lines = [b"%049d\n" % number for number in range(count)]
    stream, records = b"".join(lines), b"".join(struct.pack("<BI", 1, 50) + line for line in lines)

    def at_once() -> int:
        capture = LogCapture()
        capture.write(1, stream)
        return capture.finish().logged

    def in_records() -> int:
        capture = LogCapture()
        for at in range(0, len(records), 65_505):
            capture.write_records(records[at : at + 65_505])
        return capture.finish().logged

    def one_by_one() -> int:
        capture = LogCapture()
        for line in lines:
            capture.write(1, line)
        return capture.finish().logged

    for name, work in (("one write", at_once), ("records", in_records), ("a write a line", one_by_one)):
        assert work() == count
        report(capsys, f"capture: {len(stream) / 1e6:.2f} MB in {count} lines, {name}: {best_ms(work):.2f} ms")


RULES = [
    ("foreign_frame", r'^(?: *\| )?  File "(?:<frozen |/python/|[^"]*/lib/python3)[^"]*", line \d+'),
    ("own_frame", r'^(?: *\| )?  File "[^"]+", line \d+'),
    ("frame_more", r"^     *[^|+ ]"),
    ("error", r"^error(?:\[\w+\])?: "),
    ("warning", r"^warning: "),
    ("note", r"^note: "),
    ("keep", r"^[A-Za-z_][\w.]*Error(?::|$)"),
]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        (
            "diagnostics",
            'error[E0%03d]: no\n --> src/main.rs:1:2\n  |\n1 | let x: u8 = "";\n  |             ^^ expected u8\nnote: see\n\n',
        ),
        ("frames", '  File "main.py", line %d, in f\n    return f(n + 1)\n           ^^^^^^^^\n'),
        ("text", "value %d of something that is no diagnostic\n"),
        ("coloured text", "\x1b[31mvalue %d\x1b[0m of something\r\n"),
        ("one line", "value %d "),
    ],
)
def test_trim(name: str, unit: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A diagnostic of any shape is cut to its bound."""
    data = "".join(unit % number for number in range(SIZE // len(unit))).encode()
    rules = TrimRules(RULES)
    assert 0 < len(apply_ranges(data, rules.trim(data).ranges).encode()) <= 16384
    took = best_ms(lambda: rules.trim(data))
    report(
        capsys,
        f"trim: {len(data) / 1e6:.2f} MB of {name}: {took:.2f} ms ({took / best_ms(lambda: clean(data)):.0f} times decoding it)",
    )
