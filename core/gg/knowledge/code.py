"""The code of skills and memories that an agent has put to use: what is loaded, under which key, what is to run."""

from __future__ import annotations

import keyword
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from gg.types import ArmInfo, PreparedModule

__all__ = ["MAX_SCRIPTS", "LoadedCode", "OnUse", "Owner", "TooManyScripts", "Unloaded", "key_of"]

MAX_SCRIPTS = 20
"""How many on-use scripts wait at most: a program that reads a skill in a loop queues no more."""
_RESERVED = frozenset((*keyword.kwlist, *keyword.softkwlist, "default", "constructor", "prototype", "then", "await"))
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+")


class TooManyScripts(Exception):
    """As many on-use scripts wait as may."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose code it is."""

    kind: Literal["skill", "memory"]
    name: str


@dataclass(frozen=True, slots=True)
class Unloaded:
    """Code that was put to use and is not loaded yet. ``key`` is what it is to be importable as."""

    owner: Owner
    key: str
    source: str


@dataclass(frozen=True, slots=True)
class OnUse:
    """An on-use script that waits for the end of the submission that used its skill."""

    owner: Owner
    source: str


@dataclass
class _Known:
    key: str
    source: str
    module: PreparedModule | None = None
    settled: bool = False


@dataclass
class LoadedCode:
    """One agent's. ``arm`` says how its language writes names."""

    arm: ArmInfo
    _known: dict[Owner, _Known] = field(default_factory=dict[Owner, _Known])
    _scripts: list[OnUse] = field(default_factory=list[OnUse])

    @property
    def modules(self) -> tuple[PreparedModule, ...]:
        """What programs can import, in the order in which it was first used."""
        return tuple(known.module for known in self._known.values() if known.module is not None)

    def module_of(self, owner: Owner) -> tuple[PreparedModule, ...]:
        """Return an owner's own module, where it is loaded."""
        known = self._known.get(owner)
        return () if known is None or known.module is None else (known.module,)

    def use(self, owner: Owner, code: str | None, on_use: str | None) -> None:
        """Put a skill or memory to use: its code is loaded once, its on-use script is queued each time.

        :raises TooManyScripts: when `MAX_SCRIPTS` wait already.
        """
        if on_use is not None:
            if len(self._scripts) >= MAX_SCRIPTS:
                raise TooManyScripts
            self._scripts.append(OnUse(owner, on_use))
        known = self._known.get(owner)
        if known is not None and known.source == code:
            return
        if code is None:
            self._known.pop(owner, None)
        elif known is not None:
            self._known[owner] = _Known(known.key, code)
        else:
            taken = {other.key for other in self._known.values()}
            self._known[owner] = _Known(key_of(owner.name, self.arm, taken), code)

    def forget(self, owner: Owner) -> None:
        """Unload what is no more."""
        self._known.pop(owner, None)

    def unloaded(self) -> list[Unloaded]:
        """Return what was used and not tried yet."""
        return [Unloaded(owner, known.key, known.source) for owner, known in self._known.items() if not known.settled]

    def settle(self, code: Unloaded, module: PreparedModule | None, *, again: bool = False) -> None:
        """Say what came of loading: a module, or none. ``again``: the next use is to try once more."""
        known = self._known[code.owner]
        if again:
            del self._known[code.owner]
        else:
            known.module, known.settled = module, True

    def take_scripts(self) -> list[OnUse]:
        """Take the on-use scripts that wait."""
        waiting, self._scripts = self._scripts, []
        return waiting


def key_of(name: str, arm: ArmInfo, taken: set[str] | frozenset[str] = frozenset()) -> str:
    """Make a name an identifier in the arm's convention, with a number from 2 on where it is taken.

    ``csv-tools`` is ``csvTools`` where names are camelCase, and ``csv_tools`` where they are snake_case.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = [word.lower() for word in _WORD.findall(plain)] or ["module"]
    key = arm.spell_name("_".join(words))
    if key[0].isdigit():
        key = f"_{key}"
    if key in _RESERVED:
        key += "_"
    number, tried = 2, key
    while tried in taken:
        tried = f"{key}{number}" if arm.case == "camel" else f"{key}_{number}"
        number += 1
    return tried
