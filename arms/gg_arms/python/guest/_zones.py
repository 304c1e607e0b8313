"""Time zones for `zoneinfo`, which looks for files and then for the package `tzdata`; here they are in the snapshot."""

from __future__ import annotations

import io
import zoneinfo
from zoneinfo import _common, _tzpath  # type: ignore[attr-defined]  # private modules, checked by the build's warm-up

from ._own import own_builtins as __builtins__  # noqa: F401
from ._zones_source import ZONES  # type: ignore[import-not-found]  # written by the build


def load_tzdata(key: str) -> io.BytesIO:
    """Return the TZif data of a zone; raise ZoneInfoNotFoundError when there is none of that name."""
    data = ZONES.get(key)
    if data is None:
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(data)


def available_timezones() -> set[str]:
    """Return a set of all available zones."""
    return set(ZONES)


def install() -> None:
    """Put both where `zoneinfo` and its C part look them up."""
    _common.load_tzdata = load_tzdata
    for module in (zoneinfo, _tzpath):
        module.available_timezones = available_timezones  # type: ignore[attr-defined]
