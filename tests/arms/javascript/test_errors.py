"""The text of what nobody caught."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("thrown", "body"),
    [
        ("null", "null"),
        ("undefined", "undefined"),
        ("'step 3 failed: no rows'", "step 3 failed: no rows"),
        ("''", '"" (string)'),
        ("' \\n'", '" \\n" (string)'),
        ("0", "0"),
        ("-0", "-0"),
        ("12n", "12n"),
        ("Symbol('token')", "Symbol(token)"),
        ("({})", "{}"),
        ("[]", "[]"),
        ("({code: 5, message: 'm'})", "{ code: 5, message: 'm' }"),
        ("() => 1", "[Function (anonymous)]"),
        ("Object.create(null)", "[Object: null prototype] {}"),
        ("new Proxy({a: 1}, {get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 }})", "{ a: 1 }"),
        ("({toString() { throw 1 }, get x() { throw 2 }})", "{ toString: [Function: toString], x: [Getter] }"),
    ],
)
def test_a_thrown_value_reads_as_the_console_shows_it(guest, thrown, body):
    """A thrown value that is no error is shown as console.log shows it, and is never an empty body."""
    ran = guest.run(f"throw {thrown}")
    assert (ran.kind, ran.body) == ("failed", body)


@pytest.mark.parametrize(
    ("program", "body"),
    [
        ("throw new Error('x')", "Error: x\n    at <anonymous> (program.js:1:7)"),
        ("throw new Error('')", "Error\n    at <anonymous> (program.js:1:7)"),
        ("throw new TypeError()", "TypeError\n    at <anonymous> (program.js:1:7)"),
        ("const e = new Error('m'); e.name = ''; throw e", "Error: m\n    at <anonymous> (program.js:1:11)"),
        ("const e = new Error('m'); e.name = 'Named'; throw e", "Named: m\n    at <anonymous> (program.js:1:11)"),
        (
            "const e = new Error('m'); Object.setPrototypeOf(e, null); throw e",
            "m\n    at <anonymous> (program.js:1:11)",
        ),
        (
            "function f() {\n  null.x\n}\nf()",
            "TypeError: cannot read property 'x' of null\n    at f (program.js:2:8)\n    at <anonymous> (program.js:4:1)",
        ),
        ("throw new DOMException('no', 'AbortError')", "AbortError: no\n    at <anonymous> (program.js:1:7)"),
        (
            "const e = new RangeError('limit is 5'); e.stack = 42; throw e",
            "RangeError: limit is 5\n    at <anonymous> (program.js:1:11)",
        ),
        (
            "const e = new RangeError('r'); e.stack = 'at nowhere:1:1'; throw e",
            "RangeError: r\n    at <anonymous> (program.js:1:11)",
        ),
        (
            "const e = new RangeError('r'); delete e.stack; throw Object.freeze(e)",
            "RangeError: r\n    at <anonymous> (program.js:1:11)",
        ),
        ("Error.prepareStackTrace = () => 'lies'; throw new Error('p')", "Error: p"),
        (
            "Object.defineProperty(Error.prototype, 'stack', {get() { throw 1 }}); throw new Error('p')",
            "Error: p\n    at <anonymous> (program.js:1:77)",
        ),
        ("const e = new Error('self'); e.cause = e; throw e", "Error: self\n    at <anonymous> (program.js:1:11)"),
        ("throw new Error('a', {cause: 'b'})", "Error: a\n    at <anonymous> (program.js:1:7)\n  [cause]: b"),
        (
            "class Mine extends Error {}\nthrow new Mine('m')",
            "Mine: m\n    at Mine (program.js:1:1)\n    at <anonymous> (program.js:2:7)",
        ),
        ("await 0;\nthrow new Error('later')", "Error: later\n    at <anonymous> (program.js:2:7)"),
    ],
)
def test_an_error_reads_as_the_engine_made_it(guest, program, body):
    """Name, message and the engine's own frames, whatever the program did to the error since."""
    ran = guest.run(program)
    assert (ran.kind, ran.body) == ("failed", body)


