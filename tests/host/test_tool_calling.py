"""Sessions in which the model calls the operations itself, as ordinary tools (design 7.24)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from sdk_types import check_messages, check_tools
from support import Ran, children, gg, warden_pid

from gg import Host, Reply, Session, ToolCall
from gg.errors import UsageError
from gg.hookspecs import hookimpl
from gg.operations.context import CallContext
from gg.operations.table import Arguments, Operation, OperationFailure
from gg.stream.events import to_wire
from gg.window.shapes import SHAPES

GRANTS = ["files", "views", "docs", "session", "context"]


@pytest.fixture
def session(host: Host, tmp_path: Path) -> Iterator[Session]:
    """A session whose model calls tools."""
    with host.session(mode="tool-calling", workspace=tmp_path, grants=GRANTS) as made:
        yield made


def call(session: Session, *calls: tuple[str, Any], content: str = "") -> Ran:
    """Answer with calls: ``(tool, arguments)``."""
    made = [ToolCall(f"c{n}", name, arguments) for n, (name, arguments) in enumerate(calls, 1)]
    return Ran(session.turn(Reply(content, made)), session)


def test_one_tool_an_operation(session: Session) -> None:
    """Every operation the agent holds is a tool, with a schema its own arguments fit and its documentation."""
    tools = {tool["function"]["name"]: tool["function"] for tool in session.tools()}
    assert set(tools) == {row.id.replace(".", "_") for row in session.operations()}
    assert {"files_edit_file", "views_open_text", "session_finish", "context_compact"} <= set(tools)
    assert not set(tools) & {"shell_shell", "session_approve", "submit_program", "programs_rerun"}
    edit = tools["files_edit_file"]
    assert edit["description"].startswith("Replace the one occurrence of a string in a file.")
    assert "Fails with conflict: The string occurs more than once." in edit["description"]
    assert edit["parameters"]["required"] == ["path", "oldString", "newString"]
    assert (
        edit["parameters"]["properties"]["oldString"]["description"] == "What to replace; it must occur exactly once."
    )
    for tool in tools.values():
        jsonschema.Draft202012Validator.check_schema(tool["parameters"])
        assert tool["parameters"]["additionalProperties"] is False
    read = tools["files_read_file"]["parameters"]
    jsonschema.validate({"path": "x", "offset": 1}, read)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"path": "x", "offset": "1"}, read)


def test_no_worker_and_no_guest(tmp_path: Path) -> None:
    """Nothing is forked for it: the warden has no child, before and after calls, and the stream tells of no warm-up."""
    with Host(plugins=False) as own:
        with own.session(mode="tool-calling", workspace=tmp_path) as made:
            call(made, ("files_list_dir", {}))
            time.sleep(0.2)
            assert children(warden_pid(own)) == []
            assert not [e for e in made.events if to_wire(e).get("slug", "").startswith("warm_up")]
        assert children(warden_pid(own)) == []


def test_calls_go_through_the_bracket(session: Session, tmp_path: Path) -> None:
    """In order, each with its pair of events; results are JSON, `ok` for nothing, failures the sentence a program reads."""
    (tmp_path / "f").write_text("ab ab ab")
    ran = call(
        session, ("files_write_file", {"path": "g", "contents": "é\n"}), ("files_read_file", '{"path": "g"}'),
        ("files_edit_file", {"path": "f", "oldString": "ab", "newString": "c"}), ("views_close", {"selector": ""}),
        ("files_edit_file", {"path": "g", "oldString": "é", "newString": "e"}), ("files_list_dir", ""),
    )  # fmt: skip
    assert ran.receipts == [
        "3",
        '{"contents":"é\\n","firstLine":1,"lastLine":1,"totalLines":1,"truncated":false}',
        "`files_edit_file` failed (conflict): `oldString` matched 3 times in f",
        "`views_close` failed (invalid-argument): `selector` is empty",
        "ok",
        '[{"name":"f","kind":"file"},{"name":"g","kind":"file"}]',
    ]
    assert [m.tool_call_id for m in ran.messages] == ["c1", "c2", "c3", "c4", "c5", "c6"]
    assert (tmp_path / "g").read_text() == "e\n"
    pairs = [(e["type"], e["call"], e["operation"]) for e in ran.events if e["type"].startswith("api_")]
    assert pairs[:2] == [("api_call", 1, "files.write_file"), ("api_result", 1, "files.write_file")]
    assert [c for _, c, _ in pairs] == [n for n in range(1, 7) for _ in range(2)]
    assert [e.get("failure") for e in ran.of("api_result")] == [None, None, "conflict", "invalid-argument", None, None]
    assert ran.of("code_execution") == []
    assert not any("program" in event for event in ran.events)
    assert [e["type"] for e in ran.events][-3:] == ["turn_outcome", "turn_timing", "context_breakdown"]
    assert ran.of("turn_outcome") == [ran.of("turn_outcome")[0]]
    assert "error" not in ran.of("turn_outcome")[0], "a failed call is no failure of the turn"
    assert ran.of("context_breakdown")[0]["bands"]["tool_output"] == sum(m.tokens for m in ran.messages)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("{", "the arguments are not JSON"), ('{"path": NaN}', "the arguments are not JSON"), ("\ud800", "the arguments are not UTF-8"),
        ("[1]", "the arguments must be an object, not a list"), ("[" * 5000, "the arguments are"), ('{"path": "a"}, 1', "the arguments are not JSON"),
        ({"path": float("nan")}, "the arguments are not JSON"), ({"path": 5}, "`path` must be a string, not an integer"),
        ({"path": "a", "old_string": 1}, "`old_string` is not an argument of this call"), ({}, "`path` is missing"),
    ],
)  # fmt: skip
def test_bad_arguments(session: Session, arguments: Any, said: str) -> None:
    """One sentence that names the argument as the schema does, in a bracket like any refused call; the rest go on."""
    ran = call(session, ("files_read_file", arguments), ("files_list_dir", {}))
    assert ran.receipts[0].startswith(f"`files_read_file` failed (invalid-argument): {said}")
    assert ran.receipts[1] == "[]"
    assert [e["code"] for e in ran.of("refusal")] == ["invalid-argument"]


def test_arguments_over_a_frame(session: Session) -> None:
    """Over 16 MiB they are refused, naming the bound, as a program's call is."""
    ran = call(session, ("files_write_file", {"path": "f", "contents": "x" * (16 << 20)}))
    assert "failed (limit-exceeded): the call is " in ran.receipts[0]
    assert "a call is at most 16777216 bytes" in ran.receipts[0]


