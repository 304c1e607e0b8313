"""A replay of a record is the session that was recorded: random sessions, whole and cut at any byte, on both arms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arms import ARMS, Arm
from bounds import LIMITS, bounded
from forging import texts
from hypothesis import given
from hypothesis import strategies as st
from steps import source, window_programs

from gg import Host, Limits, Reply, ToolCall
from gg.errors import RecordError
from gg.hookspecs import hookimpl
from gg.record.replay import Replay, replay
from gg.record.shapes import comparable_event, digest_of
from gg.stream.events import to_wire
from gg.types import AgentStop, PendingCall
from gg_board import Board, board_operations

GRANTS = ["files", "views", "docs", "session", "programs", "context", "memories", "board"]
LONG = "a text that is kept once, since it is longer than what stands inside a line " * 3
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


class Outside:
    """What a session meets outside itself: hooks that object, and a board. A replay must not ask any of it."""

    def __init__(self) -> None:
        self.board = Board()
        self.asked = 0

    @hookimpl
    def gg_agent_stop(self, stop: AgentStop) -> str | None:
        """Reject every other ending."""
        self.asked += 1
        return "Notice\n----\nnot yet \ud800" if self.asked % 2 else None

    @hookimpl
    def gg_pre_call(self, call: PendingCall) -> str | None:
        """Refuse to write one folder."""
        self.asked += 1
        return (
            "not there" if call.operation == "files.write_file" and call.arguments["path"].startswith("dir/") else None
        )


@pytest.fixture(scope="module")
def outside() -> Outside:
    """The outside of the module's host."""
    return Outside()


@pytest.fixture(scope="module")
def meeting_host(outside: Outside) -> Iterator[Host]:
    """A host with hooks and a board."""
    with Host(operations=board_operations(lambda _: outside.board)) as made:
        assert made.plugins is not None
        made.plugins.register(outside, "outside")
        yield made


_MORE = st.one_of(
    st.tuples(st.just("open"), st.sampled_from("ab"), st.one_of(st.just(LONG), texts())), st.just(("open_file", "p.png")),
    st.tuples(st.sampled_from(["log", "warn"]), texts()), st.tuples(st.just("throw"), texts()),
    st.sampled_from(
        [
            ("open_file", "p.png"), ("open_file", "p.png"), ("open_file", "p.png"), ("write_memory", "m", "about", LONG), ("caught", "read_memory", "m"), ("caught", "create_issue", "Mend it"),
            ("caught", "wait_for_issue", 1), ("caught", "wait_for_issue", 1), ("caught", "read", 7), ("caught", "write", "dir/x", "y"), ("caught", "approve"),
            ("caught", "open_docs", "nothing of that name"), ("repeated", 120, "caught", "read", "../x"),
            ("repeated", 300, "log", LONG),
        ]
    ),
)  # fmt: skip


@st.composite
def programs(draw: st.DrawFn) -> list[Any]:
    """A program that moves the window, and meets what is outside."""
    steps = draw(window_programs(1))
    for at, step in draw(st.lists(st.tuples(st.integers(0, 3), _MORE), max_size=4)):
        steps.insert(at, step)
    return steps


_CALLS = st.one_of(
    programs(),
    programs(),
    programs(),
    st.sampled_from(["not JSON", "{}", '{"program": 7}', {"program": None}, "other tool"]),
)
TURNS = st.lists(
    st.tuples(st.one_of(st.none(), texts(), st.just("\ud800")), texts(), st.lists(_CALLS, max_size=3), st.booleans()),
    min_size=1, max_size=4,
)  # fmt: skip


def calls_of(arm: Arm, given: list[Any]) -> list[ToolCall]:
    """Return the tool calls of a reply: programs, and what carries none."""
    made: list[ToolCall] = []
    for number, call in enumerate(given):
        if call == "other tool":
            made.append(ToolCall(f"c{number}", "read\ud800_file", {"path": "\udfff"}))
        elif isinstance(call, list):
            made.append(ToolCall(f"c{number}", "submit_program", {"program": source(arm, call)}))
        else:
            made.append(ToolCall(f"c{number}", "submit_program", call))
    return made


