"""The shell: values for exit codes, an end of the output, and nothing that outlives its call."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support import FAST, Ran, Runner, alive, children, one_of, submit, wait_until

from gg import Host

GRANTS = ["shell", "views"]


def shell(arm: str, command: str, timeout: str | None = None) -> str:
    """Return a program that shows what a command came to, code, cut or not, and output."""
    js = f"gg.shell.shell({command!r}" + (f", {{timeoutSecs: {timeout}}})" if timeout else ")")
    py = f"gg.shell.shell({command!r}" + (f", timeout_secs={timeout})" if timeout else ")")
    return one_of(
        arm,
        f"const r = {js}; gg.views.openText('r', `${{r.exitCode ?? 'none'}} ${{r.truncated}}\\n${{r.output}}`)",
        f"r = {py}\n"
        "code = 'none' if r.exit_code is None else r.exit_code\n"
        "gg.views.open_text('r', f'{code} {str(r.truncated).lower()}\\n{r.output}')",
    )


def shown(ran: Ran) -> tuple[str, str]:
    """Return the first line of what the program showed, and the output."""
    first, _, output = dict(ran.headed)["View: r"].partition("\n")
    return first, output


def test_a_command_runs_in_the_workspace(run: Runner, arm: str, tmp_path: Path) -> None:
    """Both outputs come, in order, and the call is dispatched."""
    (tmp_path / "a.txt").write_text("x")
    ran = run(arm, shell(arm, "ls; echo err >&2; echo out; pwd"), workspace=tmp_path, grants=GRANTS)
    assert shown(ran) == ("0 false", f"a.txt\nerr\nout\n{tmp_path.resolve()}\n")
    assert ran.execution["toolCalls"] == 1


@pytest.mark.parametrize(
    ("command", "code"), [("exit 3", "3"), ("nonsense-that-is-not-there", "127"), ("kill -9 $$", "none")]
)
def test_an_exit_code_is_a_value(run: Runner, arm: str, command: str, code: str) -> None:
    """A command that failed is no failed call; one that a signal ended has no code."""
    ran = run(arm, shell(arm, command), grants=GRANTS)
    assert shown(ran)[0] == f"{code} false"
    assert ran.execution["ok"]


def test_the_end_of_the_output_is_kept(run: Runner, arm: str) -> None:
    """16 KiB, from a whole character on; memory holds no more of a flood."""
    ran = run(arm, shell(arm, "yes 'ä' | head -n 20001; printf last"), grants=GRANTS)
    first, output = shown(ran)
    assert first == "0 true"
    assert output.endswith("ä\nlast")
    assert 16_381 <= len(output.encode()) <= 16_384


def test_undecodable_output_is_deleted(run: Runner, arm: str) -> None:
    """What is no UTF-8 goes, the rest stays."""
    assert shown(run(arm, shell(arm, r"printf 'a\377b'"), grants=GRANTS))[1] == "ab"


def test_a_timeout_stops_all_that_was_started(host: Host, arm: str, tmp_path: Path) -> None:
    """The call fails with the limit; no process of its group is left, and the next command runs."""
    with host.session(arm, limits=FAST, workspace=tmp_path, grants=GRANTS) as session:
        began = time.monotonic()
        ran = submit(session, shell(arm, "sleep 60 & echo $! > pid; yes > /dev/null", "0.4"))
        assert time.monotonic() - began < 10
        assert "`shell` failed (limit-exceeded): the command was stopped after 0.4 s" in ran.error
        pid = int((tmp_path / "pid").read_text())
        assert wait_until(lambda: not alive(pid))
        assert shown(submit(session, shell(arm, "echo next")))[1] == "next\n"


def test_waiting_for_a_command_is_no_time_of_the_program(run: Runner, arm: str) -> None:
    """A program may wait for longer than it may run."""
    from gg import Limits

    ran = run(arm, shell(arm, "sleep 0.8"), grants=GRANTS, limits=Limits(0.4, 256 << 20))
    assert ran.execution["ok"]
    assert ran.execution["durationMs"] < 400


def test_what_a_command_leaves_running_is_stopped(host: Host, arm: str, tmp_path: Path) -> None:
    """A child in the background that holds the output neither hangs the call nor outlives it."""
    with host.session(arm, limits=FAST, workspace=tmp_path, grants=GRANTS) as session:
        began = time.monotonic()
        ran = submit(session, shell(arm, "sleep 60 & echo $! > pid; echo done"))
        assert time.monotonic() - began < 10
        assert shown(ran)[1] == "done\n"
        pid = int((tmp_path / "pid").read_text())
        assert wait_until(lambda: not alive(pid))


@pytest.mark.parametrize("timeout", ["0", "-1"])
def test_a_timeout_is_above_zero(run: Runner, arm: str, timeout: str) -> None:
    """The argument is named as the language spells it."""
    name = one_of(arm, "timeoutSecs", "timeout_secs")
    ran = run(arm, shell(arm, "echo", timeout), grants=GRANTS)
    assert f"(invalid-argument): `{name}` is {timeout}, and must be above 0" in ran.error


@pytest.mark.parametrize(("command", "said"), [("", "is empty"), (" ", "is empty"), ("a\0b", "holds a NUL")])
def test_a_command_is_a_text(run: Runner, command: str, said: str) -> None:
    """Blank and NUL are no commands."""
    assert f"`command` {said}" in run("python", f"gg.shell.shell({command!r})", grants=GRANTS).error


def test_the_environment_is_scrubbed(run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A command sees where programs are and what language is spoken, and nothing that may be secret."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    _, output = shown(run("python", shell("python", "env"), grants=GRANTS, workspace=tmp_path))
    names = {line.partition("=")[0] for line in output.splitlines()}
    assert names <= {"PATH", "LANG", "LC_ALL", "TZ", "HOME", "PWD", "SHLVL", "OLDPWD", "_"}


def test_standard_input_is_empty(run: Runner) -> None:
    """A command that reads does not wait for anybody."""
    assert shown(run("python", shell("python", "cat; echo end"), grants=GRANTS))[1] == "end\n"


def test_a_cancel_stops_it(host: Host, arm: str) -> None:
    """The session's turn answers soon."""
    with host.session(arm, limits=FAST, grants=GRANTS) as session:
        threading.Timer(0.5, session.cancel).start()
        began = time.monotonic()
        ran = submit(session, shell(arm, "sleep 60"))
        assert time.monotonic() - began < 10
        assert not ran.execution["ok"]