def test_tools_it_does_not_have(session: Session) -> None:
    """An operation that was not granted is refused by the gate; a tool that is none is told so. The other calls go on."""
    ran = call(
        session, ("shell_shell", {"command": "id"}), ("bash", {}), ("files.list_dir", {}), ("files_list_dir", {})
    )
    assert ran.receipts == [
        "`shell_shell` failed (unavailable): `shell_shell` is not available",
        "`bash` is not a tool here.", "`files.list_dir` is not a tool here.", "[]",
    ]  # fmt: skip
    assert [e["operation"] for e in ran.of("refusal")] == ["shell.shell"]
    assert ran.slugs(at_least="warn") == ["unknown_tool", "unknown_tool"]
    assert ran.of("turn_outcome")[0]["error"] == "unknown_tool"
    assert ran.turn.failures == 2


def test_views_stand_behind_the_results(session: Session, tmp_path: Path) -> None:
    """Each view is a user message behind all the results, where it was first opened; and it stays as a program's does."""
    (tmp_path / "f").write_text("x\n")
    ran = call(
        session, ("views_open_text", {"label": "a", "body": "1"}), ("views_open_file", {"path": "f"}),
        ("views_open_text", {"label": "a", "body": "2"}), ("views_open_docs_view", {"target": "files_edit_file"}),
    )  # fmt: skip
    assert [m.role for m in ran.messages] == ["tool"] * 4 + ["user"] * 3
    assert ran.headed[:2] == [("View: a", "2"), ("File: f:1-1 of 1 lines", "x\n")]
    assert ran.headings[2] == "Documentation: files_edit_file"
    again = call(session, ("views_open_text", {"label": "a", "body": "3"}), ("views_close", {"selector": "f"}))
    assert again.receipts == ["ok", "1"]
    assert [m.content for m in session.window if m.heading == "View: a"] == ["2", "3"]
    assert not [m for m in session.window if m.heading and m.heading.startswith("File")]
    assert session.window.bands() == counted(session)


