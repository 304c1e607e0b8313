"""What a program is, when it has failed, and what it finds around it."""

from __future__ import annotations

import pytest


def test_a_program_that_ends_reports_nothing(guest):
    """A program that returns normally makes no report; its logs are lines."""
    ran = guest.run("console.log('hi', 1, true);\nconst x = 1 + 1;\n")
    assert (ran.kind, ran.logs, ran.report) == ("returned", "hi 1 true\n", None)


@pytest.mark.parametrize(
    "source", ["", "// only a comment", "\n\n", "'use strict'", "\ufeff1", "#!/usr/bin/env node\n1"]
)
def test_programs_that_do_nothing_are_programs(guest, source):
    """An empty program, comments, a byte order mark and a hashbang line all run."""
    assert guest.run(source).kind == "returned"


@pytest.mark.parametrize(
    ("source", "message", "at"),
    [
        ("const x = ;", "SyntaxError: unexpected token in expression: ';'", "program.js:1:11"),
        ("let a = 1;\nlet a = 2;", "SyntaxError: ", "program.js:2:"),
        ("console.log(1)\nimport fs from 'fs';", "Error: Cannot find module 'fs'", "program.js:2:16"),
        ("console.log(1)\nimport 'left-pad';", "Error: Cannot find module 'left-pad'", "program.js:2:8"),
        ("export * from './x.js'", "Error: Cannot find module './x.js'", "program.js:1:15"),
        ("import { nope } from 'gg';", "SyntaxError: Could not find export 'nope' in module 'gg'", "program.js:1:22"),
        ("import 'gg:nope';", "Error: Cannot find module 'gg:nope'", "program.js:1:8"),
        ("console.log(1); return 5", "SyntaxError: ", "program.js:1:17"),
    ],
)
def test_nothing_of_a_rejected_program_runs(guest, source, message, at):
    """Bad syntax and a failed static import reject the program whole, with the engine's message and the place."""
    ran = guest.run(source)
    assert (ran.kind, ran.logs) == ("rejected", "")
    assert ran.part("message").startswith(message)
    assert ran.part("stack").startswith(f"    at {at}")


def test_columns_count_characters(guest):
    """A column is a character's place in its line, also behind characters of several bytes."""
    assert guest.run("/* é€😀 */ const x = ;").part("stack") == "    at program.js:1:21"
    assert guest.run("/* é€😀 */ throw new Error('x')").part("stack") == "    at <anonymous> (program.js:1:17)"


def test_a_nul_is_the_languages_to_judge(guest):
    """A NUL inside a string is a character; outside it is a syntax error, and nothing behind it is lost."""
    assert guest.run(b"console.log('a\0b'.length)").logs == "3\n"
    assert guest.run(b"console.log(1)\0").kind == "rejected"


def test_gg_is_bound_and_importable(guest):
    """`gg` is a global and a module; its modules are modules too, and all are the same objects."""
    ran = guest.run(
        "import a, { files } from 'gg'; import * as all from 'gg'; import { readFile } from 'gg:files';\n"
        "const late = await import('gg');\n"
        "console.log(a === gg, files === gg.files, all.views === gg.views, readFile === files.readFile, late.default === gg,"
        " Object.isFrozen(gg), Object.isFrozen(gg.files), typeof gg.core.ApiError)"
    )
    assert ran.logs == "true true true true true true true function\n"


def test_the_programs_own_names_are_free(guest):
    """A program may declare any name that is not a keyword, those of the arm's own parts included."""
    ran = guest.run(
        "const console = {log() {}}; let gg = 2, fetch = 3, native = 4, define = 5; if (gg + fetch !== 5) throw 1"
    )
    assert ran.kind == "returned"


@pytest.mark.parametrize(
    ("source", "logs"),
    [
        ("const v = await Promise.resolve(4); console.log(v)", "4\n"),
        ("Promise.resolve().then(() => console.log('b')); console.log('a')", "a\nb\n"),
        ("setTimeout(() => console.log('late'), 1); queueMicrotask(() => console.log('soon'))", "soon\nlate\n"),
        ("setTimeout((a, b) => console.log(a + b), 2, 1, 2); setTimeout(() => console.log('x'), 1)", "x\n3\n"),
        ("let n = 0; const t = setInterval(() => { if (++n === 3) { clearInterval(t); console.log(n) } }, 1)", "3\n"),
        (
            "const t = setTimeout(() => console.log('no'), 1); clearTimeout(t); clearTimeout(undefined); clearTimeout(99)",
            "",
        ),
        ("setImmediate((v) => console.log(v), 'now')", "now\n"),
        (
            "try { await Promise.reject(new Error('first')) } catch (e) { console.log('caught', e.message) }",
            "caught first\n",
        ),
    ],
)
def test_what_a_program_starts_is_finished(guest, source, logs):
    """Top-level await, promises, microtasks and timers all run inside the program's life."""
    ran = guest.run(source)
    assert (ran.kind, ran.logs) == ("returned", logs)