def test_the_runs_time_bounds_it(host: Host, arm: str) -> None:
    """A command may take no longer than the whole session has left."""
    with host.session(arm, limits=FAST, grants=GRANTS, run_timeout_s=1.5) as session:
        began = time.monotonic()
        assert "limit-exceeded" in submit(session, shell(arm, "sleep 60")).error
        assert time.monotonic() - began < 10


def test_nobody_holds_it_unasked(run: Runner, arm: str) -> None:
    """The module has to be granted by name."""
    assert "(unavailable)" in run(arm, shell(arm, "echo")).error


def test_a_command_that_looks_like_an_option(run: Runner, arm: str) -> None:
    """It is the command all the same."""
    assert shown(run(arm, shell(arm, "-x; echo after"), grants=GRANTS))[1].endswith("after\n")


def test_a_command_ends_with_its_host(tmp_path: Path) -> None:
    """A host that is killed leaves no command running."""
    script = (
        "import sys; from gg import Host, Reply, ToolCall\n"
        "with Host(spares=False) as host, host.session('python', workspace=sys.argv[1], grants=['shell']) as session:\n"
        "    program = \"gg.shell.shell('echo $$ > pid; sleep 60; true')\"\n"
        "    session.turn(Reply('', [ToolCall('c', 'submit_program', {'program': program})]))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stderr=subprocess.DEVNULL) as embedder:
        try:
            assert wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "", 60)
            pid = int((tmp_path / "pid").read_text())
            assert alive(pid)
        finally:
            embedder.kill()
    assert wait_until(lambda: not alive(pid))


def test_nothing_is_left_of_a_command(host: Host, arm: str, tmp_path: Path) -> None:
    """Neither a child of this process nor an open pipe."""
    with host.session(arm, limits=FAST, workspace=tmp_path, grants=GRANTS) as session:
        submit(session, shell(arm, "true"))
        before = (children(os.getpid()), len(os.listdir("/proc/self/fd")))
        submit(session, shell(arm, "sleep 60 & exec 2>&- >&-; sleep 0.1"))
        submit(session, shell(arm, "sleep 60", "0.1"))
        assert wait_until(lambda: (children(os.getpid()), len(os.listdir("/proc/self/fd"))) == before)
