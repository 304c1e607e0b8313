"""The program library and hand-overs: what is kept, what adds up over a chain, and what is not run (messages page)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support import FAST, Ran, Runner, one_of, spell, submit, throw

from gg import Host, Limits, Session, wording
from gg.errors import UsageError
from gg.host import program, submission
from gg.host.workers import Worker
from gg.operations import bracket

FAILED = "The replacement program was not run: the program that handed over to it failed afterwards."
ENDED = "The replacement program was not run: the program that handed over to it also ended the session."
EXHAUSTED = "The replacement program was not run: this turn had already run 3 replacement programs, and runs no more."


def rerun(source: str, before: str = "") -> str:
    """Return a program that hands over to another, in either language."""
    return f"{before}\ngg.programs.rerun({json.dumps(source)})"


def chain(*programs: str) -> str:
    """Return the first of programs that hand over to each other in order."""
    first, *rest = programs
    return rerun(chain(*rest), first) if rest else first


def show_history(arm: str) -> str:
    """Return a program that shows what the library lists."""
    return one_of(
        arm,
        "gg.views.openText('history', JSON.stringify(gg.programs.history()))",
        "import json\n"
        "def plain(p):\n"
        "    kept = {n: getattr(p, n, None) for n in ('id', 'turn', 'lines', 'chars', 'ok', 'error')}\n"
        "    return {n: v for n, v in kept.items() if v is not None}\n"
        "gg.views.open_text('history', json.dumps([plain(p) for p in gg.programs.history()]))",
    )


def history(session: Session, arm: str) -> list[dict[str, Any]]:
    """Return what a program of the session's reads of the library."""
    ran = submit(session, show_history(arm))
    (body,) = [body for heading, body in ran.headed if heading == "View: history"]
    listed: list[dict[str, Any]] = json.loads(body)
    return listed


def read(session: Session, id: str) -> str:
    """Return the source kept under an id."""
    program = "$OPEN_TEXT('source', gg.programs.get('" + id + "'))"
    return dict(submit(session, spell(session.info.id, program)).headed)["View: source"]


# -- the library ------------------------------------------------------------------------------------------------------


def test_history_lists_programs_under_their_receipts(host: Host, arm: str) -> None:
    """Oldest first, failed ones with what the model read, without the one that is running and without sources."""
    good, bad, unread = "1\n2\n", throw(arm, "no"), "1 +"
    with host.session(arm, limits=FAST, library=True) as session:
        ran = submit(session, good, bad, unread)
        submit(session, "3")
        listed = history(session, arm)
        assert [entry["id"] for entry in listed[:3]] == ran.receipts
        assert [entry["turn"] for entry in listed] == [1, 1, 1, 2]
        assert [entry["ok"] for entry in listed] == [True, False, False, True]
        assert (listed[0]["lines"], listed[0]["chars"]) == (2, len(good))
        errors = [body for heading, body in ran.headed if heading.endswith("error")]
        assert [entry.get("error") for entry in listed] == [None, *errors, None]
        assert all("source" not in entry for entry in listed)
        assert [read(session, entry["id"]) for entry in listed] == [good, bad, unread, "3"]


def test_programs_not_run_are_kept_too(host: Host, arm: str) -> None:
    """A program behind an ending was not run, and still has the entry its receipt names."""
    with host.session(arm, limits=FAST, library=True) as session:
        ran = submit(session, spell(arm, "$FINISH('done')"), "1")
        assert session.library is not None
        kept = session.library.get(ran.receipts[1])
        assert kept is not None
        assert (kept.ok, kept.source) == (False, "1")
        assert kept.error == ran.of("code_execution")[1]["error"]


def test_an_id_that_never_was(host: Host, arm: str) -> None:
    """The error names the ids that are kept."""
    with host.session(arm, limits=FAST, library=True) as session:
        (id,) = submit(session, "1").receipts
        ran = submit(session, "gg.programs.get('nope')")
        assert f"`get` failed (not-found): no program is kept under 'nope'; kept are {id} (turn 1)" in ran.error


def test_the_oldest_go_where_few_are_kept(host: Host, arm: str) -> None:
    """Retention drops the oldest; an id is never given to another program."""
    with host.session(arm, limits=FAST, library=True, keep=2) as session:
        ids = [submit(session, str(n)).receipts[0] for n in range(4)]
        assert [entry["id"] for entry in history(session, arm)] == ids[2:]
        assert "(not-found)" in submit(session, f"gg.programs.get('{ids[0]}')").error
        assert len(set(ids)) == 4


