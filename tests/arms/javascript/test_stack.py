"""Recursion ends as the language's error, never as a trap: calls, native functions, data and the parser."""

from __future__ import annotations

import pytest

RUNNING = {
    "calls": "function f() { f() } f()",
    "calls with arguments": "function f(...a) { return f(...a, 1) + 1 } f()",
    "methods": "class A { m() { return new A().m() + 1 } } new A().m()",
    "constructors": "class A { constructor() { new A() } } new A()",
    "derived constructors": "class B {} class A extends B { constructor() { super(); new A() } } new A()",
    "getters": "const o = { get x() { return this.x + 1 } }; o.x",
    "proxies": "const p = new Proxy({}, { get(t, k, r) { return r[k] } }); p.x",
    "a chain of proxies": "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x",
    "defineProperty of a proxy": "const p = new Proxy({}, { defineProperty(t, k, v) { return Reflect.defineProperty(p, k, v) } }); p.x = 1",
    "ownKeys of a proxy": "const p = new Proxy({}, { ownKeys() { return Reflect.ownKeys(p) } }); Object.keys(p)",
    "sort": "function f() { [1, 2].sort(f); return 0 } f()",
    "map": "function f() { return [1].map(f) } f()",
    "reduce": "function f() { return [1, 2].reduce(f) } f()",
    "Array.from": "function f() { return Array.from([1], f) } f()",
    "replace": "function f() { return 'a'.replace(/a/, f) } f()",
    "toString": "const o = { toString() { return `${o}` } }; `${o}`",
    "apply": "function f() { f.apply(null, [1]) } f()",
    "construct": "function f() { Reflect.construct(f, []) } new f()",
    "tagged templates": "function t() { t`x` } t()",
    "eval": "function f() { eval('f()') } f()",
    "new Function": "globalThis.f = () => new Function('f()')(); f()",
    "a reviver": "function f() { JSON.parse('[1]', f) } f()",
    "toJSON": "const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)",
    "async functions": "async function f() { await f() } await f()",
    "generators": "function* f() { yield* f() } [...f()]",
    "iterators": "const it = { [Symbol.iterator]() { return [...it] } }; [...it]",
    "instanceof": "class A { static [Symbol.hasInstance](x) { return x instanceof A } } 1 instanceof A",
    "JSON.stringify": "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; JSON.stringify(o)",
    "JSON.parse": "JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))",
    "flat": "let o = []; for (let i = 0; i < 1e5; i++) o = [o]; o.flat(Infinity)",
    "join": "let o = []; for (let i = 0; i < 1e5; i++) o = [o]; String(o)",
    "structuredClone": "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; structuredClone(o)",
    "parser in eval": "eval('('.repeat(1e5))",
}

NESTED = {
    "parentheses": ("(", "1", ")"),
    "arrays": ("[", "1", "]"),
    "objects": ("({a:", "1", "})"),
    "blocks": ("{", "", "}"),
    "conditions": ("if(1)", ";", ""),
    "loops": ("for(;;)", ";", ""),
    "try": ("try{", "", "}finally{}"),
    "not": ("!", "1", ""),
    "arrows": ("()=>", "1", ""),
    "choices": ("1?", "1", ":1"),
    "powers": ("2**", "1", ""),
    "templates": ("`${", "1", "}`"),
    "functions": ("function f(){", "", "}"),
    "function expressions": ("(function(){return ", "1", "})()"),
    "classes": ("(class{m(){return ", "1", "}})"),
    "new": ("new ", "Object", ""),
    "calls": ("f(", "1", ")"),
    "subscripts": ("a[", "1", "]"),
    "await": ("await ", "1", ""),
}


@pytest.mark.parametrize("name", RUNNING)
def test_recursion_can_be_caught_and_is_reported(guest, name):
    """Recursion without end is a RangeError: the program can catch it and go on, and it is reported when it does not."""
    caught = guest.run(
        f"try {{ {RUNNING[name]} }} catch (e) {{ console.log(e instanceof RangeError) }} console.log('on')",
        memory_mib=512,
    )
    assert (caught.trap, caught.logs) == (None, "true\non\n")
    ran = guest.run(RUNNING[name], memory_mib=512)
    assert (ran.kind, ran.part("message")) == ("failed", "RangeError: Maximum call stack size exceeded")


@pytest.mark.parametrize("name", NESTED)
def test_deep_nesting_is_rejected(guest, name):
    """A program nested past the parser's stack is rejected; one of a moderate depth is read."""
    before, inside, after = NESTED[name]
    ran = guest.run("console.log('ran');" + before * 20_000 + inside + after * 20_000)
    assert (ran.kind, ran.logs, ran.part("message")) == ("rejected", "", "RangeError: Maximum call stack size exceeded")
    depth = 60
    ran = guest.run("async function never() {" + before * depth + inside + after * depth + "}")
    assert ran.kind == "returned"


@pytest.mark.parametrize(
    "pattern",
    [
        "'(?='.repeat(2e4) + ')'.repeat(2e4)",
        "'(?:'.repeat(2e4) + ')'.repeat(2e4)",
        "'['.repeat(2e4) + ']'.repeat(2e4), 'v'",
    ],
)
def test_deep_patterns_are_syntax_errors(guest, pattern):
    """A regular expression nested past the compiler's stack is a SyntaxError."""
    assert guest.run(f"try {{ new RegExp({pattern}) }} catch (e) {{ console.log(e.name) }}").logs == "SyntaxError\n"


def test_ordinary_depth_works(guest):
    """Recursion of a few hundred calls is no problem."""
    ran = guest.run("const f = (n) => n ? 1 + f(n - 1) : 0; console.log(f(700), [1, 2, 3].map((n) => f(100 * n)))")
    assert ran.logs == "700 [ 100, 200, 300 ]\n"


def test_long_chains_are_freed_without_recursion(guest):
    """Lists, closures and promises of any length are freed and settled without taking stack."""
    ran = guest.run(
        "let l = null; for (let i = 0; i < 3e5; i++) l = { l }; l = null;\n"
        "let f = () => 1; for (let i = 0; i < 2e5; i++) { const g = f; f = () => g } f = null;\n"
        "let p = Promise.resolve(); for (let i = 0; i < 1e5; i++) p = p.then(() => {}); await p; console.log('done')",
        memory_mib=512,
    )
    assert (ran.kind, ran.logs) == ("returned", "done\n")


def test_a_larger_stack_is_used_when_the_host_has_one(guest, harness):
    """The context's `stack` says how many bytes of stack the host allows."""
    source = "let d = 0; const f = () => { d++; f() }; try { f() } catch { console.log(d) }"
    small, usual = (int(guest.run(source, context=c).logs) for c in ({"stack": 512 << 10}, {}))
    assert 250 < small < usual / 1.8
