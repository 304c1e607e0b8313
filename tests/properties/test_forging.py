"""No content forges a heading: each message of gg's begins with the heading a plain model predicts, in every shape sent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from arms import ARMS, Arm
from bounds import LIMITS, bounded
from forging import FORBIDDEN, names, texts
from hypothesis import given
from hypothesis import strategies as st
from sdk_types import check_messages
from support import PRINT_CALLS, SUCCESS_NOTICE, submit

from gg import Host, Reply, Session, ToolCall
from gg.errors import UsageError
from gg.hookspecs import hookimpl
from gg.types import AgentStop
from gg.window.shapes import SHAPES
from gg_board import Board, board_operations

GRANTS = ["files", "views", "docs", "session", "context", "memories", "board"]


def allowed(name: str) -> bool:
    """Say whether a name may stand in a heading."""
    return bool(name.strip()) and not FORBIDDEN & set(name) and len(name.encode()) <= 200


def file_heading(path: str, text: str) -> str:
    """Return the heading of a whole file's view."""
    lines = text.count("\n") + (text != "" and not text.endswith("\n"))
    if lines:
        return f"File: {path}:1-{lines} of {lines} lines"
    return (
        f"File: {path}:0-0 of 0 lines"
        if path.endswith(" lines") and ":" in path and " of " in path
        else f"File: {path}"
    )


def check(session: Session, expected: list[tuple[str, str | None]]) -> None:
    """Check the headings of all that gg sent, as any reader would find them; a body of None is anything."""
    sent = [m for m in session.window if m.role == "user"]
    assert [m.heading for m in sent] == [heading for heading, _ in expected]
    for message, (heading, body) in zip(sent, expected, strict=True):
        first, rule, rest = message.text.split("\n", 2)
        assert (first, rule) == (heading, "----")
        assert body is None or rest == body
        assert message.text.splitlines()[:2] == [heading, "----"], "whatever a reader takes for a line break"
    told = [m.text for m in sent]
    for shape in SHAPES:
        rendered = session.messages(shape)
        check_messages(shape, rendered)
        assert user_texts(rendered) == told, "one message, or one block, for each"
        json.dumps(rendered, ensure_ascii=False).encode()


