"""What a program that fails gets to read: other values, places and causes than the handed cases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support import FAST, Reusing, Runner, one_of, spell, submit, throw

from gg import Host

AT = "\n    at <anonymous> (program.js:1:{})"


@pytest.fixture(scope="module")
def run(host: Host) -> Iterator[Runner]:
    """Run programs in sessions that are used again."""
    made = Reusing(host)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("program", "body"),
    [
        ("throw 0", "0"),
        ("throw -0", "-0"),
        ("throw NaN", "NaN"),
        ("throw false", "false"),
        ("throw 10n", "10n"),
        ("throw 'two\\nlines'", "two\nlines"),
        ("throw 'é\\u{1F600}'", "é\U0001f600"),
        ("throw { code: 7 }", "{ code: 7 }"),
        ("throw [1, 'a']", "[ 1, 'a' ]"),
        ("throw new Error('')", "Error" + AT.format(7)),
        ("throw new TypeError('a: b')", "TypeError: a: b" + AT.format(7)),
        (
            "class Mine extends Error { name = 'Mine' }; throw new Mine('x')",
            "Mine: x\n    at Mine (program.js:1:1)" + AT.format(51),
        ),
        ("null.x", "TypeError: cannot read property 'x' of null" + AT.format(6)),
        ("const a = 1; a = 2", "TypeError: 'a' is read-only" + AT.format(14)),
        ("eval('1 +')", "SyntaxError: "),
        ("new Function('return }')()", "SyntaxError: "),
        ("await Promise.reject('plain')", "plain"),
        ("Promise.reject(new Error('nobody waits'))", "Error: nobody waits"),
        ("setTimeout(() => { throw new Error('later') }, 1)", "Error: later"),
        ("queueMicrotask(() => { throw new Error('soon') })", "Error: soon"),
        ("await new Promise(() => {})", ""),
        ("Object.defineProperty(globalThis, 'x', { get() { throw new Error('got') } }); x", "Error: got"),
        ("throw new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } })", ""),
        ("throw function named() {}", "[Function: named]"),
        ("fetch('http://example.org')", ""),
    ],
)
def test_javascript(run: Runner, program: str, body: str) -> None:
    """Whatever JavaScript throws is a Runtime error that begins as the engine or its console writes it."""
    ran = run("javascript", program)
    assert ran.headings == ["Runtime error"]
    assert ran.error.startswith(body) if len(body) < 14 or "\n" not in body else ran.error == body
    assert ran.error.strip()
    assert "undefined" not in ran.error or "undefined" in program


@pytest.mark.parametrize(
    ("program", "last"),
    [
        ("raise ValueError", "ValueError"),
        ("raise ValueError('')", "ValueError"),
        ("raise ValueError('two\\nlines')", "ValueError: two\nlines"),
        ("raise ValueError('é\U0001f600')", "ValueError: é\U0001f600"),
        ("raise 5", "TypeError: exceptions must derive from BaseException"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("{}['k']", "KeyError: 'k'"),
        ("assert 1 == 2, 'numbers'", "AssertionError: numbers"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit('g')", "GeneratorExit: g"),
        ("raise BaseException('base')", "BaseException: base"),
        ("exec('1 +')", "SyntaxError: invalid syntax"),
        ("import nothing_there", "ModuleNotFoundError: No module named 'nothing_there'"),
        ("class Mine(Exception): pass\nraise Mine('x')", "Mine: x"),
        ("import asyncio\nasync def f(): raise OSError('in a task')\nasyncio.run(f())", "OSError: in a task"),
        ("import sys\nsys.exit('with words')", "with words"),
        ("import gc\ndef f(): f()\nf()", "RecursionError: maximum recursion depth exceeded"),
        ("def g():\n    yield 1\n    raise RuntimeError('in a generator')\nlist(g())", "RuntimeError: in a generator"),
        ("int('9' * 5000)", "ValueError: Exceeds the limit"),
        ("b'\\xff'.decode()", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_python(run: Runner, program: str, last: str) -> None:
    """Whatever Python raises is a Runtime error whose last line is the traceback's own."""
    ran = run("python", program)
    assert ran.headings == ["Runtime error"]
    assert last in ran.error
    assert "/" not in ran.error.partition("File ")[2].partition(",")[0], "no path but the program's own"
    for word in ("wasm", "_program.py", "app.py", "<frozen"):
        assert word not in ran.error


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys\nsys.exit(3)", "exited with status 3"),
        ("import sys\nsys.exit(True)", "exited with status 1"),
        ("import sys\nsys.exit(-1)", "exited with status"),
        ("import sys\nprint('why', file=sys.stderr)\nsys.exit(2)", "exited with status 2\nwhy"),
        ("exit(5)", "exited with status 5"),
    ],
)
def test_python_exits(run: Runner, program: str, said: str) -> None:
    """An exit status that is not 0 is a failure whose body states it, standard error under it."""
    ran = run("python", program)
    assert ran.error.startswith(said)
    assert ran.execution["ok"] is False


