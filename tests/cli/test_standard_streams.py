"""What the caller's shell may do to standard streams: closed, full, or read by nobody."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from gg import Host, Reply, ToolCall
from gg.errors import UsageError

GG = f"{sys.executable} -m gg.cli"


def shell(command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell's command line, and do not wait for ever."""
    return subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that shows one view."""
    file = tmp_path / "p.js"
    file.write_text("gg.views.openText('a', 'b');")
    return file


def test_standard_error_may_be_closed(program: Path) -> None:
    """A closed standard error takes no descriptor from gg: the run ends as ever."""
    done = shell(f"{GG} run --arm javascript {program} 2>&-")
    assert done.returncode == 0
    assert b"View: a" in done.stdout


@pytest.mark.parametrize("command", ["tokens", "logs"])
def test_standard_input_may_be_closed(command: str) -> None:
    """A closed standard input is an empty one."""
    done = shell(f"{GG} {command} <&-")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("command", ["arms", "run --arm javascript {program}", "run --json --arm javascript {program}"])
def test_a_reader_that_goes(command: str, program: Path) -> None:
    """Output that nobody reads is the status of a closed pipe, without a traceback."""
    done = shell(f"{GG} {command.replace('{program}', str(program))} | true; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr


def test_output_that_cannot_be_written(program: Path) -> None:
    """A full device is one sentence and a status of its own."""
    done = shell(f"{GG} run --json --arm javascript {program} > /dev/full")
    assert done.returncode == 74
    assert done.stderr.decode().count("\n") == 1


@pytest.mark.parametrize("option", ["--exit-status 99999999999999999999", "--signal -1"])
def test_a_status_no_process_has(option: str) -> None:
    """`gg trim` takes only statuses and signals that a process may have."""
    done = shell(f"{GG} trim python runtime {option} </dev/null")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().count("\n") == 1


def test_limits_of_another_shape(host: Host) -> None:
    """Limits are `gg.Limits`; anything else is refused before a worker is asked for."""
    shapes: list[Any] = [5, {"timeout": 3}]
    for limits in shapes:
        with pytest.raises(UsageError, match="limits are gg.Limits"):
            host.session("javascript", limits=limits)


def test_one_turn_at_a_time(host: Host) -> None:
    """A second thread's turn is refused, and the first one's result stays its own."""
    with host.session("javascript") as session:
        entered = threading.Event()
        results: list[str] = []

        def slow() -> None:
            entered.set()
            code = "let n = 0; while (n < 3e7) n++; gg.views.openText('slow', 'done')"
            turn = session.turn(Reply("", [ToolCall("a", "submit_program", {"program": code})]))
            results.extend(message.heading or "" for message in turn.messages)

        thread = threading.Thread(target=slow)
        thread.start()
        entered.wait()
        refused = 0
        while thread.is_alive() and not refused:
            try:
                session.turn(Reply("", [ToolCall("b", "submit_program", {"program": "1"})]))
            except UsageError:
                refused += 1
        thread.join()
    assert refused == 1
    assert "View: slow" in results
