"""Time and memory: what does not come back is stopped, with the sandbox's words, and the next program runs."""

from __future__ import annotations

import time

import pytest
from support import Runner, one_of, spell, submit

from gg import Host, Limits
from gg.operations.bracket import MAX_CALLS_OF_PROGRAM

LIMIT_S = 0.3
GENEROUS_S = 1.5
"""The promise is 0.3 s past the limit; a busy machine of two cores gets more before a test fails."""
LIMITS = Limits(LIMIT_S, 256 << 20)
STOPPED = "execution stopped: the time limit of 0.3 s was reached"

HANGS = {
    "js-loop": ("javascript", "while (true) {}"),
    "js-catch-all": ("javascript", "while (true) { try { while (true) {} } catch (e) {} finally { continue } }"),
    "js-finally": ("javascript", "function f() { try { while (true) {} } finally { f() } } f()"),
    "js-jobs": ("javascript", "const f = () => Promise.resolve().then(f); f()"),
    "js-await": ("javascript", "for (;;) await null"),
    "js-timers": ("javascript", "const f = () => setTimeout(f, 0); f()"),
    "js-sleep": ("javascript", "await new Promise(r => setTimeout(r, 60000))"),
    "js-interval": ("javascript", "setInterval(() => {}, 10)"),
    "js-regex": ("javascript", "/^(a+)+$/.test('a'.repeat(40) + 'b')"),
    "js-generator": ("javascript", "function* g() { while (true) yield 1 } for (const x of g()) ;"),
    "js-bigint": ("javascript", "let a = 3n; while (true) a = a * a"),
    "js-sort": ("javascript", "[...Array(1000).keys()].sort(() => { while (true) {} })"),
    "js-proxy": ("javascript", "const p = new Proxy({}, { get: (t, k, r) => { while (true) {} } }); p.x"),
    "js-calls": ("javascript", "while (true) gg.views.current()"),
    "js-caught-calls": ("javascript", "while (true) try { gg.files.readFile(1) } catch (e) {}"),
    "js-logs": ("javascript", "while (true) console.log('x')"),
    "js-getter": (
        "javascript",
        "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { while (true) {} } }); throw e",
    ),
    "js-replace": ("javascript", "'a'.repeat(1e5).replace(/a/g, () => { while (true) {} })"),
    "py-loop": ("python", "while True: pass"),
    "py-sleep": ("python", "import time\ntime.sleep(60)"),
    "py-sleeps": ("python", "import time\nwhile True:\n    try: time.sleep(60)\n    except BaseException: pass"),
    "py-catch-all": (
        "python",
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        continue\n    finally:\n        pass",
    ),
    "py-regex": ("python", "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')"),
    "py-native": ("python", "sum(range(10 ** 12))"),
    "py-power": ("python", "x = 7 ** (10 ** 9)"),
    "py-asyncio": ("python", "import asyncio\nasyncio.run(asyncio.sleep(60))"),
    "py-asyncio-busy": (
        "python",
        "import asyncio\nasync def f():\n    while True: await asyncio.sleep(0)\nasyncio.run(f())",
    ),
    "py-select": ("python", "import select\nselect.select([], [], [], 60)"),
    "py-selector": ("python", "import selectors\nselectors.DefaultSelector().select(60)"),
    "py-event": ("python", "import threading\nthreading.Event().wait(60)"),
    "py-lock": ("python", "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()"),
    "py-condition": ("python", "import queue\nqueue.Queue().get()"),
    "py-input": ("python", "import sys\nwhile True: sys.stdin.read(1)"),
    "py-atexit": ("python", "import atexit\ndef f():\n    while True: pass\natexit.register(f)"),
    "py-del": ("python", "class A:\n    def __del__(self):\n        while True: pass\na = A()\ndel a"),
    "py-str": ("python", "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E"),
    "py-hook": ("python", "import sys\ndef h(*a):\n    while True: pass\nsys.excepthook = h\nraise ValueError"),
    "py-calls": ("python", "while True: gg.views.current()"),
    "py-logs": ("python", "while True: print('x')"),
    "py-signal": ("python", "import signal\nsignal.pause() if hasattr(signal, 'pause') else [0 for _ in iter(int, 1)]"),
    "py-signals-off": ("python", "import sys\nsys.setswitchinterval(1e9)\nsys.settrace(None)\nwhile True: pass"),
    "py-fresh-time": (
        "python",
        "import _imp, importlib.machinery as m\n"
        "time = _imp.create_builtin(m.ModuleSpec('time', None, origin='built-in'))\n"
        "while True: time.sleep(60)",
    ),
    "py-collected-sleep": (
        "python",
        "import gc, types\n"
        "found = [o for o in gc.get_objects() if isinstance(o, types.BuiltinFunctionType) and o.__name__ == 'sleep']\n"
        "for f in found:\n"
        "    try: f(60)\n"
        "    except Exception: pass\n"
        "while True: pass",
    ),
    "py-collected-select": (
        "python",
        "import gc, types\n"
        "found = [o for o in gc.get_objects() if isinstance(o, types.BuiltinFunctionType) and o.__name__ == 'select']\n"
        "for f in found:\n"
        "    try: f([], [], [], 60)\n"
        "    except Exception: pass\n"
        "while True: pass",
    ),
}


