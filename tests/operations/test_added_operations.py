"""Operations an embedder or a plugin adds reach every language, through the same bracket and gate as gg's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support import FAST, Runner, one_of, submit

from gg import Host
from gg.operations.table import Arguments, Operation, OperationFailure, OperationTable, Record, shape_of


class _Add(Arguments):
    left_side: int
    right_side: int
    note: str | None = None


class _Sum(Record):
    the_total: int
    parts: list[int]


class _Code(Arguments):
    code: str


class _None(Arguments):
    pass


def _add(context: object, arguments: _Add) -> _Sum:
    return _Sum(arguments.left_side + arguments.right_side, [arguments.left_side, arguments.right_side])


def _fail(context: object, arguments: _Code) -> None:
    raise OperationFailure(arguments.code, "no luck")  # type: ignore[arg-type]


def _break(context: object, arguments: _None) -> None:
    raise ZeroDivisionError("inside")


def _nan(context: object, arguments: _None) -> float:
    return float("nan")


def _huge(context: object, arguments: _None) -> str:
    return "x" * (17 << 20)


def _any(context: object, arguments: _None) -> object:
    return {"a": [1, 2.5, None, True, "é"]}


ROWS = (
    Operation("sums.add_up", _Add, _add, _Sum, 'Add """two""" numbers.', docs=(("left_side", "*/ the `left`"),)),
    Operation("sums.fail_so", _Code, _fail, None, "Fail."),
    Operation("sums.break_down", _None, _break, None, "Break."),
    Operation("sums.give_nan", _None, _nan, float, "NaN."),
    Operation("sums.give_huge", _None, _huge, str, "Too much."),
    Operation("sums.give_any", _None, _any, object, "Anything."),
)


@pytest.fixture(scope="module")
def adding() -> Iterator[Host]:
    """A host with a module of its own."""
    with Host(operations=ROWS, spares=False) as made:
        yield made


def test_added_operation(adding: Host, arm: str) -> None:
    """It is spelt, called and answered as gg's own are, and importable."""
    program = one_of(
        arm,
        "import { addUp } from 'gg:sums';\nconst r = addUp(2, 3, { note: 'x' }); console.log(r.theTotal, r.parts, gg.sums.addUp(1, 1).theTotal)",
        "from gg.sums import add_up\nr = add_up(2, 3, note='x')\nprint(r.the_total, r.parts, gg.sums.add_up(1, 1).the_total)",
    )
    ran = Runner(adding)(arm, program)
    assert ran.logs == [one_of(arm, "5 [ 2, 3 ] 2", "5 [2, 3] 2")]
    assert (ran.execution["toolCalls"], ran.execution["apiCalls"]) == (2, 2)


@pytest.mark.parametrize(
    "code",
    ["invalid-argument", "not-found", "conflict", "refused", "unavailable", "limit-exceeded", "io-error", "other"],
)
def test_errors_are_values(adding: Host, arm: str, code: str) -> None:
    """Each code travels to the program as it is."""
    program = one_of(arm, f"gg.sums.failSo('{code}')", f"gg.sums.fail_so('{code}')")
    assert f"`fail_so` failed ({code}): no luck" in Runner(adding)(arm, program).error


def test_handler_that_breaks(adding: Host, arm: str) -> None:
    """An exception of an operation's own code is `other` to the program, and a line for the operator."""
    with adding.session(arm, limits=FAST) as session:
        ran = submit(session, one_of(arm, "gg.sums.breakDown()", "gg.sums.break_down()"))
        assert "`break_down` failed (other)" in ran.error
        assert "ZeroDivisionError" not in "".join(m.text for m in ran.messages)
        line = ran.log("operation_failed")
        assert "ZeroDivisionError: inside" in line["message"]
        assert "Traceback" in line["detail"]
        assert "test_added_operations.py" in line["detail"]
        assert "test_added_operations.py" not in "".join(m.text for m in ran.messages)
        assert submit(session, "1").execution["ok"]


