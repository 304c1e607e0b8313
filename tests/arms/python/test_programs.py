"""What becomes of a program: it runs as CPython's main program, and its end is reported once."""

from __future__ import annotations

import pytest
from guest_harness import Guest


@pytest.mark.parametrize(
    ("program", "out"),
    [
        ("", ""),
        ("print('hello')\n", "hello\n"),
        ("\ufeffprint('bom ok')\n", "bom ok\n"),
        ("t = '''a\r\nb'''\r\nprint(len(t))\r\n", "3\n"),
        ("# -*- coding: latin-1 -*-\nprint(len('é'))\n", "2\n"),
        ("if __name__ == '__main__':\n    print('ran')\n", "ran\n"),
        ("doc = '''\n```sh\nls\n```\n'''\nprint(doc.count('```'))\n", "2\n"),
        ("import __main__\nx = 5\nprint(__main__.x, __file__)\n", "5 program.py\n"),
        ("import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))).__name__)\n", "A\n"),
        ("import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f), end='')\n", "def f():\n    return 1\n"),
        ("import sys\nprint('nothing to do')\nsys.exit(0)\n", "nothing to do\n"),
        ("raise SystemExit\n", ""),
        ("import sys\nsys.exit(256)\n", ""),
    ],
)
def test_a_program_that_returns_reports_nothing(guest: Guest, program: str, out: str) -> None:
    """A program whose main part ends, or that exits with status 0, returned normally."""
    run = guest.run(program)
    assert (run.kind, run.out, run.err) == ("returned", out, "")


@pytest.mark.parametrize(
    ("program", "body"),
    [
        ("x = 1\ndef f(:\n", '  File "program.py", line 2\n    def f(:\n          ^\nSyntaxError: invalid syntax'),
        ("if x:\nprint(1)\n", "IndentationError: expected an indented block after 'if' statement on line 1"),
        ("if 1:\n\tx=1\n        y=2\n", "TabError: inconsistent use of tabs and spaces in indentation"),
        ("x = 'a\0b'\n", "SyntaxError: source code string cannot contain null bytes"),
        ("return 1\n", "SyntaxError: 'return' outside function"),
        ("```python\nprint(1)\n```\n", "SyntaxError: invalid syntax"),
        ("x = " + "(" * 5000 + ")" * 5000, "Parser stack overflowed - Python source too complex to parse"),
        ("# coding: nonsense\n", "SyntaxError: unknown encoding: nonsense"),
    ],
)
def test_a_program_that_does_not_parse_is_rejected(guest: Guest, program: str, body: str) -> None:
    """A compiler's error is a rejection in CPython's own words, without a traceback, and nothing ran."""
    run = guest.run(program)
    assert run.kind == "rejected"
    assert body in run.body
    assert "Traceback" not in run.body
    assert run.out == ""


def test_bad_source_in_a_running_program_is_a_failure(guest: Guest) -> None:
    """A SyntaxError that running code raises is a failure with a traceback."""
    run = guest.run("print('ran')\neval('1 +')\n")
    assert (run.kind, run.out) == ("failed", "ran\n")
    assert run.body.startswith('Traceback (most recent call last):\n  File "program.py", line 2, in <module>')
    assert run.body.endswith('  File "<string>", line 1\n    1 +\nSyntaxError: invalid syntax')


def test_compile_warnings_are_no_errors(guest: Guest) -> None:
    """Warnings go to standard error, those of the compiler too, and the program runs."""
    run = guest.run("import warnings\nwarnings.warn('careful')\npat = '\\d+'\nprint('done')\n")
    assert (run.kind, run.out) == ("returned", "done\n")
    assert "SyntaxWarning" in run.err
    assert "UserWarning: careful" in run.err


