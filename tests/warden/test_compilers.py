"""Compilers that the warden starts: with the shell as one, which tries what no compiler would."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from support import Runner, StrangeArms, descendants, submit, wait_until, warden_pid

from gg import Host, Limits
from gg.config import Settings
from gg.confinement import probe
from gg.errors import ArmUnavailable
from gg.stream.events import LogLine

ABIS = [abi for abi in (2, 4, 6) if abi <= probe().landlock_abi] + [None]
Shell = Callable[..., str]


@pytest.fixture(scope="module", params=ABIS, ids=lambda abi: f"abi-{abi or 'kernel'}")
def any_host(request: pytest.FixtureRequest, strange_arms: StrangeArms) -> Iterator[Host]:
    """A host whose warden confines as a kernel with that Landlock would."""
    with strange_arms.host(settings=replace(Settings.from_environment(), landlock_abi=request.param)) as made:
        yield made


def shell_of(host: Host) -> Shell:
    def run(script: str, compiler: str = "sh", arm: str = "shells") -> str:
        return Runner(host)(arm, f"#{compiler}\n{script}").error

    return run


@pytest.fixture
def shell(strange_host: Host) -> Shell:
    """Return ``shell(script, compiler)``: what it printed, and ``[exit_status signal timed_out lost_bytes]``."""
    return shell_of(strange_host)


@pytest.fixture
def any_shell(any_host: Host) -> Shell:
    """The same, confined as older kernels would."""
    return shell_of(any_host)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that no compiler should read."""
    made = tmp_path / "secret"
    made.write_text("the-secret\n")
    return made


def test_it_runs_in_the_preparations_folder(shell: Shell) -> None:
    """What it prints and how it ended come back; the next preparation finds an empty folder."""
    assert shell("echo left > file; ls; exit 3") == "file\n[3 None False 0]"
    assert shell("ls; echo err >&2; echo out") == "err\nout\n[0 None False 0]"


def test_its_environment_is_its_own(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees a path, a home and a temporary folder, and what was declared for it; nothing of the host's."""
    monkeypatch.setenv("SECRET_TOKEN", "the-secret")
    printed = shell("env | sort", "short")
    names = re.findall(r"^(\w+)=", printed, re.M)
    assert set(names) <= {
        "GREETING",
        "HOME",
        "LC_ALL",
        "OLDPWD",
        "PATH",
        "PWD",
        "SHLVL",
        "TMPDIR",
        "XDG_CACHE_HOME",
        "_",
    }
    assert "GREETING=hello" in printed
    (home,) = re.findall(r"^HOME=(.*)$", printed, re.M)
    assert f"TMPDIR={home}" in printed
    assert wait_until(lambda: not Path(home).exists())
    assert wait_until(lambda: not Path(home).parent.exists())  # the worker's own folder goes with it


@pytest.mark.parametrize(
    "attempt",
    ["cat {}", "cat < {}", "ln -s {} link; cat link", "ln {} link; cat link", "cp {} copy", "cd $(dirname {}) && cat secret",
     "cat ../../../../../../../../../..{}"],
)  # fmt: skip
def test_it_reads_nothing_of_the_users(any_shell: Shell, secret: Path, attempt: str) -> None:
    """A file elsewhere cannot be read by any way to it."""
    printed = any_shell(attempt.format(secret))
    assert "the-secret" not in printed
    assert not printed.endswith("[0 None False 0]")


def test_it_reads_no_process(any_shell: Shell) -> None:
    """The environment and the memory of its parent are out of reach."""
    assert "[0 " not in any_shell("cat /proc/$PPID/environ")
    assert "[0 " not in any_shell("cat /proc/self/environ")
    assert "[0 " not in any_shell("cat /proc/1/cmdline")


def test_it_writes_its_folder_alone(any_shell: Shell, secret: Path) -> None:
    """A file elsewhere is not changed, truncated, removed or made."""
    before = secret.stat()
    for attempt in ("echo x > {}", "echo x >> {}", ": > {}", "rm {}", "mv {} x", ": > {}.new", "mkdir {}.d"):
        assert "[0 " not in any_shell(attempt.format(secret)), attempt
    assert secret.read_text() == "the-secret\n"
    any_shell(f"chmod 0 {secret}; touch -d 2001-01-01 {secret}; chmod 0777 $(dirname {secret})")  # Landlock lets these
    after = secret.stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_uid) == (before.st_mode, before.st_mtime_ns, before.st_uid)
    assert os.listdir(secret.parent) == ["secret"]
    assert "[0 " not in any_shell(": > ../beside")
    assert "[0 " not in any_shell(": > TOOLCHAIN/poison", arm="tooled")
    assert "[0 " not in any_shell("echo poison > TOOLCHAIN/lib/names", arm="tooled")


