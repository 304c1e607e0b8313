"""The case files of tests/cases, read."""

from __future__ import annotations

import base64
import json
import pathlib
from typing import Any

FOLDER = pathlib.Path(__file__).parent.parent / "cases"
_NAMES: dict[str, Any] = {"__builtins__": {}, "bytes": bytes, "chr": chr, "len": len, "range": range, "str": str}


def load(group: str) -> list[dict[str, Any]]:
    """Return the cases of a group, in the order of their ids; each has an ``id``."""
    read = (json.loads(file.read_text()) for file in sorted(FOLDER.glob(f"{group}-*.json")))
    return [case for case in read if "id" in case]


def input_of(case: dict[str, Any]) -> bytes | None:
    """Return a case's input, or ``None`` for one that is about a program."""
    if "input" in case:
        return str(case["input"]).encode("utf-8", "surrogateescape")
    if "input_b64" in case:
        return base64.b64decode(case["input_b64"])
    if "input_py" in case:
        made = eval(case["input_py"], _NAMES)  # files of this tree
        return made if isinstance(made, bytes) else str(made).encode()
    return None


def token_counts() -> dict[str, int]:
    """Return the exact o200k_base counts of the C cases, by id."""
    counts = json.loads((FOLDER / "C-references.json").read_text())["counts"]
    return {name: entry["o200k_base"] for name, entry in counts.items()}