@pytest.mark.parametrize(
    ("program", "status", "err"),
    [
        ("import sys\nsys.exit(3)\n", 3, ""),
        ("import sys\nsys.exit(-1)\n", 255, ""),
        ("import sys\nsys.exit(True)\n", 1, ""),
        ("import sys\nsys.exit('bye')\n", 1, "bye\n"),
        ("import sys\nsys.exit([1])\n", 1, "[1]\n"),
        ("import sys\nsys.stderr = None\nsys.exit('bye')\n", 1, "bye\n"),
        ("exit(4)\n", 4, ""),
        ("quit(5)\n", 5, ""),
        ("import os\nos._exit(3)\n", 3, ""),
        ("import os\nos.abort()\n", 134, ""),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n", 143, ""),
        ("import signal\nsignal.raise_signal(signal.SIGTERM)\n", 143, ""),
    ],
)
def test_an_exit_reports_its_status(guest: Guest, program: str, status: int, err: str) -> None:
    """An exit with a status other than 0 is reported with it; a code that is no number goes to standard error."""
    run = guest.run(program)
    assert (run.kind, run.report["status"], run.err) == ("exited", status, err)


def test_os_exit_leaves_at_once(guest: Guest) -> None:
    """`os._exit` runs nothing more of the program, and what it had written is kept."""
    run = guest.run(
        "import atexit, os, sys\natexit.register(print, 'late')\nsys.stdout.write('partial')\n"
        "try:\n    os._exit(3)\nfinally:\n    print('finally')\n"
    )
    assert (run.report["status"], run.out) == (3, "partial")


def test_what_runs_after_main_belongs_to_the_program(guest: Guest) -> None:
    """Exit handlers run last in, first out, then finalisers, and may call operations."""
    run = guest.run(
        "import atexit, weakref\nclass A:\n    def __del__(self): print('del')\na = A()\nb = A\n"
        "atexit.register(lambda: gg.files.write_file('a', 'b'))\natexit.register(print, 'second')\nprint('main')\n"
    )
    assert (run.kind, run.out) == ("returned", "main\nsecond\ndel\n")
    assert run.calls == [["files.write_file", {"path": "a", "contents": "b"}]]


@pytest.mark.parametrize(
    "program",
    [
        "import atexit\natexit.register(lambda: 1 / 0)\n",
        "class A:\n    def __del__(self): 1 / 0\na = A()\n",
        "class A:\n    def __del__(self): 1 / 0\na = A()\na.me = a\n",
    ],
)
def test_an_error_after_main_is_the_programs_failure(guest: Guest, program: str) -> None:
    """What an exit handler or a finaliser raises after main, and nothing catches, fails the program."""
    run = guest.run(program)
    assert run.kind == "failed"
    assert run.body.endswith("ZeroDivisionError: division by zero")


def test_the_first_failure_wins(guest: Guest) -> None:
    """An error of main is the one reported, though an exit handler fails after it."""
    run = guest.run("import atexit\natexit.register(lambda: 1 / 0)\nraise ValueError('first')\n")
    assert len(run.reports) == 1
    assert run.body.endswith("ValueError: first")


def test_nothing_of_a_program_survives_in_the_next(guest: Guest) -> None:
    """Each program has an instance of its own, and instances differ in their random numbers."""
    first = guest.run("import builtins, random\nbuiltins.left = 1\nprint(random.random(), random.seed)\n")
    second = guest.run("import random\nprint(random.random(), random.seed)\nleft\n")
    assert second.kind == "failed"
    assert first.out.split()[0] != second.out.split()[0]
    assert "Random.seed" in first.out


def test_the_snapshot_left_no_traces(guest: Guest) -> None:
    """A program finds no environment, no arguments and the task names of a fresh interpreter."""
    run = guest.run(
        "import asyncio, os, sys\nasync def main(): print(asyncio.current_task().get_name())\nasyncio.run(main())\n"
        "print(dict(os.environ), sys.argv, '__warningregistry__' in globals())\n"
    )
    assert run.out == "Task-1\n{} ['program.py'] False\n"
