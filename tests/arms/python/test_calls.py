"""Operations as a Python program sees them: plain arguments in, plain values out, errors as `gg.core.ApiError`."""

from __future__ import annotations

from typing import Any

import pytest
from guest_harness import Answer, Guest, fail

READ = {"contents": "a\nb", "firstLine": 1, "lastLine": 2, "totalLines": 2, "truncated": False}


def answer_with(value: Any) -> Answer:
    """Answer every call with one value."""
    return lambda operation, arguments, fault: {"ok": True, "value": value}


def test_arguments_go_out_in_the_wires_spelling(guest: Guest) -> None:
    """Arguments are sent under their wire names, and optional ones that were not given are not sent."""
    run = guest.run(
        "gg.files.edit_file('a', 'b', new_string='c')\ngg.files.read_file('a', limit=5)\ngg.files.list_dir()\n"
        "gg.files.list_dir('src')\ngg.views.current()\n",
        answer=lambda operation, arguments, fault: {"ok": True, "value": READ if "read" in operation else []},
    )
    assert run.calls == [
        ["files.edit_file", {"path": "a", "oldString": "b", "newString": "c"}],
        ["files.read_file", {"path": "a", "limit": 5}],
        ["files.list_dir", {}],
        ["files.list_dir", {"path": "src"}],
        ["views.current", {}],
    ]


def test_records_are_dicts_with_attributes(guest: Guest) -> None:
    """A record has snake_case keys, which are attributes too, and can be written as JSON."""
    run = guest.run(
        "import json\nr = gg.files.read_file('a')\nprint(r.first_line, r['total_lines'], json.dumps(r.copy()))\nr.lines\n",
        answer=answer_with(READ),
    )
    assert run.out.startswith('1 2 {"contents": "a\\nb", "first_line": 1, "last_line": 2,')
    assert run.body.endswith("AttributeError: 'Record' object has no attribute 'lines'")


def test_lists_hold_records(guest: Guest) -> None:
    """A list of records is a plain list."""
    run = guest.run(
        "entries = gg.files.list_dir()\nprint(type(entries).__name__, [e.name for e in entries])\n",
        answer=answer_with([{"name": "a", "kind": "file"}]),
    )
    assert run.out == "list ['a']\n"


def test_results_can_be_awaited(guest: Guest) -> None:
    """`await` on a record gives it back, and on the answer of a call that returns nothing gives None."""
    run = guest.run(
        "import asyncio\nasync def main():\n    print(await gg.views.open_text('a', 'b'))\n"
        "    print((await gg.files.read_file('a')).contents == 'a\\nb')\nasyncio.run(main())\n"
        "n = gg.views.open_text('a', 'b')\nprint(n, bool(n), n == None)\n",
        answer=lambda operation, arguments, fault: {"ok": True, "value": READ if "read" in operation else None},
    )
    assert run.out == "None\nTrue\nNone False True\n"


@pytest.mark.parametrize(
    ("argument", "fault"),
    [
        ("'a', limit=float('nan')", "`limit` is NaN"),
        ("'a', limit=float('-inf')", "`limit` is -Infinity"),
        ("'a', limit=1 << 63", "`limit` is outside the range of a 64-bit integer"),
        ("'a', limit=True", "`limit` is True; it must be an integer"),
        ("'a', limit=1.5", "`limit` is a float; it must be an integer"),
        ("'a', limit='5'", "`limit` is a string; it must be an integer"),
        ("'a\\ud800'", "`path` holds a lone surrogate, which is no text"),
        ("None", "`path` is None; it must be a path"),
        ("b'a'", "`path` is bytes; it must be a path"),
        ("print", "`path` is of type builtin_function_or_method; it must be a path"),
    ],
)
def test_an_argument_that_cannot_be_sent_is_a_recorded_call(guest: Guest, argument: str, fault: str) -> None:
    """A faulty argument goes to the host as a fault that names it as Python does, and comes back as an error."""
    run = guest.run(
        f"try:\n    gg.files.read_file({argument})\nexcept gg.core.ApiError as e:\n    print(e.code, '|', e.message)\n"
    )
    assert run.calls == [["files.read_file", None, fault]]
    assert run.out == f"invalid-argument | {fault}\n"


@pytest.mark.parametrize("value", ["pathlib.PurePosixPath('src') / 'a.py'", "Text('src/a.py')", "Where()"])
def test_paths_and_subclasses_become_plain(guest: Guest, value: str) -> None:
    """A PathLike counts as a path, and a subclass of str is sent as what it holds."""
    run = guest.run(
        "import pathlib\nclass Text(str):\n    def encode(self, *a): return b'evil'\n    def __str__(self): return 'evil'\n"
        f"class Where:\n    def __fspath__(self): return 'src/a.py'\ngg.files.write_file({value}, '')\n"
    )
    assert run.calls == [["files.write_file", {"path": "src/a.py", "contents": ""}]]


def test_a_missing_argument_is_pythons_own_error(guest: Guest) -> None:
    """What Python itself refuses never becomes a call, and shows no frame of gg's."""
    run = guest.run("gg.files.read_file()\n")
    assert run.calls == []
    assert run.body == (
        'Traceback (most recent call last):\n  File "program.py", line 1, in <module>\n    gg.files.read_file()\n'
        "    ~~~~~~~~~~~~~~~~~~^^\nTypeError: read_file() missing 1 required positional argument: 'path'"
    )


