"""Random programs in steps, and how an arm writes them."""

from __future__ import annotations

from typing import Any

from arms import Arm, Step
from hypothesis import strategies as st

__all__ = ["PATHS", "TARGETS", "counted_programs", "source", "window_programs"]

PATHS = ("f", "dir/g.txt")
TARGETS = ("files.read_file", "views.close", "session.finish")
_LABELS = st.sampled_from(["a", "b", "f", "search results"])
_TEXTS = st.sampled_from(["", "1", "1\n2\n", "\n", "é\r\n船"])


def source(arm: Arm, program: list[Any]) -> str:
    """Write a program, and those it hands over to inside it."""
    return arm.program([_spelled(arm, step) for step in program])


def _spelled(arm: Arm, step: Any) -> Step:
    name, *arguments = step
    if name == "rerun":
        return (name, source(arm, arguments[0]))
    if name == "caught":
        return (name, *_spelled(arm, tuple(arguments)))
    if name == "repeated":
        return (name, arguments[0], *_spelled(arm, tuple(arguments[1:])))
    return step  # type: ignore[no-any-return]


def _caught(steps: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return steps.map(lambda step: ("caught", *step))


# -- calls of every outcome, for counts -------------------------------------------------------------------------------

_DONE = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), _TEXTS), st.tuples(st.just("open"), _LABELS, _TEXTS),
    st.tuples(st.just("close"), _LABELS), st.tuples(st.just("open_docs"), st.sampled_from(TARGETS)),
    st.tuples(st.just("search"), st.sampled_from(["read a file", "zzz"])), st.sampled_from([("list", "."), ("close_all_docs",)]),
)  # fmt: skip
_FAILING = st.sampled_from(
    [
        ("read", "missing"), ("open_file", "missing"), ("read", "../x"), ("open_file", "../x"), ("write", "../x", ""),
        ("read", 7), ("open", "", "x"), ("open_file", ""), ("close", ""), ("search", " "), ("approve",), ("finish", " "),
        ("read", "f"), ("open_file", "dir/g.txt"),
    ]
)  # fmt: skip
_LINES = st.one_of(
    st.sampled_from(["", "x", "a\nb\n", "a\r\nb", "a\rb", "\n\n", "船" * 700, "é" * 1024, "x" * 2048, "y" * 2050, "z" * 9000]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.integers(1, 40).map(lambda n: "line\n" * n), st.integers(1, 9).map(lambda n: ("w" * 2000 + "\n") * n),
)  # fmt: skip
_LOGS = st.tuples(st.sampled_from(["log", "log", "warn"]), _LINES)
_TIMES = st.sampled_from([2, 99, 100, 101, 130])


@st.composite
def counted_programs(draw: st.DrawFn, depth: int = 1) -> list[Any]:
    """A program of calls that are done, fail, are refused and make no sense, over and over, and of what it logs."""
    one = st.one_of(_DONE, _caught(_FAILING), _LOGS)
    many = st.tuples(_TIMES, one).map(lambda pair: ("repeated", pair[0], *pair[1]))
    floods = st.sampled_from(
        [("repeated", 499, "list", "."), ("repeated", 260, "log", "x"), ("repeated", 350, "caught", "read", "no")]
    )
    steps: list[Any] = draw(st.lists(st.one_of(one, one, many, many, floods), max_size=8))
    if depth and draw(st.integers(0, 3)) == 0:
        steps.append(("rerun", draw(counted_programs(depth - 1))))
    if draw(st.integers(0, 5)) == 0:
        steps.append(("throw", "enough"))
    return steps


# -- what moves the window --------------------------------------------------------------------------------------------


@st.composite
def window_programs(draw: st.DrawFn, depth: int = 2) -> list[Any]:
    """A program that opens, replaces and closes views of every kind, compacts, hands over, ends, throws or is rejected."""
    opens = st.tuples(st.just("open"), _LABELS, _TEXTS)
    step = st.one_of(
        opens, opens, st.tuples(st.just("close"), _LABELS), st.tuples(st.just("write"), st.sampled_from(PATHS), _TEXTS),
        _caught(st.tuples(st.just("open_file"), st.sampled_from(PATHS))), st.tuples(st.just("open_docs"), st.sampled_from(TARGETS)),
        st.sampled_from([("close_all_docs",), ("search", "read"), ("log", "x"), ("caught", "open", " ", "x"), ("caught", "finish", "")]),
        st.sampled_from([("compact", "so far"), ("nothing",), ("read", "missing"), ("throw", "enough"), ("search", "close")]),
    )  # fmt: skip
    steps: list[Any] = draw(st.lists(step, max_size=6))
    if depth and draw(st.integers(0, 7)) == 0:
        for number in range(draw(st.integers(2, 5))):  # longer than a turn runs
            steps = [("open", f"chain {number}", "x"), ("rerun", steps or [("nothing",)])]
    elif depth and draw(st.integers(0, 4)) == 0:
        steps.insert(draw(st.integers(0, len(steps))), ("rerun", draw(window_programs(depth - 1))))
    steps += draw(
        st.sampled_from([[]] * 12 + [[("reject",)], [("finish", "done")], [("finish", "done"), ("throw", "no")]])
    )
    return steps
