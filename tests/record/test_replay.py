"""replay(record(x)) = x: real conversations on every arm, and the first divergence of those that go another way."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from records import Recording, Replaying, forge, lines, of
from support import FAST, LOOP, one_of, spell, submit, throw, wait_until

from gg import Host, Limits, Reply, Session, ToolCall
from gg.demo.conversations import CONVERSATIONS, QUESTION
from gg.errors import UsageError
from gg.hookspecs import hookimpl
from gg.operations.context import CallContext
from gg.operations.table import Arguments, Operation, OperationFailure
from gg.record.replay import Replay, replay
from gg.record.shapes import digest_of
from gg.types import AgentStop, PendingCall
from gg.window.messages import Image


def same(result: Replay, session: Session) -> None:
    """Check that a replay is complete and reached the session's own window, byte for byte."""
    assert result.divergence is None, str(result.divergence)
    assert (result.identical, result.complete, result.torn) == (True, True, False)
    assert (result.messages, result.window) == (len(session.window), digest_of(session.window))


def rerun(arm: str, source: str) -> str:
    """Return a program that hands over to another."""
    return spell(arm, f"gg.programs.rerun({source!r})")


def test_the_demo(arm: str, recording: Recording, replaying: Replaying, tmp_path: Path) -> None:
    """A conversation that reads, fails, writes and ends comes out the same, and its workspace is not touched."""
    workspace = tmp_path / "workspace"
    with as_file(files("gg.demo").joinpath("workspace")) as sample:
        shutil.copytree(sample, workspace)
    with recording(arm, workspace=workspace) as session:
        session.user(QUESTION)
        for number, scripted in enumerate(CONVERSATIONS[arm], 1):
            call = ToolCall(f"c{number}", "submit_program", {"program": scripted.program})
            session.turn(Reply(scripted.content, [call]))
    shutil.rmtree(workspace)
    result = replaying()
    same(result, session)
    assert (result.turns, result.fed, session.ended) == (3, 0, True)
    assert result.calls == len(of(tmp_path / "session.ndjson", "call")) == 10
    assert not workspace.exists()


def conversation(arm: str, session: Session) -> None:
    """Hold a conversation that goes through most of what a turn can come to."""
    session.user("Look \ud800 around.")
    submit(session, spell(arm, "$WRITE('a.txt', 'one\\ntwo\\n')\n$OPEN_FILE('a.txt')\n$OPEN_TEXT('t', 'x' )"))
    submit(session, spell(arm, "$OPEN_TEXT('t', 'longer than a hundred characters: ' + '0123456789'.repeat(9))")
           if arm == "javascript" else spell(arm, "$OPEN_TEXT('t', 'longer than a hundred: ' + '0123456789' * 9)"))  # fmt: skip
    submit(session, spell(arm, "$OPEN_TEXT('t', 'again')\n$OPEN_TEXT('t', 'and again')\n$CLOSE('t')\n$CLOSE('a.txt')"))
    submit(session, spell(arm, "$READ('missing.txt')"), spell(arm, "$LIST('.')"), "(", throw(arm, "é \U0001f600"))
    submit(session, spell(arm, "$FINISH('too early')\n") + throw(arm, "no"))
    submit(session, spell(arm, "$OPEN_TEXT('', 'x')"), spell(arm, "gg.shell.shell('true')"))
    submit(session, rerun(arm, spell(arm, "$OPEN_TEXT('second', 'link')")))
    submit(session, rerun(arm, "x") + "\n" + throw(arm, "failed afterwards"))
    submit(session, spell(arm, "$LOG('only logged')"))
    submit(session, one_of(arm, "gg.docs.search('file'); gg.views.openDocsView('readFile')",
                           "gg.docs.search('file'); gg.views.open_docs_view('read_file')"))  # fmt: skip
    session.turn(Reply("No program.", []))
    session.turn({"content": None, "tool_calls": [
        {"id": "x", "type": "function", "function": {"name": "other", "arguments": "{}"}},
        {"id": "y", "type": "function", "function": {"name": "submit_program", "arguments": "not json"}},
        {"id": "z", "type": "function", "function": {"name": "submit_program", "arguments": '{"program": "\\ud800"}'}},
        {"id": "w", "name": "submit_program", "arguments": {"program": 1, "@": 3, "\udfff": "\udfff"}},
    ]})  # fmt: skip
    history = one_of(arm, "gg.programs.history().map(p => p.id + p.ok).join()",
                     "','.join(p.id + str(p.ok) for p in gg.programs.history())")  # fmt: skip
    submit(session, spell(arm, f"$OPEN_TEXT('programs', {history})\n$FINISH('done')"), spell(arm, "$LIST('.')"))