def counted(session: Session) -> dict[str, int]:
    """Count a window's bands anew."""
    bands: dict[str, int] = {}
    for message in session.window:
        bands[message.band] = bands.get(message.band, 0) + message.tokens
    return bands


def test_an_ending_ends_the_session(session: Session) -> None:
    """The calls behind it are not carried out and say so; the summary is the session's."""
    ran = call(
        session, ("files_list_dir", {}), ("session_finish", {"summary": "done"}),
        ("files_write_file", {"path": "late", "contents": ""}), ("bash", {}),
    )  # fmt: skip
    assert ran.turn.outcome == "finished"
    assert (session.ended, session.summary) == (True, "done")
    assert ran.receipts[1:] == ["ok", *["not run: an earlier call of this turn ended the session"] * 2]
    assert ran.log("calls_not_run")["count"] == 2
    assert ran.log("session_ending")["summary"] == "done"
    assert not (Path(session.workspace.root) / "late").exists()


def test_endings_by_role(host: Host) -> None:
    """A reviewer is offered its own endings; another's is refused and names them as tools."""
    with host.session(mode="tool-calling", role="review") as made:
        names = {tool["function"]["name"] for tool in made.tools()}
        assert {"session_approve", "session_request_changes"} <= names
        assert "session_finish" not in names
        ran = call(made, ("session_finish", {"summary": "x"}), ("session_request_changes", {"items": ["a", " ", "b"]}))
        assert ran.receipts[0].endswith("; this session ends with `session_approve` or `session_request_changes`")
        assert (ran.turn.outcome, made.summary) == ("finished", "a\nb")


def test_hooks_that_object(tmp_path: Path) -> None:
    """`gg_pre_call` refuses a call and `gg_agent_stop` an ending; the calls behind a rejected ending are carried out."""

    class Strict:
        @hookimpl
        def gg_pre_call(self, call: Any) -> str | None:
            return "read only" if call.operation == "files.write_file" else None

        @hookimpl
        def gg_agent_stop(self, stop: Any) -> str | None:
            assert (stop.arm, stop.operation, stop.summary) == ("", "session.finish", "done")
            return "the tests fail"

    with Host(plugins=[]) as own:
        assert own.plugins is not None
        own.plugins.register(Strict(), "strict")
        with own.session(mode="tool-calling", workspace=tmp_path) as made:
            ran = call(
                made, ("files_write_file", {"path": "f", "contents": ""}), ("session_finish", {"summary": "done"}),
                ("files_list_dir", {}),
            )  # fmt: skip
    assert ran.receipts == ["`files_write_file` failed (refused): read only", "ok", "[]"]
    assert ran.headed == [("Notice", "The ending was rejected, and the session goes on.\n\nthe tests fail")]
    assert ran.turn.outcome == "continue"


def test_a_reply_without_a_call(session: Session) -> None:
    """It is told so: the window must not end on the assistant's own message."""
    ran = call(session, content="I am done.")
    assert ran.headed == [("Notice", "No tool was called, so nothing was done.")]
    assert ran.slugs(at_least="warn") == ["no_submission"]
    assert ran.of("turn_outcome")[0]["error"] == "no_submission"


class _Nothing(Arguments, frozen=True):
    pass


