"""The caches of compiled guests and of built toolchains, checked before they are trusted, shared by a user's hosts."""

from __future__ import annotations

from gg.cache._cache import GuestCache
from gg.cache._keys import cpu_features, key
from gg.cache._toolchains import ToolchainCache
from gg.config import default_folder

__all__ = ["GuestCache", "ToolchainCache", "cpu_features", "default_folder", "key"]
