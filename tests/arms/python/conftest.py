"""The guest, compiled once for all tests here."""

from __future__ import annotations

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # tests are imported by path, and share one helper

from guest_harness import Guest


@pytest.fixture(scope="session")
def guest() -> Guest:
    """The compiled guest; `guest.run(program)` runs one program in a fresh instance."""
    try:
        return Guest()
    except FileNotFoundError as error:
        pytest.fail(str(error), pytrace=False)
