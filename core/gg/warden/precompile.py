"""The precompile process: the only writer of the guest cache. It compiles one guest and ends; it never runs one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gg.cache import GuestCache
from gg.confinement import ConfinementUnavailable, apply, precompile_profile, prepare
from gg.warden.messages import Configure, NeedGuest
from gg.worker.engine import compile_guest

__all__ = ["open_cache", "run"]

KEEP_DAYS = 60


def open_cache(settings: Configure) -> GuestCache:
    """Open the cache of compiled guests as a host configured it."""
    return GuestCache(Path(settings.cache_folder), Path(settings.private_folder, "guests"), off=settings.cache == "off")


def run(settings: Configure, key: str, need: NeedGuest) -> None:
    """Compile the guest into the cache, unless another host's precompile process did so while this one waited.

    :raises OSError: when the guest cannot be read or the cache cannot be written.
    """
    cache = open_cache(settings)
    read = (os.path.dirname(need.path), *(path for path in sys.path if os.path.isdir(path)))
    try:
        apply(prepare(precompile_profile(read, cache.write_folders())))
    except ConfinementUnavailable as error:
        print(f"the precompile process is not confined: {error}", file=sys.stderr)
    with cache.lock(key):
        if cache.lookup(key) is None:
            cache.store(key, compile_guest(Path(need.path).read_bytes(), need.form))
    cache.prune(KEEP_DAYS)