@pytest.mark.parametrize("name", HANGS)
def test_comes_back(host: Host, name: str) -> None:
    """Whatever hangs is back soon after its limit, named in the sandbox's words, and the next program runs."""
    arm, program = HANGS[name]
    with host.session(arm, limits=LIMITS) as session:
        submit(session, "1")
        began = time.monotonic()
        ran = submit(session, spell(arm, program))
        took = time.monotonic() - began
        if name in (
            "py-lock",
            "py-condition",
            "py-event",
            "py-input",
            "py-signal",
            "py-hook",
            "js-bigint",
            "py-power",
            "py-fresh-time",
        ):
            assert ran.turn.outcome == "continue"  # may also be the language's own error or a trap, at once
        elif name.endswith("calls") and "calls was reached" in ran.error:
            assert ran.execution["apiCalls"] >= MAX_CALLS_OF_PROGRAM  # a fast machine gets there before the time is up
        else:
            assert ran.error.startswith(STOPPED)
            assert took >= LIMIT_S * 0.99
            assert ran.execution["durationMs"] >= LIMIT_S * 990
        # Waiting for the host is no part of a program's time: a loop of calls is bounded by their number.
        assert took < LIMIT_S + (30 if "calls" in name else GENEROUS_S)
        assert ran.execution["ok"] is (ran.headings == ["Notice"])
        assert submit(session, "1").execution["ok"]


def test_sleep_within_the_limit(run: Runner, arm: str) -> None:
    """A sleep shorter than the limit counts, and the program goes on."""
    nap = one_of(
        arm,
        "await new Promise(r => setTimeout(r, 100)); console.log('up')",
        "import time\ntime.sleep(0.1)\nprint('up')",
    )
    ran = run(arm, nap, limits=LIMITS)
    assert ran.logs == ["up"]
    assert 95 < ran.execution["durationMs"] < 500


def test_limit_is_named_as_configured(run: Runner, arm: str) -> None:
    """The words name the configured limit."""
    assert run(
        arm, one_of(arm, "while (true) {}", "while True: pass"), limits=Limits(0.25, 256 << 20)
    ).error.startswith("execution stopped: the time limit of 0.25 s was reached")


def test_each_program_has_the_whole_limit(run: Runner, arm: str) -> None:
    """The limit is one program's, not the turn's."""
    busy = one_of(
        arm,
        "const t = Date.now(); while (Date.now() - t < 180) ;",
        "import time\nt = time.monotonic()\nwhile time.monotonic() - t < 0.18: pass",
    )
    ran = run(arm, busy, busy, busy, limits=LIMITS)
    assert [e["ok"] for e in ran.of("code_execution")] == [True] * 3


def test_memory(run: Runner, arm: str) -> None:
    """Memory exhaustion is a Runtime error; the language's own where its runtime raises one, and then catchable."""
    limits = Limits(5.0, 64 << 20)
    eat = one_of(
        arm,
        "const a = []; while (true) a.push(new Uint8Array(1 << 20).fill(1))",
        "a = []\nwhile True: a.append(bytearray(1 << 20))",
    )
    ran = run(arm, eat, limits=limits)
    assert ran.headings == ["Runtime error"]
    assert one_of(arm, "memory", "MemoryError") in ran.error
    caught = one_of(
        arm,
        "try { const a = []; while (true) a.push(new Uint8Array(1 << 20).fill(1)) } catch (e) {} gg.views.openText('a', 'alive')",
        "try:\n    a = []\n    while True: a.append(bytearray(1 << 20))\nexcept MemoryError:\n    a = None\ngg.views.open_text('a', 'alive')",
    )
    assert run(arm, caught, limits=limits).headings == ["View: a"]


def test_stack(run: Runner, arm: str) -> None:
    """Stack exhaustion is the language's own error, and catchable."""
    deep = one_of(
        arm,
        "function f() { f() }\ntry { f() } catch (e) { gg.views.openText('a', e.name) }",
        "def f(): f()\ntry: f()\nexcept RecursionError as e: gg.views.open_text('a', 'RecursionError')",
    )
    assert run(arm, deep).headed == [("View: a", one_of(arm, "RangeError", "RecursionError"))]


def test_run_timeout(host: Host, arm: str) -> None:
    """Past the run's wall clock dispatched calls are refused with `limit-exceeded`; views and endings are serviced."""
    with host.session(arm, limits=LIMITS, run_timeout_s=0.001) as session:
        time.sleep(0.01)
        ran = submit(session, spell(arm, "$OPEN_TEXT('a', 'b')\n$READ('f')"))
        assert ran.headings == ["View: a", "Runtime error"]
        assert "(limit-exceeded)" in ran.error
        assert submit(session, spell(arm, "$FINISH('late')")).turn.summary == "late"
