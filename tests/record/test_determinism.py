"""A session with a seed: the clock and randomness its programs get, and what a replay makes of one without."""

from __future__ import annotations

from typing import Any

import pytest
from records import Recording, Replaying
from support import LOOP, Runner, one_of, spell, submit, wait_until

from gg import Determinism, Host, Limits, Session
from gg.errors import UsageError
from gg.worker.world import FixedWorld

ASK = {
    "javascript": (
        "const b = new Uint8Array(4); crypto.getRandomValues(b);"
        "gg.views.openText('random', [Math.random(), crypto.randomUUID(), b.join()].join(' '));"
        "gg.views.openText('clock', [Date.now(), performance.now(), new Date().toISOString()].join(' '));"
    ),
    "python": (
        "import os, random, secrets, time, uuid, datetime\n"
        "r = [random.random(), random.sample(range(99), 5), uuid.uuid4(), os.urandom(4).hex(), secrets.token_hex(3)]\n"
        "gg.views.open_text('random', ' '.join(str(x) for x in r))\n"
        "t = [time.time(), time.monotonic(), time.perf_counter_ns(), datetime.datetime.now().isoformat()]\n"
        "gg.views.open_text('clock', ' '.join(str(x) for x in t))"
    ),
}


def asked(session: Session, arm: str) -> dict[str, str]:
    """Return what a program of the session's got of the world."""
    return dict(submit(session, ASK[arm]).headed)


def test_a_seed_gives_the_same_world_again(arm: str, host: Host) -> None:
    """Two sessions of one seed and clock are alike, turn by turn."""
    with host.session(arm, deterministic=1) as one, host.session(arm, deterministic=Determinism(1)) as two:
        assert [asked(one, arm) for _ in range(3)] == [asked(two, arm) for _ in range(3)]


def test_another_seed_gives_other_randomness_and_the_same_clock(arm: str, host: Host) -> None:
    """The clock does not follow from the seed."""
    with host.session(arm, deterministic=1) as one, host.session(arm, deterministic=2) as two:
        first, second = asked(one, arm), asked(two, arm)
    assert first["View: random"] != second["View: random"]
    assert first["View: clock"] == second["View: clock"]


def test_each_program_has_a_world_of_its_own(arm: str, host: Host) -> None:
    """Turns, programs of a turn and links of a hand-over draw other numbers; each turn is a minute later."""
    worlds: list[str] = []
    with host.session(arm, deterministic=1, library=True) as session:
        for _ in range(2):
            worlds.append(asked(session, arm)["View: random"])
        second = ASK[arm].replace("'random'", "'second'")
        linked = f"gg.programs.rerun({ASK[arm].replace(chr(39) + 'random', chr(39) + 'third')!r})"
        shown = dict(submit(session, second, linked).headed)
    worlds += [shown["View: second"], shown["View: third"]]
    assert len(set(worlds)) == 4


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("Date.now()", {"javascript": "1000060000"}),
        ("new Date().toISOString()", {"javascript": "1970-01-12T13:47:40.000Z"}),
        ("__import__('time').time_ns() // 10**9", {"python": "1000060"}),
    ],
)
def test_the_clock_starts_where_it_is_set(host: Host, program: str, shown: dict[str, str]) -> None:
    """`clock_s`, and a minute for each turn."""
    for arm, body in shown.items():
        with host.session(arm, deterministic=Determinism(clock_s=1_000_000)) as session:
            text = one_of(arm, f"String({program})", f"str({program})")
            assert submit(session, spell(arm, f"$OPEN_TEXT('t', {text})")).headed == [("View: t", body)]


