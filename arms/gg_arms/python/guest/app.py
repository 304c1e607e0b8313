"""The component's exports, and the order in which the snapshot is built.

What replaces parts of the standard library runs before whatever would keep the original by name.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable

import wit_world  # type: ignore[import-not-found]  # componentize-py makes this module
from wit_world.imports import host  # type: ignore[import-not-found]  # as above

from ._own import own_builtins as __builtins__  # noqa: F401
from . import _clock, _locks  # isort: skip

_clock.install()
_locks.install()

from . import _library  # noqa: E402

MISSING = _library.import_all()

from . import _holes  # noqa: E402

_holes.fill()  # what runs every program is loaded below, side by side

from . import _json, _loop, _memory, _network, _process, _program, _sdk_runtime, _seeding, _streams  # noqa: E402
from . import _warm, _zones  # noqa: E402
from ._sdk_source import SOURCE  # type: ignore[import-not-found]  # noqa: E402  # written by the build

ABI = 1


def _unbroken(run: Callable[[str, str], None], report: Callable[[str], None]) -> Callable[[str, str], None]:
    """Return `run` with a report of its own failure, for a program that broke what it stands on."""
    dumps = _json.dumps_ascii

    def guarded(program: str, context: str) -> None:
        try:
            run(program, context)
        except BaseException as error:
            kind = type.__dict__["__name__"].__get__(type(error))
            text = f"SystemError: the part of the interpreter that runs programs failed ({kind})"
            report(dumps({"kind": "failed", "parts": [["message", text]]}))

    return guarded


_grow = _memory.grow_once
_run = _unbroken(_program.run, host.report)


class WitWorld(wit_world.WitWorld):  # type: ignore[misc]
    """The exports of `world arm`."""

    def abi(self) -> int:
        """Return the version of gg's guest ABI."""
        return ABI

    def run(self, program: str, context: str) -> None:
        """Run one program; how it ended goes to the host's `report`."""
        _grow()  # not while the snapshot is built
        _run(program, context)


_locks.install_queue()
_loop.install()
_network.install()
_process.install(_program.report_exit)
_zones.install()
_sdk_runtime.begin()
_sdk_runtime.load(SOURCE)
_streams.streams.install()
_warm.run_once()
_seeding.lend()

os.environ.clear()
sys.path[:] = [entry for entry in sys.path if entry.startswith("/python/lib/")]
_holes.fill()
gc.freeze()
