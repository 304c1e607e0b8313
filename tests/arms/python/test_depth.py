"""Depth: what goes too deep is the language's own error, not the end of the sandbox."""

from __future__ import annotations

import pytest
from guest_harness import Guest

DEEP = "deep = []\nfor _ in range(100_000): deep = [deep]\n"
NODES = "class Node:\n    def __init__(self, below): self.below = below\n{}node = None\nfor _ in range(20_000): node = Node(node)\n"


@pytest.mark.parametrize(
    "program",
    [
        "def f(n): return f(n + 1)\nf(0)\n",
        "def f(n): return sorted([1, 2], key=lambda x: f(n + 1))\nf(0)\n",
        "class A:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nA().x\n",
        "def f():\n    yield from f()\nlist(f())\n",
        DEEP + "repr(deep)\n",
        DEEP + "other = []\nfor _ in range(100_000): other = [other]\ndeep == other\n",
        DEEP + "import json\njson.dumps(deep)\n",
        "import json\njson.loads('[' * 100_000)\n",
        DEEP + "import pickle\npickle.dumps(deep)\n",
        DEEP + "import copy\ncopy.deepcopy(deep)\n",
        NODES.format("    def __repr__(self): return repr(self.below)\n") + "repr(node)\n",
        NODES.format("    def __eq__(self, other): return self.below == other.below\n") + "node == Node(node)\n",
        "compile('a' + '.b' * 20_000, 'x', 'eval')\n",
        "import re\nre.compile('(' * 5000 + ')' * 5000)\n",
    ],
)
@pytest.mark.parametrize(
    "limit", ["", "import sys\nsys.setrecursionlimit(10**9)\n"], ids=["usual limit", "raised limit"]
)
def test_depth_is_a_recursion_error(guest: Guest, program: str, limit: str) -> None:
    """What recurses without end raises RecursionError, which can be caught, also where the program raised the limit."""
    lines = (limit + program).splitlines()
    run = guest.run(
        "\n".join([*lines[:-1], "try:", f"    {lines[-1]}", "except RecursionError:", "    print('caught')", ""])
    )
    assert (run.trap, run.kind) == (None, "returned")
    assert run.out in ("caught\n", "")


@pytest.mark.parametrize(
    "program",
    [
        DEEP + "del deep\n",
        NODES.format("") + "del node\n",
        "error = None\nfor i in range(50_000):\n    new = ValueError(i)\n    new.__context__ = error\n    error = new\ndel error, new\n",
        "import itertools\nchain = iter([])\nfor _ in range(20_000): chain = itertools.chain(chain, [1])\nassert sum(chain) == 20_000\n",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return n and 1 + f(n - 1)\nassert f(50_000) == 50_000\n",
    ],
)
def test_deep_structures_can_be_let_go(guest: Guest, program: str) -> None:
    """A deep structure is taken apart, and deep recursion that ends is carried out."""
    run = guest.run(program)
    assert (run.trap, run.kind) == (None, "returned")


def test_a_deep_failure_is_reported(guest: Guest) -> None:
    """A traceback of a hundred thousand frames is told in time, by its two ends."""
    run = guest.run(
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nf(0)\n"
    )
    assert run.kind == "failed"
    assert run.body.endswith("RecursionError: maximum recursion depth exceeded")
    assert 1000 < run.body.count("  File ") < 10_000


def test_a_program_nested_too_deep_is_rejected(guest: Guest) -> None:
    """What the parser or the compiler cannot take is a rejection."""
    for source in ("x = " + "-" * 100_000 + "1\n", "x = " + "[" * 10_000 + "]" * 10_000, "x = a" + ".b" * 50_000):
        run = guest.run(source)
        assert (run.trap, run.kind) == (None, "rejected")
