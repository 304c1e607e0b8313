"""What the console prints."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("", ""),
        ("'a', 1, -0, 1.5, true, null, undefined, 5n, Symbol('s')", "a 1 -0 1.5 true null undefined 5n Symbol(s)"),
        ("12345678901234567890n, {n: 12345678901234567890n}", "12345678901234567890n { n: 12345678901234567890n }"),
        ("{a: 1, b: 'x', c: [1, {d: 2}], e() {}}", "{ a: 1, b: 'x', c: [ 1, { d: 2 } ], e: [Function: e] }"),
        ("[1,, 3], new Array(5), ['it\\'s']", '[ 1, <1 empty item>, 3 ] [ <5 empty items> ] [ "it\'s" ]'),
        ("new Map([['k', {v: 1}]]), new Set([1, 'a'])", "Map(1) { 'k' => { v: 1 } } Set(2) { 1, 'a' }"),
        ("new Date(0), /x/gi, new Uint8Array([1, 2])", "1970-01-01T00:00:00.000Z /x/gi Uint8Array(2) [ 1, 2 ]"),
        (
            "Promise.resolve(4), new (class A { x = 1 })(), Object.create(null)",
            "Promise { 4 } A { x: 1 } [Object: null prototype] {}",
        ),
        (
            "class Foo {}, class Bar extends Array {}, () => 1, function f() {}",
            "[class Foo] [class Bar extends Array] [Function (anonymous)] [Function: f]",
        ),
        ("{a: {b: {c: {d: 1}}}}, [[[[1]]]]", "{ a: { b: { c: [Object] } } } [ [ [ [Array] ] ] ]"),
        ("new URL('http://x/y'), new Proxy([1], {})", "URL { href: 'http://x/y' } [ 1 ]"),
        (
            "{get a() { throw 1 }, set a(v) {}, [Symbol('k')]: 1, 'a-b': 2}",
            "{ a: [Getter/Setter], 'a-b': 2, [Symbol(k)]: 1 }",
        ),
        (
            "'%s is %d years, %i, %f %j %o %O %% %c!', 'Bob', 42.5, '42.9', '1.5', {a: 1}, [1], {b: 2}, 'css', 'extra'",
            'Bob is 42.5 years, 42, 1.5 {"a":1} [ 1 ] { b: 2 } % ! extra',
        ),
        ("'100%', 1", "100% 1"),
        ("'%x %s', 'a'", "%x a"),
        ("'%s'", "%s"),
        ("'%d %d', 5n, {}", "5n NaN"),
    ],
)
def test_values_read_as_in_other_engines(guest, arguments, line):
    """The console shows values much as Node does."""
    assert guest.run(f"console.log({arguments})").logs == line + "\n"


def test_circles_and_sizes_are_bounded(guest):
    """A value that holds itself, a long list and a deep one have an end."""
    assert guest.run("const o = {n: 1}; o.o = o; console.log(o)").logs == "{ n: 1, o: [Circular] }\n"
    logs = guest.run(
        "console.log(Array.from({length: 1000}, (_, i) => i)); let d = {}; for (let i = 0; i < 1e5; i++) d = {d}; console.log(d)"
    ).logs
    assert "... 900 more items" in logs
    assert logs.endswith("{ d: { d: { d: [Object] } } }\n")
    assert len(logs) < 1000


def test_an_error_is_shown_with_its_stack(guest):
    """console.error of an error prints its name, message, frames, own properties and cause."""
    logs = guest.run("console.error(Object.assign(new RangeError('r', {cause: 'c'}), {code: 5}))").logs
    assert logs == "RangeError: r\n    at <anonymous> (program.js:1:29) {\n  [cause]: 'c',\n  code: 5\n}\n"


def test_every_method_writes_to_one_stream(guest):
    """All of the console's methods are logs of standard output, in order."""
    ran = guest.run(
        "for (const m of ['log', 'info', 'debug', 'warn', 'error']) console[m](m);\n"
        "console.group('g'); console.log('a\\nb'); console.group(); console.warn('c'); console.groupEnd(); console.groupEnd(); console.groupEnd();\n"
        "console.count(); console.count('x'); console.count(); console.countReset(); console.count();\n"
        "console.assert(true, 'no'); console.assert(false, 'yes %d', 1); console.assert(false); console.dir({a: 1}); console.clear();"
    )
    assert ran.logs.splitlines() == [
        "log", "info", "debug", "warn", "error", "g", "  a", "  b", "    c",
        "default: 1", "x: 1", "default: 2", "default: 1", "Assertion failed: yes 1", "Assertion failed", "{ a: 1 }",
    ]  # fmt: skip


def test_tables(guest):
    """console.table draws rows and columns, and plain values in a column of their own."""
    assert guest.run("console.table([{a: 1, b: 'x'}, {a: 22}, 3])").logs == (
        "┌─────────┬────┬─────┬────────┐\n"
        "│ (index) │ a  │ b   │ Values │\n"
        "├─────────┼────┼─────┼────────┤\n"
        "│ 0       │ 1  │ 'x' │        │\n"
        "│ 1       │ 22 │     │        │\n"
        "│ 2       │    │     │ 3      │\n"
        "└─────────┴────┴─────┴────────┘\n"
    )


def test_timers_of_the_console(guest):
    """console.time, timeLog and timeEnd print a label and a time."""
    lines = guest.run(
        "console.time('t'); console.timeLog('t', 1); console.timeEnd('t'); console.timeEnd('t')"
    ).logs.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["t", "t"]


def test_trace_shows_where_it_was_called(guest):
    """console.trace prints its arguments and the frames of the program."""
    logs = guest.run("function f() { console.trace('here') }\nf()").logs
    assert logs.startswith("Trace: here\n")
    assert "    at f (program.js:1:24)\n    at <anonymous> (program.js:2:1)" in logs


def test_trace_shows_the_programs_frames(guest):
    """console.trace shows where it was called, without a frame of the console's own, whatever composes stacks."""
    assert guest.run("function f() { console.trace('here', 1) }\nf()").logs == (
        "Trace: here 1\n    at f (program.js:1:24)\n    at <anonymous> (program.js:2:1)\n"
    )
    assert guest.run("Error.prepareStackTrace = () => 'mine'; console.trace()").logs == "Trace\n"


def test_dir_takes_a_depth(guest):
    """console.dir shows as many levels as it is told, null for all of them."""
    assert guest.run("console.dir({a: {b: {c: {d: 1}}}}, {depth: 0})").logs == "{ a: [Object] }\n"
    assert guest.run("console.dir({a: {b: {c: {d: 1}}}}, {depth: null})").logs == "{ a: { b: { c: { d: 1 } } } }\n"
    assert guest.run("console.dir('s', {depth: 0}); console.dir([1])").logs == "'s'\n[ 1 ]\n"