def test_a_conversation_with_everything(arm: str, recording: Recording, replaying: Replaying) -> None:
    """Errors, hand-overs, replaced and closed views, replies without programs, revoked endings, programs not run."""
    with recording(arm, library=True) as session:
        conversation(arm, session)
    assert session.ended
    same(replaying(), session)


def test_a_program_that_calls_much_is_answered_from_the_record(
    arm: str, recording: Recording, replaying: Replaying, tmp_path: Path
) -> None:
    """Other files than then make no difference: what was read then is read again."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "f").write_text("then")
    loop = one_of(
        arm,
        "let s = ''; for (let i = 0; i < 40; i++) s += gg.files.readFile('f').contents; gg.views.openText('s', s)",
        "gg.views.open_text('s', ''.join(gg.files.read_file('f').contents for _ in range(40)))",
    )
    with recording(arm, workspace=tmp_path / "in") as session:
        submit(session, loop)
    (tmp_path / "in" / "f").write_text("now")
    same(replaying(), session)


def test_a_time_limit_is_fed(arm: str, recording: Recording, replaying: Replaying) -> None:
    """What a program that hung had shown stands; its end is the record's, and the replay does not wait for it."""
    program = spell(arm, f"$OPEN_TEXT('before', 'it')\n$LOG('a line')\n{LOOP[arm]}")
    with recording(arm, limits=Limits(1.0)) as session:
        assert submit(session, program).headings == ["View: before", "Runtime error"]
        submit(session, LOOP[arm], spell(arm, "$OPEN_TEXT('after', 'it')"))
    result = replaying()
    same(result, session)
    assert result.fed == 2


def test_the_death_of_a_worker_is_fed(arm: str, host: Host, recording: Recording, replaying: Replaying) -> None:
    """A death is not repeated: the record says that it happened, and the session goes on behind it."""
    with recording(arm) as session:
        session.stream._sinks.insert(0, lambda event: _kill_at_view(host, session, event))
        ran = submit(session, spell(arm, f"$OPEN_TEXT('before', 'it')\n$LIST('.')\n{LOOP[arm]}"))
        assert ran.error == "execution stopped: the sandbox process running the program ended"
        session.stream._sinks.pop(0)
        submit(session, spell(arm, "$OPEN_TEXT('after', 'it')"))
    result = replaying()
    same(result, session)
    assert result.fed == 1


def _kill_at_view(host: Host, session: Session, event: Any) -> None:
    from gg.stream.events import ViewRecord

    if isinstance(event, ViewRecord):
        worker = session.worker()
        host.warden.kill(worker.number)


def test_a_cancel_is_fed(arm: str, recording: Recording, replaying: Replaying) -> None:
    """A cancelled program ends as it did, and those that were not run after it are not run."""
    import threading

    with recording(arm) as session:
        thread = threading.Timer(0.3, session.cancel)
        thread.start()
        ran = submit(session, LOOP[arm], spell(arm, "$OPEN_TEXT('never', 'shown')"))
        thread.join()
        assert [event["error"] for event in ran.of("code_execution")] == [
            "execution stopped: the session was cancelled",
            "not run: the session was cancelled",
        ]
        submit(session, spell(arm, "$OPEN_TEXT('after', 'it')"))
    result = replaying()
    same(result, session)
    assert result.fed == 1