def user_texts(rendered: Any) -> list[str]:
    """Return the texts of a request that are the user's, each as it is sent."""
    found: list[str] = []
    for item in rendered["messages"] if isinstance(rendered, dict) else rendered:
        if item.get("role") != "user":
            continue
        content = item["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found += [block["text"] for block in blocks if block["type"] == "text"]
    return found


STEPS = st.one_of(
    st.tuples(st.just("open"), names(), texts()), st.tuples(st.just("open"), names(), texts()),
    st.tuples(st.just("file"), names(), texts()), st.tuples(st.just("file"), st.just("x:1-2 of 3 lines"), st.sampled_from(["", "x"])),
    st.tuples(st.sampled_from(["open_docs", "search", "read_memory", "create_issue", "close"]), texts()),
    st.tuples(st.just("write_memory"), names(), texts(), texts()),
)  # fmt: skip


def expected_views(steps: list[Any]) -> tuple[list[Any], dict[Any, tuple[str, str | None]]]:
    """Return the steps as a program takes them, and the views it leaves, by what replaces what."""
    program: list[Any] = []
    views: dict[Any, tuple[str, str | None]] = {}
    for name, first, *rest in steps:
        if name == "file":
            path = "f" + first.replace("/", "")
            program += [("caught", "write", path, rest[0]), ("caught", "open_file", path)]
            if not FORBIDDEN & set(path) and len(path.encode()) < 250:
                views["file", path] = (file_heading(path, rest[0]), rest[0])
            continue
        program.append(("caught", name, first, *rest))
        if name == "open" and allowed(first):
            views["text", first] = (f"View: {first}", rest[0])
        elif name == "search" and first.strip():
            views["search", "search results"] = ("View: search results", None)
        elif name == "close":
            for key in [key for key in views if key[1] == first]:
                del views[key]
    return program, views


@pytest.fixture(scope="module")
def board() -> Board:
    """A board whose results come later."""
    return Board()


@pytest.fixture(scope="module")
def judge() -> Any:
    """A plugin that rejects every ending for a reason of the example's."""

    class Judge:
        reason: str | None = None

        @hookimpl
        def gg_agent_stop(self, stop: AgentStop) -> str | None:
            return self.reason

    return Judge()


@pytest.fixture(scope="module")
def forging_host(judge: Any, board: Board) -> Any:
    """A host with that plugin and that board."""
    with Host(operations=board_operations(lambda _: board)) as made:
        assert made.plugins is not None
        made.plugins.register(judge, "judge")
        yield made


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(40)
@given(steps=st.lists(STEPS, max_size=5), thrown=st.one_of(st.none(), texts()))
def test_no_program_forges_a_heading(forging_host: Host, arm: Arm, steps: list[Any], thrown: str | None) -> None:
    """Labels, bodies, paths, targets, queries, names of memories, titles and errors: a name that could forge is refused."""
    program, views = expected_views(steps)
    expected = list(views.values())
    if thrown is not None:
        program.append(("throw", thrown))
        expected.append(("Runtime error", None))
    elif not expected:
        expected.append(("Notice", SUCCESS_NOTICE.format(PRINT_CALLS[arm.id])))
    with forging_host.session(arm.id, limits=LIMITS, grants=GRANTS) as session:
        submit(session, arm.program(program or [("nothing",)]))
        check(session, expected)


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(20)
@given(
    reason=texts(),
    title=names(),
    result=texts(),
    summary=texts(),
    failing=st.sampled_from(["read", "open_docs", "open", "request_changes"]),
)
def test_no_notice_forges_a_heading(
    forging_host: Host, judge: Any, board: Board, arm: Arm, reason: str, title: str, result: str, summary: str, failing: str
) -> None:  # fmt: skip
    """A hook's reason, a deferred result, a summary and the error of a failed call: each is one message, and a body."""
    number = len(board.issues()) + 1
    if number > 900:
        board.__init__()  # type: ignore[misc]
        number = 1
    judge.reason = reason if reason.strip() else "no"
    filed = allowed(title)
    steps: list[Any] = [("create_issue", title if filed else "plain"), ("wait_for_issue", number), ("finish", "done")]
    with forging_host.session(arm.id, limits=LIMITS, grants=GRANTS) as session:
        ran = submit(session, arm.program([("caught", "create_issue", title)] if not filed else []), arm.program(steps))
        expected: list[tuple[str, str | None]] = [("Notice", None)]
        assert ran.headed[-1][1] == "The ending was rejected, and the session goes on.\n\n" + judge.reason
        check(session, expected)
        board.update(number, status="done", result=result)
        argument = [result] if failing == "request_changes" else result
        failed = (failing, argument, "x") if failing == "open" else (failing, argument)
        ran = submit(session, arm.program([("open", "a", "b"), failed]))
        expected += [("View: a", "b"), ("Notice", None)]
        if failing == "open" and allowed(result):
            expected.insert(2, (f"View: {result}", "x"))
        else:
            expected.append(("Runtime error", None))
        if result == "a" and failing == "open":
            expected[1:3] = [("View: a", "x")]
        check(session, expected)
        if summary.strip():
            session.compact(summary)
            compacted = "The conversation before this was compacted. Its summary:\n\n" + summary
            check(session, [("Notice", compacted), *expected[1:]])


@bounded(40)
@given(steps=st.lists(st.tuples(names(), texts()), max_size=4), tool=texts())
def test_no_tool_call_forges_a_heading(host: Host, steps: list[tuple[str, str]], tool: str) -> None:
    """Where the model calls the operations itself, the same holds, whatever tool it names."""
    views = {label: (f"View: {label}", body) for label, body in steps if allowed(label)}
    calls = [
        ToolCall(f"c{n}", "views_open_text", json.dumps({"label": label, "body": body}))
        for n, (label, body) in enumerate(steps)
    ]
    with host.session(mode="tool-calling", grants=["views"]) as session:
        session.turn(Reply("", [*calls, ToolCall("last", tool, "{}")]))
        answers = [m.content for m in session.window if m.role == "tool"]
        assert len(answers) == len(calls) + 1
        check(session, list(views.values()))


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(20)
@given(name=names(), description=texts(), body=texts())
def test_no_skill_forges_a_heading(
    host: Host, tmp_path_factory: Any, arm: Arm, name: str, description: str, body: str
) -> None:
    """A skill's name heads its text; one that could forge is a usage error, and so is such a description."""
    place = tmp_path_factory.mktemp("skills")
    (place / "s").mkdir()
    written = f'---\nname: "{name}"\ndescription: "{description}"\n---\n{body}'
    (place / "s" / "skill.md").write_bytes(written.encode())
    called, said = name.strip(), " ".join(description.split())
    whole = "\n" not in name + description  # a line break ends a field, and what comes behind it is another
    if whole and not (allowed(called) and said and not FORBIDDEN & set(said)):
        with pytest.raises(UsageError) as raised:
            host.session(arm.id, limits=LIMITS, skills=place)
        assert len(str(raised.value).splitlines()) == 1
    if not whole or not (allowed(called) and said and not FORBIDDEN & set(said)):
        return
    with host.session(arm.id, limits=LIMITS, skills=place) as session:
        prompt = next(iter(session.window)).text
        assert prompt.splitlines()[-2:] == ["Skills you can read:", f"- `{called}`: {said}"]
        submit(session, arm.program([("read_skill", called)]))
        shown = (f"View: {called}", None) if body.strip() else ("Notice", None)
        check(session, [shown])


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.id)
@bounded(20)
@given(name=names(), description=texts(), body=texts())
def test_no_memory_forges_a_line_of_the_prompt(
    host: Host, tmp_path_factory: Any, arm: Arm, name: str, description: str, body: str
) -> None:
    """What an agent keeps is a line of the next one's prompt, or was refused; it never keeps a session from starting."""
    place = tmp_path_factory.mktemp("memories")
    with host.session(arm.id, limits=LIMITS, memories=place) as session:
        ran = submit(session, arm.program([("caught", "write_memory", name, description, body)]))
    kept = any(call["ok"] for call in ran.execution.get("calls", []))
    said = " ".join(description.split())
    assert kept == (allowed(name) and name == name.strip() and bool(said) and not FORBIDDEN & set(said))
    with host.session(arm.id, limits=LIMITS, memories=place) as session:
        prompt = next(iter(session.window)).text
        assert len(list(place.iterdir())) == kept
        if kept:
            assert prompt.splitlines()[-2:] == ["Memories of earlier sessions:", f"- `{name}`: {said}"]
        ran = submit(session, arm.program([("caught", "read_memory", name)]))
        assert [call["ok"] for call in ran.execution["calls"]] == [kept]
