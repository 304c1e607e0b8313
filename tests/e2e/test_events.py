"""The operator's stream of a turn: counts, caps, presence, quiet (code-execution page, design 7.21 and 10)."""

from __future__ import annotations

import time
from typing import Any

import pytest
from support import FAST, LOOP, Runner, one_of, spell, submit, throw

from gg import Host, Limits

LOOP_CALL = {"javascript": "for (let i = 0; i < {}; i++) {{ {} }}", "python": "for i in range({}):\n    {}"}
TRY_CALL = {
    "javascript": "for (let i = 0; i < {}; i++) try {{ {} }} catch (e) {{}}",
    "python": "for i in range({}):\n    try: {}\n    except Exception: pass",
}


def repeat(arm: str, count: int, call: str) -> str:
    """Return a program that makes a call many times."""
    return spell(arm, LOOP_CALL[arm].format(count, call))


def attempt(arm: str, count: int, call: str) -> str:
    """Return a program that makes a failing call many times and catches each failure."""
    return spell(arm, TRY_CALL[arm].format(count, call))


# -- counts -----------------------------------------------------------------------------------------------------------


def test_counts(run: Runner, arm: str) -> None:
    """`toolCalls` counts dispatched calls alone; `apiCalls` every call, refused, invalid and unbacked ones too."""
    program = "\n".join(
        [
            spell(arm, "$WRITE('f', 'x')\n$READ('f')\n$OPEN_TEXT('a', 'b')\n$CLOSE('a')\n$CURRENT()"),
            attempt(arm, 1, "$READ(5)"),
            attempt(arm, 1, "$READ('nope')"),
        ]
    )
    ran = run(arm, program)
    event = ran.execution
    assert (event["toolCalls"], event["apiCalls"]) == (3, 7)
    assert [(c["operation"], c["ok"], c.get("code")) for c in event["calls"]] == [
        ("files.write_file", True, None), ("files.read_file", True, None), ("files.read_file", False, "not-found"),
    ]  # fmt: skip
    assert len(ran.of("api_call")) == len(ran.of("api_result")) == 7
    assert [e["call"] for e in ran.of("api_result")] == list(range(1, 8))


def test_a_program_without_calls(run: Runner, arm: str) -> None:
    """`apiCalls` is omitted when zero, and so is every list that would be empty."""
    event = run(arm, "1").execution
    assert event["toolCalls"] == 0
    assert not {"apiCalls", "calls", "logs", "logsSuppressed", "callsSuppressed", "error", "finished"} & event.keys()


def test_nothing_on_the_wire_is_null(run: Runner, arm: str) -> None:
    """Absent means that the key is missing."""

    def nulls(value: Any) -> bool:
        if isinstance(value, dict):
            return any(map(nulls, value.values()))
        return value is None or (isinstance(value, list) and any(map(nulls, value)))

    ran = run(
        arm, spell(arm, "$WRITE('f', 'x')\n$OPEN_TEXT('a', 'b')\n") + throw(arm, "x"), "1", spell(arm, "$FINISH('d')")
    )
    assert not any(nulls(event) for event in ran.events)


def test_api_pair_brackets_each_call(run: Runner, arm: str) -> None:
    """Each call is an `api_call` followed by its `api_result` with the time it parked, in order."""
    ran = run(arm, spell(arm, "$WRITE('f', 'x')\n$OPEN_TEXT('a', 'b')"))
    pairs = [e for e in ran.events if e["type"] in ("api_call", "api_result")]
    assert [(e["type"], e["operation"], e["call"]) for e in pairs] == [
        ("api_call", "files.write_file", 1), ("api_result", "files.write_file", 1),
        ("api_call", "views.open_text", 2), ("api_result", "views.open_text", 2),
    ]  # fmt: skip
    assert all(e["parkedMs"] >= 0 and e["ok"] and "failure" not in e for e in pairs if e["type"] == "api_result")


def test_undocumented_calls(run: Runner, arm: str) -> None:
    """Without a documentation view every call is one the model wrote undocumented; none omits the field."""
    event = run(arm, spell(arm, "$WRITE('f', 'x')\n$WRITE('g', 'x')\n$FINISH('d')")).execution
    assert event["undocumentedCalls"] == {"calls": 3, "operations": {"files.write_file": 2, "session.finish": 1}}
    assert "undocumentedCalls" not in run(arm, "1").execution


