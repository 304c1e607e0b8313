"""Builds the guests of these arms: ``python -m gg_arms.build [--force] [ARM …]``.

A guest is built when its inputs (sources, the operations table, this package's builders) have changed since the last
build; a stamp beside it says from what it was made.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from gg.operations.builtin import builtin_operations

__all__ = ["main"]

_ROOT = Path(__file__).parent
_ARMS = ("javascript", "python")


def main(argv: Sequence[str] | None = None) -> int:
    """Build what is out of date and return an exit status."""
    parser = argparse.ArgumentParser(prog="python -m gg_arms.build", description="Build the guests of gg's own arms.")
    parser.add_argument("arms", nargs="*", choices=[[], *_ARMS], metavar="ARM", help=f"of {', '.join(_ARMS)}; all")
    parser.add_argument("--force", action="store_true", help="build even what is up to date")
    parser.add_argument("--cache", type=Path, default=Path(".build"), help="where intermediate files are kept")
    options = parser.parse_args(argv)
    options.cache.mkdir(parents=True, exist_ok=True)
    for arm in options.arms or _ARMS:
        if status := _build(arm, options.cache.resolve(), force=options.force):
            return status
    return 0


def _build(arm: str, cache: Path, *, force: bool) -> int:
    builder: Any = import_module(f"gg_arms.{arm}._build")
    sdk: str = import_module(f"gg_arms.{arm}._sdk").render([row.spec() for row in builtin_operations()])
    target = _ROOT / arm / f"{arm}.wasm"
    stamp = target.with_suffix(".stamp")
    digest = _digest(arm, sdk)
    if not force and target.is_file() and stamp.is_file() and stamp.read_text() == digest:
        print(f"{arm} guest: up to date")
        return 0
    began = time.monotonic()
    progress: Callable[[str], None] = lambda text: print(f"{arm} guest: {text}", flush=True)  # noqa: E731
    try:
        builder.build(target, cache, progress, sdk)
    except builder.BuildError as error:
        print(f"{arm} guest: {error}", file=sys.stderr)
        return 1
    stamp.write_text(digest)
    print(f"{arm} guest: built in {time.monotonic() - began:.0f} s ({target.stat().st_size / 1e6:.1f} MB)")
    return 0


def _digest(arm: str, sdk: str) -> str:
    """Return a digest of everything a guest is made from."""
    digest = hashlib.sha256(sdk.encode())
    sources = [_ROOT / "_snapshot.py", *sorted((_ROOT / arm).rglob("*"))]
    for path in sources:
        if path.is_file() and path.suffix not in (".wasm", ".stamp", ".pyc"):
            digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
