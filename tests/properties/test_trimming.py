"""Trimming, of every installed arm: what is left of any output is a deletion of it, within bounds, counted and in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from bounds import bounded
from hypothesis import given
from hypothesis import strategies as st
from noise import SAMPLES, outputs, ranges_of, readable_lines

from gg.config import Settings
from gg.host.discovery import find_arms
from gg.types import TrimKind, Trimming
from gg.warden.messages import Configure
from gg.worker.plugins import load_arm
from gg_rust_ext import apply_ranges

ARMS = find_arms(Settings.from_environment())
OWN = [name for name, ref in ARMS.items() if ref.distribution == "gg-arms"]
MAX_BODY_BYTES, MAX_LINE_BYTES = 16_384, 2_048
KINDS: tuple[TrimKind, ...] = ("compile", "runtime")
BANDS = {
    "compile": {"Compiler error", "Notice", "clean"},
    "runtime": {"Runtime error", "Compiler error", "Notice", "clean"},
}
STATUSES = st.sampled_from([None, None, None, 0, 1, 139])
SIGNALS = st.sampled_from([None, None, None, 6, 9, 11])
SETTINGS = Configure("", "off", "")
_loaded = {name: load_arm(ref, (), SETTINGS).hook for name, ref in ARMS.items()}


def trim(
    arm: str, kind: TrimKind, text: bytes, protected: Sequence[tuple[int, int]] = (), status: int | None = None,
    signal: int | None = None,
) -> Trimming:  # fmt: skip
    """Ask an arm, as a worker does."""
    answer: Trimming = _loaded[arm].gg_trim(
        kind=kind, text=text, protected=list(protected), exit_status=status, signal=signal
    )
    return answer


def lines_of(body: str) -> list[str]:
    """Return the lines of a body in which something can be read."""
    return [line for line in body.split("\n") if line]


def test_the_arms_are_those_that_are_installed() -> None:
    """Two of gg's own at least; one that is installed later is tried by itself."""
    assert {"javascript", "python"} <= set(OWN)


@pytest.mark.parametrize("arm", ARMS)
@bounded(150)
@given(data=st.data(), kind=st.sampled_from(KINDS), text=outputs(), status=STATUSES, signal=SIGNALS)
def test_a_body_is_made_by_deletion(
    arm: str, data: Any, kind: TrimKind, text: bytes, status: int | None, signal: int | None
) -> None:
    """Ranges ascend within the text; whole lines stay, in order; what went is counted; the band is the whole text's."""
    protected = data.draw(ranges_of(len(text)))
    found = trim(arm, kind, text, protected, status, signal)
    assert found == trim(arm, kind, text, protected, status, signal), "the same input is answered the same"
    assert found.band in BANDS[kind]
    assert found.band == trim(arm, kind, text, (), status, signal).band
    flat = [bound for pair in found.ranges for bound in pair]
    assert flat == sorted(flat)
    assert not flat or (flat[0] >= 0 and flat[-1] <= len(text))
    body = apply_ranges(text, found.ranges)
    lines = readable_lines(text) if arm in OWN else text.decode("utf-8", "ignore").split("\n")
    emitted = [line for line in lines if line]
    left = iter(emitted)
    for line in lines_of(body):
        assert any(
            whole == line or (whole.startswith(line) and len(line.encode()) > MAX_LINE_BYTES - 4) for whole in left
        ), f"{line[:200]!r} is no line of the text, or out of order"
    if found.band == "clean":
        assert (found.ranges, found.dropped_lines, found.dropped_diagnostics, found.dropped_frames) == ((), 0, 0, 0)
    elif arm in OWN:
        assert found.dropped_lines == len(emitted) - len(lines_of(body))
    assert 0 <= found.dropped_frames <= found.dropped_lines
    assert 0 <= found.dropped_diagnostics <= found.dropped_lines


