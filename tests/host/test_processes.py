"""The processes of a host: whoever dies, nothing hangs, nothing is lost, nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import FAST, LOOP, Runner, alive, children, descendants, gg, spell, submit, wait_until, warden_pid

from gg import Host, Limits, Session
from gg.config import Settings
from gg.errors import UsageError, WardenError
from gg.operations.table import Arguments, Operation

DIED = "execution stopped: the sandbox process running the program ended"


class _Nothing(Arguments):
    pass


@pytest.fixture
def own_host() -> Iterator[Host]:
    """A host of the test's own, since it gets hurt."""
    with Host(spares=False) as made:
        yield made


def cold(folder: Path) -> Settings:
    """Settings with an empty guest cache, and the JavaScript arm alone."""
    return Settings(arms=frozenset({"javascript"}), cache="on", cache_folder=folder / "guests", trace_hooks=False)


def workers(host: Host) -> list[int]:
    """The processes below a host's warden."""
    return children(warden_pid(host))


def python(code: str, **options: Any) -> subprocess.Popen[str]:
    """Start a process that uses gg as an embedder does."""
    source = textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", source], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_worker_killed_while_running(own_host: Host, arm: str) -> None:
    """Its program is a Runtime error in the sandbox's words; what it did stands, its ending is revoked."""
    with own_host.session(arm, limits=FAST) as session:
        submit(session, "1")
        threading.Timer(0.3, lambda: [os.kill(pid, signal.SIGKILL) for pid in workers(own_host)]).start()
        ran = submit(session, spell(arm, "$LOG('before')\n$OPEN_TEXT('a', 'b')\n$FINISH('x')\n") + LOOP[arm])
        assert ran.headed == [("View: a", "b"), ("Runtime error", DIED)]
        event = ran.execution
        assert (event["ok"], event["error"], event["finished"], event["logs"]) == (False, DIED, "x", ["before"])
        assert 200 < event["durationMs"] < 2000
        assert {"worker_died", "ending_revoked"} <= set(ran.slugs(at_least="warn"))
        assert ran.turn.outcome == "continue"
        assert submit(session, "1").execution["ok"]


def test_worker_killed_while_parked(arm: str) -> None:
    """Killed in a call, the call is recorded to its end, and the program is a Runtime error."""
    host: Host

    def kill(context: object, arguments: _Nothing) -> None:
        for pid in workers(host):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)

    with Host(spares=False, operations=[Operation("hurt.kill", _Nothing, kill, None, "Kill the worker.")]) as host:
        with host.session("script" if arm == "script" else arm, limits=FAST) as session:
            ran = submit(session, "gg.hurt.kill()")
            if "hurt" not in ran.headed[0][1]:  # an arm that has no SDK for added operations yet says so
                assert ran.headed == [("Runtime error", DIED)]
                assert ran.of("api_result")[0]["ok"] is True
                assert ran.execution["toolCalls"] == 1
            assert submit(session, "1").execution["ok"]


def test_worker_killed_while_parked_in_a_hand_written_module(strange_arms: Any) -> None:
    """The same for a guest that names the operation itself."""
    from modules import request

    host: Host

    def kill(context: object, arguments: _Nothing) -> None:
        for pid in workers(host):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)

    with strange_arms.host(spares=False, operations=[Operation("hurt.kill", _Nothing, kill, None, "Kill it.")]) as host:
        with host.session("wat", limits=FAST) as session:
            ran = submit(session, request(b'[["hurt.kill",{}]]'))
            assert ran.headed == [("Runtime error", DIED)]
            assert ran.of("api_result")[0]["ok"] is True
            assert ran.execution["toolCalls"] == 1
            assert submit(session, request(b'[["views.current",{}]]')).execution["ok"]


def test_worker_killed_while_idle(own_host: Host, arm: str) -> None:
    """Killed between programs, it costs nothing but a warning: the next program runs on another worker."""
    with own_host.session(arm, limits=FAST) as session:
        submit(session, "1")
        for pid in workers(own_host):
            os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: not workers(own_host))
        ran = submit(session, "1")
        assert ran.execution["ok"]
        assert "worker_died" in ran.slugs(at_least="warn")