def _wait(context: CallContext, _arguments: _Nothing) -> None:
    until = time.monotonic() + 20
    while not context.cancelled() and time.monotonic() < until:
        time.sleep(0.01)
    raise OperationFailure("other", "cancelled")


def _broken(_context: CallContext, _arguments: _Nothing) -> str:
    raise ZeroDivisionError("no")


def test_cancelled_between_two_calls() -> None:
    """The calls that are left are answered, so that each call still has its answer."""
    import threading

    slow = Operation("odd.slow", _Nothing, _wait, None, "Wait.", blocking=True)
    with Host(plugins=False, operations=[slow]) as own, own.session(mode="tool-calling") as made:
        timer = threading.Timer(0.2, made.cancel)
        timer.start()
        ran = call(made, ("odd_slow", {}), ("files_list_dir", {}))
        timer.join()
    assert ran.receipts == ["`odd_slow` failed (other): cancelled", "not run: the session was cancelled"]
    assert ran.log("calls_not_run")["count"] == 1


def test_operations_of_others() -> None:
    """A stranger's row is a tool like gg's own; one that raises costs its call alone; names that clash get a number."""

    class Deep(Arguments, frozen=True):
        points: list[dict[str, int]]
        kind: str | None = None

    def two(_context: CallContext, arguments: Deep) -> Any:
        return {"n": len(arguments.points)}

    rows = [
        Operation("a_b.c", _Nothing, lambda *_: "first", str, "First."),
        Operation("a.b_c", _Nothing, lambda *_: "second", str, "Second."),
        Operation("odd.broken", _Nothing, _broken, str, "Break."),
        Operation("odd.deep", Deep, two, dict[str, int], "Count.\nReally.", docs=(("points", "Where."),)),
        Operation(f"odd.{'x' * 80}", _Nothing, lambda *_: None, None, "Long."),
    ]
    with Host(plugins=False, operations=rows) as own, own.session(mode="tool-calling") as made:
        names = [tool["function"]["name"] for tool in made.tools()]
        assert len(names) == len(set(names))
        assert all(len(name) <= 64 for name in names)
        ran = call(made, ("a_b_c", {}), ("a_b_c_2", {}), ("odd_broken", {}), ("odd_deep", {"points": [{"x": 1}, {}]}))
        deep = next(t["function"] for t in made.tools() if t["function"]["name"] == "odd_deep")
    assert ran.receipts == [
        '"first"',
        '"second"',
        "`odd_broken` failed (other): the operation failed inside gg",
        '{"n":2}',
    ]
    assert ran.log("operation_failed")["operation"] == "odd.broken"
    assert deep["description"] == "Count. Really."
    jsonschema.validate({"points": [{"x": 1}]}, deep["parameters"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"points": [{"x": "1"}]}, deep["parameters"])


def test_what_the_stream_says_of_it(session: Session) -> None:
    """No arm, the mode, and a surface of the tools' own names, once; `session.info` spells nothing else."""
    wire = [to_wire(event) for event in session.events]
    started, surface = wire[:2]
    assert (started["type"], started["mode"], "arm" in started, "confinement" in started) == (
        "session_started",
        "tool-calling",
        False,
        False,
    )
    assert (surface["type"], surface["mode"], "arm" in surface) == ("agent_surface", "tool-calling", False)
    functions = [f for module in surface["modules"] for f in module["functions"]]
    assert {f["name"]: f["operation"] for f in functions}["files_edit_file"] == "files.edit_file"
    assert all(f["name"] == f["spelling"] for f in functions)
    assert [f["name"] for f in functions] == [tool["function"]["name"] for tool in session.tools()]


def test_modes_that_cannot_be(host: Host) -> None:
    """A usage error that says what there is; a language is not needed, and not used, where tools are called."""
    with pytest.raises(UsageError, match="no mode 'chat'; the modes are: responses-as-code, tool-calling"):
        host.session("python", mode="chat")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"a language is needed; the arms are: .*javascript"):
        host.session()
    with pytest.raises(UsageError, match="keeps no programs"):
        host.session(mode="tool-calling", library=True)
    with host.session("python", mode="tool-calling") as made:
        assert (made.arm, made.mode) == (None, "tool-calling")


