"""The standard library in the sandbox: what works, and what is denied by an ordinary exception."""

from __future__ import annotations

import pytest
from guest_harness import Guest

MODULES = (
    "json re dataclasses asyncio sqlite3 decimal statistics csv xml.etree.ElementTree zlib hashlib hmac secrets email.mime.text "
    "html.parser tomllib unicodedata pickle inspect ast logging.handlers pathlib tempfile uuid zoneinfo importlib.resources "
    "concurrent.futures.thread unittest.mock difflib xmlrpc.client encodings.shift_jis encodings.idna _strptime pydoc doctest "
    "string.templatelib annotationlib importlib.metadata wsgiref.util compression.zlib timeit pprint textwrap fractions"
).split()


@pytest.mark.parametrize("module", MODULES)
def test_the_library_is_there(guest: Guest, module: str) -> None:
    """The pure parts of the standard library can be imported."""
    assert guest.run(f"import {module}\n").kind == "returned"


def test_what_the_library_imports_late_is_there(guest: Guest) -> None:
    """Modules and codecs that the library imports at their first use are there too."""
    run = guest.run(
        "import datetime, difflib, statistics, email.message\n"
        "datetime.datetime.strptime('2024-01-02', '%Y-%m-%d')\n'x'.encode('shift_jis'), 'bücher.de'.encode('idna')\n"
        "email.message.EmailMessage().set_content('x')\nstatistics.linear_regression([1, 2], [3, 4])\n"
        "import sqlite3\nprint(sqlite3.connect(':memory:').execute('select 1').fetchone())\n"
    )
    assert (run.kind, run.out) == ("returned", "(1,)\n")


def test_time_zones_are_there(guest: Guest) -> None:
    """`zoneinfo` knows every zone, and answers a name that is none as it always does."""
    run = guest.run(
        "import pickle, zoneinfo\nfrom datetime import datetime\nberlin = zoneinfo.ZoneInfo('Europe/Berlin')\n"
        "print(datetime(2024, 7, 1, 12, tzinfo=berlin), datetime(2024, 1, 1, tzinfo=berlin).tzname())\n"
        "print(datetime(2024, 3, 31, 1, 30, tzinfo=berlin).astimezone(zoneinfo.ZoneInfo('Asia/Kathmandu')))\n"
        "print(pickle.loads(pickle.dumps(berlin)) is berlin, 'America/New_York' in zoneinfo.available_timezones())\n"
        "try:\n    zoneinfo.ZoneInfo('Mars/Base')\nexcept zoneinfo.ZoneInfoNotFoundError as e:\n    print(e)\n"
    )
    assert run.out == (
        "2024-07-01 12:00:00+02:00 CET\n2024-03-31 06:15:00+05:45\nTrue True\n'No time zone found with key Mars/Base'\n"
    )


def test_asyncio_works(guest: Guest) -> None:
    """The event loop runs tasks, timers and queues, and sleeps on the host."""
    run = guest.run(
        "import asyncio, time\nasync def main():\n"
        "    print(sum(await asyncio.gather(asyncio.sleep(0.01, 1), asyncio.sleep(0, 2))))\n"
        "    try:\n        async with asyncio.timeout(0.01): await asyncio.sleep(5)\n    except TimeoutError: print('timeout')\n"
        "    async with asyncio.TaskGroup() as group: group.create_task(asyncio.sleep(0))\n"
        "    queue = asyncio.Queue()\n    await queue.put(1)\n    print(await queue.get(), await asyncio.to_thread(len, 'abc'))\n"
        "asyncio.run(main())\n"
    )
    assert (run.kind, run.out, run.err) == ("returned", "3\ntimeout\n1 3\n", "")
    assert 0 < sum(run.sleeps) < 40