def test_parked_time_is_not_the_programs(host: Host, arm: str, run: Runner) -> None:
    """`durationMs` is the program's own time, and no more than the turn took."""
    began = time.perf_counter()
    ran = run(arm, repeat(arm, 200, "$CURRENT()"))
    took = (time.perf_counter() - began) * 1000
    assert 0 < ran.execution["durationMs"] < took


# -- caps -------------------------------------------------------------------------------------------------------------


def test_calls_described(run: Runner, arm: str) -> None:
    """500 calls are described, the rest counted; the pairs on the stream are never capped."""
    ran = run(arm, spell(arm, "$WRITE('f', 'x')\n") + repeat(arm, 510, "$READ('f')"))
    event = ran.execution
    assert (event["toolCalls"], len(event["calls"]), event["callsSuppressed"]) == (511, 500, 11)
    assert len(ran.of("api_call")) == 511


def test_refusals_described(run: Runner, arm: str) -> None:
    """100 refusals are described, each at warn; the rest are counted."""
    ran = run(arm, attempt(arm, 130, "$READ(5)"))
    event = ran.execution
    assert (len(ran.of("refusal")), event["refusalsSuppressed"]) == (100, 30)
    assert (event["toolCalls"], event["apiCalls"]) == (0, 130)
    assert "calls" not in event


def test_views_described(run: Runner, arm: str) -> None:
    """100 view records a kind: opened (replaced counted as opened), closed, refused."""
    program = "\n".join(
        [
            repeat(
                arm, 110, "$OPEN_TEXT('a' + String(i), 'x')" if arm == "javascript" else "$OPEN_TEXT('a' + str(i), 'x')"
            ),
            repeat(arm, 10, "$OPEN_TEXT('a0', 'y')"),
            repeat(arm, 105, "$CLOSE('a' + String(i))" if arm == "javascript" else "$CLOSE('a' + str(i))"),
            attempt(arm, 103, "$OPEN_TEXT('', 'x')"),
        ]
    )
    ran = run(arm, program)
    assert ran.execution["viewsSuppressed"] == {"opened": 20, "closed": 5, "refused": 3}
    counts = {a: sum(e["action"] == a for e in ran.of("view")) for a in ("opened", "replaced", "closed", "refused")}
    assert counts == {"opened": 100, "replaced": 0, "closed": 100, "refused": 100}


def test_caps_are_a_programs_own(run: Runner, arm: str) -> None:
    """Each program of a turn has its own caps."""
    for event in run(arm, attempt(arm, 90, "$READ(5)"), attempt(arm, 90, "$READ(5)")).of("code_execution"):
        assert "refusalsSuppressed" not in event


def test_failure_text_kept_per_call(run: Runner, arm: str) -> None:
    """The text of a call's failure is cut to 512 bytes at a character, on the record alone."""
    name = "é" * 90 + "/" + "é" * 90 + "/" + "é" * 90
    ran = run(arm, spell(arm, f"$READ('{name}')"))
    (call,) = ran.execution["calls"]
    assert 500 <= len(call["message"].encode()) <= 512
    assert name in ran.error


@pytest.mark.parametrize(
    ("count", "kept", "suppressed"), [(0, 0, None), (1, 1, 0), (200, 200, 0), (201, 200, 1), (3000, 200, 2800)]
)
def test_log_lines(run: Runner, arm: str, count: int, kept: int, suppressed: int | None) -> None:
    """The tail of 200 lines is kept and the rest counted; both fields are omitted when nothing was printed."""
    ran = run(arm, repeat(arm, count, "$LOG(i)"))
    assert ran.logs == [str(i) for i in range(count - kept, count)]
    assert ran.execution.get("logsSuppressed") == suppressed


def test_log_bytes(run: Runner, arm: str) -> None:
    """16 KiB in whole lines, 2 KiB a line in whole characters; a cut line is not a suppressed one."""
    text = one_of(arm, "'é'.repeat(1500)", "'é' * 1500")
    ran = run(arm, repeat(arm, 10, f"$LOG({text})"))
    assert ran.logs == ["é" * 1024] * 8
    assert ran.execution["logsSuppressed"] == 2


def test_log_lines_end_at_lf_or_crlf(run: Runner, arm: str) -> None:
    """One call with several lines is several; a lone CR stays; a last line without newline counts."""
    program = one_of(
        arm,
        "console.log('a\\r\\nb\\rc\\n\\nd'); console.log('')",
        "import sys\nsys.stdout.write('a\\r\\nb\\rc\\n\\nd\\n\\ne')",
    )
    expected = ["a", "b\rc", "", "d", ""] + ([] if arm == "javascript" else ["e"])
    assert run(arm, program).logs == expected