@pytest.mark.parametrize(
    "program",
    ["import sys\nsys.exit()", "raise SystemExit(None)", "import os\nos._exit(0)", "quit()", "raise SystemExit(False)"],
)
def test_python_exits_normally(run: Runner, program: str) -> None:
    """Exit status 0 by any route is a normal return."""
    ran = run("python", program)
    assert (ran.headings, ran.execution["ok"]) == (["Notice"], True)


@pytest.mark.parametrize("source", ["", "\n\n", "  \n", "\ufeff", "\r\n"])
def test_empty_program_is_a_program(run: Runner, arm: str, source: str) -> None:
    """A program without statements runs and earns the success notice."""
    ran = run(arm, source)
    assert (ran.receipts, ran.headings, ran.execution["ok"]) == (["ok"], ["Notice"], True)


def test_comments_are_a_program(run: Runner, arm: str) -> None:
    """So does one of comments alone."""
    assert run(arm, one_of(arm, "// nothing\n/* at all */", "# nothing\n")).headings == ["Notice"]


def test_nul_is_judged_by_the_language(run: Runner, arm: str) -> None:
    """A NUL in a program reaches the language, which rejects it or not: nothing of gg breaks."""
    ran = run(arm, "1\0\n")
    assert ran.headings == ["Compiler error"]
    assert ran.execution["ok"] is False
    assert run(arm, one_of(arm, "console.log('a\0b'.length)", "print('x')")).execution["ok"] is True


@pytest.mark.parametrize(
    ("arm", "program", "first", "place"),
    [
        ("javascript", "const a = ;\n", "SyntaxError: ", "program.js:1:11"),
        ("javascript", "\n\n  let x = 'open\n", "SyntaxError: ", "program.js:3:"),
        ("javascript", "import { nope } from 'gg';\n", "", "program.js:1"),
        ("javascript", "import x from './other.js';\n", "", "program.js:1"),
        ("javascript", "let a; let a;", "SyntaxError: ", "program.js:1:"),
        ("javascript", "return 5", "SyntaxError: ", "program.js:1:"),
        ("python", "a = = 1\n", '  File "program.py", line 1', "SyntaxError: invalid syntax"),
        ("python", "if x:\nprint(1)\n", '  File "program.py", line 2', "IndentationError: "),
        ("python", "x = 'open\n", '  File "program.py", line 1', "SyntaxError: unterminated string literal"),
        ("python", "return 5\n", '  File "program.py", line 1', "SyntaxError: 'return' outside function"),
        ("python", "if 1:\n\tx = 1\n        y = 2\n", '  File "program.py", line 3', "TabError: "),
    ],
)
def test_does_not_parse(run: Runner, arm: str, program: str, first: str, place: str) -> None:
    """What does not parse, or whose static import fails, is a Compiler error; the engine's time is counted."""
    ran = run(arm, program)
    assert ran.headings == ["Compiler error"]
    assert ran.error.startswith(first)
    assert place in ran.error
    event = ran.execution
    assert (event["ok"], event["toolCalls"]) == (False, 0)
    assert "durationMs" in event
    assert "compileMs" not in event


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_numbers_are_the_programs_own(run: Runner, arm: str, ending: str) -> None:
    """Line 1 is the program's first, under either line ending, and after a byte order mark."""
    lines = [one_of(arm, "// é\U0001f600", "# é\U0001f600"), "", throw(arm, "here")]
    for mark in ("", "\ufeff"):
        ran = run(arm, mark + ending.join(lines))
        assert one_of(arm, "program.js:3:7", 'File "program.py", line 3') in ran.error


def test_reference_error_names_the_modules(run: Runner, arm: str) -> None:
    """A name that is not there is answered in the guest with the names of gg's modules, and only those granted."""
    program = one_of(arm, "nope()", "nope()")
    whole, part = run(arm, program), run(arm, program, grants=["session"])
    for name in ("gg.files", "gg.views", "gg.session"):
        assert name in whole.error
    assert "gg.session" in part.error
    assert "gg.files" not in part.error
    assert "lib" not in whole.error


def test_caught_failure_is_none(run: Runner, arm: str) -> None:
    """A failure the program caught leaves it ok, and what it printed to standard error goes to the operator alone."""
    program = one_of(
        arm,
        "try { null.x } catch (e) { console.error('caught') }",
        "import sys\ntry:\n    1 / 0\nexcept Exception:\n    print('caught', file=sys.stderr)",
    )
    ran = run(arm, program)
    assert (ran.headings, ran.execution["ok"], ran.logs) == (["Notice"], True, ["caught"])


