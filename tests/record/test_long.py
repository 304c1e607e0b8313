"""Long records: what a replay keeps beside the session's own window does not grow with them.

The window does grow: it is what the model would be sent. `GG_SOAK=1` plays 10,000 turns.
"""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest
from records import Recording, Replaying
from support import submit

from gg import Host
from gg.record.player import Player
from gg.record.reader import RecordReader
from gg.record.replay import _Replaying  # pyright: ignore[reportPrivateUsage]

SOAK = os.environ.get("GG_SOAK") == "1"
TURNS = 10_000 if SOAK else 300
HERE = "*/gg/record/*"
ROOM_BYTES = 400_000
"""Far more than what one turn needs, far less than what the bodies of the shortest run below are."""


def program(turn: int) -> str:
    """Return a program whose source, answer and view are long, and like no other turn's."""
    body = f"{turn} " + "some text that is read and shown " * 60
    return f"const t = `{body}`; gg.files.writeFile('f', t); gg.views.openText('v', gg.files.readFile('f').contents)"


def kept() -> int:
    """Return the bytes that the code of records holds on to."""
    snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, HERE)])
    return sum(statistic.size for statistic in snapshot.statistics("filename"))


@pytest.mark.timeout(3600)
def test_a_long_record_is_replayed_in_bounded_memory(
    recording: Recording, replaying: Replaying, host: Host, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the code of records holds is measured throughout a replay, and stays under a bound."""
    import signal

    signal.alarm(0)  # the suite's guard against hangs is for shorter tests
    with recording("javascript") as session:
        for turn in range(TURNS):
            submit(session, program(turn))
    bodies = path.read_bytes().count(b'{"type":"body"')
    assert path.stat().st_size > 4 * 2000 * TURNS
    measured: list[int] = []
    real = Player.turn

    def turn(self: Player, number: int, outcome: str, summary: str | None) -> None:
        real(self, number, outcome, summary)
        if number % (TURNS // 6) == 0:
            measured.append(kept())

    monkeypatch.setattr(Player, "turn", turn)
    tracemalloc.start()
    try:
        result = replaying()
    finally:
        tracemalloc.stop()
    assert result.identical, str(result.divergence)
    assert result.turns == TURNS
    assert len(measured) == 6
    assert max(measured) < ROOM_BYTES + 64 * bodies
    assert measured[-1] - measured[0] < ROOM_BYTES // 4


def test_a_reader_holds_one_line_at_a_time(recording: Recording, path: Path) -> None:
    """Reading a record of many megabytes holds no more than its longest lines."""
    with recording("javascript") as session:
        for turn in range(8):
            submit(session, f"gg.files.writeFile('f', '{turn}'.repeat(1000000)); gg.files.readFile('f')")
    assert path.stat().st_size > 8_000_000
    tracemalloc.start()
    try:
        with RecordReader(path) as reader:
            count = sum(1 for _ in reader)
            _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count > 80
    assert peak < 8_000_000


def test_the_parts_of_a_replay_are_what_they_seem() -> None:
    """The name measured above is where the code of records is."""
    assert "/gg/record/" in (_Replaying.run.__code__.co_filename)
