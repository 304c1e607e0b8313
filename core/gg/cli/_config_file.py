"""``gg run --config``: the options of a run in a TOML file; what is given on the command line wins."""

from __future__ import annotations

import argparse
import tomllib
from typing import Any, cast

from gg.cli._common import read_input
from gg.errors import UsageError

__all__ = ["apply_config"]

_KINDS: dict[str, tuple[type, ...]] = {
    "workspace": (str,),
    "grants": (list,),
    "library": (str,),
    "timeout": (int, float),
    "memory": (int, float),
    "confinement": (str,),
}
_CHOICES = {"library": ("on", "off"), "confinement": ("on", "off")}


def apply_config(options: argparse.Namespace) -> None:
    """Read the file that ``--config`` names into ``options``, but for those that the command line gave.

    :raises UsageError: when the file cannot be read, or holds a key or value that is no option of a run.
    """
    name: str | None = options.config
    if name is None:
        return
    try:
        config = tomllib.loads(read_input(name).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{name} is no TOML: {error}") from None
    for key, value in config.items():
        if key not in _KINDS:
            raise UsageError(f"{name} has an unknown key {key!r}; the keys are {', '.join(_KINDS)}")
        if isinstance(value, bool) or not isinstance(value, _KINDS[key]):
            raise UsageError(f"{name}: {key} has a value of the wrong type")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise UsageError(f"{name}: {key} is {value!r}, not {' or '.join(_CHOICES[key])}")
        option, setting = ("grant", _grants(name, value)) if key == "grants" else (key, value)
        if getattr(options, option) is None:
            setattr(options, option, setting)


def _grants(name: str, value: Any) -> str:
    grants = cast("list[Any]", value)
    if not all(isinstance(grant, str) for grant in grants):
        raise UsageError(f"{name}: grants is a list of names")
    return ",".join(grants)
