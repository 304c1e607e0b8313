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

from gg.record.player import Player
from gg.record.reader import RecordReader
from gg.record.replay import _Replaying  # pyright: ignore[reportPrivateUsage]

SOAK = os.environ.get("GG_SOAK") == "1"
TURNS = 10_000 if SOAK else 300
HERE = "*/gg/record/*"
BODY = " some text that is read and shown" * 250
ROOM_BYTES = 400_000
TURN_BYTES = 1_000
"""What the window keeps of a turn's reply and ids: they were read from the record, and are the model's context."""
PROGRAM = "const t = gg.files.readFile('f').contents; gg.views.openText('v', t)"


def kept() -> int:
    """Return the bytes that the code of records holds on to."""
    snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, HERE)])
    return sum(statistic.size for statistic in snapshot.statistics("filename"))


@pytest.mark.timeout(3600)
def test_a_long_record_is_replayed_in_bounded_memory(
    recording: Recording, replaying: Replaying, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the code of records holds is measured throughout a replay, and stays under a bound."""
    import signal

    signal.alarm(0)  # the suite's guard against hangs is for shorter tests
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    with recording("javascript", workspace=workspace) as session:
        for turn in range(TURNS):
            (workspace / "f").write_text(f"{turn}{BODY}")
            submit(session, PROGRAM)
    assert path.stat().st_size > TURNS * len(BODY)
    bodies = path.read_bytes().count(b'{"type":"body"')
    assert bodies >= TURNS
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
    held = [
        size - turns * TURN_BYTES
        for turns, size in zip(range(TURNS // 6, TURNS + 1, TURNS // 6), measured, strict=False)
    ]
    assert max(held) < ROOM_BYTES + 32 * bodies
    assert max(measured) < TURNS * len(BODY) / 2  # the bodies themselves would be more than this


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
