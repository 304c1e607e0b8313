"""Makes the modules that the property tests share importable, and lets them soak."""

from __future__ import annotations

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "contract")]

from bounds import SOAK  # noqa: E402 - found by the line above


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a test soak for as long as it takes."""
    if SOAK:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.timeout(0))