def test_parallel_calls(recording: Recording, replaying: Replaying) -> None:
    """The calls of one request are recorded one after the other."""
    program = (
        "const all = await gg.core.parallel([() => gg.files.listDir('.'), () => gg.files.listDir('nowhere')]"
        ".map(f => { try { return f() } catch (e) { return e.code } }));"
        "gg.views.openText('all', JSON.stringify(all))"
    )
    with recording("javascript") as session:
        submit(session, program)
    same(replaying(), session)


# -- operations and hooks of plugins ----------------------------------------------------------------------------------


class _Nothing(Arguments, frozen=True):
    pass


class Counter:
    """An operation whose answers come from outside, and which opens views, ends sessions and defers."""

    def __init__(self) -> None:
        self.calls = 0
        self.ready: str | None = None

    def tick(self, context: CallContext, _arguments: _Nothing) -> int:
        """Count, and show the count."""
        self.calls += 1
        context.views.open_text("count", str(self.calls))
        if self.calls == 4:
            raise OperationFailure("conflict", "four is enough")
        return self.calls

    def end(self, context: CallContext, _arguments: _Nothing) -> None:
        """End the session."""
        self.calls += 1
        context.ending.declare("counter.end", f"after {self.calls}")

    def wait(self, context: CallContext, _arguments: _Nothing) -> None:
        """Promise the count."""
        self.calls += 1
        context.defer("counter.wait", lambda: self.ready)

    def rows(self) -> list[Operation]:
        """Return the rows."""
        return [
            Operation("counter.tick", _Nothing, self.tick, int, "Count."),
            Operation("counter.end", _Nothing, self.end, None, "End."),
            Operation("counter.wait", _Nothing, self.wait, None, "Wait.", backed=False, outlives_deadline=True),
        ]


def test_what_a_plugins_operation_does_is_done_again_without_it(arm: str, path: Path) -> None:
    """Its views, its ending and its deferred results come from the record; its code is not called."""
    counter = Counter()
    with Host(operations=counter.rows(), spares=False) as host:
        with host.session(arm, record=path, limits=FAST) as session:
            submit(session, "gg.counter.tick()\ngg.counter.tick()\ngg.counter.wait()")
            counter.ready = "the wait is over"
            ran = submit(session, "gg.counter.tick()")
            assert ran.headings == ["View: count", "Notice", "Runtime error"]
            submit(session, "gg.counter.tick()\ngg.counter.end()")
        assert session.summary == "after 6"
        result = replay(path, host=host)
    same(result, session)
    assert counter.calls == 6


def test_an_operation_that_the_host_does_not_have_is_named(path: Path, host: Host) -> None:
    """A replay without the plugin that added an operation is a usage error that names the operation."""
    with Host(operations=Counter().rows(), spares=False) as other, other.session("javascript", record=path):
        pass
    with pytest.raises(UsageError, match=r"held counter\.end, counter\.tick, counter\.wait, which this host does not"):
        replay(path, host=host)


class Judge:
    """Refuses writes, and rejects the first ending."""

    def __init__(self) -> None:
        self.asked = 0

    @hookimpl
    def gg_pre_call(self, call: PendingCall) -> str | None:
        """Guard."""
        self.asked += 1
        return "no writing" if call.operation in ("files.write_file", "programs.history") else None

    @hookimpl
    def gg_agent_stop(self, stop: AgentStop) -> str | None:
        """Judge."""
        self.asked += 1
        return "not yet" if stop.turn == 1 else None


def test_what_hooks_said_comes_from_the_record(arm: str, path: Path) -> None:
    """Objections to calls, also to those that a replay runs again, and to endings; no hook is asked in a replay."""
    judge = Judge()
    with Host(spares=False) as host:
        assert host.plugins is not None
        host.plugins.register(judge, "judge")
        with host.session(arm, record=path, limits=FAST, library=True) as session:
            ran = submit(session, spell(arm, "$OPEN_TEXT('a', 'b')\n$FINISH('first')"))
            assert ran.headings == ["View: a", "Notice"]
            submit(session, spell(arm, "$WRITE('a', 'b')"), "gg.programs.history()")
            submit(session, spell(arm, "$FINISH('second')"))
        asked = judge.asked
        result = replay(path, host=host)
    same(result, session)
    assert judge.asked == asked > 0


