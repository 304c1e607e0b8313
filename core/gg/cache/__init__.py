"""The cache of compiled guests, checked before it is trusted, shared by all hosts of a user."""

from __future__ import annotations

from gg.cache._cache import GuestCache
from gg.cache._keys import cpu_features, key
from gg.config import default_folder

__all__ = ["GuestCache", "cpu_features", "default_folder", "key"]