def test_order_across_streams(run: Runner, arm: str) -> None:
    """Lines of standard output and standard error keep their order."""
    program = one_of(
        arm,
        "for (let i = 0; i < 50; i++) { console.log('o' + i); console.error('e' + i); }",
        "import sys\nfor i in range(50):\n    print(f'o{i}', flush=True)\n    print(f'e{i}', file=sys.stderr)",
    )
    assert run(arm, program).logs == [f"{s}{i}" for i in range(50) for s in "oe"]


def test_logs_of_a_stopped_program(run: Runner, arm: str) -> None:
    """What was logged before a program was stopped is kept, and reaches the operator alone."""
    ran = run(arm, spell(arm, "$LOG('before')\n") + LOOP[arm], limits=Limits(0.5, 256 << 20))
    assert ran.logs == ["before"]
    assert "before" not in "".join(m.text for m in ran.messages)


def test_logs_are_no_message(run: Runner, arm: str) -> None:
    """Nothing a clean program logs is readable by the model."""
    assert "secret-word" not in "".join(m.text for m in run(arm, spell(arm, "$LOG('secret-word')")).messages)


def test_log_values(run: Runner) -> None:
    """JavaScript's console writes values as a console does."""
    ran = run(
        "javascript",
        "console.log(1, 'a', [1, 'b'], { a: { b: 1 } }, null, undefined, 2n, Symbol('s'), () => 1, new Map([[1, 2]]))",
    )
    assert ran.logs == [
        "1 a [ 1, 'b' ] { a: { b: 1 } } null undefined 2n Symbol(s) [Function (anonymous)] Map(1) { 1 => 2 }"
    ]


# -- presence ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("javascript", "python", "ok", "error"),
    [
        ("1", "1", True, False),
        ("throw 1", "raise ValueError", False, True),
        ("while (true) {}", "while True: pass", False, True),
        ("1 +", "1 +", False, True),
    ],
)
def test_presence_in_the_shared_guests(
    host: Host, arm: str, javascript: str, python: str, ok: bool, error: bool
) -> None:
    """Once the guest is ready: always `durationMs`, never `compileMs` or `compileWaitMs`, `error` when not ok."""
    with host.session(arm, limits=Limits(0.5, 256 << 20)) as session:
        submit(session, "1")
        event = submit(session, one_of(arm, javascript, python)).execution
        assert (event["ok"], "error" in event, "durationMs" in event) == (ok, error, True)
        assert not {"compileMs", "compileWaitMs"} & event.keys()


def test_no_compile_wait_when_the_guest_was_ready(host: Host, arm: str) -> None:
    """A first program that did not wait for its guest carries no `compileWaitMs`."""
    with host.session(arm, limits=FAST) as session:
        time.sleep(0.4)
        assert "compileWaitMs" not in submit(session, "1").execution


@pytest.mark.parametrize(
    ("program", "present"),
    [
        ("reject", {"compileMs", "compileWaitMs", "error"}),
        ("broken", {"compileMs", "compileWaitMs", "error"}),
    ],
)
def test_presence_in_a_compiled_arm(strange_host: Host, program: str, present: set[str]) -> None:
    """A rejected program carries its `compileMs` and a wait of 0; a toolchain failure no duration either."""
    event = Runner(strange_host)("prepares", program).execution
    assert present <= event.keys()
    assert "durationMs" not in event
    assert event["compileMs"] > 0
    assert event["compileWaitMs"] == 0


def test_presence_of_a_compiled_program(host: Host) -> None:
    """A program of its own module carries what preparing and loading it cost."""
    for event in Runner(host)("echo", "hello", "!trap").of("code_execution"):
        assert event["compileMs"] > 0
        assert event["compileWaitMs"] > 0
        assert "durationMs" in event


def test_duration_of_a_stopped_program_is_the_time_burned(run: Runner, arm: str) -> None:
    """`durationMs` of a program that was stopped is what it used, not another figure."""
    duration = run(arm, LOOP[arm], limits=Limits(0.5, 256 << 20)).execution["durationMs"]
    assert 495 <= duration < 800