def test_the_time_of_the_whole_run_comes_from_the_record(arm: str, recording: Recording, replaying: Replaying) -> None:
    """A call refused because the run's time was spent is refused again, though a replay has all the time."""
    with recording(arm, run_timeout_s=0.001) as session:
        ran = submit(session, spell(arm, "$OPEN_TEXT('shown', 'all the same')\n$LIST('.')"))
        assert "the time of the whole run is spent" in ran.error
    same(replaying(), session)


# -- divergences ------------------------------------------------------------------------------------------------------


def test_another_program_diverges(arm: str, recording: Recording, replaying: Replaying, path: Path) -> None:
    """A reply that was changed (with sums that fit) is told of by turn, program and line."""
    with recording(arm) as session:
        submit(session, spell(arm, "$OPEN_TEXT('a', 'b')"))
        submit(session, spell(arm, "$OPEN_TEXT('c', 'd')"))
    changed = lines(path)
    for line in changed:
        for call in line.get("toolCalls", []):
            call["arguments"]["program"] = call["arguments"]["program"].replace("'d'", "'e'")
        if line["type"] == "program":
            line["source"] = line["source"].replace("'d'", "'e'")
    forge(path, changed)
    found = replaying().divergence
    assert found is not None
    assert (found.turn, found.program) == (2, 0)
    assert changed[found.line - 1]["type"] == "call"
    assert ('"body":"d"' in found.expected, '"body":"e"' in found.came) == (True, True)
    assert found.difference is not None
    assert "`arguments` differs from character" in found.difference


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("window", "content", "something else"), ("ran", "end", "failed"), ("turn", "outcome", "finished"),
        ("call", "operation", "views.close"), ("ended", "window", "0" * 64), ("program", "run", 1),
    ],
)  # fmt: skip
def test_every_kind_of_line_is_compared(
    recording: Recording, replaying: Replaying, path: Path, kind: str, key: str, value: Any
) -> None:
    """A change of any line that a replay reaches again is a divergence at that line."""
    with recording("javascript") as session:
        submit(session, "gg.views.openText('a', 'b')")
    changed = lines(path)
    place = max(n for n, line in enumerate(changed) if line["type"] == kind)
    changed[place][key] = value
    forge(path, changed)
    result = replaying()
    assert not result.identical
    assert result.divergence is not None
    assert result.divergence.line == place + 1


def test_an_answer_of_views_is_compared(recording: Recording, replaying: Replaying, path: Path) -> None:
    """The operations on the window are real in a replay: another answer than the recorded one is a divergence."""
    with recording("javascript") as session:
        submit(session, "gg.views.openText('a', 'b'); gg.views.close('a')")
    changed = lines(path)
    (closed,) = [line for line in changed if line["type"] == "answer" and line["reply"]["value"] == 1]
    closed["reply"]["value"] = 2
    forge(path, changed)
    found = replaying().divergence
    assert found is not None
    assert changed[found.line - 1] is closed


def test_an_event_is_compared(recording: Recording, replaying: Replaying, path: Path) -> None:
    """Events are compared but for times."""
    with recording("javascript") as session:
        submit(session, "gg.views.openText('a', 'b')")
    changed = lines(path)
    for line in changed:
        if line["type"] == "event" and line["event"]["type"] == "code_execution":
            assert line["event"].pop("durationMs") > 0
    forge(path, changed)
    assert replaying().identical
    for line in changed:
        if line["type"] == "event" and line["event"]["type"] == "code_execution":
            line["event"]["toolCalls"] = 1
    forge(path, changed)
    found = replaying().divergence
    assert found is not None
    assert "code_execution" in found.expected


