"""From inside a program no environment variable, file, socket or process is reachable, on either arm."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from support import FAST, one_of, submit

from gg import Host, Session


@pytest.fixture(scope="module")
def python(host: Host) -> Iterator[Session]:
    """One Python session."""
    with host.session("python", limits=FAST) as made:
        yield made


@pytest.fixture(scope="module")
def javascript(host: Host) -> Iterator[Session]:
    """One JavaScript session."""
    with host.session("javascript", limits=FAST) as made:
        yield made


def test_python_has_no_environment(python: Session) -> None:
    """The environment is empty, whatever the host's holds."""
    assert os.environ
    assert submit(python, "import os, posix\nprint(dict(os.environ), dict(posix.environ))").logs == ["{} {}"]


@pytest.mark.parametrize(
    "expression",
    [
        "open('/etc/passwd')", "open('/proc/self/environ')", "open('/tmp/x', 'w')", "open('x', 'w')", "os.listdir('/')",
        "os.listdir('.')", "os.stat('/etc')", "os.mkdir('/tmp/x')", "os.open('/dev/null', 0)", "os.remove('/etc/passwd')",
        "os.symlink('/etc', 'e')", "io.FileIO('/etc/passwd')", "io.open_code('/etc/passwd')", "pathlib.Path('/').iterdir().__next__()",
        "tempfile.mkdtemp()", "posix.open('/etc/passwd', 0)", "shutil.copy('/etc/passwd', '/tmp/x')", "open(3)", "open(4)", "open(5)",
        "os.scandir('/work')", "sqlite3.connect('/tmp/x.db').execute('create table t(a)')", "zipfile.ZipFile('/tmp/x', 'w')",
    ],
)  # fmt: skip
def test_python_reaches_no_file(python: Session, expression: str) -> None:
    """Every way to a file is an ordinary exception that a program may catch."""
    program = f"import os, io, posix, pathlib, tempfile, shutil, zipfile\ntry:\n    import sqlite3\n    {expression}\nexcept Exception as e: print('denied')\nelse: print('REACHED')"
    assert submit(python, program).logs == ["denied"]


@pytest.mark.parametrize(
    "expression",
    [
        "socket.socket()", "socket.create_connection(('127.0.0.1', 80), 1)", "socket.getaddrinfo('example.org', 80)",
        "socket.gethostbyname('localhost')", "socket.socketpair()", "urllib.request.urlopen('http://127.0.0.1')", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "asyncio.run(asyncio.open_connection('127.0.0.1', 80))", "asyncio.run(asyncio.start_server(print, '127.0.0.1', 0))",
        "socket.fromfd(0, socket.AF_INET, socket.SOCK_STREAM)", "http.client.HTTPConnection('127.0.0.1').request('GET', '/')", "_socket.socket()",
    ],
)  # fmt: skip
def test_python_reaches_no_socket(python: Session, expression: str) -> None:
    """Network access, name look-ups included, is denied by an ordinary exception."""
    program = f"import asyncio, socket, _socket, urllib.request, http.client\ntry: {expression}\nexcept OSError: print('denied')\nexcept AttributeError: print('denied')\nelse: print('REACHED')"
    assert submit(python, program).logs == ["denied"]


@pytest.mark.parametrize(
    "expression",
    [
        "subprocess.run(['true'])", "os.system('true')", "os.popen('true').read()", "os.fork()", "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})", "os.kill(1, 0)", "os.kill(os.getppid(), 9)", "asyncio.run(asyncio.create_subprocess_exec('true'))",
        "multiprocessing.Process(target=print).start()", "threading.Thread(target=print).start()", "concurrent.futures.ProcessPoolExecutor().submit(print).result()",
        "__import__('ctypes')", "__import__('mmap')", "__import__('cffi')", "__import__('gg_rust_ext')", "__import__('wasmtime')", "__import__('pip')",
    ],
)  # fmt: skip
def test_python_reaches_no_process(python: Session, expression: str) -> None:
    """No process can be started or signalled, and nothing of the host's Python is there."""
    program = f"import asyncio, os, subprocess, threading, concurrent.futures\ntry:\n    import multiprocessing\n    {expression}\nexcept Exception: print('denied')\nelse: print('REACHED')"
    assert submit(python, program).logs == ["denied"]