@pytest.mark.parametrize(
    ("program", "total_ms"),
    [
        ("import time\ntime.sleep(0.02)\n", 20),
        ("from time import sleep\nclass A:\n    pause = sleep\nA().pause(0.02)\n", 20),
        ("import threading\nassert not threading.Event().wait(0.02)\n", 20),
        ("import threading\nc = threading.Condition()\nwith c:\n    assert not c.wait(0.02)\n", 20),
        ("import queue\ntry:\n    queue.SimpleQueue().get(timeout=0.02)\nexcept queue.Empty:\n    pass\n", 20),
        ("import select\nselect.select([], [], [], 0.02)\n", 20),
        ("import selectors\nselectors.DefaultSelector().select(0.02)\n", 20),
        ("import sched, time\ns = sched.scheduler()\ns.enter(0.02, 1, print)\ns.run()\n", 20),
    ],
)
def test_waiting_is_done_by_the_host(guest: Guest, program: str, total_ms: float) -> None:
    """Every way to wait with a timeout sleeps on the host, so that the deadline counts it."""
    run = guest.run(program)
    assert run.kind == "returned"
    assert 0 < sum(run.sleeps) <= total_ms * 1.5


@pytest.mark.parametrize(
    "program",
    [
        "import threading\nthreading.Event().wait()\n",
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()\n",
        "import asyncio\nasync def main(): await asyncio.Future()\nasyncio.run(main())\n",
        "import queue\nqueue.Queue().get()\n",
    ],
)
def test_a_wait_that_cannot_end_fails(guest: Guest, program: str) -> None:
    """A wait that nothing can end is an error at once."""
    run = guest.run(program)
    assert run.kind == "failed"
    assert "RuntimeError: deadlock: " in run.body


@pytest.mark.parametrize(
    "program",
    [
        "import threading\nthreading.Thread(target=print).start()\n",
        "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(print)\n",
        "import threading\nthreading.Timer(1, print).start()\n",
    ],
)
def test_there_are_no_threads(guest: Guest, program: str) -> None:
    """Starting a thread is an ordinary error."""
    assert guest.run(program).body.endswith("RuntimeError: can't start new thread")


@pytest.mark.parametrize(
    "action",
    [
        "socket.socket()",
        "socket.create_connection(('1.1.1.1', 80))",
        "socket.getaddrinfo('example.com', 80)",
        "socket.gethostbyname('example.com')",
        "urllib.request.urlopen('http://example.com/')",
        "urllib.request.urlopen('https://example.com/')",
        "http.client.HTTPConnection('example.com').request('GET', '/')",
        "asyncio.run(asyncio.open_connection('example.com', 80))",
        "smtplib.SMTP('example.com')",
    ],
)
def test_the_network_is_denied(guest: Guest, action: str) -> None:
    """Reaching for the network, look-ups included, is an OSError that says so."""
    run = guest.run(
        f"import asyncio, http.client, smtplib, socket, urllib.request\ntry:\n    {action}\nexcept OSError as e:\n    print(e)\n"
    )
    assert (run.kind, "[Errno 13] network access is denied in this sandbox" in run.out) == ("returned", True)


@pytest.mark.parametrize(
    "action",
    [
        "subprocess.run(['ls'], capture_output=True)",
        "subprocess.check_output('ls', shell=True)",
        "os.system('ls')",
        "os.popen('ls')",
        "os.fork()",
        "os.execv('/bin/ls', ['ls'])",
        "os.pipe()",
        "asyncio.run(asyncio.create_subprocess_shell('ls'))",
    ],
)
def test_processes_are_denied(guest: Guest, action: str) -> None:
    """Starting a process is an OSError."""
    run = guest.run(f"import asyncio, os, subprocess\ntry:\n    {action}\nexcept OSError as e:\n    print(e)\n")
    assert run.kind == "returned"
    assert "denied in this sandbox" in run.out


def test_no_file_is_visible(guest: Guest) -> None:
    """There is no file to read, no place to write, and no input."""
    run = guest.run(
        "import os\nfor action in (lambda: open('/etc/passwd'), lambda: open('x', 'w'), lambda: os.listdir('/'), input):\n"
        "    try:\n        action()\n    except (OSError, EOFError) as e:\n        print(type(e).__name__)\n"
    )
    assert run.out == "FileNotFoundError\nFileNotFoundError\nFileNotFoundError\nEOFError\n"