def test_an_uncaught_failure_reads_as_one_sentence(guest: Guest) -> None:
    """The last line of the traceback carries the operation, the code and the message, and no frame is gg's."""
    run = guest.run(
        "def change():\n    gg.files.edit_file('src/main.rs', 'a', 'b')\nchange()\n",
        answer=lambda operation, arguments, fault: fail(
            operation, "conflict", "`old_string` matched 3 times in src/main.rs"
        ),
    )
    assert run.body == (
        'Traceback (most recent call last):\n  File "program.py", line 3, in <module>\n    change()\n    ~~~~~~^^\n'
        "  File \"program.py\", line 2, in change\n    gg.files.edit_file('src/main.rs', 'a', 'b')\n"
        "    ~~~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "gg.core.ApiError: `edit_file` failed (conflict): `old_string` matched 3 times in src/main.rs"
    )


def test_a_failure_can_be_caught(guest: Guest) -> None:
    """An error carries its operation, code and bare message, and survives pickling."""
    run = guest.run(
        "import pickle\ntry:\n    gg.files.read_file('a')\nexcept gg.core.ApiError as e:\n"
        "    e = pickle.loads(pickle.dumps(e))\n    print(e.operation, e.code, e.message, '|', e)\n",
        answer=lambda operation, arguments, fault: fail(operation, "not-found", "no such file: a"),
    )
    assert run.out == "read_file not-found no such file: a | `read_file` failed (not-found): no such file: a\n"


def test_an_ending_in_try_is_one_call(guest: Guest) -> None:
    """A call that ends the session raises nothing, so a bare except does not see it."""
    run = guest.run("try:\n    gg.session.finish('ok')\nexcept:\n    gg.session.finish('recovered')\n")
    assert (run.kind, run.calls) == ("returned", [["session.finish", {"summary": "ok"}]])


def test_operations_are_refused_while_an_error_is_rendered(guest: Guest) -> None:
    """Code that runs because an error is being turned to text reaches no operation."""
    run = guest.run("class E(Exception):\n    def __str__(self):\n        gg.files.write_file('a', 'b')\nraise E\n")
    assert (run.kind, run.calls) == ("failed", [])


def test_gg_can_be_imported(guest: Guest) -> None:
    """`gg` is bound in the program and can be imported in every way, with signatures and documentation."""
    run = guest.run(
        "import gg as again, gg.files, inspect\nfrom gg import files, core\nfrom gg.files import read_file\n"
        "print(again is gg, files is gg.files, read_file is files.read_file, read_file.__module__)\n"
        "print(list(inspect.signature(read_file).parameters), bool(read_file.__doc__), core.ApiError.__module__)\n"
    )
    assert run.out == "True True True gg.files\n['path', 'offset', 'limit'] True gg.core\n"


def test_modules_that_are_not_bound_are_the_hosts_to_refuse(guest: Guest) -> None:
    """A module that the context does not name is there, so that the host refuses its calls, and no roster names it."""
    run = guest.run("import gg.views\ngg.views.close('x')\nprnt(1)\n", context={"modules": ["files"]})
    assert run.calls == [["views.close", {"selector": "x"}]]
    assert run.body.endswith("\n    gg, gg.files")


def test_operations_of_plugins_join_in(guest: Guest) -> None:
    """SDK source in the context is evaluated before the program as the built-in SDK was."""
    sdk = (
        '# module: weather\n"""Weather."""\n__all__ = [\'at\']\ndef at(place: str):\n    """Say it."""\n'
        "    return _call('weather.at', 'string', ('place', 'place', 'string', True, place))\n"
        "# module: files\n__all__ = ['more']\ndef more():\n    return _call('files.more', None)\n"
    )
    run = guest.run(
        "print(gg.weather.at('Oslo'), gg.files.more(), 'read_file' in gg.files.__all__, 'more' in gg.files.__all__)\n",
        context={"modules": ["files", "weather"], "sdk": sdk},
        answer=answer_with("sun"),
    )
    assert run.out == "sun None True True\n"
    assert run.calls == [["weather.at", {"place": "Oslo"}], ["files.more", {}]]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("loop", "`value[0]` contains itself"),
        ("{1: 2}", "`value` has a key that is an integer; keys must be strings"),
        ("{'a': [float('inf')]}", "`value['a'][0]` is Infinity"),
        ("{'a': set()}", "`value['a']` is of type set, which cannot be sent"),
        ("deep", "is nested more than 100 deep"),
    ],
)
def test_free_form_values_are_checked_throughout(guest: Guest, value: str, fault: str) -> None:
    """A value of any shape is copied once, and what is no JSON in it is named by its place."""
    sdk = "# module: any\n__all__ = ['put']\ndef put(value):\n    return _call('any.put', None, ('value', 'value', 'any', True, value))\n"
    run = guest.run(
        f"loop = []\nloop.append(loop)\ndeep = []\nfor _ in range(200): deep = [deep]\ngg.any.put({value})\n",
        context={"modules": ["any"], "sdk": sdk},
    )
    assert fault in run.calls[0][2]
