"""Runs a program in the build, so that the snapshot holds an interpreter that has done everything once."""

from __future__ import annotations

import linecache
import sys
from typing import Any

from . import _ending, _json, _memory, _program, _seeding
from ._own import own_builtins as __builtins__  # noqa: F401
from ._sdk_runtime import membrane
from ._stack import forget
from ._streams import streams
from ._wire import wire


PROGRAMS = (
    """\
import re, json
print('warm', 1, 2.5)
assert re.match('a(b+)', 'abb') and json.loads(json.dumps({'a': [1, None, 'é']}))
try:
    gg.core.no
except AttributeError:
    pass
class A:
    x: int = 1
print(f'{A.x:>5}', sorted({'b': 1, 'a': 2}), sum(i for i in range(3)))
""",
    """\
def f(x):
    return g(x)

def g(x):
    raise ValueError(x) from KeyError('y')

f(1)
""",
    "x = (1,\n",
    "prnt(1)\n",
    "import sys\nsys.exit(3)\n",
)
"""A program that returns, two that fail, one that does not parse, and one that exits."""

REHEARSALS = 40
"""Runs of a trivial program, after which the interpreter rewrites no instruction of what runs every program: what it
writes after the snapshot costs each program a page."""


class _Silent:
    """A host that answers everything and keeps the reports, which the warm-up checks."""

    def __init__(self) -> None:
        self.reports: list[Any] = []

    def call(self, request: str) -> str:
        return '[{"ok": true, "value": null}]'

    def log(self, stream: int, text: str) -> None:
        pass

    def report(self, report: str) -> None:
        self.reports.append(_json.loads(report))

    def sleep(self, ms: float) -> None:
        pass


def run_once() -> None:
    """Run a few small programs against a host that does nothing, then take every trace of them away."""
    silent = _Silent()
    modules = [name for name in sys.modules["gg"].__dict__["__all__"] if name != "core"]
    context = _json.dumps({"modules": modules, "lib": False, "code": []})
    imported, wire.host = wire.host, silent
    main = sys.modules["__main__"]
    argv = sys.argv
    hook = sys.unraisablehook
    _ending.forget_exit_functions()
    try:
        for _ in range(REHEARSALS):
            _seeding.seed_briefly()
            _memory.rehearse()
            _program.run("1 + 1", context)
        for program in PROGRAMS:
            _program.run(program, context)
            membrane.closed = False
    finally:
        wire.host = imported
        sys.modules["__main__"] = main
        sys.argv = argv
        sys.unraisablehook = hook
        streams.reset()
        _program.refill()
    kinds = [report["kind"] for report in silent.reports]
    if kinds != ["failed", "rejected", "failed", "exited"]:
        raise RuntimeError(f"the guest's warm-up went wrong: {silent.reports}")
    linecache.cache.clear()
    forget()