def test_broken_built_ins_do_not_break_the_report(guest):
    """A program that breaks what a reporter might use still gets its error, its logs and its calls."""
    ran = guest.run(
        "JSON.stringify = JSON.parse = null;\n"
        "Array.prototype.map = Array.prototype.push = Array.prototype.join = Array.prototype[Symbol.iterator] = undefined;\n"
        "Object.prototype.toJSON = () => 'pwned';\n"
        "Object.defineProperty(Array.prototype, '0', {set() { throw 'pwned' }});\n"
        "String.prototype.split = String.prototype.slice = () => [];\n"
        "globalThis.Error = globalThis.TypeError = null;\n"
        "Promise.prototype.then = null; RegExp.prototype.exec = null; Map.prototype.get = Map.prototype.forEach = null;\n"
        "Function.prototype.call = Function.prototype.apply = null; Reflect.apply = null; globalThis.console.info = null;\n"
        "console.log('still', {a: [1, 2]}, new Map());\n"
        "gg.files.writeFile('a', 'b');\n"
        "null.kept;",
    )
    assert ran.logs == "still { a: [ 1, 2 ] } Map(0) {}\n"
    assert ran.calls == [["files.write_file", {"path": "a", "contents": "b"}]]
    assert ran.body == "TypeError: cannot read property 'kept' of null\n    at <anonymous> (program.js:11:6)"


def test_lines_of_a_message_are_no_frames(guest):
    """What a message holds is in the message's part, however much its lines look like frames."""
    message = "retry table:\\n    at slot 1 (native)\\n    at line 9, column 9\\nend"
    ran = guest.run(f"throw new Error('{message}')")
    assert [role for role, _ in ran.report["parts"]] == ["message", "stack"]
    assert ran.part("message") == "Error: " + message.replace("\\n", "\n")
    assert ran.part("stack") == "    at <anonymous> (program.js:1:7)"


def test_causes_and_aggregates_follow_their_error(guest):
    """A cause and the errors of an aggregate stand under it, indented, each with its own frames."""
    ran = guest.run(
        "async function a() { throw new RangeError('inner-a'); }\n"
        "async function b() { throw new Error('outer-b', { cause: new Error('inner-b') }); }\n"
        "const r = await Promise.allSettled([a(), b()]);\n"
        "throw new AggregateError(r.map(x => x.reason), '2 jobs failed');\n"
    )
    assert ran.body == (
        "AggregateError: 2 jobs failed\n"
        "    at <anonymous> (program.js:4:7)\n"
        "  [errors][0]: RangeError: inner-a\n"
        "      at a (program.js:1:28)\n"
        "      at <anonymous> (program.js:3:37)\n"
        "  [errors][1]: Error: outer-b\n"
        "      at b (program.js:2:28)\n"
        "      at <anonymous> (program.js:3:42)\n"
        "    [cause]: Error: inner-b\n"
        "        at b (program.js:2:58)\n"
        "        at <anonymous> (program.js:3:42)"
    )


def test_a_chain_without_end_is_bounded(guest):
    """A long chain of causes and a wide aggregate are cut to a few."""
    ran = guest.run("let e = new Error('0'); for (let i = 1; i < 1000; i++) e = new Error(`${i}`, {cause: e}); throw e")
    assert 1 < ran.body.count("Error: ") <= 10
    ran = guest.run("throw new AggregateError(Array.from({length: 1000}, (_, i) => new Error(`${i}`)), 'many')")
    assert 1 < ran.body.count("Error: ") <= 11


def test_a_getter_of_the_error_may_throw(guest):
    """What the error's own getters do cannot lose the rest of it."""
    ran = guest.run("class X extends TypeError { get name() { throw 1 } }\nthrow new X('q')")
    assert ran.part("message") == "X: q"


def test_no_call_is_made_while_an_error_is_rendered(guest):
    """Code of the program that runs while its error is rendered can make no call any more."""
    ran = guest.run(
        "class X extends Error { get message() { gg.files.writeFile('a', 'b'); return 'no' } }\nthrow new X()"
    )
    assert (ran.calls, ran.part("message")) == ([], "X")


def test_a_lone_surrogate_travels_as_an_escape(guest):
    """The report is valid JSON also when the message holds half a character."""
    assert guest.run("throw new Error('a\\ud800b')").part("message") == "Error: a\ud800b"