def test_standard_error_follows_the_error(run: Runner) -> None:
    """What a Python program wrote to standard error follows its traceback, once; what it printed does not."""
    ran = run("python", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nraise ValueError('x')")
    assert ran.error.endswith("ValueError: x\nerr")
    assert ran.error.count("ValueError: x") == 1
    assert "out" not in ran.error
    assert ran.logs == ["out", "err"]


def test_poisoned_built_ins(run: Runner, arm: str) -> None:
    """A program that breaks the built-ins the SDK needs still has working operations and its error."""
    poison = one_of(
        arm,
        "JSON.parse = JSON.stringify = () => { throw 1 }; Array.isArray = Object.keys = null;"
        "Array.prototype[Symbol.iterator] = null; Object.prototype.then = 5; Map.prototype.get = null;\n",
        "import json, builtins\njson.dumps = json.loads = None\nfor n in ('isinstance', 'len', 'str', 'dict', 'type'):"
        "\n    setattr(builtins, n, None)\n",
    )
    ran = run(arm, poison + spell(arm, "$OPEN_TEXT('still', 'here')\n") + throw(arm, "kept"))
    assert ran.headings == ["View: still", "Runtime error"]
    assert "kept" in ran.error


def test_shadowed_names(run: Runner, arm: str) -> None:
    """A program may use any name of gg's or the runtime's for its own."""
    program = one_of(
        arm,
        "const JSON = 1, Promise = 2, host = 3, globalThis_ = 4; import { views } from 'gg';"
        "{ const gg = 5; } views.openText('a', String(JSON + Promise + host));",
        "import gg as real\nstr_, json, print = str, 1, 2\n__name__ = 'x'\nreal.views.open_text('a', '3')\ngg = 5",
    )
    ran = run(arm, program)
    assert (ran.headings, ran.execution["ok"]) == (["View: a"], True)


def test_programs_do_not_see_each_other(host: Host, arm: str) -> None:
    """Each program has a fresh store: nothing a program leaves behind is there for the next."""
    leave = one_of(arm, "globalThis.left = 1; Array.prototype.left = 2", "import builtins\nbuiltins.left = 1")
    look = one_of(
        arm, "if ('left' in globalThis || [].left) throw new Error('seen')", "assert 'left' not in dir(__builtins__)"
    )
    with host.session(arm, limits=FAST) as session:
        assert submit(session, leave).execution["ok"]
        assert submit(session, look).execution["ok"]


def test_instances_are_random(run: Runner, arm: str) -> None:
    """Two programs do not draw the same numbers."""
    draw = one_of(arm, "console.log(Math.random())", "import random\nprint(random.random())")
    seen = {event["logs"][0] for event in run(arm, draw, draw, draw).of("code_execution")}
    assert len(seen) == 3


def test_timers_and_tasks_run_within_the_program(run: Runner, arm: str) -> None:
    """The job queue is drained before the program counts as returned."""
    program = one_of(
        arm,
        "setTimeout(() => console.log('timer'), 5); Promise.resolve().then(() => console.log('job'));"
        "(async () => { await null; console.log('async') })(); console.log('main')",
        "import asyncio\nasync def main():\n    asyncio.get_running_loop().call_later(0.005, print, 'timer')\n"
        "    t = asyncio.create_task(asyncio.sleep(0.02))\n    print('main')\n    await t\nasyncio.run(main())",
    )
    ran = run(arm, program)
    assert ran.logs == one_of(arm, ["main", "job", "async", "timer"], ["main", "timer"])  # type: ignore[arg-type]
    assert ran.execution["ok"]


def test_after_main_belongs_to_the_program(run: Runner) -> None:
    """`atexit` functions run inside the program, and may still open a view."""
    ran = run("python", "import atexit\natexit.register(lambda: gg.views.open_text('late', 'x'))")
    assert ran.headings == ["View: late"]


def test_deep_values_do_not_break_anything(run: Runner, arm: str) -> None:
    """A value nested 100,000 deep in a call is the program's error, and logging one breaks nothing."""
    program = one_of(
        arm,
        "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(a); gg.views.openText('a', a)",
        "a = []\nfor i in range(100000): a = [a]\ntry: print(a)\nexcept RecursionError: pass\ngg.views.open_text('a', a)",
    )
    ran = run(arm, program)
    assert ran.headings == ["Runtime error"]
    assert ran.turn.outcome == "continue"


def test_cyclic_value(run: Runner, arm: str) -> None:
    """A cycle in a call's argument is the program's error; one that is logged is written as its console would."""
    program = one_of(
        arm,
        "const a = {}; a.a = a; console.log(a); gg.views.openText('a', a)",
        "a = []; a.append(a); print(a); gg.views.open_text('a', a)",
    )
    ran = run(arm, program)
    assert ran.headings == ["Runtime error"]
    assert ran.logs == [one_of(arm, "{ a: [Circular] }", "[[...]]")]
