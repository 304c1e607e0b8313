"""Makes the modules that the property tests share importable, and keeps one session an arm for all their examples."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterator

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "contract")]

from bounds import SOAK, Sessions

from gg import Host


@pytest.fixture(scope="session")
def sessions(host: Host) -> Iterator[Sessions]:
    """Sessions that last over the examples of a test."""
    with Sessions(host) as made:
        yield made


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a test soak for as long as it takes."""
    if SOAK:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.timeout(0))
