"""Compaction under a running session, by its program and by its host, on both arms (design 9; messages page)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sdk_types import check_messages
from support import ARMS, FAST, PRINT_CALLS, SUCCESS_NOTICE, one_of, spell, submit, throw

from gg import Host, Message, Session
from gg.errors import SessionClosed, UsageError
from gg.window.shapes import SHAPES

GRANTS = ["files", "views", "docs", "session", "context"]
SUMMARY = "The conversation before this was compacted. Its summary:\n\n"


@pytest.fixture
def session(host: Host, arm: str) -> Iterator[Session]:
    """A session whose agent may compact its window."""
    with host.session(arm, limits=FAST, grants=GRANTS) as made:
        made.user("the task")
        yield made


def texts(session: Session) -> list[str]:
    """What each message of the window says: its heading, or its text."""
    return [m.heading or m.text.split("\n")[0] for m in session.window][1:]


def test_a_program_compacts_when_its_turn_closes(session: Session, arm: str) -> None:
    """Everything before its turn becomes one summary; documentation and named files stay; the stream says how much went."""
    submit(
        session,
        spell(arm, "$WRITE('f', '1'); $WRITE('g', '2'); $OPEN_FILE('f'); $OPEN_FILE('g'); $OPEN_TEXT('t', 'x')"),
        spell(arm, one_of(arm, "gg.views.openDocsView('views.close')", "gg.views.open_docs_view('views.close')")),
    )
    compact = one_of(arm, "gg.context.compact('sum', {files: ['f']})", "gg.context.compact('sum', files=['f'])")
    before = session.messages()
    ran = submit(session, compact, spell(arm, "$OPEN_TEXT('u', String(gg.views.current().length))" if arm == "javascript" else "$OPEN_TEXT('u', str(len(gg.views.current())))"))  # fmt: skip
    assert texts(session) == [
        "File: f:1-1 of 1 lines", f"Documentation: gg.views.{'close'}", "Notice", "", "ok", "ok", "View: u",
    ]  # fmt: skip
    assert next(m for m in session.window if m.heading == "Notice").content == SUMMARY + "sum"
    assert ran.headed == [("View: u", "4")], "nothing went while programs of the turn were running"
    line = ran.log("compacted")
    assert line["level"] == "info"
    # the task; the first reply and its two receipts; g and t
    assert line["messages"] == 6
    assert session.messages()[0] == before[0]
    assert ran.of("context_breakdown")[0]["bands"] == recount(session)
    for shape in SHAPES:
        check_messages(shape, session.messages(shape))


def recount(session: Session) -> dict[str, int]:
    """Count the bands of a session's window anew."""
    bands: Counter[str] = Counter()
    for m in session.window:
        bands[m.band] += Message(m.role, m.content, m.band, m.heading, tool_calls=m.tool_calls).tokens
    return {band: count for band, count in bands.items() if count}


def test_the_success_notice_is_decided_after_it(session: Session, arm: str) -> None:
    """A turn that only compacted ends on its own reply, and is told so."""
    ran = submit(session, "gg.context.compact('sum')")
    assert ran.headed == [("Notice", SUCCESS_NOTICE.format(PRINT_CALLS[arm]))]
    assert [m.content for m in session.window if m.heading == "Notice"][0] == SUMMARY + "sum"


def test_a_compaction_can_leave_a_turn_that_opened_a_view_where_it_started(host: Host, arm: str) -> None:
    """The window as it was assembled decides: a strategy that drops the turn's own view earns the notice."""

    def no_text(messages: Any, summary: str, files: Any) -> Any:
        return [m for m in messages if m.band != "text_views"]

    with host.session(arm, limits=FAST, grants=GRANTS, compaction=no_text) as made:
        ran = submit(made, spell(arm, "$OPEN_TEXT('a', 'b'); gg.context.compact('sum')"))
        assert ran.headed == [("Notice", SUCCESS_NOTICE.format(PRINT_CALLS[arm]))]
        assert ran.of("view")[0]["action"] == "opened"
        assert made.window.open_views() == []


