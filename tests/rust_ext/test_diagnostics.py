"""The rule tables of the arms, on what compilers and runtimes really print."""

from __future__ import annotations

import re
from typing import Any

import case_files
import pytest

from gg.trimming import trim
from gg_arms.javascript import _trim as javascript
from gg_arms.python import _trim as python
from gg_rust_ext import TrimRules, apply_ranges

ARMS = {"javascript": javascript, "node": javascript, "js": javascript, "python": python}
CASES = case_files.load("B")
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

# What must be left, and what must be gone, by case.
BODIES: dict[str, tuple[list[str], list[str]]] = {
    "B-crlf-python": (["TypeError: 'int' object", 'File "main.py", line 2, in f'], []),
    "B-node-cause": (
        ["AggregateError: 2 of 2", "[cause]: TypeError: socket closed", "  at step 2 of 3"],
        ["node:", "Node.js"],
    ),
    "B-node-internal": (
        ["SyntaxError: Unexpected end", "    at main.js:5:48", "main.js:7:1"],
        ["node:", "native", "Node.js"],
    ),
    "B-node-nonerror": (["  reason: 'not an Error',"], ["Node.js"]),
    "B-node-recur": (["RangeError: Maximum call stack", "    at ping (main.js:1:20)\n    at pong (main.js:2:27)"], []),
    "B-py-group": (["  + Exception Group Traceback", "ExceptionGroup: import failed", "    | row 0 of the import"], []),
    "B-py-mutual": (
        ["RecursionError: maximum recursion depth", 'File "main.py", line 11, in <module>\n    ping(0)'],
        [],
    ),
    "B-py-parser-deep": (["SyntaxError: too many nested parentheses", 'File "main.py", line 1'], []),
    "B-py-raw-stderr": (["warn:  raw", "RuntimeError: after raw bytes"], []),
    "B-py-recur": (["RecursionError: maximum recursion depth", "  [Previous line repeated 996 more times]"], []),
    "B-py-tab": (["TabError: inconsistent use"], []),
    "B-qjs-native-recursion": (["InternalError: stack overflow", "    at ping (<input>)"], []),
    "B-qjs-trap-parser": (["wasm trap: call stack exhausted"], ["qjs.wasm!", "backtrace:"]),
    "B-qjs-trap-recursion": (
        ["memory fault at wasm address", "wasm trap: out of bounds"],
        ["JS_CallInternal", "backtrace:"],
    ),
}