@pytest.mark.parametrize("arm", OWN)
@bounded(120)
@given(data=st.data(), kind=st.sampled_from(KINDS), text=outputs(), status=STATUSES, signal=SIGNALS)
def test_a_body_is_bounded_and_says_something(
    arm: str, data: Any, kind: TrimKind, text: bytes, status: int | None, signal: int | None
) -> None:
    """16 KiB, 2 KiB a line, nothing blank around it, and nothing only of nothing."""
    found = trim(arm, kind, text, data.draw(ranges_of(len(text))), status, signal)
    body = apply_ranges(text, found.ranges)
    assert len(body.encode()) <= MAX_BODY_BYTES
    assert all(len(line.encode()) <= MAX_LINE_BYTES for line in body.split("\n"))
    if found.band != "clean" and any(line[: MAX_LINE_BYTES // 4].strip() for line in readable_lines(text)):
        assert body.strip()


@pytest.mark.parametrize("arm", OWN)
@bounded(120)
@given(data=st.data(), text=outputs())
def test_message_text_is_no_frame(arm: str, data: Any, text: bytes) -> None:
    """Of a text that fits, every line that a protected range touches is whole, whatever it looks like."""
    text = text[:MAX_BODY_BYTES]
    protected = data.draw(ranges_of(len(text)))
    found = trim(arm, "runtime", text, protected)
    if found.band == "clean":
        return
    body = iter(apply_ranges(text, found.ranges).split("\n"))
    start = 0
    emitted = readable_lines(text)
    for raw, line in zip(text.split(b"\n"), emitted, strict=True):
        end = start + len(raw)
        if line.strip() and any(a < max(end, start + 1) and b > start for a, b in protected if a < b):
            bound = line.encode()[:MAX_LINE_BYTES].decode("utf-8", "ignore")
            assert any(kept == line or kept[: len(bound) - 8] == bound[:-8] for kept in body), (line[:200], protected)
        start = end + 1


@pytest.mark.parametrize("arm", OWN)
@bounded(60)
@given(text=outputs())
def test_a_message_is_trimmed_once(arm: str, text: bytes) -> None:
    """What is nothing but message text loses only what no reader sees, or its middle; and nothing the second time."""
    whole = [(0, len(text))]
    found = trim(arm, "runtime", text, whole)
    body = apply_ranges(text, found.ranges)
    if found.band == "clean":
        return
    emitted = readable_lines(text)
    if sum(len(line.encode()) + 1 for line in emitted) <= MAX_BODY_BYTES and all(len(line) < 600 for line in emitted):
        assert body.strip("\n") == "\n".join(emitted).strip("\n") or not body.strip()
    first = next((line for line in emitted if line), "")
    assert not first.strip() or lines_of(body)[0][:500] == first[:500], "its first line stays longest"
    if "\x1b" in body or "\r" in body:
        return  # what is deleted around them may leave an escape sequence or a line end behind
    data = body.encode()
    again = trim(arm, "runtime", data, [(0, len(data))], 1)
    assert apply_ranges(data, again.ranges).rstrip("\n") == body.rstrip("\n")
    assert (again.dropped_lines, again.dropped_frames, again.dropped_diagnostics) == (0, 0, 0)


@pytest.mark.parametrize("arm", OWN)
@bounded(60)
@given(
    sample=st.sampled_from(SAMPLES), kind=st.sampled_from(KINDS), place=st.integers(0, 1 << 16),
    times=st.integers(300, 3000), status=STATUSES,
)  # fmt: skip
def test_the_band_is_decided_before_anything_is_cut(
    arm: str, sample: bytes, kind: TrimKind, place: int, times: int, status: int | None
) -> None:
    """Text that will be cut away, wherever it stands, changes nothing; a signal is a crash whatever was printed."""
    lines = sample.split(b"\n")
    at = place % (len(lines) + 1)
    longer = b"\n".join([*lines[:at], *[b"and so on, and so on"] * times, *lines[at:]])
    assert trim(arm, kind, longer, (), status).band == trim(arm, kind, sample, (), status).band
    crashed = trim(arm, kind, longer, (), None, 9).band
    assert crashed == ("Notice" if kind == "compile" else "Runtime error")


LONG: dict[str, Callable[[int], bytes]] = {
    "lines": lambda n: b"abcdefgh\n" * n,
    "one line": lambda n: b"abcdefgh " * n,
    "escapes": lambda n: b"\x1b[31mx\x1b[" * n,
    "open links": lambda n: b"\x1b]8;;" * n,
    "undecodable": lambda n: b"\xff\xe8\x88x" * n,
    "carriage returns": lambda n: b"\r\r\rx\r\n" * n,
    "blank lines": lambda n: b" \n\n" * n,
    "spaces": lambda n: b" " * 9 * n,
    "frames": lambda n: b"    at f (program.js:1:2)\n" * n,
    "foreign frames": lambda n: b'  File "<frozen x>", line 3, in f\n    x\n' * n,
    "headers": lambda n: b"Traceback (most recent call last):\n" * n,
    "words": lambda n: b"a" * 9 * n + b"\n" + b"SyntaxErro" * n,
    "errors": lambda n: b"SyntaxError: no\nerror[E0]: no\n" * n,
    "traps": lambda n: b"wasm trap\nerror while executing\n    0: 0x1 - <unknown>!f\n" * n,
}


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("shape", LONG)
def test_time_grows_with_the_text(arm: str, shape: str) -> None:
    """Sixteen times the text takes some sixteen times the time: a quadratic step would take 256 times."""

    def cost(size: int, kind: TrimKind) -> float:
        text = LONG[shape](size)
        protected = [(at * 64, at * 64 + 7) for at in range(len(text) // 256)]
        best = 1e9
        for _ in range(3):
            began = time.perf_counter()
            trim(arm, kind, text, protected, 1)
            best = min(best, time.perf_counter() - began)
        return best

    for kind in KINDS:
        small, large = 2_000, 32_000
        for _ in range(4):  # the machine may be busy: a quadratic step is slow each time
            if cost(large, kind) < 64 * cost(small, kind) + 0.02:
                break
        else:
            pytest.fail(f"{shape}: {cost(small, kind):.4f} s of {small}, {cost(large, kind):.4f} s of {large}")