def test_a_program_that_waits_for_a_time_reaches_it(arm: str, host: Host) -> None:
    """Each reading is later than the one before, and a sleep moves the clock on by what was slept."""
    program = one_of(
        arm,
        "const t = Date.now(); while (Date.now() < t + 500) {}\n"
        "const s = Date.now(); await new Promise(r => setTimeout(r, 30)); const d = Date.now() - s;"
        "gg.views.openText('slept', String(d >= 30 && d < 40))",
        "import time\nt = time.time()\nwhile time.time() < t + 0.5: pass\n"
        "s = time.time()\ntime.sleep(0.03)\nd = time.time() - s\n"
        "gg.views.open_text('slept', str(0.03 <= d < 0.04).lower())",
    )
    with host.session(arm, deterministic=0) as session:
        assert submit(session, program).headed == [("View: slept", "true")]


def test_the_time_limit_stays_real(arm: str, run: Runner) -> None:
    """A fixed clock stops no program from being stopped."""
    ran = run(arm, LOOP[arm], limits=Limits(0.5), deterministic=0)
    assert ran.error.startswith("execution stopped: the time limit of 0.5 s was reached")


def test_without_a_seed_the_world_is_real(arm: str, host: Host) -> None:
    """Two sessions differ."""
    with host.session(arm) as one, host.session(arm) as two:
        first, second = asked(one, arm), asked(two, arm)
    assert first["View: random"] != second["View: random"]
    assert first["View: clock"] != second["View: clock"]


def test_a_deterministic_session_is_replayed(arm: str, recording: Recording, replaying: Replaying) -> None:
    """Random numbers and times come out the same, logged ones included."""
    with recording(arm, deterministic=7) as session:
        for _ in range(2):
            submit(session, ASK[arm] + "\n" + one_of(arm, "console.log(Math.random())", "print(random.random())"))
    result = replaying()
    assert result.identical, str(result.divergence)
    assert (result.hint, result.header.seed) == (None, 7)


def test_a_session_that_was_not_diverges_and_says_why(arm: str, recording: Recording, replaying: Replaying) -> None:
    """A random number in a view is the first difference, and the replay says that the session had no seed."""
    with recording(arm) as session:
        submit(session, spell(arm, "$OPEN_TEXT('same', 'every time')"))
        submit(session, ASK[arm])
    result = replaying()
    assert result.divergence is not None
    assert (result.divergence.turn, result.divergence.program) == (2, 0)
    assert "random" in result.divergence.expected
    assert result.hint is not None
    assert result.hint.startswith("the recorded session was not deterministic")


def test_what_is_only_logged_may_differ(arm: str, recording: Recording, replaying: Replaying) -> None:
    """Logs are no part of the window: without a seed they are not compared."""
    with recording(arm) as session:
        submit(session, one_of(arm, "console.log(Math.random())", "import random\nprint(random.random())"))
    assert replaying().identical


@pytest.mark.parametrize("bad", [True, "7", 1.5, 1 << 70])
def test_a_seed_is_an_integer(host: Host, bad: Any) -> None:
    """Anything else is a usage error."""
    with pytest.raises(UsageError, match="seed"):
        host.session("javascript", deterministic=bad)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), 1e12])
def test_a_clock_shows_a_time(bad: float) -> None:
    """In seconds since the epoch, up to 2096."""
    with pytest.raises(UsageError, match="clock"):
        Determinism(0, bad)


def test_the_stream_of_bytes_does_not_depend_on_how_it_is_read() -> None:
    """Ten and ten are the same as twenty."""
    one, two = FixedWorld(b"s" * 32, 0), FixedWorld(b"s" * 32, 0)
    assert one.random(10) + one.random(0) + one.random(190) == two.random(200)


def test_a_replacement_of_a_worker_changes_nothing(arm: str, host: Host) -> None:
    """The world is the program's, not the process's."""
    with host.session(arm, deterministic=3) as one, host.session(arm, deterministic=3) as two:
        first = [asked(one, arm) for _ in range(2)]
        second = [asked(two, arm)]
        two.drop_worker()
        assert wait_until(lambda: two._worker is None)
        second.append(asked(two, arm))
    assert first == second
