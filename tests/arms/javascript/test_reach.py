"""What a program can reach from inside: the language, and gg."""

from __future__ import annotations

import pytest


def test_globals_are_the_languages_and_the_webs(guest):
    """No name of an engine's shell, of Node or of a browser's page is a global."""
    names = (
        "std os bjson gc scriptArgs print load process require module Buffer Deno Bun window self global Worker Atomics"
    )
    ran = guest.run(f"console.log('{names}'.split(' ').filter(name => name in globalThis))")
    assert ran.logs == "[]\n"


@pytest.mark.parametrize(
    "name", ["std", "os", "qjs:os", "fs", "node:fs", "/etc/passwd", "./program.js", "gg:sdk", "data:,1"]
)
def test_only_ggs_modules_can_be_imported(guest, name):
    """No file, no URL and no part of the engine is a module."""
    ran = guest.run(f"try {{ await import('{name}') }} catch (error) {{ console.log(error.message) }}")
    assert ran.logs == f"Cannot find module '{name}'\n"


def test_call_sites_hand_out_nothing_of_ggs(guest):
    """A stack that the program composes holds no function that is not the program's or the language's."""
    ran = guest.run(
        "const seen = new Set();\n"
        "Error.prepareStackTrace = (error, sites) => sites.map(site => seen.add(site.getFileName()));\n"
        "const look = () => new Error('x').stack;\n"
        "[1].map(look); setTimeout(look); console.log({ get x() { return look() } });\n"
        "try { gg.files.readFile({ toString: look }) } catch (error) { error.stack }\n"
        "setTimeout(() => console.log([...seen].filter(file => file)));\n"
    )
    assert ran.logs.split("\n")[-2] == "[ 'program.js' ]"
