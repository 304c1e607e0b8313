"""The precompile process: the only writer of the guest cache. It compiles one guest and ends; it never runs one."""

from __future__ import annotations

from pathlib import Path

from gg.cache import GuestCache
from gg.warden.messages import NeedGuest
from gg.worker.engine import compile_guest

__all__ = ["run"]


def run(cache: GuestCache, key: str, need: NeedGuest) -> None:
    """Compile the guest into the cache, unless another host's precompile process did so while this one waited.

    :raises OSError: when the guest cannot be read or the cache cannot be written.
    """
    with cache.lock(key):
        if cache.lookup(key) is None:
            cache.store(key, compile_guest(Path(need.path).read_bytes(), need.form))