def test_handler_that_exits(arm: str) -> None:
    """A handler that would end the process breaks like any other, and costs its call alone."""

    def leave(context: object, arguments: _None) -> None:
        raise SystemExit(3)

    with Host(operations=[Operation("sums.leave", _None, leave, None, "Leave.")], spares=False) as host:
        with host.session(arm, limits=FAST) as session:
            ran = submit(session, "gg.sums.leave()")
            assert "`leave` failed (other)" in ran.error
            assert "SystemExit: 3" in ran.log("operation_failed")["message"]
            assert submit(session, "1").execution["ok"]


def test_result_that_cannot_be_sent(adding: Host, arm: str) -> None:
    """A NaN result is no silent null, and one too large for a frame is `limit-exceeded`."""
    assert "(other)" in Runner(adding)(arm, one_of(arm, "gg.sums.giveNan()", "gg.sums.give_nan()")).error
    assert "(limit-exceeded)" in Runner(adding)(arm, one_of(arm, "gg.sums.giveHuge()", "gg.sums.give_huge()")).error


def test_any_result(adding: Host, arm: str) -> None:
    """Plain values of any depth come back as the language's own."""
    program = one_of(
        arm,
        "console.log(JSON.stringify(gg.sums.giveAny()))",
        "import json\nprint(json.dumps(gg.sums.give_any(), ensure_ascii=False, separators=(',', ':')))",
    )
    assert Runner(adding)(arm, program).logs == ['{"a":[1,2.5,null,true,"é"]}']


def test_added_module_is_granted_by_name(adding: Host, arm: str) -> None:
    """It is gated like gg's own: named in the roster when held, unavailable when not."""
    call = one_of(arm, "gg.sums.addUp(1, 2)", "gg.sums.add_up(1, 2)")
    assert Runner(adding)(arm, call, grants=["sums"]).execution["ok"]
    assert Runner(adding)(arm, call, grants=["session"]).headings == ["Runtime error"]
    assert "gg.sums" in Runner(adding)(arm, "nope()").error


@pytest.mark.parametrize("id", ["files.read_file", "nodot", "a.b.c", "a.", ".b", "a b.c", "a.b-c"])
def test_rows_that_cannot_be(id: str) -> None:
    """An id that is taken or malformed is left out and reported; nothing else is lost."""
    with Host(operations=[Operation(id, _None, _break, None, "x"), ROWS[0]], spares=False) as host:
        for arm in ("javascript", "python"):
            with host.session(arm, limits=FAST) as session:
                assert any(getattr(event, "slug", "") == "plugin_failed" for event in session.events)
                assert submit(session, "1").execution["ok"]


@pytest.mark.parametrize("id", ["sums.class", "sums.None", "__proto__.x", "constructor.x", "core.x", "sums.__init__"])
def test_rows_with_names_that_mean_something(arm: str, id: str) -> None:
    """A row whose name a language keeps for itself is reported or works; it breaks no program and no other row."""
    with Host(operations=[Operation(id, _None, _break, None, "x"), ROWS[0]], spares=False) as host:
        with host.session(arm, limits=FAST) as session:
            call = one_of(arm, "console.log(gg.sums.addUp(1, 2).theTotal)", "print(gg.sums.add_up(1, 2).the_total)")
            assert submit(session, call).logs == ["3"]


def test_shapes() -> None:
    """Types become plain shapes; one that cannot cross is refused when the row is made."""
    assert shape_of(list[_Sum]) == (
        "list",
        ("record", (("the_total", "theTotal", "integer"), ("parts", "parts", ("list", "integer")))),
    )
    assert shape_of(str | None) == ("optional", "string")
    assert shape_of(Any) == "any"
    with pytest.raises(TypeError):
        shape_of(bytes)


def test_table_keeps_order_and_refuses_twins() -> None:
    """The table iterates in the order of its rows, and an id is there once."""
    table = OperationTable(ROWS)
    assert [row.id for row in table] == [row.id for row in ROWS]
    assert table.modules() == ("sums",)
    with pytest.raises(ValueError, match="taken"):
        table.add(ROWS[0])