def test_killed_while_compiling(tmp_path: Path) -> None:
    """Whichever process is killed while the guest compiles: the toolchain Notice, and the next program runs."""
    with Host(spares=False, settings=cold(tmp_path)) as host:
        with host.session("javascript", limits=FAST) as session:
            threading.Timer(0.4, lambda: [os.kill(pid, signal.SIGKILL) for pid in workers(host)]).start()
            ran = submit(session, "1")
            assert ran.turn.outcome == "continue"
            assert ran.headings == ["Notice"]
            assert ran.execution["ok"] is False or "worker_died" in ran.slugs()
            ran = submit(session, "gg.views.openText('a', 'b')")
            assert ran.headings == ["View: a"]
            assert ran.execution["compileWaitMs"] > 100, "this one compiled the guest"


def test_compile_killed_alone(tmp_path: Path) -> None:
    """The precompile process killed under a waiting worker is a toolchain failure, not the end of the session."""
    with Host(spares=False, settings=cold(tmp_path)) as host:
        with host.session("javascript", limits=FAST) as session:
            assert wait_until(lambda: len(workers(host)) == 2)
            compiler = max(
                workers(host), key=lambda pid: int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
            )
            os.kill(compiler, signal.SIGKILL)
            ran = submit(session, "1")
            assert (ran.turn.outcome, ran.headings) == ("continue", ["Notice"])
            assert submit(session, "gg.views.openText('a', 'b')").headings == ["View: a"]


def test_two_hosts_on_a_cold_cache(tmp_path: Path) -> None:
    """Both run, and the cache holds one guest, whole."""
    answers: list[bool] = []

    def use() -> None:
        with Host(spares=False, settings=cold(tmp_path)) as host:
            answers.append(bool(Runner(host)("javascript", "1").execution["ok"]))

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == [True, True]
    compiled = list((tmp_path / "guests").rglob("*.cwasm"))
    assert len(compiled) == 1
    with Host(spares=False, settings=cold(tmp_path)) as host:
        event = Runner(host)("javascript", "1").execution
        assert event["ok"]
        assert event.get("compileWaitMs", 0) < 500


@pytest.mark.parametrize("damage", ["truncated", "flipped", "foreign", "empty", "folder", "writable"])
def test_damaged_cache(tmp_path: Path, damage: str) -> None:
    """A cache file that is not what gg wrote is compiled anew; nothing of it is run."""
    with Host(spares=False, settings=cold(tmp_path)) as host:
        assert Runner(host)("javascript", "1").execution["ok"]
    (file,) = (tmp_path / "guests").rglob("*.cwasm")
    data = file.read_bytes()
    file.chmod(0o600)
    if damage == "truncated":
        file.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        file.write_bytes(data[:100_000] + bytes([data[100_000] ^ 0xFF]) + data[100_001:])
    elif damage == "foreign":
        file.write_bytes(b"\x7fELF" + data[4:])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "folder":
        file.unlink()
        file.mkdir()
    else:
        file.chmod(0o666)
    with Host(spares=False, settings=cold(tmp_path)) as host:
        ran = Runner(host)("javascript", "gg.views.openText('a', 'b')")
        assert ran.headings == ["View: a"]


def test_read_only_cache(tmp_path: Path) -> None:
    """A cache that cannot be written is told of, and guests are kept for the host alone."""
    (tmp_path / "guests").write_text("no folder")
    with Host(spares=False, settings=cold(tmp_path)) as host, host.session("javascript", limits=FAST) as session:
        assert submit(session, "1").execution["ok"]
        slugs = [getattr(event, "slug", None) for event in session.events]
        assert "cache_unavailable" in slugs


