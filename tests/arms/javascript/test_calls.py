"""Calls of gg's operations: what is sent, what comes back, and where a failed one is."""

from __future__ import annotations

import pytest

SENTENCE = "`edit_file` failed (conflict): `oldString` matched 3 times in src/main.rs"


@pytest.fixture
def conflict(harness):
    """An answer that fails every edit, and gives a file for anything else."""

    def answer(operation, arguments, fault):
        if operation == "files.edit_file":
            raise harness.ApiFailure("conflict", "`oldString` matched 3 times in src/main.rs")
        return {"contents": "hi", "firstLine": 1}

    return answer


def test_the_specifications_example_to_the_byte(guest, conflict):
    """An uncaught failed call is the sentence and the place of the call's expression."""
    program = "\n" * 11 + '    gg.files.editFile("src/main.rs", "a", "b");\n'
    assert guest.run(program, answer=conflict).body == f"{SENTENCE}\n    at line 12, column 5"


@pytest.mark.parametrize(
    ("program", "line", "column"),
    [
        ("gg.files.editFile('a', 'b', 'c')", 1, 1),
        ("const x = gg.files.editFile('a', 'b', 'c');", 1, 11),
        ("  await gg.files.editFile('a', 'b', 'c');", 1, 9),
        ("const { editFile } = gg.files;\n   editFile('a', 'b', JSON.stringify({}));", 2, 4),
        ("gg?.files?.editFile?.('a', 'b', 'c')", 1, 1),
        ("[0].map(() => gg.files.editFile('a', 'b', 'c'))", 1, 15),
        ("gg.files.editFile(...['a', 'b', 'c'])", 1, 1),
        ("const o = [gg];\nif (o[0]['files'].editFile('a', 'b', 'c')) ;", 2, 5),
        (
            "function go() {\n  return gg\n    .files\n    .editFile(\n      'a', String('b'),\n      'c');\n}\ngo();",
            2,
            10,
        ),
        ("import { editFile as e } from 'gg:files';\n  e('a', 'b', 'c')", 2, 3),
        ("await 0; await Promise.all([1].map(async () => { gg.files.editFile('a', 'b', 'c') }))", 1, 50),
        ("/* é😀 */ gg.files.editFile('é', 'b', 'c')", 1, 10),
        ("const f = () => gg.files.editFile('a', 'b', 'c'); setTimeout(() => f(), 1)", 1, 17),
        ("try { gg.files.editFile('a', 'b', 'c') } finally { console.log() }", 1, 7),
        (
            "const e = await Promise.try(() => gg.files.editFile('a', 'b', 'c')).catch((e) => e); e.stack = 'x'; throw e",
            1,
            35,
        ),
    ],
)
def test_a_failed_call_is_where_its_expression_begins(guest, conflict, program, line, column):
    """The place is the program's own: the first character of the call, wherever the call was made from."""
    assert guest.run(program, answer=conflict).body == f"{SENTENCE}\n    at line {line}, column {column}"


def test_a_failed_call_can_be_caught(guest, conflict):
    """A failed call throws gg.core.ApiError with the operation, the code and both messages; no frame is the SDK's."""
    ran = guest.run(
        "try { gg.files.editFile('a', 'b', 'c') } catch (e) {\n"
        "  console.log(e instanceof gg.core.ApiError, e instanceof Error, e.name, e.operation, e.code);\n"
        "  console.log(e.message); console.log(e.detail); console.log(e.stack)\n}",
        answer=conflict,
    )
    assert ran.logs == (
        "true true ApiError edit_file conflict\n"
        f"{SENTENCE}\n`oldString` matched 3 times in src/main.rs\n    at <anonymous> (program.js:1:16)\n\n"
    )


def test_a_wrapped_failed_call_keeps_its_sentence(guest, conflict):
    """As a cause, a failed call reads as it does alone."""
    ran = guest.run(
        "try { gg.files.editFile('a', 'b', 'c') } catch (cause) {\n  throw new Error('wrap', { cause }) }",
        answer=conflict,
    )
    assert (
        ran.body
        == f"Error: wrap\n    at <anonymous> (program.js:2:9)\n  [cause]: {SENTENCE}\n      at line 1, column 7"
    )


def test_results_are_plain_values(guest, conflict):
    """A result is plain data; an operation that returns nothing gives undefined; awaiting either does nothing."""
    ran = guest.run(
        "const r = await gg.files.readFile('a');\n"
        "console.log(r, Object.getPrototypeOf(r) === Object.prototype, gg.session.finish('s'), await gg.session.finish('t'))",
        answer=conflict,
    )
    assert ran.logs == "{ contents: 'hi', firstLine: 1 } true undefined undefined\n"


