"""The standard library, imported in the snapshot: what is not imported here cannot be imported by a program."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings

SKIPPED = frozenset("antigravity this idlelib turtle turtledemo tkinter test ensurepip venv".split())
"""Modules that act when imported, that are programs, or that need what is not here."""

PACKAGES = (
    "asyncio collections compression concurrent dbm email encodings html http importlib json logging multiprocessing "
    "os pathlib pydoc_data re sqlite3 string sysconfig tomllib unittest urllib wsgiref xml xmlrpc zipfile zoneinfo"
).split()
"""Packages of which every module is imported, private ones too: some are imported late by others."""


def _import(name: str) -> bool:
    try:
        importlib.import_module(name)
    except (ImportError, AttributeError, OSError, NotImplementedError):
        return False
    return True


def import_all() -> list[str]:
    """Import what can be imported and return the names of what could not."""
    missing: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sorted(sys.stdlib_module_names):
            if name not in SKIPPED and not name.startswith("_test") and not _import(name):
                missing.append(name)
        for package in PACKAGES:
            module = sys.modules.get(package)
            if module is not None:
                _walk(package, list(getattr(module, "__path__", [])), missing)
    return missing


def _walk(package: str, path: list[str], missing: list[str]) -> None:
    for found in pkgutil.iter_modules(path, package + "."):
        if found.name in SKIPPED or found.name.endswith(".__main__") or ".test" in found.name:
            continue
        if not _import(found.name):
            missing.append(found.name)
        elif found.ispkg:
            _walk(found.name, list(sys.modules[found.name].__path__), missing)
