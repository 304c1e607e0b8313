"""A workspace for each way of resolving paths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gg.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The workspace's folder; beside it lies a secret."""
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture(params=[False, True], ids=["openat2", "walk"])
def workspace(request: pytest.FixtureRequest, root: Path) -> Iterator[Workspace]:
    """A workspace that resolves by the kernel, and one that walks."""
    with Workspace(root, walk=request.param) as made:
        yield made