def test_timers_wait_on_the_host(guest):
    """A timer waits by the host's sleep, so that the deadline counts."""
    ran = guest.run("await new Promise((done) => setTimeout(done, 60000)); console.log('x')", sleep=False)
    assert (ran.kind, ran.logs) == ("returned", "x\n")
    assert 59000 < ran.sleeps[0] <= 60000


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("Promise.reject(new Error('first')); Promise.reject(new Error('second')); console.log('on')", "Error: first"),
        ("const p = Promise.reject(new Error('late')); setTimeout(() => p.catch(() => {}), 1)", "Error: late"),
        ("await Promise.reject(new TypeError('second')); console.log('never')", "TypeError: second"),
        ("setTimeout(() => { throw new RangeError('in a timer') }, 1)", "RangeError: in a timer"),
        ("queueMicrotask(() => { throw new Error('in a microtask') })", "Error: in a microtask"),
        ("(async () => { await 0; null.x })()", "TypeError: cannot read property 'x' of null"),
        ("await new Promise(() => {})", "Error: top-level await can never settle"),
        ("fetch('http://example.com')", "TypeError: fetch is not available: network access is denied in this sandbox"),
    ],
)
def test_a_failure_that_nobody_handles_is_the_programs(guest, source, message):
    """Unhandled rejections, throwing timers and microtasks, and a top-level await without end are failures."""
    ran = guest.run(source)
    assert (ran.kind, ran.part("message")) == ("failed", message)
    assert "never" not in ran.logs


def test_a_rejection_handled_in_time_is_no_failure(guest):
    """A rejection that gets its handler before the queue is empty was handled."""
    ran = guest.run("const p = Promise.reject(new Error('x')); await null; p.catch(() => {}); console.log('fine')")
    assert (ran.kind, ran.logs) == ("returned", "fine\n")


def test_where_an_endless_await_stands(guest):
    """The await that can never settle is named by its place where the engine still holds it."""
    ran = guest.run("let keep;\nawait new Promise((done) => { keep = done });")
    assert ran.part("stack") == "    at program.js:2:7"


@pytest.mark.parametrize(
    ("lib", "names"), [(False, "gg, gg.files, gg.views, gg.session"), (True, "gg, gg.files, gg.views, gg.session, lib")]
)
def test_an_unknown_name_is_answered_with_ggs_modules(guest, lib, names):
    """A ReferenceError carries the names of gg's modules, and `lib` once code is loaded, from where it is made."""
    ran = guest.run("const fs = require('fs');", context={"lib": lib})
    assert ran.body == f"ReferenceError: require is not defined\n    {names}\n    at <anonymous> (program.js:1:12)"
    caught = guest.run("try { nope } catch (e) { console.log(e.message) }", context={"lib": lib})
    assert caught.logs == f"nope is not defined\n    {names}\n"


def test_there_is_no_process_and_no_require(guest):
    """What other hosts have and this one has not is not defined at all."""
    ran = guest.run(
        "console.log(typeof process, typeof require, typeof module, typeof Deno, typeof Bun, typeof navigator)"
    )
    assert ran.logs == "undefined undefined undefined undefined undefined undefined\n"


def test_instances_differ_in_randomness(guest):
    """Math.random and crypto are seeded for each instance, though all begin from one snapshot."""
    source = "console.log(Math.random(), Math.random(), crypto.randomUUID())"
    first, second = guest.run(source).logs.split(), guest.run(source).logs.split()
    assert len({*first, *second}) == 6


def test_running_out_of_memory_can_be_caught_and_told(guest):
    """The memory limit is the language's own error: catchable, and reported when it is not caught."""
    grow = "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))"
    assert (
        guest.run(f"try {{ {grow} }} catch (e) {{ console.log(String(e)) }}", memory_mib=64).logs
        == "InternalError: out of memory\n"
    )
    ran = guest.run(grow, memory_mib=64)
    assert (ran.kind, ran.part("message")) == ("failed", "InternalError: out of memory")


def test_a_log_of_any_size_arrives_whole(guest):
    """Logs pass through the ring whole: one of 3 MB, and many that fill it at every offset."""
    assert guest.run("console.log('x'.repeat(3e6))").logs == "x" * 3_000_000 + "\n"
    ran = guest.run("for (let i = 0; i < 3000; i++) console.log('r'.repeat(i % 97))")
    assert ran.logs == "".join("r" * (i % 97) + "\n" for i in range(3000))
    assert (
        guest.run("for (const n of [65530, 65531, 65532, 65525, 4, 0]) console.log('y'.repeat(n))").logs.count("\n")
        == 6
    )


def test_a_warmed_instance_is_like_any_other(guest):
    """`gg_warm` changes nothing that a program can see."""
    source = "console.log(Object.getOwnPropertyNames(globalThis).length, Object.keys(globalThis).join())"
    assert guest.run(source, warm=True).logs == guest.run(source).logs