def test_warden_killed(arm: str) -> None:
    """Its workers go with it; the host answers at once, without hanging."""
    with Host(spares=False) as host:
        with host.session(arm, limits=FAST) as session:
            submit(session, "1")
            below = workers(host)
            threading.Timer(0.3, os.kill, (warden_pid(host), signal.SIGKILL)).start()
            began = time.monotonic()
            ran = submit(session, LOOP[arm])
            assert time.monotonic() - began < 4
            assert ran.headed == [("Runtime error", DIED)]
            assert wait_until(lambda: not any(map(alive, below)))
            try:
                assert submit(session, "1").turn.outcome in ("continue", "fatal")
            except WardenError:
                pass


def test_close_leaves_nothing(arm: str) -> None:
    """Closing a host ends every process of it and removes its folders."""
    with Host() as host:
        before = host.warden.private_folder
        session = host.session(arm, limits=FAST)
        submit(session, "1")
        pid, below = warden_pid(host), descendants(warden_pid(host))
        workspace = (
            Path(os.path.realpath(f"/proc/self/fd/{session.workspace.fileno()}"))
            if hasattr(session.workspace, "fileno")
            else None
        )
        assert below
        session.close()
    assert not alive(pid)
    assert not any(map(alive, below))
    assert not os.path.exists(before)
    assert workspace is None or not workspace.exists()


