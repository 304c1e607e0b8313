"""The guest, compiled once for all tests here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _load_harness() -> ModuleType:
    """Load the module beside this file; tests are imported without changing `sys.path`."""
    name = "gg_tests_javascript_guest_harness"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("guest_harness.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def harness() -> ModuleType:
    """The module that runs the guest."""
    return _load_harness()


@pytest.fixture(scope="session")
def guest(harness: ModuleType):
    """The compiled guest; `guest.run(program)` runs one program in a fresh instance."""
    try:
        return harness.Guest()
    except FileNotFoundError as error:
        pytest.fail(str(error), pytrace=False)
