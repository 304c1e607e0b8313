"""Fixtures that run a piece of Python in a forked, really confined child."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gg.confinement import ConfinementUnavailable, Prepared, Profile, apply, prepare, worker_profile
from gg.confinement.landlock import kernel_abi

Confined = Callable[..., Any]
MEMORY_BYTES = 256 << 20


def _abis() -> list[int]:
    try:
        real = kernel_abi()
    except ConfinementUnavailable:
        return []
    return sorted({abi for abi in (1, 2, 4, 6) if abi <= real} | {real})


@pytest.fixture(params=_abis() or [0], ids=lambda abi: f"abi{abi}")
def abi(request: pytest.FixtureRequest) -> int:
    """A Landlock ABI that this kernel has, the older ones forced."""
    if request.param == 0:
        pytest.skip("this kernel has no Landlock")
    return int(request.param)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """The one folder a confined process may write to; its parent is off limits."""
    folder = tmp_path / "private"
    folder.mkdir()
    return folder


@pytest.fixture
def worker(private: Path) -> Profile:
    """A worker's profile whose read paths are this Python's import roots."""
    return worker_profile(str(private), tuple(path for path in sys.path if path), MEMORY_BYTES)


@pytest.fixture
def confined() -> Confined:
    """Return ``run(profile, action, abi=None)``: the value of `action()` in a child under the profile.

    An `OSError` comes back as ``["errno", number]``, anything else that was raised as ``["raised", traceback]``.
    """

    def run(profile: Profile, action: Callable[[], Any], abi: int | None = None, **options: Any) -> Any:
        with prepare(profile, landlock_abi=abi, **options) as prepared:
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                _child(writing, prepared, action)
            os.close(writing)
            with open(reading) as pipe:
                answer = pipe.read()
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return json.loads(answer) if answer else ["died", status]

    return run


def _child(pipe: int, prepared: Prepared, action: Callable[[], Any]) -> None:
    try:
        apply(prepared)
        answer = action()
    except OSError as failure:
        answer = ["errno", failure.errno]
    except BaseException:
        answer = ["raised", traceback.format_exc()]
    os.write(pipe, json.dumps(answer).encode())
    os._exit(0)