@pytest.mark.parametrize("end", ["signal.SIGKILL", "signal.SIGTERM"])
def test_host_killed(tmp_path: Path, end: str) -> None:
    """When its host is killed in the middle of a program the warden ends everything and removes its folders."""
    process = python(
        """
        import sys
        from gg import Host, Reply, ToolCall
        host = Host()
        session = host.session("javascript")
        print(host.warden._process.pid, flush=True)
        session.turn(Reply("", [ToolCall("a", "submit_program", {"program": "while (true) {}"})]))
        """,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    with process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert wait_until(lambda: bool(children(pid)))
        time.sleep(0.2)
        below = [pid, *descendants(pid)]
        process.send_signal(eval(end))
        process.wait(10)
        assert wait_until(lambda: not any(map(alive, below)), 5)
        assert wait_until(lambda: not list(tmp_path.iterdir()), 5), list(tmp_path.iterdir())


def test_forked_child_does_not_keep_the_warden(tmp_path: Path) -> None:
    """A process forked from the host (as multiprocessing does) does not keep the warden alive after its host."""
    process = python(
        """
        import os, sys, time
        from gg import Host
        host = Host()
        host.session("javascript").turn({"content": "x"})
        child = os.fork()
        if child == 0:
            os.close(1)
            os.close(2)
            time.sleep(15)
            os._exit(0)
        print(host.warden._process.pid, child, flush=True)
        time.sleep(60)
        """
    )
    with process:
        assert process.stdout is not None
        pid, child = map(int, process.stdout.readline().split())
        try:
            process.kill()
            process.wait(10)
            assert wait_until(lambda: not alive(pid), 5)
        finally:
            os.kill(child, signal.SIGKILL)


def test_fork_refuses(own_host: Host) -> None:
    """A forked host refuses clearly, and the parent's sessions do not notice."""
    with own_host.session("javascript", limits=FAST) as session:
        submit(session, "1")
        uses: list[Callable[[], object]] = [
            lambda: submit(session, "1"), lambda: own_host.session("javascript"), lambda: own_host.session("python"),
        ]  # fmt: skip
        for use in uses:
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    use()
                    answer = "it worked"
                except WardenError as error:
                    answer = str(error)
                except BaseException as error:
                    answer = repr(error)
                os.write(writing, answer.encode())
                os._exit(0)
            os.close(writing)
            os.waitpid(child, 0)
            with open(reading) as pipe:
                assert pipe.read() == "this host was forked: make a new Host in the new process"
        assert submit(session, "1").execution["ok"]


def test_fork_can_make_its_own_host() -> None:
    """A forked process makes a host of its own."""
    process = python(
        """
        import os
        from gg import Host
        host = Host()
        host.session("javascript").close()
        child = os.fork()
        if child == 0:
            with Host() as mine:
                mine.session("javascript").turn({"toolCalls": [{"name": "submit_program", "arguments": {"program": "1"}}]})
            os._exit(7)
        host.close()
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    out, err = process.communicate(timeout=30)
    assert process.returncode == 7, err


@pytest.mark.parametrize("when", ["running", "starting"])
def test_interrupt(tmp_path: Path, when: str) -> None:
    """Ctrl-C on `gg run` ends it with 130 and one line, and leaves no process and no folder behind."""
    file = tmp_path / "p.js"
    file.write_text("while (true) {}")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "gg.cli", "run", "--arm", "javascript", "--json", str(file)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(scratch)}, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    )  # fmt: skip
    assert wait_until(lambda: bool(descendants(process.pid)))
    if when == "running":
        assert wait_until(lambda: len(descendants(process.pid)) >= 2)
        time.sleep(0.3)
    below = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert (out, err.decode().count("\n")) == (b"", 1)
    assert wait_until(lambda: not any(map(alive, below)), 5)
    assert wait_until(lambda: not list(scratch.iterdir()), 5), list(scratch.iterdir())


def test_cancel_from_another_thread(own_host: Host, arm: str) -> None:
    """`cancel` stops the running program; the turn answers, and the session may go on."""
    with own_host.session(arm, limits=FAST) as session:
        submit(session, "1")
        threading.Timer(0.3, session.cancel).start()
        began = time.monotonic()
        ran = submit(session, LOOP[arm])
        assert time.monotonic() - began < 3
        assert ran.headings == ["Runtime error"]
        assert submit(session, "1").execution["ok"]


def test_cancel_between_turns_stops_nothing(host: Host, arm: str) -> None:
    """With no turn running there is nothing to stop: the stream says so, and the next turn runs."""
    with host.session(arm, limits=FAST) as session:
        submit(session, "1")
        session.cancel()
        (line,) = [event for event in session.events if getattr(event, "slug", "") == "session_cancelled"]
        assert line.level == "info"  # type: ignore[attr-defined]
        assert submit(session, "1").execution["ok"]


def test_a_cancel_as_a_turn_begins_is_not_lost(host: Host, arm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the moment a turn is running, a cancel stops it; its programs are told of as not run."""
    from gg.host.turn import TurnRunner

    take = TurnRunner.take
    with host.session(arm, limits=FAST) as session:

        def cancelled_first(runner: TurnRunner, reply: Any) -> Any:
            session.cancel()
            return take(runner, reply)

        monkeypatch.setattr(TurnRunner, "take", cancelled_first)
        ran = submit(session, "1")
        assert ran.execution["error"] == "not run: the session was cancelled"
        monkeypatch.undo()
        assert submit(session, "1").execution["ok"]


def test_sessions_side_by_side(host: Host) -> None:
    """Sessions of both arms on threads of one host do not get in each other's way."""
    failures: list[str] = []

    def use(arm: str, name: str) -> None:
        with host.session(arm, limits=FAST) as session:
            for turn in range(8):
                ran = submit(
                    session, spell(arm, f"$WRITE('f', '{name}')\n$OPEN_TEXT('a', '{name}{turn}')\n$LOG('{name}')")
                )
                if ran.headed != [("View: a", f"{name}{turn}")] or ran.logs != [name]:
                    failures.append(f"{name}: {ran.headed}")

    threads = [
        threading.Thread(target=use, args=(arm, f"{arm}{n}")) for arm in ("javascript", "python") for n in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []


def test_descriptors_do_not_pile_up(arm: str) -> None:
    """Sessions that are closed give back their descriptors and processes."""
    with Host() as host:

        def one() -> None:
            with host.session(arm, limits=FAST) as session:
                submit(session, "1")

        one()
        one()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            one()
        assert len(os.listdir("/proc/self/fd")) <= before + 1
        assert wait_until(lambda: len(workers(host)) <= 1), "one warm worker for the next session"


def test_spares_are_bounded() -> None:
    """Sessions of many different limits do not leave a warm worker each."""
    with Host() as host:
        for number in range(12):
            with host.session("echo", limits=Limits(1.0 + number, 64 << 20)) as session:
                submit(session, "x")
        assert wait_until(lambda: len(workers(host)) <= 8)


def test_session_that_fails_leaves_nothing(strange_host: Host) -> None:
    """A session whose arm cannot run leaves no folder, descriptor or worker behind."""
    from gg.errors import ArmUnavailable

    folders = set(Path("/tmp").glob("gg-workspace-*"))
    before = len(os.listdir("/proc/self/fd"))
    for arm in ("raises", "unbuilt", "ailing", "exits", "gone", "hookless", "misnamed"):
        with pytest.raises(ArmUnavailable) as caught:
            strange_host.session(arm)
        assert "\n" not in str(caught.value)
    assert set(Path("/tmp").glob("gg-workspace-*")) <= folders
    assert len(os.listdir("/proc/self/fd")) <= before


def test_closed_host(arm: str) -> None:
    """A closed host makes no session and can be closed again."""
    host = Host()
    host.close()
    host.close()
    with pytest.raises(UsageError):
        host.session(arm)


def test_sessions_outlived_by_their_host(arm: str) -> None:
    """A host closed under its sessions leaves them to be closed without an error."""
    with Host() as host:
        session: Session = host.session(arm, limits=FAST)
        submit(session, "1")
    session.close()


def test_importing_starts_nothing() -> None:
    """`import gg` starts no process and no thread and reads no plugin."""
    code = (
        "import sys, threading, os; before = set(sys.modules); import gg; "
        "print(threading.active_count(), sorted(m for m in set(sys.modules) - before if m.split('.')[0] in"
        " ('wasmtime', 'pluggy', 'msgspec', 'rich', 'gg_arms', 'gg_rust_ext')), len(os.listdir('/proc/self/task')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 [] 1\n"


def test_confinement_is_on(host: Host, arm: str) -> None:
    """Workers say that they are confined where the kernel can; off is told to the operator."""
    with host.session(arm, limits=FAST) as session:
        events = [e for e in session.events if type(e).__name__ == "SessionStarted"]
        assert events[0].confinement in ("full", "none")
    with Host(confinement="off", spares=False) as open_host, open_host.session(arm, limits=FAST) as session:
        assert "confinement_off" in [getattr(event, "slug", None) for event in session.events]
        assert submit(session, "1").execution["ok"]


def test_other_session_is_not_touched_by_a_dead_worker(own_host: Host) -> None:
    """A worker killed under one session leaves the other's alone."""
    with (
        own_host.session("javascript", limits=FAST) as first,
        own_host.session("javascript", limits=Limits(4.0, 256 << 20)) as second,
    ):
        submit(first, "1")
        mine = set(workers(own_host))
        submit(second, "1")
        for pid in mine:
            if pid in workers(own_host):
                first._worker and os.kill(pid, 0)
        first.cancel()
        assert submit(second, "1").execution["ok"]
        assert submit(first, "1").execution["ok"]


def test_json_of_the_whole_stream_is_strict(host: Host, arm: str) -> None:
    """Every event of a session is strict JSON on the wire."""
    import msgspec

    from gg.stream.events import to_wire

    with host.session(arm, limits=FAST) as session:
        turn = submit(session, "1", "1 +").turn
        for event in [*session.events, *turn.events]:
            json.loads(msgspec.json.encode(to_wire(event)), parse_constant=lambda name: pytest.fail(name))


def test_gg_run_after_a_crash_works(tmp_path: Path) -> None:
    """Nothing a killed host left behind keeps the next one from running."""
    file = tmp_path / "p.js"
    file.write_text("gg.views.openText('a', 'b')")
    assert gg("run", "--arm", "javascript", "--json", str(file)).returncode == 0