def test_each_case_has_a_body_to_compare_with() -> None:
    """A case that is added says what its body must hold."""
    assert {case["id"] for case in CASES} == set(BODIES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_cases(case: dict[str, Any]) -> None:
    """The band is right; the body is a line subsequence within 16 KiB that holds what must survive."""
    data, arm, wanted = case_files.input_of(case), ARMS[case["language"]], case["expected"]["band"]
    assert data is not None
    running = wanted == "Runtime error"
    classify = arm.classify_runtime if running else arm.classify_compile
    band = classify(data, case.get("exit"))
    assert band in ([wanted] if isinstance(wanted, str) else wanted)
    rules = TrimRules(arm.RUNTIME_RULES if running else arm.COMPILE_RULES)
    trimming = trim(rules, band, data)
    body = apply_ranges(data, trimming.ranges)
    emitted = iter(ANSI.sub("", data.decode("utf-8", "ignore")).replace("\r\n", "\n").split("\n"))
    for line in body.split("\n"):
        assert any(line == whole or (len(line) >= 1024 and whole.startswith(line)) for whole in emitted), line
    assert len(body.encode()) <= 16384
    present, absent = BODIES[case["id"]]
    assert [word for word in present if word not in body] == []
    assert [word for word in absent if word in body] == []


@pytest.mark.parametrize("arm", [javascript, python])
def test_a_wasm_backtrace_is_no_stack_of_the_programs(arm: Any) -> None:
    """Of the sandbox's account the reason is left, frames with and without source places go."""
    data = (
        b"error while executing at wasm backtrace:\n    0:     0xe6 - deref\n                    at oob.c:1:35\n"
        b"                - inlined\n                    at oob.c:2:5\n    1:    0x1f9 - <unknown>!_start.command_export\n"
        b"note: using the `WASMTIME_BACKTRACE_DETAILS=1` environment variable may show more debugging information\n\n"
        b"Caused by:\n    0: memory fault at wasm address 0x807fff00 in linear memory of size 0x20000\n"
        b"    1: wasm trap: out of bounds memory access\n"
    )
    trimming = trim(TrimRules(arm.RUNTIME_RULES), "Runtime error", data)
    assert apply_ranges(data, trimming.ranges).encode() == data[data.index(b"Caused by") :].rstrip(b"\n")
    assert trimming.dropped_frames == 2


STACKS = [
    (javascript, "    at walk (program.js:2:27)", True),
    (javascript, "    at <eval> (program.js:3:1)", True),
    (javascript, "    at async f (program.js:3:1)", True),
    (javascript, "    at program.js:3:11", True),
    (javascript, "    at file:///prog/main.mjs:4:13 {", True),
    (javascript, "    at f (<input>)", True),
    (javascript, "    at line 3, column 7", True),
    (javascript, "    at map (native)", False),
    (javascript, "    at new Promise (<anonymous>)", False),
    (javascript, "    at readFile (gg:sdk:10:3)", False),
    (javascript, "    at readFile (gg-sdk.js:10:3)", False),
    (javascript, "    at node:internal/main/run_main_module:28:49", False),
    (python, '  File "program.py", line 3, in f', True),
    (python, '  File "<string>", line 1, in <module>', True),
    (python, '  File "<stdin>", line 1', True),
    (python, '  File "/workspace/core/gg/types.py", line 1, in f', True),
    (python, '    |   File "main.py", line 14, in collect', True),
    (python, '  File "/usr/lib/python3.14/json/decoder.py", line 338, in decode', False),
    (python, '  File "<frozen importlib._bootstrap>", line 1360, in _find_and_load', False),
    (python, '  File "<gg sdk: files>", line 3, in read_file', False),
]


@pytest.mark.parametrize(("arm", "frame", "own"), STACKS, ids=[frame.strip() for _, frame, _ in STACKS])
def test_frames_are_told_apart(arm: Any, frame: str, own: bool) -> None:
    """Frames of the program stay; those of the engine, of the standard library and of gg go."""
    data = f"Oops\n{frame}\n".encode()
    trimmed = TrimRules(arm.RUNTIME_RULES).trim(data)
    assert (apply_ranges(data, trimmed.ranges) == f"Oops\n{frame}") is own
    assert trimmed.dropped_frames == int(not own)


def test_a_source_line_is_no_frame_of_the_sandbox() -> None:
    """A line of the program under its frame stays with it, also when it begins like one of a wasm backtrace."""
    for source in ("1: a!=b,", '1: "a!",', "0: 0x10,"):
        data = f'  File "main.py", line 1, in f\n    {source}\nValueError: x\n'.encode()
        assert apply_ranges(data, TrimRules(python.RUNTIME_RULES).trim(data).ranges).encode() == data.rstrip()


def test_message_text_is_no_frame_where_it_is_protected() -> None:
    """What the runtime says is message text stays, also when it looks like frames."""
    data = b"Error: x\n    at map (native)\nNode.js v20.20.2\n    at map (native)\n    at f (program.js:1:1)\n"
    message = (0, data.index(b"\n    at map (native)\n    at f"))
    trimmed = TrimRules(javascript.RUNTIME_RULES).trim(data, [message])
    assert (
        apply_ranges(data, trimmed.ranges).encode()
        == data.replace(b"v20.20.2\n    at map (native)", b"v20.20.2").rstrip()
    )


def test_a_thousand_own_frames_become_twenty() -> None:
    """Of a deep recursion the first and the last ten frames stay, each with its source."""
    frame = '  File "main.py", line {0}, in f\n    return f(n + {0})\n           ~^^^^^^\n'
    data = (
        "Traceback (most recent call last):\n" + "".join(map(frame.format, range(1000))) + "RecursionError: deep\n"
    ).encode()
    trimmed = TrimRules(python.RUNTIME_RULES).trim(data)
    body = apply_ranges(data, trimmed.ranges)
    assert re.findall(r"line (\d+)", body) == [str(number) for number in (*range(10), *range(990, 1000))]
    assert (trimmed.dropped_frames, trimmed.dropped_lines) == (980, 2940)


@pytest.mark.parametrize(
    ("arm", "text", "exit_status", "signal", "band"),
    [
        (python, b"", 0, None, "clean"),
        (python, b"", None, None, "clean"),
        (python, b"note\n", 0, None, "clean"),
        (python, b"", 1, None, "Notice"),
        (python, b"SyntaxError: x\n", 1, 9, "Notice"),
        (python, b"MemoryError\n", 1, None, "Notice"),
        (python, b"IndentationError: x\n", 1, None, "Compiler error"),
        (python, b"wasm trap: call stack exhausted", None, None, "Notice"),
        (javascript, b"SyntaxError: x\n    at program.js:1:1\n", None, None, "Compiler error"),
        (javascript, b"ReferenceError: could not load module 'x'\n", 1, None, "Compiler error"),
        (javascript, b"InternalError: out of memory\n", 1, None, "Notice"),
        (javascript, b"Segmentation fault\n", 139, None, "Notice"),
    ],
)
def test_bands_of_preparing(arm: Any, text: bytes, exit_status: int | None, signal: int | None, band: str) -> None:
    """A program that does not parse is a Compiler error; a toolchain that failed is a Notice, whatever it printed."""
    assert arm.classify_compile(text, exit_status, signal) == band


@pytest.mark.parametrize(
    ("arm", "text", "exit_status", "signal", "band"),
    [
        (python, b"warned\n", 0, None, "clean"),
        (python, b"", 3, None, "Runtime error"),
        (python, b"", None, 9, "Runtime error"),
        (python, b'  File "main.py", line 3\nTabError: x\n', 1, None, "Compiler error"),
        (python, b'  File "main.py", line 3\nTabError: x\n', None, 9, "Runtime error"),
        (
            python,
            b'Traceback (most recent call last):\n  File "main.py", line 3\nSyntaxError: x\n',
            1,
            None,
            "Runtime error",
        ),
        (javascript, b"SyntaxError: x\n    at JSON.parse (<anonymous>)\n", 1, None, "Runtime error"),
        (javascript, b"wasm trap: interrupt", None, None, "Runtime error"),
    ],
)
def test_bands_of_running(arm: Any, text: bytes, exit_status: int | None, signal: int | None, band: str) -> None:
    """Exit status 0 by any route is clean; code that a running program reads fails at run time."""
    assert arm.classify_runtime(text, exit_status, signal) == band