def test_event_error_is_the_body(run: Runner, arm: str) -> None:
    """The event's `error` is the body the model read, long ones too."""
    ran = run(arm, throw(arm, "x" * 5000))
    assert ran.execution["error"] == ran.error
    assert len(ran.error) > 2000


# -- order, levels ----------------------------------------------------------------------------------------------------


def test_events_carry_their_place(host: Host, arm: str) -> None:
    """`seq` counts through the session, `turn` and `program` are there where one applies."""
    with host.session(arm, limits=FAST) as session:
        events = []
        for _ in range(2):
            events += submit(session, spell(arm, "$OPEN_TEXT('a', 'b')"), throw(arm, "x")).events
        before = [e.seq for e in session.events]
        numbers = [e["seq"] for e in events]
        assert numbers == sorted(set(numbers))
        assert not set(before) & set(numbers)
        assert sorted({e["turn"] for e in events}) == [1, 2]
        for event in events:
            inside = event["type"] in ("api_call", "api_result", "view", "code_execution", "refusal")
            assert ("program" in event) or not inside
            assert event["ts"] > 1.6e9


def test_quiet_on_the_ordinary_path(run: Runner, arm: str) -> None:
    """A program that called some tools and opened some views says nothing at info or above but its pairs and event."""
    ran = run(arm, spell(arm, "$WRITE('f', 'x')\n$OPEN_FILE('f')\n$OPEN_TEXT('a', 'b')\n$CLOSE('a')\n$LOG('x')"))
    assert ran.loud == []


def test_refused_views_are_loud(run: Runner, arm: str) -> None:
    """A refused view is a warning that carries its message."""
    ran = run(arm, attempt(arm, 1, "$OPEN_TEXT('', 'x')"))
    assert ran.loud == ["view"]
    assert "empty" in ran.of("view")[0]["message"]


def test_view_records(run: Runner, arm: str) -> None:
    """A view's record names kind, selector and exact tokens of what is sent."""
    ran = run(arm, spell(arm, "$WRITE('f', 'x\\n')\n$OPEN_FILE('f')\n$OPEN_TEXT('lab', 'some body')\n$CLOSE('f')"))
    records = [(e["action"], e["kind"], e["selector"]) for e in ran.of("view")]
    assert records == [("opened", "file", "f"), ("opened", "text", "lab"), ("closed", "file", "f")]
    assert ran.of("view")[1]["tokens"] == ran.messages[-1].tokens == 7


def test_session_events(host: Host, arm: str) -> None:
    """A session says what it is and what it holds before its first turn, spelt as its language does."""
    seen: list[Any] = []
    with host.session(arm, limits=FAST, grants=["files", "session"], sinks=[seen.append]) as session:
        kinds = [type(e).__name__ for e in session.events]
        assert kinds.index("SessionStarted") < kinds.index("AgentSurface")
    surface = next(e for e in seen if type(e).__name__ == "AgentSurface")
    assert [m.module for m in surface.modules] == ["files", "session"]
    spelling = {f.operation: f.spelling for m in surface.modules for f in m.functions}
    assert spelling["files.read_file"] == one_of(arm, "gg.files.readFile", "gg.files.read_file")
    assert (type(seen[-1]).__name__, seen[-1].reason) == ("SessionEnded", "closed")


def test_turn_events(run: Runner, arm: str) -> None:
    """Each turn ends with its outcome, its timing and the tokens of each band."""
    ran = run(arm, spell(arm, "$OPEN_TEXT('a', 'b')"))
    assert [e["type"] for e in ran.events[-3:]] == ["turn_outcome", "turn_timing", "context_breakdown"]
    outcome, timing, breakdown = ran.events[-3:]
    assert outcome["outcome"] == "continue"
    assert 0 < timing["runMs"] <= timing["totalMs"]
    assert breakdown["bands"]["text_views"] == ran.messages[-1].tokens
    assert breakdown["bands"]["tool_output"] == 1


def test_sink_that_raises_is_dropped(host: Host, capfd: pytest.CaptureFixture[str]) -> None:
    """A sink's failure is reported once and reaches neither the turn nor the other sinks."""
    seen: list[Any] = []

    def broken(event: object) -> None:
        raise RuntimeError("no disk")

    with host.session("javascript", limits=FAST, sinks=[broken, seen.append]) as session:
        assert submit(session, "1").execution["ok"]
    assert len(seen) > 5
    assert capfd.readouterr().err.count("no disk") == 1