@pytest.mark.parametrize(
    ("call", "sent"),
    [
        ("gg.files.readFile('a', {limit: 3})", {"path": "a", "limit": 3}),
        ("gg.files.readFile('a', undefined)", {"path": "a"}),
        ("gg.files.readFile('a', null)", {"path": "a"}),
        ("gg.files.readFile('a', {limit: undefined, offset: 2n})", {"path": "a", "offset": 2}),
        ("gg.files.readFile()", {}),
        ("gg.files.listDir()", {}),
        ("gg.files.listDir('src')", {"path": "src"}),
        ("gg.files.readFile('é😀\\n\"\\\\')", {"path": 'é😀\n"\\'}),
        ("gg.files.readFile(new String('boxed'))", {"path": "boxed"}),
        ("gg.files.readFile(['x', [1.5, true, null, undefined]])", {"path": ["x", [1.5, True, None, None]]}),
        ("gg.files.readFile({a: {b: undefined, c: 1}, get d() { return 2 }})", {"path": {"a": {"c": 1}, "d": 2}}),
        ("gg.files.readFile({toJSON() { return 'pwned' }, x: 1}.x)", {"path": 1}),
        ("gg.files.readFile(new Date(0))", {"path": "1970-01-01T00:00:00.000Z"}),
        ("gg.files.readFile(new Uint8Array([104, 105, 33, 0]))", {"path": "aGkhAA=="}),
        ("gg.files.readFile(new Uint8Array([1, 2, 3]).subarray(1, 2))", {"path": "Ag=="}),
        ("gg.files.readFile(new Proxy({a: 1}, {}))", {"path": {"a": 1}}),
        ("gg.files.readFile(9007199254740991)", {"path": 9007199254740991}),
        ("gg.files.readFile(1e21 / 1e22)", {"path": 0.1}),
    ],
)
def test_arguments_are_copied_as_plain_data(guest, call, sent):
    """Arguments are sent as plain data in the wire's spelling; what is undefined is not sent."""
    ran = guest.run(call)
    assert (ran.kind, ran.calls[0][1]) == ("returned", sent)


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ("gg.files.readFile(NaN)", "`path` is NaN"),
        ("gg.files.readFile('a', {limit: Infinity})", "`limit` is Infinity"),
        ("gg.files.readFile('a', {limit: -Infinity})", "`limit` is -Infinity"),
        ("gg.files.readFile('a', {limit: 2 ** 53})", "`limit` is an integer outside ±(2^53-1)"),
        ("gg.files.readFile('a', {limit: -9007199254740992n})", "`limit` is an integer outside ±(2^53-1)"),
        ("gg.files.readFile('\\ud800')", "`path` holds a lone surrogate"),
        ("gg.files.readFile({'\\udfff': 1})", "`path` has a key that holds a lone surrogate"),
        ("gg.files.readFile(() => 1)", "`path` is a function"),
        ("gg.files.readFile(Symbol.iterator)", "`path` is a symbol"),
        ("gg.files.readFile({a: [1, {b: NaN}]})", "`path.a[1].b` is NaN"),
        ("const o = {}; o.self = [o]; gg.files.readFile(o)", "`path.self[0]` refers back to what holds it"),
        ("gg.files.readFile(new Map())", "`path` is a Map"),
        ("gg.files.readFile(Promise.resolve('a'))", "`path` is a Promise"),
        ("gg.files.readFile(new Error('x'))", "`path` is an Error"),
        ("gg.files.readFile(new Date(NaN))", "`path` is an invalid Date"),
        ("gg.files.readFile('a', 3)", "the options are not an object"),
        ("gg.files.readFile('a', [3])", "the options are not an object"),
        ("gg.files.readFile('a', {lines: 3})", "`lines` is not an option of it"),
    ],
)
def test_what_cannot_be_sent_is_a_fault(guest, call, fault):
    """An argument that cannot be sent is named in the call's third element, and the call fails where it was made."""
    ran = guest.run(f"await 0; {call}")
    assert ran.calls == [["files.read_file", None, fault]]
    assert ran.part("message") == f"`read_file` failed (invalid-argument): {fault}"
    assert ran.part("stack").startswith("    at line 1, column ")


def test_deep_data_is_a_fault(guest):
    """Data nested too deeply to copy is a fault and no crash."""
    ran = guest.run("let o = 1; for (let i = 0; i < 100000; i++) o = {o}; gg.files.readFile(o)")
    assert ran.calls[0][2].endswith("is nested too deeply")


def test_an_exception_of_a_getter_is_the_programs(guest):
    """What a getter of an argument throws comes out of the call, and the call is not made."""
    ran = guest.run(
        "try { gg.files.readFile({get x() { throw new Error('mine') }}) } catch (e) { console.log(e.message) }"
    )
    assert (ran.logs, ran.calls) == ("mine\n", [])


@pytest.mark.parametrize("size", [0, 1, 65400, 65500, 65536, 65537, 1_000_000])
def test_results_of_any_size_arrive_whole(guest, size):
    """A reply that does not fit the first buffer is taken whole."""
    ran = guest.run(
        "const r = gg.files.readFile('a'); console.log(r.length, r === 'x'.repeat(r.length))",
        answer=lambda *_: "x" * size,
    )
    assert ran.logs == f"{size} true\n"


def test_a_large_argument_arrives_whole(guest):
    """An argument of 20 MB is sent; what to do with it is the host's to say."""
    ran = guest.run("gg.files.writeFile('a', 'é'.repeat(1e7))")
    assert len(ran.calls[0][1]["contents"]) == 10_000_000


def test_operations_of_others_join_the_sdk(guest):
    """SDK source in the context adds operations, also to a module that is there already."""
    sdk = '(define) => { define("files", "stat", "files.stat", [["path", "path"]], 1, true); define("chat", "say", "chat.say", [["t", "t"]], 1, false); }'
    ran = guest.run(
        "import { say } from 'gg:chat'; say('x'); gg.files.stat('y'); gg.files.readFile('z');"
        " console.log(Object.isFrozen(gg), Object.isFrozen(gg.chat), gg.core.ApiError.name)",
        context={"sdk": sdk},
    )
    assert [call[0] for call in ran.calls] == ["chat.say", "files.stat", "files.read_file"]
    assert ran.logs == "true true ApiError\n"