@pytest.mark.parametrize("keep", [0, -1, True, "all", 1.5])
def test_retention_is_a_positive_number(host: Host, keep: Any) -> None:
    """Nonsense is a usage error that says what was given."""
    with pytest.raises(UsageError, match=re.escape(repr(keep))):
        host.session("javascript", library=True, keep=keep)


@pytest.mark.parametrize("call", ["gg.programs.history()", "gg.programs.get('a')", "gg.programs.rerun('1')"])
def test_without_a_library_there_are_no_programs(run: Runner, arm: str, call: str) -> None:
    """The gate refuses the whole module, granted or not, and the prompt does not name it."""
    ran = run(arm, call, grants=["programs", "views"])
    assert "(unavailable)" in ran.error
    assert ran.execution["apiCalls"] == 1
    assert "programs" not in ran.session.messages()[0]["content"].partition("may call")[2]


# -- a chain adds up --------------------------------------------------------------------------------------------------


def test_a_chain_of_four_is_one_submission(host: Host, arm: str) -> None:
    """Calls, logs and views add up; one event, one entry: the source that did the work, under the submission's id."""
    step = spell(arm, "$LIST(); $LOG('{0}'); $OPEN_TEXT('v{0}', '{0}')")
    steps = [step.replace("{0}", str(n)) for n in range(4)]
    with host.session(arm, limits=FAST, library=True) as session:
        ran = submit(session, chain(*steps))
        assert ran.execution["ok"]
        assert ran.execution["toolCalls"] == 4
        assert ran.execution["apiCalls"] == 4 * 2 + 3
        assert ran.execution["logs"] == ["0", "1", "2", "3"]
        assert ran.headings == ["View: v0", "View: v1", "View: v2", "View: v3"]
        assert {m.program for m in ran.messages} == {0}
        assert ran.execution["undocumentedCalls"]["operations"]["files.list_dir"] == 4
        (entry,) = history(session, arm)
        assert entry["id"] == ran.receipts[0]
        assert read(session, entry["id"]) == steps[3]


def test_durations_add_up(run: Runner, arm: str) -> None:
    """The event's duration is that of all programs of the chain."""
    spin = one_of(
        arm,
        "for (const end = Date.now() + 60; Date.now() < end;);",
        "import time\nend = time.monotonic() + 0.06\nwhile time.monotonic() < end: pass",
    )
    assert run(arm, chain(spin, spin, spin), library=True).execution["durationMs"] >= 170


def test_compile_time_of_a_chain_adds_up(strange_host: Host) -> None:
    """Of an arm that takes 0.1 s for each program that says so: the event has the time of all four, and their waits."""
    link = 'call(\'[["programs.rerun", {"source": %s}]]\') # slow'
    program = "outcome = Outcome('returned') # slow"
    for _ in range(3):
        program = link % json.dumps(program).replace("\\", "\\\\").replace("'", "\\'")
    with strange_host.session("builds", limits=FAST, library=True) as session:
        ran = submit(session, program)
        assert ran.execution["ok"] is True
        assert ran.execution["apiCalls"] == 3
        assert 400 <= ran.execution["compileMs"] < 4000
        assert ran.execution["compileWaitMs"] >= 0
        once = submit(session, "outcome = Outcome('returned') # slow").execution["compileMs"]
        assert 100 <= once < ran.execution["compileMs"] - 200


def test_log_caps_hold_over_the_chain(run: Runner, arm: str) -> None:
    """The tail of the whole chain is kept, and what went is counted."""
    many = one_of(arm, "for (let i = 0; i < 150; i++) console.log({0} + i)", "for i in range(150): print({0} + i)")
    ran = run(arm, chain(*(many.replace("{0}", str(n * 1000)) for n in range(3))), library=True)
    assert ran.logs == [str(1000 + n) for n in range(100, 150)] + [str(2000 + n) for n in range(150)]
    assert ran.execution["logsSuppressed"] == 250
    wide = one_of(
        arm, "for (let i = 0; i < 9; i++) console.log('x'.repeat(1000))", "for i in range(9): print('x' * 1000)"
    )
    ran = run(arm, chain(wide, wide), library=True)
    assert (len(ran.logs), ran.execution["logsSuppressed"]) == (16, 2)


