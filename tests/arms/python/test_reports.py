"""The text of an error: CPython's own, in parts, without gg's frames."""

from __future__ import annotations

import pytest
from guest_harness import Guest

SHOWN = "import traceback\ntry:\n{body}\nexcept BaseException as error:\n    print(traceback.format_exc(), end='')\n    raise\n"
PROGRAMS = {
    "plain": "1 / 0",
    "nested": "def f(x):\n    return g(x)\ndef g(x):\n    raise ValueError(x)\nf(1)",
    "chain": "try:\n    int('x')\nexcept ValueError as e:\n    raise RuntimeError('step\\n  two') from e",
    "context": "try:\n    int('x')\nexcept ValueError:\n    raise KeyError('k')",
    "from none": "try:\n    {}['secret']\nexcept KeyError:\n    raise LookupError('none') from None",
    "notes": "e = ValueError('x')\ne.add_note('a note\\nof two lines')\nraise e",
    "str fails": "class Odd(Exception):\n    def __str__(self):\n        raise RuntimeError('inside')\nraise Odd(1)",
    "group": "raise ExceptionGroup('g', [ValueError(1), ExceptionGroup('h', [KeyError('k'), OSError(2, 'x')])])",
    "group with stacks": "def f(x):\n    try:\n        raise x\n    except Exception as e:\n        return e\n"
    "raise ExceptionGroup('g', [f(ValueError(1)), f(KeyError(2))]) from f(TypeError(3))",
    "recursion": "def f(n):\n    return f(n + 1)\nf(0)",
    "mutual": "def f(n):\n    return g(n) + 1\ndef g(n):\n    return f(n) - 1\nf(0)",
    "syntax": "eval('(1 +')",
    "hint": "import os\nos.enviro",
    "empty": "raise ValueError",
    "module class": "import json\njson.loads('{')",
    "interrupt": "raise KeyboardInterrupt",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_text_is_what_cpython_prints(guest: Guest, name: str) -> None:
    """The report's parts, joined, are the text the interpreter's own `traceback` makes of the same error."""
    body = "\n".join("    " + line for line in PROGRAMS[name].split("\n"))
    run = guest.run(SHOWN.format(body=body))
    assert run.kind == "failed"
    assert run.body + "\n" == run.out


def test_parts_tell_frames_from_messages(guest: Guest) -> None:
    """Frames are in `stack` parts and everything else in `message` parts, in the order of the text."""
    run = guest.run(
        "def load(s):\n    return int(s)\n\ntry:\n    load('x1')\nexcept ValueError as e:\n"
        "    raise RuntimeError('failed\\n  File \"input\", line 1') from e\n"
    )
    assert [role for role, _ in run.report["parts"]] == ["stack", "message", "stack", "message"]
    texts = [text for _, text in run.report["parts"]]
    assert texts[0].startswith('Traceback (most recent call last):\n  File "program.py", line 5, in <module>')
    assert texts[1].endswith("\n\nThe above exception was the direct cause of the following exception:\n")
    assert texts[3] == 'RuntimeError: failed\n  File "input", line 1'


def test_parts_of_a_group(guest: Guest) -> None:
    """In a group, too, frames are `stack` and sub-exceptions' messages are `message`."""
    run = guest.run(
        "def f():\n    try:\n        raise ValueError('inner')\n    except ValueError as e:\n        return e\n"
        "raise ExceptionGroup('outer', [f()])\n"
    )
    for role, text in run.report["parts"]:
        assert (role == "stack") == ("  File " in text)
    assert "    | ValueError: inner" in run.body


def test_an_error_is_reported_whatever_the_program_silenced(guest: Guest) -> None:
    """Hooks and streams that a program has replaced by nothing do not silence its error."""
    run = guest.run(
        "import sys\nsys.excepthook = lambda *a: None\nsys.unraisablehook = None\nsys.stderr = None\nsys.stdout = None\n"
        "raise ValueError('must be seen')\n"
    )
    assert run.body.endswith("ValueError: must be seen")


def test_a_programs_hook_is_called(guest: Guest) -> None:
    """A hook the program sets is called before the report, and its output is output."""
    run = guest.run("import sys\nsys.excepthook = lambda t, v, tb: print('hook', t.__name__)\nraise ValueError('x')\n")
    assert run.out == "hook ValueError\n"
    assert run.body.endswith("ValueError: x")


POISON = """
import builtins, json, linecache, sys, traceback, types
for name in "len isinstance str print list dict type getattr min set id repr range zip tuple sorted".split():
    setattr(builtins, name, None)
traceback.TracebackException = linecache.getline = linecache.getlines = json.dumps = json.loads = None
json.encoder.JSONEncoder.encode = json.decoder.JSONDecoder.decode = None
"""


def test_a_poisoned_interpreter_still_reports(guest: Guest) -> None:
    """A program that breaks built-ins and modules still has its error reported, with the source of its frames."""
    run = guest.run(POISON + "raise ValueError('poisoned')\n")
    assert run.body.startswith(
        'Traceback (most recent call last):\n  File "program.py", line 7, in <module>\n    raise'
    )
    assert run.body.endswith("ValueError: poisoned")


def test_a_poisoned_interpreter_still_calls(guest: Guest) -> None:
    """A program that breaks built-ins and modules still has working operations."""
    run = guest.run(POISON + "gg.files.write_file('a', 'b')\n")
    assert (run.kind, run.calls) == ("returned", [["files.write_file", {"path": "a", "contents": "b"}]])


@pytest.mark.parametrize(
    "program",
    [
        "class M(type):\n    def __getattribute__(c, n): raise SystemExit(3)\nclass E(Exception, metaclass=M): pass\nraise E('x')\n",
        "class E(Exception):\n    def __str__(self): raise SystemExit(3)\nraise E('x')\n",
        "class E(Exception):\n    __module__ = 5\nraise E('x')\n",
        "class E(Exception):\n    @property\n    def __notes__(self): raise SystemExit(3)\nraise E('x')\n",
        "import sys\nsys.modules.clear()\nraise ValueError('E')\n",
        "import linecache\nlinecache.cache.clear()\nraise ValueError('E')\n",
    ],
)
def test_errors_that_fight_back_are_reported(guest: Guest, program: str) -> None:
    """An error whose class misbehaves when it is looked at is reported, and names its line."""
    run = guest.run(program)
    assert run.kind == "failed"
    assert "E" in run.report["parts"][-1][1]
    assert 'File "program.py"' in run.body


@pytest.mark.parametrize("raised", ["raise E(1)", "import atexit\natexit.register(lambda: fail())"])
def test_an_error_may_need_the_programs_globals_for_its_text(guest: Guest, raised: str) -> None:
    """An error is rendered while the names that its `__str__` uses are still there, in an exit handler, too."""
    run = guest.run(
        "import json\nclass E(Exception):\n    def __str__(self): return json.dumps({'a': self.args})\n"
        f"def fail(): raise E(1)\n{raised}\n"
    )
    assert run.body.endswith('\nE: {"a": [1]}')


def test_exit_handlers_run_after_an_error_as_the_program_left_things(guest: Guest) -> None:
    """Rendering an error takes nothing back that the program did to built-ins, and exit handlers can make calls."""
    run = guest.run(
        "import atexit, builtins\nbuiltins.len = lambda x: 77\n"
        "atexit.register(lambda: gg.files.write_file('a', str(len(''))))\nraise ValueError('v')\n"
    )
    assert run.calls == [["files.write_file", {"path": "a", "contents": "77"}]]
    assert run.body.endswith("ValueError: v")


def test_lone_surrogates_are_written_out(guest: Guest) -> None:
    """A lone surrogate in a message is written as standard error writes it."""
    run = guest.run("raise ValueError('name \\udcff end')\n")
    assert run.body.endswith("ValueError: name \\udcff end")


def test_a_name_error_is_answered_with_the_roster(guest: Guest) -> None:
    """Under a NameError nobody caught stand the names of gg's modules that this agent has."""
    run = guest.run("prnt(1)\n", context={"modules": ["files", "views"], "lib": True})
    last = "NameError: name 'prnt' is not defined. Did you mean: 'print'?\n    gg, gg.files, gg.views, lib"
    assert run.body.endswith(last)


@pytest.mark.parametrize(
    ("program", "last"),
    [
        (
            "gg.files.readfile",
            "'read_file'?\n    gg.files.read_file, gg.files.write_file, gg.files.edit_file, gg.files.list_dir",
        ),
        ("gg.nothing", "AttributeError: module 'gg' has no attribute 'nothing'\n    gg.files, gg.views, gg.session"),
        (
            "from gg.files import readfile",
            "gg.files.read_file, gg.files.write_file, gg.files.edit_file, gg.files.list_dir",
        ),
        ("import gg.nothing", "ModuleNotFoundError: No module named 'gg.nothing'\n    gg.files, gg.views, gg.session"),
    ],
)
def test_an_unknown_name_of_gg_is_answered_with_what_there_is(guest: Guest, program: str, last: str) -> None:
    """An unknown name in one of gg's modules is answered with what that module declares."""
    body = guest.run(program).body
    if "read_file" in last:
        assert all(name in body for name in ("gg.files.read_file", "gg.files.edit_file"))
    else:
        assert body.endswith(last)


def test_a_caught_name_error_is_bare(guest: Guest) -> None:
    """A NameError that is caught has CPython's text alone."""
    run = guest.run("try:\n    prnt(1)\nexcept NameError as e:\n    print(e)\n")
    assert run.out == "name 'prnt' is not defined\n"


@pytest.mark.parametrize("grow", ["bytearray(64 << 20)", "'x%d' % len(rows)", "[0] * 1000"])
def test_memory_can_run_out(guest: Guest, grow: str) -> None:
    """At the memory limit a program gets a MemoryError, and what nobody catches is reported."""
    run = guest.run(f"rows = []\nwhile True:\n    rows.append({grow})\n", memory_bytes=96 << 20)
    assert run.kind == "failed"
    assert "MemoryError" in run.body


def test_memory_error_can_be_caught(guest: Guest) -> None:
    """A MemoryError is an ordinary exception."""
    run = guest.run("try:\n    bytearray(1 << 30)\nexcept MemoryError:\n    print('caught')\n")
    assert (run.kind, run.out) == ("returned", "caught\n")


def test_recursion_is_an_error(guest: Guest) -> None:
    """Endless recursion is a RecursionError, also where the program raised the limit, and folds equal frames."""
    run = guest.run("import sys\nsys.setrecursionlimit(4000)\ndef f(n): return f(n + 1)\nf(0)\n")
    assert run.body.endswith("more times]\nRecursionError: maximum recursion depth exceeded")


def test_the_recursion_limit_is_capped(guest: Guest) -> None:
    """A limit past what the sandbox's stack can bear is lowered."""
    assert guest.run("import sys\nsys.setrecursionlimit(10**9)\nprint(sys.getrecursionlimit())\n").out == "100000\n"


@pytest.mark.parametrize(
    ("program", "body"),
    [
        ("x = 1\nreturn x\n", "line 2\n    return x\n    ^^^^^^^^\nSyntaxError: 'return' outside function"),
        ("  \nawait f()\n", "line 2\n    await f()\n    ^^^^^^^^^\nSyntaxError: 'await' outside function"),
        ("for i in x: pass\nbreak", "line 2\n    break\n    ^^^^^\nSyntaxError: 'break' outside loop"),
        (
            "def f():\n    x = 1\n    global x\n",
            "line 3\n    global x\n    ^^^^^^^^\nSyntaxError: name 'x' is assigned to before global declaration",
        ),
    ],
)
def test_errors_past_the_parser_show_their_line(guest: Guest, program: str, body: str) -> None:
    """A syntax error that the compiler finds after parsing shows its line too, as it does for a file."""
    run = guest.run(program)
    assert (run.kind, run.body) == ("rejected", f'  File "program.py", {body}')