def test_a_throw_does_not_take_it_back_and_its_error_is_last(session: Session, arm: str) -> None:
    """What a program did before it threw stands; the last call of a turn is the one that does."""
    ran = submit(session, "gg.context.compact('one')", f"gg.context.compact('two')\n{throw(arm, 'no luck')}")
    assert ran.headings == ["Runtime error"]
    assert texts(session)[:2] == ["Notice", ""]
    assert next(m for m in session.window if m.heading == "Notice").content == SUMMARY + "two"
    assert list(session.window)[-1].heading == "Runtime error"


def test_a_session_that_ends_is_not_compacted(session: Session) -> None:
    """There is no next request to make room for."""
    ran = submit(session, "gg.context.compact('sum')\ngg.session.finish('done')")
    assert ran.turn.outcome == "finished"
    assert "compacted" not in ran.slugs()
    assert texts(session)[0] == "the task"


@pytest.mark.parametrize(
    ("javascript", "python", "code", "said"),
    [
        ("compact('')", "compact('')", "invalid-argument", "`summary` is empty"),
        ("compact(' \\n')", "compact(' \\n')", "invalid-argument", "`summary` is empty"),
        ("compact('s'.repeat(65537))", "compact('s' * 65537)", "limit-exceeded", "`summary` is 65537 bytes, and a summary is at most 65536"),
        ("compact('s', {files: ['nope']})", "compact('s', files=['nope'])", "not-found", "no view of the file 'nope' is open"),
    ],
)  # fmt: skip
def test_bad_calls(session: Session, arm: str, javascript: str, python: str, code: str, said: str) -> None:
    """Each fails at the call site, and nothing is compacted."""
    ran = submit(session, "gg.context." + one_of(arm, javascript, python))
    assert f"`compact` failed ({code}): {said}" in ran.error
    assert texts(session)[0] == "the task"
    assert "compacted" not in ran.slugs()


def test_who_may(host: Host, arm: str) -> None:
    """An agent that is granted nothing by name does not hold it, and is not told of it."""
    with host.session(arm, limits=FAST) as made:
        ran = submit(made, "gg.context.compact('sum')")
        assert "`compact` failed (unavailable): `gg.context.compact` is not available" in ran.error
        assert "context.compact" not in list(made.window)[0].content


@pytest.mark.parametrize("answer", [None, [1], "raises", "exits"])
def test_a_strategy_that_breaks(host: Host, arm: str, answer: Any) -> None:
    """It is reported, the window is as it was, and the model is told that nothing was compacted; the turn goes on."""

    def broken(messages: Any, summary: str, files: Any) -> Any:
        if answer == "raises":
            raise ZeroDivisionError("no")
        if answer == "exits":
            raise SystemExit(3)
        return answer

    with host.session(arm, limits=FAST, grants=GRANTS, compaction=broken) as made:
        made.user("the task")
        ran = submit(made, "gg.context.compact('sum')")
        assert texts(made)[0] == "the task"
        assert ran.headed == [
            ("Notice", "The conversation was not compacted: what chooses the messages that stay failed.")
        ]
        assert "of the strategy 'broken', it " in ran.log("compaction_failed")["message"]
        window = [m.text for m in made.window]
        with pytest.raises(UsageError, match="the window was not compacted: of the strategy 'broken', it "):
            made.compact("sum")
        assert [m.text for m in made.window] == window
        assert made.compact("sum", strategy=lambda messages, *_: messages).messages == 0


def test_the_host_compacts_between_two_turns(session: Session, arm: str) -> None:
    """What was said since the newest turn stays; the answer says how much went; the stream's line belongs to no turn."""
    submit(session, spell(arm, "$OPEN_TEXT('a', 'b')"))
    submit(session, spell(arm, "$OPEN_TEXT('c', 'd')"))
    session.user("and now?")
    done = session.compact("sum\ud800")
    assert done.messages == 4
    assert texts(session) == ["Notice", "", "ok", "View: c", "and now?"]
    assert next(m for m in session.window if m.heading == "Notice").content == SUMMARY + "sum"
    (event,) = [e for e in session.stream.events if getattr(e, "slug", "") == "compacted"]
    assert event.facts == {"messages": 4, "tokens": done.tokens}  # type: ignore[attr-defined]
    assert submit(session, spell(arm, "$OPEN_TEXT('e', String(1))" if arm == "javascript" else "$OPEN_TEXT('e', '1')")).headed == [("View: e", "1")]  # fmt: skip


