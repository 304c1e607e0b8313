"""The cache of compiled guests, checked before it is trusted, shared by all hosts of a user."""

from __future__ import annotations

from gg.cache._cache import GuestCache, default_folder
from gg.cache._keys import cpu_features, key

__all__ = ["GuestCache", "cpu_features", "default_folder", "key"]
