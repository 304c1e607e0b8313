"""What a program can reach from inside: nothing of the machine, and of the guest only what is its own to break."""

from __future__ import annotations

import pytest
from guest_harness import Guest

# Every function of these modules is called with a few plain arguments. What ends the program is left out; so are waits.
TRY_EVERYTHING = """
import importlib, os
LEAVES = {"_exit", "abort", "kill", "pause", "sigwait", "input", "breakpoint"}
ARGUMENTS = [(), ("/",), ("x",), (0,), (1,), (3,), (3, b"x"), (1, 1), (2, 1, 0), ("a", "b"), (0, 0, 0), ("/", 0)]
granted = []
for module in map(importlib.import_module, MODULES):
    for name in dir(module):
        function = getattr(module, name)
        if name in LEAVES or name.startswith("__") or not callable(function):
            continue
        for arguments in ARGUMENTS:
            try:
                answer = function(*arguments)
            except BaseException:
                continue
            if OPENED(answer):
                granted.append((name, arguments, answer))
print(granted)
"""


def test_no_function_of_os_opens_anything(guest: Guest) -> None:
    """Whatever is called in `os`, `posix` and `io`: nothing is opened, and nothing traps."""
    program = TRY_EVERYTHING.replace("MODULES", "('os', 'posix', 'io')")
    program = program.replace(
        "OPENED(answer)", "name in ('open', 'open_code', 'FileIO', 'listdir', 'scandir', 'dup', 'pipe')"
    )
    run = guest.run(program)
    assert (run.kind, run.trap, run.out) == ("returned", None, "[]\n")


def test_no_function_of_socket_opens_anything(guest: Guest) -> None:
    """Whatever is called in `socket` and under it: there is no socket with a descriptor, and nothing traps."""
    program = TRY_EVERYTHING.replace("MODULES", "('socket', '_socket', 'select')")
    run = guest.run(program.replace("OPENED(answer)", "getattr(answer, 'fileno', lambda: -1)() >= 0"))
    assert (run.kind, run.trap, run.out) == ("returned", None, "[]\n")


def test_there_is_no_environment(guest: Guest) -> None:
    """Neither the host's nor the build's environment, arguments or folders can be seen."""
    run = guest.run(
        "import os, posix, sys\nprint(dict(os.environ), posix.environ, os.getenv('HOME'), sys.argv, sys.orig_argv)\n"
        "print(os.path.exists('/'), os.path.exists('/python'), os.path.exists('/0'), os.path.exists('/proc'))\n"
    )
    assert run.out == "{} {} None ['program.py'] []\nFalse False False False\n"


@pytest.mark.parametrize("module", ["ctypes", "_ctypes", "mmap", "resource", "fcntl", "pty", "_posixsubprocess", "pwd"])
def test_modules_that_reach_further_are_absent(guest: Guest, module: str) -> None:
    """Modules for memory, processes and devices are not there."""
    assert guest.run(f"import {module}\n").body.endswith(f"ModuleNotFoundError: No module named '{module}'")


@pytest.mark.parametrize(
    "tampering",
    [
        "sys.modules['gg_guest._wire'].wire.host = None",
        "sys.modules['gg_guest._report'].failure = sys.modules['gg_guest._program'].send = None",
        "for m in [m for n, m in sys.modules.items() if n.startswith('gg')]: m.__dict__.clear()",
        "for n in [n for n in sys.modules]: del sys.modules[n]",
    ],
)
def test_a_program_that_breaks_the_guest_gets_a_report(guest: Guest, tampering: str) -> None:
    """A program that takes the guest apart breaks its own report at most; the next program finds all as ever."""
    run = guest.run(f"import sys\n{tampering}\n1 / 0\n")
    assert (run.kind, run.trap) == ("failed", None)
    assert run.body.startswith("SystemError: the part of the interpreter") or run.body.endswith("division by zero")
    assert guest.run("gg.files.write_file('a', 'b')\n").calls == [["files.write_file", {"path": "a", "contents": "b"}]]
