"""Requirements of the specification that no other room's test observes by itself (docs/specification.md)."""

from __future__ import annotations

from pathlib import Path

from support import FAST, LOOP, Runner, one_of, spell, submit, throw

from gg import Host, Limits


def test_bad_source_in_eval_is_a_runtime_error(run: Runner, arm: str) -> None:
    """A program that ran is not said not to have compiled, whatever it asked its language to read."""
    ran = run(arm, spell(arm, "$OPEN_TEXT('a', 'b')\neval('1 +')"))
    assert ran.headings == ["View: a", "Runtime error"]
    assert "SyntaxError" in ran.error


def test_a_file_view_names_the_path_it_was_opened_under(run: Runner, arm: str, tmp_path: Path) -> None:
    """Two ways to write one path are two headings."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_text("x\n")
    ran = run(arm, spell(arm, "$OPEN_FILE('d/f')\n$OPEN_FILE('./d/../d/f')"), workspace=tmp_path)
    assert ran.headings == ["File: d/f:1-1 of 1 lines", "File: ./d/../d/f:1-1 of 1 lines"]


def test_what_was_written_before_a_throw_is_there(host: Host, arm: str) -> None:
    """A throw takes nothing back: the next turn reads the file."""
    with host.session(arm, limits=FAST) as session:
        submit(session, spell(arm, "$WRITE('f', 'kept')\n") + throw(arm, "x"))
        assert submit(session, spell(arm, "$OPEN_FILE('f')")).headed == [("File: f:1-1 of 1 lines", "kept")]


def test_a_compiler_error_is_the_compilers_alone(run: Runner, arm: str) -> None:
    """Nothing of gg's is added to a diagnostic, not even where its source names something unknown."""
    ran = run(arm, "gg.nothing(\n")
    assert ran.headings == ["Compiler error"]
    for word in ("gg.files", "gg.views", "submit_program"):
        assert word not in ran.error


def test_the_bytes_that_ran_are_the_bytes_submitted(host: Host, arm: str) -> None:
    """A fence is not stripped: it is the language's to judge, and the next request carries it."""
    source = "```\n1\n```\nSome prose"
    with host.session(arm, limits=FAST) as session:
        ran = submit(session, source)
        assert ran.headings == ["Compiler error"]
        (sent,) = [m for m in session.messages() if m["role"] == "assistant"]
        assert "Some prose" in str(sent["tool_calls"])
        assert str(sent["tool_calls"]).count("```") == 2


def test_notices_are_charged_to_the_system_band(run: Runner, arm: str) -> None:
    """The success notice is gg's own message."""
    assert [(m.heading, m.band) for m in run(arm, "1").messages if m.role == "user"] == [("Notice", "system")]


def test_views_of_a_stopped_program_stand(run: Runner, arm: str) -> None:
    """A view is pushed as the program runs, so a program that never returns has shown it."""
    ran = run(arm, spell(arm, "$OPEN_TEXT('a', 'b')\n") + LOOP[arm], limits=Limits(0.5, 256 << 20))
    assert ran.headings == ["View: a", "Runtime error"]


def test_logs_ride_on_one_event(run: Runner, arm: str) -> None:
    """What a program logged is on its `code_execution` and on no other event and in no message."""
    ran = run(arm, spell(arm, "$LOG('the-word')\n$OPEN_TEXT('a', 'b')"))
    assert [e["type"] for e in ran.events if "the-word" in str(e)] == ["code_execution"]
    assert "the-word" not in "".join(m.text for m in ran.messages)


def test_calls_past_the_cap_still_answer(run: Runner, arm: str) -> None:
    """The caps bound the operator's record alone: the 501st call is made, and its result arrives."""
    program = one_of(
        arm,
        "$WRITE('f', 'x'); let n = 0; for (let i = 0; i < 600; i++) n += $READ('f').contents.length; $OPEN_TEXT('n', String(n))",
        "$WRITE('f', 'x')\nn = sum(len($READ('f').contents) for i in range(600))\n$OPEN_TEXT('n', str(n))",
    )
    assert run(arm, spell(arm, program)).headed == [("View: n", "600")]


def test_reads_and_writes_cost_the_window_nothing(run: Runner, arm: str) -> None:
    """A program that read and wrote and opened one view costs that view."""
    ran = run(arm, spell(arm, "$WRITE('f', 'x')\n$READ('f')\n$LIST('.')\n$OPEN_TEXT('a', 'b')"))
    assert [(m.role, m.heading) for m in ran.messages] == [("tool", None), ("user", "View: a")]


def test_a_slow_call_is_not_the_programs_time(run: Runner, arm: str) -> None:
    """The time a call took is on its `api_result`, and `durationMs` is what remains without it."""
    program = one_of(arm, "$WRITE('f', 'x'.repeat(8 << 20))", "$WRITE('f', 'x' * (8 << 20))")
    ran = run(
        arm,
        spell(
            arm,
            program + "\n" + one_of(arm, "for (let i = 0; i < 300; i++) $READ('f')", "for i in range(300): $READ('f')"),
        ),
    )
    parked = sum(e["parkedMs"] for e in ran.of("api_result"))
    (timing,) = ran.of("turn_timing")
    assert parked > 0
    assert ran.execution["durationMs"] + parked < timing["totalMs"] + 1


def test_a_program_that_waited_for_the_guest_says_so(arm: str) -> None:
    """The first program of a fresh host carries its wait; the next one, which waited for nothing, has no such key."""
    waits = []
    for _ in range(5):  # on a busy machine the guest may be there before this process has submitted anything
        with Host() as host, host.session(arm, limits=FAST) as session:
            waits.append(submit(session, "1").execution.get("compileWaitMs", 0.0))
            assert "compileWaitMs" not in submit(session, "1").execution
        if waits[-1] > 0:
            break
    assert waits[-1] > 0