def test_views_of_a_chain_share_the_turns_bound(run: Runner, arm: str) -> None:
    """8 MiB of bodies is a bound of the turn, whichever program composes them."""
    fill = one_of(
        arm,
        "for (let i = 0; i < 100; i++) gg.views.openText('{0}' + i, 'x'.repeat(65536))",
        "for i in range(100): gg.views.open_text('{0}' + str(i), 'x' * 65536)",
    )
    ran = run(arm, chain(fill.replace("{0}", "a"), fill.replace("{0}", "b")), library=True)
    assert "the views of a turn hold at most 8388608 bytes" in ran.error
    assert len([h for h in ran.headings if h.startswith("View:")]) == 128


def test_the_result_is_the_last_programs(run: Runner, arm: str) -> None:
    """A chain fails as its last program does; a program that does not parse is a Compiler error."""
    ran = run(arm, chain(spell(arm, "$OPEN_TEXT('kept', '1')"), throw(arm, "late")), library=True)
    assert ran.headings == ["View: kept", "Runtime error"]
    assert "late" in ran.error
    ran = run(arm, chain("1", "1 +"), library=True)
    assert ran.headings == ["Compiler error"]
    assert (ran.execution["ok"], ran.execution["error"]) == (False, ran.error)
    assert ran.execution["durationMs"] > 0


def test_the_ending_is_the_last_programs(host: Host, arm: str) -> None:
    """A replacement may end the session."""
    with host.session(arm, limits=FAST, library=True) as session:
        ran = submit(session, chain("1", spell(arm, "$FINISH('by the second')")))
        assert (ran.turn.outcome, ran.turn.summary) == ("finished", "by the second")
        assert ran.execution["finished"] == "by the second"


# -- what is not run --------------------------------------------------------------------------------------------------


def refused(ran: Ran) -> str:
    """Return why the turn's hand-over was not run, by the operator's line."""
    reason: str = ran.log("handover_not_run")["reason"]
    return reason


def test_a_failure_revokes_the_hand_over(run: Runner, arm: str) -> None:
    """The notice comes before the error."""
    ran = run(arm, rerun("1") + "\n" + throw(arm, "after"), library=True)
    assert ran.headed[0] == ("Notice", FAILED)
    assert ran.headings == ["Notice", "Runtime error"]
    assert refused(ran) == "failed"


def test_an_ending_outranks_the_hand_over(run: Runner, arm: str) -> None:
    """The session ends, and the notice is pushed all the same."""
    ran = run(arm, rerun("1") + "\n" + spell(arm, "$FINISH('enough')"), library=True)
    assert ran.turn.outcome == "finished"
    assert ran.headed == [("Notice", ENDED)]
    assert refused(ran) == "ended"


def test_a_turn_runs_three_replacements(run: Runner, arm: str) -> None:
    """The fourth is not run, in a chain of one submission or of several."""
    log = spell(arm, "$LOG('{}')")
    ran = run(arm, chain(*(log.replace("{}", str(n)) for n in range(6))), library=True)
    assert ran.logs == ["0", "1", "2", "3"]
    assert ran.headed == [("Notice", EXHAUSTED)]
    assert refused(ran) == "exhausted"
    ran = run(arm, chain("1", "2", "3"), chain("1", "2", "3"), library=True)
    assert ran.headed == [("Notice", EXHAUSTED)]
    assert [m.program for m in ran.messages if m.heading] == [1]
    assert [event["ok"] for event in ran.of("code_execution")] == [True, True]


def test_the_next_turn_runs_three_again(host: Host, arm: str) -> None:
    """The bound is a turn's."""
    with host.session(arm, limits=FAST, library=True) as session:
        for _ in range(2):
            assert "handover_not_run" not in submit(session, chain("1", "2", "3", "4")).slugs()


def test_each_refusal_is_its_own_notice(run: Runner, arm: str) -> None:
    """Two submissions, two notices, in order, before the error."""
    failing = rerun("1") + "\n" + throw(arm, "x")
    ran = run(arm, failing, failing, library=True)
    assert ran.headings == ["Notice", "Notice", "Runtime error", "Runtime error"]