def test_hosts_that_ask_for_what_cannot_be(session: Session, arm: str) -> None:
    """A usage error of one sentence, and the window is as it was."""
    for summary, files in (("", ()), (" \n", ()), (None, ()), ("s", "f"), ("s", [1])):
        with pytest.raises(UsageError):
            session.compact(summary, files)  # type: ignore[arg-type]
    assert texts(session) == ["the task"]
    tried: list[BaseException] = []

    def compact_now() -> None:
        try:
            session.compact("sum")
        except UsageError as error:
            tried.append(error)

    timer = threading.Timer(0.2, compact_now)
    timer.start()
    submit(session, one_of(arm, "const t = Date.now(); while (Date.now() - t < 600);", "import time\ntime.sleep(0.6)"))
    timer.join()
    assert [str(error) for error in tried] == ["a turn of this session is running"]
    submit(session, "gg.session.finish('x')")
    with pytest.raises(SessionClosed):
        session.compact("sum")


def test_a_strategy_is_something_to_call(host: Host, arm: str) -> None:
    """Said when the session is made, not when it is first compacted."""
    with pytest.raises(UsageError, match="a compaction strategy is something to call, not str"):
        host.session(arm, compaction="keep all")  # type: ignore[arg-type]


LIVE = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("open"), st.sampled_from("abc"), st.sampled_from("12")),
        st.tuples(st.just("close"), st.sampled_from("abc")),
        st.sampled_from([("throw",), ("compact",), ("read",), ("user",), ("docs",)]),
    ),
    max_size=6,
)


@pytest.fixture(scope="module")
def sessions(host: Host) -> Iterator[dict[str, Session]]:
    """One session an arm, over all examples."""
    made = {arm: host.session(arm, limits=FAST, grants=GRANTS) for arm in ARMS}
    yield made
    for session in made.values():
        session.close()


@pytest.mark.parametrize("arm", ARMS)
@LIVE
@given(steps=STEPS)
def test_the_prefix_of_real_requests(sessions: dict[str, Session], arm: str, steps: list[tuple[str, ...]]) -> None:
    """Of two requests with a real turn between them, the second begins with the first, but for views that were closed.

    After a compaction it begins with what stays of it. Bands are what counting anew gives.
    """
    session = sessions[arm]
    if ("user",) in steps:
        session.user("hello")
    before = list(session.window)
    sent = session.messages()
    lines = {
        "open": "$OPEN_TEXT('{0}', '{1}')", "close": "$CLOSE('{0}')", "throw": throw(arm, "enough"),
        "compact": "gg.context.compact('sum')", "read": "$LIST()", "user": "1",
        "docs": one_of(arm, "gg.views.openDocsView('files.readFile')", "gg.views.open_docs_view('files.read_file')"),
    }  # fmt: skip
    ran = submit(session, spell(arm, "\n".join(lines[name].format(*rest) for name, *rest in steps)))
    now = list(session.window)
    gone = [m for m in before if not any(m is one for one in now)]
    stays = [(m, text) for m, text in zip(before, sent, strict=True) if any(m is one for one in now)]
    assert [id(m) for m in now[: len(stays)]] == [id(m) for m, _ in stays]
    assert session.messages()[: len(stays)] == [text for _, text in stays]
    ran_steps = steps[: steps.index(("throw",))] if ("throw",) in steps else steps
    if ("compact",) in ran_steps:
        assert all(m.role == "system" or m.band == "docs_views" for m, _ in stays)
        assert now[len(stays)].content == SUMMARY + "sum"
    else:
        closed = {label for name, *rest in ran_steps if name == "close" for label in rest}
        assert all(m.band == "text_views" and (m.heading or "")[6:] in closed for m in gone)
    assert ran.of("context_breakdown")[0]["bands"] == recount(session)
    for shape in SHAPES:
        check_messages(shape, session.messages(shape))
