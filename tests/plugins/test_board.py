"""The issue board, a host plugin: the core knows nothing of boards, and a wait's result is a notice of a later turn."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import FAST, one_of, submit, throw

from gg import Host
from gg.operations.deferred import MAX_NOTICE_BYTES, MAX_WAITING, Deferred
from gg.operations.table import OperationFailure
from gg.workspace import Workspace
from gg_board import Board, BoardError, BoardPlugin, board_operations, plugin
from gg_board.board import MAX_ISSUES, MAX_TEXT_BYTES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def boards() -> BoardPlugin:
    """The plugin as a host holds it."""
    return BoardPlugin()


@pytest.fixture(scope="module")
def board_host(boards: BoardPlugin) -> Iterator[Host]:
    """A host with the plugin's rows, one for all tests: a guest's SDK of them is rendered once a worker."""
    with Host(operations=boards.gg_operations(), spares=False) as made:
        assert made.rejected_rows == []
        yield made


def wait_for(arm: str, id: int) -> str:
    """Return a statement that waits for an issue."""
    return one_of(arm, f"gg.board.waitForIssue({id})", f"gg.board.wait_for_issue({id})")


# -- through programs -------------------------------------------------------------------------------------------------


def test_issues_are_filed_changed_and_listed(board_host: Host, arm: str) -> None:
    """Every field crosses, in both directions, and a listing may ask for one status."""
    program = one_of(
        arm,
        """gg.board.createIssue("Mend it", {description: "the roof"}); const b = gg.board.createIssue("Paint it")
gg.board.updateIssue(b.id, {status: "done", result: "blue", title: "Paint all"})
const say = i => [i.id, i.title, i.status, i.description, i.result].join("|")
gg.views.openText("all", gg.board.listIssues().map(say).join("\\n"))
gg.views.openText("open", gg.board.listIssues("open").map(i => i.id).join())""",
        """gg.board.create_issue("Mend it", description="the roof"); b = gg.board.create_issue("Paint it")
gg.board.update_issue(b.id, status="done", result="blue", title="Paint all")
say = lambda i: "|".join(map(str, [i.id, i.title, i.status, i.description, i.result]))
gg.views.open_text("all", "\\n".join(map(say, gg.board.list_issues())))
gg.views.open_text("open", ",".join(str(i.id) for i in gg.board.list_issues(status="open")))""",
    )
    with board_host.session(arm, limits=FAST) as session:
        ran = submit(session, program)
    assert ran.headed == [
        ("View: all", "1|Mend it|open|the roof|\n2|Paint all|done||blue"),
        ("View: open", "1"),
    ]
    assert ran.execution["toolCalls"] == 5


def test_a_wait_is_answered_on_a_later_turn(board_host: Host, arm: str, tmp_path: Path) -> None:
    """Another agent of the folder settles the issue; the waiting one is told once, before its error."""
    create = one_of(arm, "gg.board.createIssue('Mend it')", "gg.board.create_issue('Mend it')")
    settle = one_of(
        arm,
        "gg.board.updateIssue(1, {status: 'done', result: 'The roof holds.'})",
        "gg.board.update_issue(1, status='done', result='The roof holds.')",
    )
    with (
        board_host.session(arm, limits=FAST, workspace=tmp_path) as waiting,
        board_host.session(arm, limits=FAST, workspace=tmp_path) as working,
    ):
        twice = f"{create}\n{wait_for(arm, 1)}\n{wait_for(arm, 1)}"
        assert submit(waiting, twice).headings == ["Notice"]  # that it put nothing in its context
        assert "Issue" not in str(submit(waiting, "1").headed)
        assert submit(working, settle).execution["ok"]
        ran = submit(waiting, throw(arm, "x"))
        assert ran.headed[0] == ("Notice", "Issue 1, Mend it, is done.\n\nThe roof holds.")
        assert ran.headings == ["Notice", "Runtime error"]
        assert ran.messages[1].band == "system"
        assert "Issue" not in str(submit(waiting, "1").headed)


def test_a_wait_stands_though_its_program_fails(board_host: Host, arm: str) -> None:
    """A throw takes nothing back; a cancelled issue is settled too, and without a result its fact is all there is."""
    create = one_of(arm, "gg.board.createIssue('x')", "gg.board.create_issue('x')")
    cancel = one_of(
        arm, "gg.board.updateIssue(1, {status: 'cancelled'})", "gg.board.update_issue(1, status='cancelled')"
    )
    with board_host.session(arm, limits=FAST) as session:
        assert submit(session, f"{create}\n{wait_for(arm, 1)}\n{throw(arm, 'x')}").headings == ["Runtime error"]
        assert submit(session, cancel).headed == [("Notice", "Issue 1, x, is cancelled.")]


@pytest.mark.parametrize(
    ("javascript", "python", "said"),
    [
        ("waitForIssue(7)", "wait_for_issue(7)", "`wait_for_issue` failed (not-found): there is no issue 7"),
        ("createIssue(' ')", "create_issue(' ')", "`create_issue` failed (invalid-argument): `title` is empty"),
        ("createIssue('a\\nb')", "create_issue('a\\nb')", "(invalid-argument): `title` holds a line break"),
        ("createIssue('a'.repeat(201))", "create_issue('a' * 201)", "(limit-exceeded): `title` is 201 bytes, and at most 200 are kept"),
        ("updateIssue(1)", "update_issue(1)", "(invalid-argument): nothing to change was given"),
        ("updateIssue(9, {status: 'done'})", "update_issue(9, status='done')", "(not-found): there is no issue 9"),
        ("updateIssue(1, {status: 'lost'})", "update_issue(1, status='lost')", "(invalid-argument): `status`"),
        ("waitForIssue('1')", "wait_for_issue('1')", "(invalid-argument): `id`"),
    ],
)  # fmt: skip
def test_bad_input_is_named(board_host: Host, arm: str, javascript: str, python: str, said: str) -> None:
    """One clear error at the call site, and nothing else changed."""
    with board_host.session(arm, limits=FAST) as session:
        ran = submit(session, "gg.board." + one_of(arm, javascript, python))
        assert said in ran.error
        listed = one_of(
            arm, "gg.views.openText('n', `${gg.board.listIssues().length}`)",
            "gg.views.open_text('n', str(len(gg.board.list_issues())))",
        )  # fmt: skip
        assert submit(session, listed).headed == [("View: n", "0")]


def test_a_grant_opens_the_module(board_host: Host, arm: str) -> None:
    """The gate is the core's: a board that was not granted is unavailable, though it is installed."""
    with board_host.session(arm, limits=FAST, grants=["views"]) as session:
        assert "(unavailable)" in submit(session, wait_for(arm, 1)).error