def test_python_knows_nothing_of_its_host(python: Session) -> None:
    """What Python says of the machine is the sandbox's: no path, name, user or id of the host's."""
    program = (
        "import os, sys, socket, platform\nprint(sys.path, sys.argv, sys.executable, os.getcwd(), socket.gethostname(), os.uname(),"
        " sys.prefix, __file__, sys.modules['__main__'].__dict__.keys(), os.getpid())"
    )
    (line,) = submit(python, program).logs
    for word in (os.uname().nodename, os.path.expanduser("~"), os.getcwd(), "site-packages", "work/main"):
        assert word not in line


@pytest.mark.parametrize("name", ["std", "os", "qjs:os", "qjs:std", "fs", "node:fs", "net", "child_process", "file:///etc/passwd", "/etc/passwd", "../x.js", "http://127.0.0.1/x.js", "data:text/javascript,1"])  # fmt: skip
def test_javascript_imports_nothing_but_gg(javascript: Session, name: str) -> None:
    """No module of an engine, of node, of the disk or of the network can be imported."""
    assert submit(
        javascript, f"try {{ await import('{name}'); console.log('REACHED') }} catch (e) {{ console.log('denied') }}"
    ).logs == ["denied"]


@pytest.mark.parametrize("name", ["process", "require", "std", "os", "Deno", "Bun", "scriptArgs", "load", "read", "readFile", "Worker", "WebAssembly", "print", "quit", "__loadScript", "navigator", "localStorage"])  # fmt: skip
def test_javascript_has_no_global_of_a_host(javascript: Session, name: str) -> None:
    """Nothing that reads a file, an environment or starts a process is a global."""
    assert submit(javascript, f"console.log(typeof {name})").logs == ["undefined"]


@pytest.mark.parametrize(
    "expression", ["fetch('http://127.0.0.1')", "new WebSocket('ws://127.0.0.1')", "new XMLHttpRequest()"]
)
def test_javascript_reaches_no_socket(javascript: Session, expression: str) -> None:
    """What would need the network fails with an error that says so."""
    ran = submit(javascript, f"try {{ await {expression} }} catch (e) {{ console.log(e.message) }}")
    assert ran.logs[0].endswith("network access is denied in this sandbox")


def test_javascript_globals_are_these(javascript: Session) -> None:
    """The lower-case globals are the language's, the web's few, and gg."""
    program = "console.log(Object.getOwnPropertyNames(globalThis).filter(n => /^[a-z]/.test(n)).sort().join(' '))"
    known = (
        "atob btoa clearImmediate clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI "
        "encodeURIComponent escape eval fetch gg globalThis isFinite isNaN parseFloat parseInt performance queueMicrotask "
        "setImmediate setInterval setTimeout structuredClone undefined unescape"
    )
    assert submit(javascript, program).logs == [known]


@pytest.mark.parametrize("module", ["files", "views"])
def test_calls_not_granted_are_refused(host: Host, arm: str, module: str) -> None:
    """A call of a module the agent does not hold is refused as not available, recorded, and never dispatched."""
    call = {
        "files": one_of(arm, "gg.files.readFile('x')", "gg.files.read_file('x')"),
        "views": one_of(arm, "gg.views.openText('a', 'b')", "gg.views.open_text('a', 'b')"),
    }[module]
    with host.session(arm, limits=FAST, grants=["session"]) as session:
        ran = submit(session, call)
        assert ran.headings == ["Runtime error"]
        assert "(unavailable)" in ran.error
        assert "grant" not in ran.error, "a refusal never says what would unlock it"
        assert (ran.execution["toolCalls"], ran.execution["apiCalls"], len(ran.of("refusal"))) == (0, 1, 1)


@pytest.mark.parametrize("module", ["nothing", "nope"])
def test_modules_that_are_not_there(host: Host, arm: str, module: str) -> None:
    """A module this host has no operations of is the language's own error."""
    with host.session(arm, limits=FAST) as session:
        ran = submit(session, f"gg.{module}.x")
        assert ran.headings == ["Runtime error"]
        assert ran.turn.outcome == "continue"