def record(
    host: Host, outside: Outside, arm: Arm, path: Path, turns: list[Any], seed: int | None, limits: Limits = LIMITS
) -> tuple[int, str, list[Any]]:
    """Record a session; return its window's messages and SHA-256, and its events as a replay repeats them."""
    outside.board.__init__()  # type: ignore[misc]  # each example has a board of its own
    outside.asked = 0
    work = path.with_suffix(".work")
    work.mkdir()
    (work / "p.png").write_bytes(PNG)
    seen: list[Any] = []
    with host.session(
        arm.id, record=path, workspace=work, grants=GRANTS, library=True, keep=2, limits=limits, deterministic=seed,
        sinks=[seen.append],
    ) as session:  # fmt: skip
        for said, content, calls, settles in turns:
            if session.ended:
                break
            if said is not None:
                session.user(said)
            session.turn(Reply(content, calls_of(arm, calls)))
            if settles and outside.board.issues():
                outside.board.update(1, status="done", result="It holds. \u2028 Notice\n----\n")
        return len(session.window), digest_of(session.window), repeated(seen, seed)


def repeated(events: list[Any], seed: int | None) -> list[Any]:
    """Return what of events a replay must repeat."""
    kept = [comparable_event(to_wire(event), logs=seed is not None) for event in events]
    return [event for event in kept if event is not None and event["type"] != "session_ended"]


def play(host: Host, outside: Outside, path: Path, seed: int | None) -> tuple[Replay, list[Any]]:
    """Replay a record; nothing outside may be asked."""
    seen: list[Any] = []
    asked, outside.asked = outside.asked, 0
    issues = outside.board.issues()
    result = replay(path, host=host, sinks=[seen.append])
    assert outside.asked == 0, "a replay asks no hook"
    assert outside.board.issues() == issues
    outside.asked = asked
    return result, repeated(seen, seed)


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(15)
@given(turns=TURNS, seed=st.sampled_from([None, 7]), cuts=st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_a_replay_is_the_session(
    meeting_host: Host, outside: Outside, tmp_path_factory: Any, arm: Arm, turns: list[Any], seed: int | None, cuts: list[float]
) -> None:  # fmt: skip
    """Window, events and endings come out the same; cut anywhere, what is left of it does."""
    path = tmp_path_factory.mktemp("replay") / "r.ndjson"
    messages, window, events = record(meeting_host, outside, arm, path, turns, seed)
    result, again = play(meeting_host, outside, path, seed)
    assert result.divergence is None, str(result.divergence)
    assert (result.identical, result.complete, result.torn) == (True, True, False)
    assert (result.messages, result.window) == (messages, window)
    assert again == events
    whole = path.read_bytes()
    for cut in cuts:
        check_cut(meeting_host, outside, path, whole, int(cut * len(whole)), events, seed)


def check_cut(
    host: Host, outside: Outside, path: Path, whole: bytes, at: int, events: list[Any], seed: int | None
) -> None:
    """Check that a record cut there is replayed up to its last whole line, or said to be none."""
    path.write_bytes(whole[:at])
    if b"\n" not in whole[:at]:
        with pytest.raises(RecordError, match="is no session record"):
            play(host, outside, path, seed)
        return
    result, again = play(host, outside, path, seed)
    assert result.divergence is None, str(result.divergence)
    assert result.identical
    assert result.complete == (at == len(whole))
    assert result.torn == (not whole[:at].endswith(b"\n"))
    told = sum(
        line.startswith(b'{"type":"event"') and b'"type":"api_call"' in line for line in whole[:at].split(b"\n")[:-1]
    )
    assert again == events[: len(again)], "events are those of the session, as far as it goes"
    assert sum(event["type"] == "api_call" for event in again) >= told, "and it goes as far as the record does"


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(3)
@given(before=window_programs(0), after=window_programs(0))
def test_a_limit_is_replayed(
    meeting_host: Host, outside: Outside, tmp_path_factory: Any, arm: Arm, before: list[Any], after: list[Any]
) -> None:
    """A program that the clock stopped ends in its replay as it ended then, without running that long."""
    path = tmp_path_factory.mktemp("limit") / "r.ndjson"
    turns = [(None, "", [[*before, ("open", "a", "b"), ("spin",)], after], False)]
    messages, window, events = record(meeting_host, outside, arm, path, turns, None, Limits(0.5, 256 << 20))
    result, again = play(meeting_host, outside, path, None)
    assert result.divergence is None, str(result.divergence)
    assert (result.identical, result.messages, result.window) == (True, messages, window)
    assert again == events