def test_the_embedders_own_board(arm: str) -> None:
    """An embedder that holds the board settles an issue itself, between two turns."""
    board = Board()
    issue = board.create("Mend it")
    with (
        Host(operations=board_operations(lambda _: board), spares=False) as host,
        host.session(arm, limits=FAST) as session,
    ):
        submit(session, wait_for(arm, issue.id))
        board.update(issue.id, status="done", result="It holds.")
        assert submit(session, "1").headed == [("Notice", "Issue 1, Mend it, is done.\n\nIt holds.")]


# -- as a distribution ------------------------------------------------------------------------------------------------


def test_the_entry_point_loads_the_plugin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Installed, its operations are in the table of a host that was told nothing of it."""
    import tomllib

    project = tomllib.loads((ROOT / "plugins/board/pyproject.toml").read_text())["project"]
    info = tmp_path / "gg_board-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["gg.plugins"]
    lines = [f"{name} = {where}" for name, where in points.items()]
    (info / "entry_points.txt").write_text("[gg.plugins]\n" + "\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with Host(spares=False) as host:
        assert host.plugins is not None
        assert host.plugins.failures == []
        assert host.plugins.distribution("board") == "gg-board"
        assert [row.id for row in host.table if row.module == "board"] == [row.id for row in plugin.gg_operations()]
        with host.session("javascript", limits=FAST) as session:
            assert submit(session, "gg.board.createIssue('x')").execution["ok"]
    with Host(plugins=False, spares=False) as host:
        assert "board" not in host.table.modules()


# -- the board itself -------------------------------------------------------------------------------------------------


def test_a_board_is_its_folders(tmp_path: Path) -> None:
    """Workspaces of one folder share a board, others do not, and nothing is kept once nobody uses it."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    boards = BoardPlugin()
    first, second, other = Workspace(tmp_path / "a"), Workspace(tmp_path / "a"), Workspace(tmp_path / "b")
    boards.board(first).create("x")
    assert boards.board(second) is boards.board(first)
    assert boards.board(other).issues() == []
    del first
    gc.collect()
    assert len(boards.board(second).issues()) == 1
    del second
    gc.collect()
    third = Workspace(tmp_path / "a")
    assert boards.board(third).issues() == []
    for workspace in (third, other):
        workspace.close()


def test_a_board_has_bounds() -> None:
    """A full board, and a text that is too long, are refused; what was there stands."""
    board = Board()
    for _ in range(MAX_ISSUES):
        board.create("x")
    with pytest.raises(BoardError, match="at most 1000 issues"):
        board.create("x")
    with pytest.raises(BoardError, match="result is 16385 bytes"):
        board.update(1, result="x" * (MAX_TEXT_BYTES + 1))
    with pytest.raises(BoardError, match="description holds a lone surrogate"):
        board.update(1, description="\ud800")
    assert len(board.issues()) == MAX_ISSUES
    assert board.get(1).result == ""


def test_threads_lose_no_issue() -> None:
    """Ids are unique whoever files at once."""
    board = Board()
    threads = [threading.Thread(target=lambda: [board.create("x") for _ in range(100)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [issue.id for issue in board.issues()] == list(range(1, 801))


# -- what a session waits for -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "said"),
    [(7, "answered int"), (b"x", "answered bytes"), (" \n", "an empty text"), (SystemExit(3), "3")],
)
def test_a_poll_that_answers_nonsense_is_dropped(answer: object, said: str) -> None:
    """It is reported once with its operation, and the others' results come."""

    def poll() -> object:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    deferred, told = Deferred(), []
    deferred.add("a.b", poll)  # type: ignore[arg-type]
    deferred.add("c.d", lambda: "here")
    assert deferred.take(lambda operation, error: told.append((operation, str(error)))) == ["here"]
    assert deferred.take(lambda operation, error: told.append((operation, str(error)))) == []
    ((operation, message),) = told
    assert operation == "a.b"
    assert said in message


def test_a_deferred_result_is_cut() -> None:
    """The model reads as much of it as a view may hold, in whole characters."""
    deferred = Deferred()
    deferred.add("a.b", lambda: "x" + "ä" * MAX_NOTICE_BYTES)
    (text,) = deferred.take(lambda *_: None)
    assert len(text.encode()) == MAX_NOTICE_BYTES - 1


def test_waits_are_bounded() -> None:
    """One more than may wait is refused; one that waits already is not one more."""
    deferred = Deferred()
    polls = [(lambda number=number: None if number >= 0 else "") for number in range(MAX_WAITING)]
    for poll in polls:
        deferred.add("a.b", poll)
    deferred.add("a.b", polls[0])
    with pytest.raises(OperationFailure, match="at most 1000 results"):
        deferred.add("a.b", lambda: None)
