"""Hand-written modules that speak guest ABI v1 badly: a skeleton, and pieces to put into it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

REQUEST = 65_536
"""Where a request lies in memory."""
REPORT = 200_000
"""Where a report lies."""
RING = 4096
"""Where the log ring lies."""
FINISH = json.dumps([["session.finish", {"summary": "x"}]]).encode()
FAILED = b'{"kind":"failed","parts":[["message","boom"]]}'


def module(
    body: str, data: Sequence[tuple[int, bytes]] = (), *, pages: int = 64, ring: int = RING, abi: int = 1,
    alloc: str = "(i32.const 2097152)", extra: str = "",
) -> str:  # fmt: skip
    """Return a module whose `gg_run` is ``body``."""
    segments = "".join(f'(data (i32.const {at}) "{_escape(text)}")' for at, text in data)
    return f"""(module
  (import "gg" "call" (func $call (param i32 i32 i32 i32) (result i32)))
  (import "gg" "take" (func $take (param i32) (result i32)))
  (import "gg" "log" (func $log (param i32 i32)))
  (import "gg" "report" (func $report (param i32 i32)))
  (import "gg" "sleep" (func $sleep (param f64)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") {pages})
  (global (export "gg_log") i32 (i32.const {ring}))
  (func (export "gg_abi") (result i32) (i32.const {abi}))
  (func (export "gg_alloc") (param i32) (result i32) {alloc})
  {segments} {extra}
  (func (export "gg_run") (param i32 i32 i32 i32) {body}))"""


def request(body: bytes, *, check: str = "(drop {})", out: int = 0, capacity: int = 4000) -> str:
    """Return a module that makes one request; ``check`` does something with what `call` answers."""
    call = f"(call $call (i32.const {REQUEST}) (i32.const {len(body)}) (i32.const {out}) (i32.const {capacity}))"
    return module(check.format(call), [(REQUEST, body)])


def report(body: bytes, then: str = "", *, data: Sequence[tuple[int, bytes]] = ()) -> str:
    """Return a module that makes one report."""
    return module(f"(call $report (i32.const {REPORT}) (i32.const {len(body)})) {then}", [(REPORT, body), *data])


def expect(condition: str) -> str:
    """Return code that traps unless ``condition``."""
    return f"(if (i32.eqz {condition}) (then unreachable))"


def calls(count: int, operation: str = "session.finish", arguments: Any = None) -> bytes:
    """Return a request of that many calls."""
    return json.dumps([[operation, {"summary": "x"} if arguments is None else arguments]] * count).encode()


def _escape(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)