@pytest.mark.parametrize("second", ["2", "  "])
def test_a_second_hand_over_is_refused(run: Runner, arm: str, second: str) -> None:
    """The first stands; a second is refused, blank or not, and can be caught."""
    log = spell(arm, "$LOG('first')")
    call = f"gg.programs.rerun({second!r})"
    caught = one_of(arm, f"try {{ {call} }} catch (e) {{ console.log(e.code) }}",
                    f"try: {call}\nexcept gg.core.ApiError as e: print(e.code)")  # fmt: skip
    ran = run(arm, rerun(log) + "\n" + caught, library=True)
    assert ran.logs == ["refused", "first"]
    (refusal,) = ran.of("refusal")
    assert (refusal["operation"], refusal["code"]) == ("programs.rerun", "refused")


@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_a_blank_hand_over_is_invalid(run: Runner, arm: str, blank: str) -> None:
    """Blank is no program."""
    assert "`rerun` failed (invalid-argument): `source` is empty" in run(arm, rerun(blank), library=True).error


def test_a_huge_hand_over_names_the_bound(run: Runner, arm: str) -> None:
    """A replacement is a program, with a program's bound."""
    huge = one_of(arm, "gg.programs.rerun(' '.repeat(1 << 20) + '1')", "gg.programs.rerun(' ' * (1 << 20) + '1')")
    assert "(limit-exceeded)" in run(arm, huge, library=True).error
    assert "at most 1048576" in run(arm, huge, library=True).error


def test_a_limit_stops_a_replacement_alone(run: Runner, arm: str) -> None:
    """Each program of a chain has its own deadline; what was done before it stands."""
    loop = one_of(arm, "while (true) {}", "while True: pass")
    ran = run(arm, chain(spell(arm, "$OPEN_TEXT('a', '1')"), loop), library=True, limits=Limits(0.3, 256 << 20))
    assert ran.headings == ["View: a", "Runtime error"]
    assert "the time limit of 0.3 s" in ran.error
    assert ran.execution["durationMs"] >= 290


def test_nothing_is_louder_on_the_ordinary_path(run: Runner, arm: str) -> None:
    """A chain that ran is no event at info or above beside its own."""
    assert run(arm, chain("1", "2"), library=True).loud == []


def test_calls_are_bounded_over_the_chain(run: Runner, arm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replacement goes on counting where the program before it stopped."""
    for module in (bracket, program):
        monkeypatch.setattr(module, "MAX_CALLS_OF_PROGRAM", 6)
    three = spell(arm, "$LIST(); $LIST(); $LIST()")
    ran = run(arm, chain(three, three), library=True)
    assert ran.error == wording.call_limit(6)
    assert ran.execution["apiCalls"] == 6


def test_a_cancelled_session_runs_no_replacement(host: Host, arm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancellation that comes between two programs stops the chain; what ran is what is kept."""
    first = chain(spell(arm, "$LOG('first')"), spell(arm, "$LOG('second')"))
    with host.session(arm, limits=FAST, library=True) as session:

        def then_cancel(*given: Any) -> program.ProgramResult:
            result = program.run_program(*given)
            session.cancel()
            return result

        monkeypatch.setattr(submission, "run_program", then_cancel)
        ran = submit(session, first)
        assert ran.logs == ["first"]
        assert ran.error == wording.CANCELLED
        assert "session_cancelled" in ran.slugs()
        assert session.library is not None
        assert [(entry.source, entry.ok) for entry in session.library] == [(first, False)]


def test_a_replacement_that_is_not_unicode(run: Runner) -> None:
    """A lone surrogate makes no program: the call says so, and nothing breaks inside gg."""
    ran = run("javascript", "gg.programs.rerun('1 // \\ud800')", library=True)
    assert "(invalid-argument)" in ran.error
    assert "operation_failed" not in ran.slugs()


def test_the_toolchain_of_a_replacement_fails(run: Runner, arm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that end before they read the replacement: the model reads the notice, and what ran before stands."""
    calls = 0

    def then_kill(worker: Worker, *given: Any) -> program.ProgramResult:
        nonlocal calls
        calls += 1
        if calls > 1:
            worker.hello()
            worker.kill()
        return program.run_program(worker, *given)

    monkeypatch.setattr(submission, "run_program", then_kill)
    ran = run(arm, chain(spell(arm, "$LIST(); $LOG('first')"), spell(arm, "$LOG('second')")), library=True)
    assert ran.headed == [("Notice", wording.TOOLCHAIN_FAILED)]
    assert ran.logs == ["first"]
    assert (ran.execution["ok"], ran.execution["toolCalls"]) == (False, 1)
    assert ran.execution["durationMs"] > 0
    assert "toolchain_failed" in ran.slugs(at_least="error")