def test_a_record_without_its_end_is_replayed_as_far_as_it_goes(
    arm: str, recording: Recording, replaying: Replaying, path: Path
) -> None:
    """Wherever whole lines were lost at the end: what is there comes out the same, and `complete` is false."""
    with recording(arm, library=True) as session:
        session.user("Hello.")
        submit(session, spell(arm, "$WRITE('a', 'b')\n$OPEN_FILE('a')"), throw(arm, "x"))
    whole = lines(path)
    for count in range(1, len(whole), 3):
        forge(path, whole[:count])
        result = replaying()
        assert result.identical, (count, str(result.divergence))
        assert (result.complete, result.torn) == (False, False)


def test_a_session_is_used_while_it_is_recorded(arm: str, recording: Recording, path: Path) -> None:
    """Each line is in the file as soon as it is written."""
    with recording(arm) as session:
        submit(session, spell(arm, "$OPEN_TEXT('a', 'b')"))
        assert wait_until(lambda: len(of(path, "turn")) == 1)
        assert not of(path, "ended")
    assert of(path, "ended")


def test_a_compaction_is_done_again(arm: str, recording: Recording, replaying: Replaying) -> None:
    """The window a program compacted comes out the same."""
    with recording(arm, grants=["context", "views"]) as session:
        submit(session, spell(arm, "$OPEN_TEXT('a', '1')"))
        submit(session, "gg.context.compact('All that went before.')")
        submit(session, spell(arm, "$OPEN_TEXT('b', '2')"))
    assert not any(message.heading == "View: a" for message in session.window)
    same(replaying(), session)


def test_memories_come_from_the_record(arm: str, recording: Recording, replaying: Replaying, tmp_path: Path) -> None:
    """What the directory held, and what became of it, is in the record; the directory is not looked at again."""
    place = tmp_path / "memories"
    found = one_of(
        arm,
        "gg.views.openText('found', gg.memories.searchMemories(['x']).map((m) => m.name).join())",
        "gg.views.open_text('found', ','.join(m.name for m in gg.memories.search_memories(['x'])))",
    )
    for name in ("one", "two"):
        (tmp_path / "session.ndjson").unlink(missing_ok=True)
        with recording(arm, memories=place) as session:
            submit(
                session, one_of(arm, "gg.memories.writeMemory", "gg.memories.write_memory") + f"('{name}', 'd', 'x')"
            )
            assert submit(session, found).headed == [("View: found", "one" if name == "one" else "one,two")]
    shutil.rmtree(place)
    same(replaying(), session)
    assert not place.exists()


def test_a_memory_that_could_not_be_kept_fails_again(
    recording: Recording, replaying: Replaying, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that was full then is full in the replay."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with recording("javascript", memories=tmp_path / "memories") as session:
        monkeypatch.setattr("gg.knowledge.memories.Memories.write", full)
        submit(session, "gg.memories.writeMemory('b', 'd', 'x')")
        monkeypatch.undo()
    assert any("No space left" in message.content for message in session.window)
    same(replaying(), session)


def test_a_picture_is_shown_again(arm: str, recording: Recording, replaying: Replaying, path: Path) -> None:
    """Its bytes are in the record, not its file; another picture is another window."""
    data = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    place = path.with_suffix(".work")
    place.mkdir()
    (place / "p.png").write_bytes(data)
    with recording(arm, workspace=place) as session:
        submit(session, spell(arm, "$OPEN_FILE('p.png')\n$OPEN_FILE('p.png')"))
    (place / "p.png").unlink()
    same(replaying(), session)
    edited = lines(path)
    call = next(one for one in edited if one.get("effects"))
    call["effects"][0]["args"][3] = "a text"
    whole = path.read_bytes()
    forge(path, edited)
    assert "cannot be done again" in str(replaying().divergence)
    path.write_bytes(whole)
    shown = next(m for m in session.window if m.image is not None)
    shown.image = Image("image/png", data[:-1])
    assert replaying().window != digest_of(session.window)