def transcript(*replies: list[tuple[str, Any]], **settings: Any) -> bytes:
    """Return a transcript in which the model calls tools."""
    lines: list[Any] = [{"session": {"mode": "tool-calling", **settings}}, {"role": "user", "content": "Do it."}]
    for calls in replies:
        made = [{"id": f"c{n}", "name": name, "arguments": arguments} for n, (name, arguments) in enumerate(calls, 1)]
        lines.append({"role": "assistant", "toolCalls": made})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_gg_session_plays_it() -> None:
    """A transcript's session line names the mode; the document is as published, and the feed shows tools and summary."""
    data = transcript(
        [("files_list_dir", {}), ("views_open_text", {"label": "a", "body": "b"})],
        [("session_finish", {"summary": "All is well."})],
    )
    done = gg("session", "--json", "-", data=data)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["outcome"], document["summary"], "arm" in document) == ("finished", "All is well.", False)
    assert [m["content"] for m in document["turns"][0]["messages"]] == ["[]", "ok", "b"]
    pretty = gg("session", "-", data=data).stdout.decode()
    assert "model calls c1\n  files_list_dir {}\n" in pretty
    assert "  . files_list_dir ok (" in pretty
    assert " result c1 \n  []\n" in pretty
    assert "agent All is well.\n" in pretty


def test_gg_session_says_which_modes_there_are() -> None:
    """One sentence on standard error, and nothing runs."""
    done = gg("session", "-", data=transcript([], mode="chat"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert (
        b"line 1 of the transcript asks for the mode 'chat', not one of responses-as-code, tool-calling" in done.stderr
    )


def test_results_are_strict_json(session: Session) -> None:
    """Whatever comes back is JSON that a strict reader takes, but for `ok` and failures."""
    ran = call(session, *[(name, {}) for name in ("views_current", "files_list_dir", "docs_close_all")])
    for receipt in ran.receipts:
        msgspec.json.decode(receipt.encode())


def test_it_compacts_its_window(session: Session) -> None:
    """`context_compact` is done when the turn closes: its own calls and answers stay, and every call has its answer."""
    session.user("the task")
    call(session, ("views_open_text", {"label": "a", "body": "b"}))
    ran = call(session, ("files_list_dir", {}), ("context_compact", {"summary": "sum"}), ("views_current", {}))
    assert ran.receipts == ["[]", "ok", '[{"kind":"text","selector":"a","tokens":6}]']
    assert [m.role for m in session.window] == ["system", "user", "assistant", "tool", "tool", "tool"]
    assert ran.headed == [], "it reads its results, so nothing has to tell it that it is its turn"
    for shape in SHAPES:
        check_messages(shape, session.messages(shape))
        check_tools(shape, session.tools(shape), session.tool_choice(shape))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_one_tool_of_programs_in_every_shape(host: Host, arm: str, shape: Any) -> None:
    """`submit_program` and the choice that pins it are as the SDK types them."""
    with host.session(arm) as made:
        check_tools(shape, made.tools(shape), made.tool_choice(shape))
        assert "submit_program" in json.dumps(made.tool_choice(shape))
        with pytest.raises(UsageError, match="no message shape 'x'"):
            made.messages("x")


def test_documentation_of_tools(session: Session) -> None:
    """Pages are found and headed by the tools' names, which no language stands in front of."""
    ran = call(
        session,
        ("docs_search", {"query": "edit"}),
        ("views_open_docs_view", {"target": "files_edit_file"}),
        ("views_open_docs_view", {"target": "edit_fil"}),
    )
    page = dict(ran.headed)["Documentation: files_edit_file"]
    assert "oldString" in page
    assert "gg." not in page
    assert ran.receipts[2].startswith("`views_open_docs_view` failed (not-found): ")
    assert "files_edit_file" in ran.receipts[2]
