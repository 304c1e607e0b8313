"""What a compiled guest depends on, as the key of its cache entry."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Final

_FORMAT: Final = b"gg-guest-1"
_FEATURE_LINES: Final = ("flags", "features")  # x86 and ARM


def key(wasm_path: str | os.PathLike[str], engine_id: str) -> str:
    """Return the key of a guest: 64 hexadecimal digits.

    It covers the bytes of the module, wasmtime's version, the processor's features, and `engine_id`, which names the
    engine's configuration. Raises `OSError` where the module cannot be read.
    """
    status = os.stat(wasm_path)
    identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    digest = hashlib.sha256()
    for part in (
        _FORMAT,
        _digest_of(os.fspath(wasm_path), identity),
        importlib.metadata.version("wasmtime").encode(),
        engine_id.encode(),
        cpu_features().encode(),
    ):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


@functools.cache
def cpu_features() -> str:
    """Return the architecture and the sorted features of the first processor; native code depends on both."""
    features = ""
    with contextlib.suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip().lower() in _FEATURE_LINES:
                features = " ".join(sorted(value.split()))
                break
    return f"{platform.machine()} {features}"


@functools.lru_cache(maxsize=64)
def _digest_of(path: str, identity: tuple[int, ...]) -> bytes:  # noqa: ARG001  (a changed file is another entry)
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
