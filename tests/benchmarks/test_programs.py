"""Programs and calls across processes, beside their floors from the same run.

`GG_BENCH=1` measures at full size and prints; without it everything runs a few times as a test. Read the figures with
these caveats: they are medians on whatever machine this is and with whatever else it does; only ratios of one run
compare; a busy second core makes calls slower, since the worker and the host wake each other.
"""

from __future__ import annotations

import os
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import wasmtime

from gg import Host, Reply, Session, ToolCall
from gg.stream.events import CodeExecution
from gg.worker.engine import engine_config
from gg_rust_ext import load_tokens

FULL = os.environ.get("GG_BENCH") == "1"
PROGRAMS = 300 if FULL else 3
CALLS = 2_000 if FULL else 20
TRIVIAL = {"javascript": "1 + 1;", "python": "1 + 1"}
NO_OPS = {
    "javascript": "for (let i = 0; i < {n}; i++) gg.views.close('nothing');",
    "python": "for i in range({n}): gg.views.close('nothing')",
}
LIMIT_MS = {"javascript": 0.8, "python": 2.5}


@pytest.fixture(scope="module")
def quiet_host() -> Iterator[Host]:
    """A host without plugins, so that nothing but gg is measured."""
    load_tokens()
    with Host(plugins=False, spares=False) as made:
        yield made


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Print a figure past pytest's capture, at full size only."""
    if FULL:
        with capsys.disabled():
            print(f"\n{line}", end="")


def median_ms(work: Callable[[], object], count: int, pause_s: float = 0.0) -> float:
    """Return the median time of ``work`` in milliseconds."""
    times: list[float] = []
    for _ in range(count):
        if pause_s:
            time.sleep(pause_s)
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def submit(session: Session, program: str) -> CodeExecution:
    """Run one program and return its event."""
    turn = session.turn(Reply("", [ToolCall("c", "submit_program", {"program": program})]))
    (event,) = (event for event in turn.events if isinstance(event, CodeExecution))
    assert event.ok
    return event


def round_trip_ms(count: int) -> float:
    """Return the median round trip of 100 bytes over a socket pair, to a process that only answers."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        while data := theirs.recv(4096):
            theirs.sendall(data)
        os._exit(0)
    theirs.close()

    def ping() -> None:
        ours.sendall(b"x" * 100)
        ours.recv(4096)

    try:
        return median_ms(ping, count)
    finally:
        ours.close()
        os.waitpid(child, 0)


def empty_module_ms(count: int) -> float:
    """Return the median time of a fresh store, an instance of the smallest module, and one call of it."""
    engine = wasmtime.Engine(engine_config("core"))
    pre = wasmtime.Linker(engine).instantiate_pre(wasmtime.Module(engine, '(module (func (export "f")))'))

    def once() -> None:
        store = wasmtime.Store(engine)
        store.set_epoch_deadline(1)
        function = pre.instantiate(store).exports(store)["f"]
        assert isinstance(function, wasmtime.Func)
        function(store)

    return median_ms(once, count)


@pytest.mark.parametrize("arm", ["javascript", "python"])
def test_trivial_program(arm: str, quiet_host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    """A trivial program comes back, and its own time is a part of the whole."""
    floor = round_trip_ms(PROGRAMS)
    with quiet_host.session(arm) as session:
        own = statistics.median(float(submit(session, TRIVIAL[arm]).duration_ms) for _ in range(PROGRAMS))  # type: ignore[arg-type]
        whole = median_ms(lambda: submit(session, TRIVIAL[arm]), PROGRAMS)
        idle = median_ms(lambda: submit(session, TRIVIAL[arm]), PROGRAMS // 3, pause_s=0.005)
    assert 0 < own < whole * 2
    report(
        capsys, f"{arm}: trivial program, submit to outcome: {whole:.3f} ms back to back, {idle:.3f} after 5 ms idle"
    )
    report(capsys, f"{arm}:   of it {own:.3f} in the guest; floors: {floor:.3f} a socket round trip,"
                   f" {empty_module_ms(PROGRAMS):.3f} an empty module; to reach: {LIMIT_MS[arm]}")  # fmt: skip


@pytest.mark.parametrize("arm", ["javascript", "python"])
def test_call(arm: str, quiet_host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    """Every call of a loop is answered and counted."""
    floor = round_trip_ms(CALLS) * 1000
    with quiet_host.session(arm) as session:
        submit(session, TRIVIAL[arm])
        empty = median_ms(lambda: submit(session, TRIVIAL[arm]), 10)
        took: list[float] = []
        for _ in range(5 if FULL else 1):
            began = time.perf_counter()
            event = submit(session, NO_OPS[arm].replace("{n}", str(CALLS)))
            took.append(((time.perf_counter() - began) * 1000 - empty) * 1000 / CALLS)
    assert event.api_calls == CALLS
    micro = statistics.median(took)
    report(capsys, f"{arm}: no-op call, guest to host process and back: {micro:.1f} µs,"
                   f" {micro / floor:.1f} times a bare socket round trip ({floor:.1f}); to reach: 60")  # fmt: skip


def test_cold_run(capsys: pytest.CaptureFixture[str]) -> None:
    """The whole of ``gg run``, its process included, answers a JavaScript program."""
    import subprocess
    import sys

    arms = find_spec("gg_arms")
    assert arms is not None
    assert arms.submodule_search_locations
    assert (Path(arms.submodule_search_locations[0]) / "javascript" / "javascript.wasm").is_file()
    command = [sys.executable, "-m", "gg.cli", "run", "--arm", "javascript", "--json", "-"]

    def once() -> None:
        done = subprocess.run(command, input=b"1 + 1;", capture_output=True, check=True)
        assert done.stdout.startswith(b"{")

    once()  # a cold cache is not what is measured
    report(capsys, f"gg run, JavaScript, cache warm: {median_ms(once, 10 if FULL else 1):.0f} ms; to reach: 300")
    bare = median_ms(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 10 if FULL else 1)
    report(capsys, f"  floor: {bare:.0f} ms, a Python process that does nothing")