def test_it_signals_nobody(any_shell: Shell, any_host: Host) -> None:
    """The warden lives on."""
    assert "[0 " not in any_shell("kill -9 $PPID")
    assert "[0 " not in any_shell(f"kill -9 {warden_pid(any_host)} {os.getpid()}")
    assert any_shell("echo well") == "well\n[0 None False 0]"


def test_it_opens_no_socket(any_shell: Shell) -> None:
    """A program that connects to a server that is there gets no further."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f'perl -MIO::Socket::INET -e \'IO::Socket::INET->new("127.0.0.1:{port}") or die; print "through"\''
        printed = any_shell(script)
        assert "through" not in printed
        assert "[0 " not in printed
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()


def test_the_wall_clock_ends_it_and_all_it_started(shell: Shell, strange_host: Host) -> None:
    """A compiler that hangs, with a child that ignores signals, is gone at its limit."""
    began = time.monotonic()
    printed = shell("trap '' TERM INT; (trap '' TERM; sleep 300) & sleep 300", "short")
    assert printed == "[None 9 True 0]"
    assert time.monotonic() - began < 15
    assert wait_until(lambda: not _sleepers(strange_host))


def test_what_it_left_running_ends_with_it(shell: Shell, strange_host: Host) -> None:
    """A child that outlives its compiler is killed, and does not hold up the preparation."""
    began = time.monotonic()
    assert shell("sleep 300 & echo done") == "done\n[0 None False 0]"
    assert time.monotonic() - began < 15
    assert wait_until(lambda: not _sleepers(strange_host))


def _sleepers(host: Host) -> list[int]:
    return [pid for pid in descendants(warden_pid(host)) if b"sleep" in _command(pid)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_its_output_is_capped_while_it_is_read(shell: Shell) -> None:
    """The first and the last of a flood are kept, and what was lost is counted."""
    printed = shell(
        "echo first; i=0; while [ $i -lt 20000 ]; do echo 0123456789012345678; i=$((i+1)); done; echo last", "short"
    )
    assert printed.startswith("first\n0123")
    assert re.search(r"0123456789012345678\nlast\n\[\w+ \w+ \w+ \d+\]$", printed)
    assert len(printed) < 5000
    assert int(re.findall(r"(\d+)\]$", printed)[0]) > 300_000


def test_a_file_over_its_limit_ends_it(shell: Shell) -> None:
    """The signal that the kernel sends is what is told."""
    assert shell("exec dd if=/dev/zero of=big bs=65536 count=64 2>/dev/null", "short").startswith("[None 25 False")


def test_one_that_is_not_there(shell: Shell) -> None:
    """An executable that is gone says so, by a status no compiler has; one nobody declared is refused."""
    assert shell("x", "gone").endswith("[127 None False 0]")
    assert shell("x", "undeclared") == "CompilerRefused: no compiler 'undeclared' was declared"
    assert "CompilerRefused" in shell("x" * (60 << 10))


def test_a_service_answers_until_it_is_stopped(strange_host: Host) -> None:
    """What is written to it is read by it; nothing of it is left afterwards."""
    assert Runner(strange_host)("shells", "#service\nhello").error == "hello[False]"
    cats = lambda: [p for p in descendants(warden_pid(strange_host)) if b"cat" in _command(p).split(b"\0")[0]]  # noqa: E731
    assert wait_until(lambda: not cats())


def test_a_killed_worker_takes_its_compiler_along(strange_arms: StrangeArms) -> None:
    """A session that is cancelled leaves no compiler behind."""
    with (
        strange_arms.host() as host,
        ThreadPoolExecutor(1) as pool,
        host.session("shells", limits=Limits(5.0)) as session,
    ):
        turn = pool.submit(submit, session, "sleep 300")
        assert wait_until(lambda: bool(_sleepers(host)))
        session.cancel()
        turn.result(20)
        assert wait_until(lambda: not _sleepers(host))


def test_sixteen_at_once_are_each_their_own(strange_arms: StrangeArms) -> None:
    """Preparations in flight see their own folder alone."""
    script = "echo {0} > mine; sleep 0.2; cat *"
    with strange_arms.host() as host, ThreadPoolExecutor(16) as pool:
        printed = list(pool.map(lambda n: shell_of(host)(script.format(f"marker-{n}")), range(16)))
    assert printed == [f"marker-{n}\n[0 None False 0]" for n in range(16)]


def test_a_toolchain_is_built_once_and_kept(strange_arms: StrangeArms, tmp_path: Path) -> None:
    """All workers of a host, and the next host, find what one builder made; it names every operation."""
    settings = replace(Settings.from_environment(), cache_folder=tmp_path / "gg" / "guests")
    seen = set()
    for _ in range(2):
        with strange_arms.host(settings=settings) as host, ThreadPoolExecutor(4) as pool:
            seen |= set(
                pool.map(lambda _: shell_of(host)("cat TOOLCHAIN/pid TOOLCHAIN/lib/names", arm="tooled"), range(4))
            )
    (printed,) = seen
    assert "files.read_file" in printed
    assert "session.finish" in printed
    (kept,) = [p for p in (tmp_path / "gg" / "toolchains").iterdir() if p.is_dir()]
    assert kept.name.startswith("tooled-")


def test_a_builder_that_ends_slowly_is_waited_for(strange_arms: StrangeArms, tmp_path: Path) -> None:
    """How it ends decides what becomes of what it built, not that it has stopped talking."""
    settings = replace(Settings.from_environment(), cache_folder=tmp_path / "gg" / "guests")
    with strange_arms.host(settings=settings) as host:
        assert shell_of(host)("cat TOOLCHAIN/late", arm="lingers") == "kept[0 None False 0]"


def test_a_toolchain_covers_added_operations(strange_arms: StrangeArms) -> None:
    """Operations that plugins added make another toolchain, which names them."""
    with strange_arms.host() as host:
        own = shell_of(host)("cat TOOLCHAIN/lib/names", arm="tooled")
    from gg_board.plugin import plugin

    with strange_arms.host(operations=plugin.gg_operations()) as host:
        added = shell_of(host)("cat TOOLCHAIN/lib/names", arm="tooled")
    assert added.startswith(own.partition("[")[0])
    assert "board." not in own
    assert "board." in added


def test_a_wait_for_a_toolchain_is_told_and_counted(strange_arms: StrangeArms, tmp_path: Path) -> None:
    """A first program that waits for the build has the time in its compileMs, and the operator is told."""
    settings = replace(Settings.from_environment(), cache_folder=tmp_path / "gg" / "guests")
    with strange_arms.host(settings=settings) as host:
        ran = Runner(host)("tooled", "echo")
        waited = ran.log("toolchain_waited")
        assert waited["level"] == "warn"
        assert ran.execution["compileMs"] >= waited["waitedMs"] > 0
        assert "toolchain_waited" not in Runner(host)("tooled", "echo").slugs()


def test_a_toolchain_that_cannot_be_built(strange_arms: StrangeArms, strange_host: Host) -> None:
    """The program is not run: the notice for the model, the reason for the operator."""
    ran = Runner(strange_host)("untooled", "echo")
    assert ran.headings == ["Notice"]
    assert "the standard library is missing" in ran.log("toolchain_failed")["detail"]


def test_without_landlock_an_arm_that_compiles_is_refused(strange_arms: StrangeArms) -> None:
    """Unless confinement is switched off, which the stream says."""
    settings = replace(Settings.from_environment(), landlock_abi=0)
    with strange_arms.host(settings=settings) as host, pytest.raises(ArmUnavailable, match="cannot confine"):
        host.session("shells")
    with strange_arms.host(settings=settings, confinement="off") as host, host.session("shells") as session:
        ran = submit(session, "echo off")
        assert ran.error == "off\n[0 None False 0]"
        said = [event.slug for event in session.events if isinstance(event, LogLine)]
        assert "confinement_off" in said
