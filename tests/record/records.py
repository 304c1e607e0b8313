"""Reading and forging records in tests, without the code that is tested where it would hide a fault."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from gg import Session
from gg.record.replay import Replay

Recording = Callable[..., AbstractContextManager[Session]]
"""``recording(arm, **options)``: a session that is recorded; `Host.session`'s options."""
Replaying = Callable[[], Replay]
"""Replays the test's record."""


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a record as they stand."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def of(path: Path, kind: str) -> list[dict[str, Any]]:
    """Return the lines of one type."""
    return [line for line in lines(path) if line["type"] == kind]


def forge(path: Path, changed: list[dict[str, Any]]) -> None:
    """Write lines with sums that fit, as someone who knows the format would."""
    before, out = "", b""
    for line in changed:
        kept = {key: value for key, value in line.items() if key != "sum"}
        data = json.dumps(kept, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
        before = hashlib.blake2b(data, key=before.encode(), digest_size=6).hexdigest()
        out += data + b',"sum":"' + before.encode() + b'"}\n'
    path.write_bytes(out)
