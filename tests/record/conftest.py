"""Fixtures of the records' tests: a session that is recorded, and its replay by the same host."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support import FAST

from gg import Host, Session
from gg.record.replay import replay

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from records import Recording, Replaying


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the test's record is."""
    return tmp_path / "session.ndjson"


@pytest.fixture
def recording(host: Host, path: Path) -> Recording:
    """Return ``recording(arm, **options)``: a session that is recorded; `Host.session`'s options."""

    @contextmanager
    def record(arm: str, **options: Any) -> Iterator[Session]:
        with host.session(arm, record=path, **{"limits": FAST, **options}) as session:
            yield session

    return record


@pytest.fixture
def replaying(host: Host, path: Path) -> Replaying:
    """Return ``replaying()``: the replay of the test's record."""
    return lambda: replay(path, host=host)
