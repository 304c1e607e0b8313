"""The small interfaces of the web platform."""

from __future__ import annotations

import json

import pytest


def _value(guest, expression):
    """The JSON value of an expression of the program."""
    ran = guest.run(f"console.log(JSON.stringify({expression}))")
    assert ran.kind == "returned", ran.body
    return json.loads(ran.logs)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[...new TextEncoder().encode('é€😀\\ud800')]", [195, 169, 226, 130, 172, 240, 159, 152, 128, 239, 191, 189]),
        (
            "new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82, 0x62]))",
            "a\ufffd\ufffdb",
        ),
        ("new TextDecoder('utf-8', {ignoreBOM: true}).decode(new Uint8Array([0xef, 0xbb, 0xbf]))", "\ufeff"),
        (
            "(d => d.decode(new Uint8Array([0xe2, 0x82]), {stream: true}) + d.decode(new Uint8Array([0xac])))(new TextDecoder())",
            "€",
        ),
        ("new TextDecoder('utf-16le').decode(new Uint8Array([0x61, 0, 0xac, 0x20]))", "a€"),
        ("new TextDecoder('latin1').decode(new Uint8Array([0xe9]))", "é"),
        ("new TextEncoder().encodeInto('aé', new Uint8Array(2))", {"read": 1, "written": 1}),
        ("atob(btoa('hello'))", "hello"),
        ("crypto.getRandomValues(new Uint32Array(3)).length", 3),
        ("/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())", True),
        ("performance.now() <= performance.now()", True),
        ("Math.abs(Date.now() - 1.7e12) < 3e12", True),
    ],
)
def test_text_bytes_randomness_and_time(guest, expression, value):
    """Encoding, decoding, base64, randomness and clocks do what they do in browsers."""
    assert _value(guest, expression) == value


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "new TextDecoder('utf-8', {fatal: true}).decode(new Uint8Array([0xff]))",
            "TypeError: the encoded data is not valid utf-8",
        ),
        ("new TextDecoder('klingon')", "RangeError: the encoding klingon is not supported"),
        ("atob('*')", "InvalidCharacterError"),
        ("structuredClone(() => 1)", "DataCloneError: () => 1 could not be cloned."),
        ("structuredClone({a: Symbol('s')})", "DataCloneError: Symbol(s) could not be cloned."),
        ("await fetch('http://x')", "TypeError: fetch is not available: network access is denied in this sandbox"),
        ("new WebSocket('ws://x')", "TypeError: WebSocket is not available: network access is denied in this sandbox"),
        (
            "new XMLHttpRequest()",
            "TypeError: XMLHttpRequest is not available: network access is denied in this sandbox",
        ),
        ("new URL('nope')", "TypeError: Invalid URL: nope"),
    ],
)
def test_what_cannot_be_done_is_a_named_error(guest, program, message):
    """Bad input and what this sandbox has not are catchable errors that say what they are about."""
    assert guest.run(program).part("message").startswith(message)
    assert guest.run(f"try {{ {program} }} catch (e) {{ console.log('caught') }}").logs == "caught\n"


def test_structured_clone_copies_what_json_cannot(guest):
    """Dates, maps, sets, patterns, bytes, errors and circles come out as copies of their kind."""
    ran = guest.run(
        "const o = {d: new Date(5), m: new Map([[{k: 1}, new Set([1])]]), r: /x/g, b: new Uint8Array([1, 2]), e: new RangeError('r'), n: 1n, u: undefined, a: [1,,2]};\n"
        "o.o = o;\nconst c = structuredClone(o);\n"
        "console.log(c !== o, c.o === c, c.d instanceof Date && +c.d, [...c.m][0][0].k, c.r.flags, c.b.buffer !== o.b.buffer, c.b[1],"
        " c.e instanceof RangeError && c.e.message, c.n, 'u' in c, 1 in c.a, c.a.length)"
    )
    assert ran.logs == "true true 5 1 g true 2 r 1n true false 3\n"


@pytest.mark.parametrize(
    ("text", "base", "href"),
    [
        (
            "https://User:pa ss@EXAMPLE.com:443/a/../b/./c?x=1 2#f g",
            None,
            "https://User:pa%20ss@example.com/b/c?x=1%202#f%20g",
        ),
        ("../x?y", "http://a.b/c/d/e", "http://a.b/c/x?y"),
        ("//h/p", "https://a/b", "https://h/p"),
        ("/p", "https://a:8443/b?q#f", "https://a:8443/p"),
        ("?q", "https://a/b/c", "https://a/b/c?q"),
        ("#f", "https://a/b?x", "https://a/b?x#f"),
        ("", "https://a/b?x#f", "https://a/b?x"),
        ("http:\\\\a\\b", None, "http://a/b"),
        ("http://0x7f.1/", None, "http://127.0.0.1/"),
        ("http://[2001:db8:0:0:1:0:0:1]:80/", None, "http://[2001:db8::1:0:0:1]/"),
        ("http://[::ffff:1.2.3.4]/", None, "http://[::ffff:102:304]/"),
        ("http://münchen.de/ß", None, "http://xn--mnchen-3ya.de/%C3%9F"),
        ("https://例え.jp", None, "https://xn--r8jz45g.jp/"),
        ("file:///C|/x/../y", None, "file:///C:/y"),
        ("mailto:a@b.c", None, "mailto:a@b.c"),
        ("data:text/plain,hi there", None, "data:text/plain,hi there"),
        (" http://a/%7Eb ", None, "http://a/%7Eb"),
    ],
)
def test_urls_are_parsed_as_the_standard_says(guest, text, base, href):
    """An URL is normalised and resolved as in browsers."""
    arguments = json.dumps(text) + ("" if base is None else f", {json.dumps(base)}")
    assert _value(guest, f"new URL({arguments}).href") == href


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/x",
        "http://",
        "http://a b/",
        "http://a:99999/",
        "http://1.2.3.4.5/",
        "http://[::1/",
        "http://a:b@/",
        "http://ex<ample/",
    ],
)
def test_bad_urls_are_refused(guest, text):
    """What is no URL is not parsed."""
    assert _value(guest, f"[URL.canParse({json.dumps(text)}), URL.parse({json.dumps(text)})]") == [False, None]


def test_parts_of_a_url_can_be_set(guest):
    """Setting a part changes the whole; the search parameters and the URL follow each other."""
    expression = (
        "(u => { u.port = 8080; u.hash = 'q r'; u.pathname = '/a b'; u.searchParams.append('z', 'é &'); u.host = 'h.example'; u.protocol = 'http';"
        " const t = u.href; u.search = '?k=v'; return [t, u.searchParams.get('k'), u.origin, `${u}` === u.toJSON()] })(new URL('https://e.com/?a=1'))"
    )
    assert _value(guest, expression) == [
        "http://h.example:8080/a%20b?a=1&z=%C3%A9+%26#q%20r",
        "v",
        "http://h.example:8080",
        True,
    ]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("String(new URLSearchParams({a: '1 2', b: 'ü'}))", "a=1+2&b=%C3%BC"),
        ("[...new URLSearchParams('?x=1&x=2&y&z=%20+')]", [["x", "1"], ["x", "2"], ["y", ""], ["z", "  "]]),
        (
            "(p => (p.set('x', 3), p.delete('y'), p.sort(), [String(p), p.size, p.has('y'), p.getAll('x')]))(new URLSearchParams('z=1&x=1&y=2&x=2'))",
            ["x=3&z=1", 2, False, ["3"]],
        ),
    ],
)
def test_search_parameters(guest, expression, value):
    """Search parameters are read, changed and written as forms are."""
    assert _value(guest, expression) == value
