"""Documentation: looked up by name, searched, closed, and never sent twice (messages page; code execution page)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import FAST, Ran, Runner, one_of, spell, submit, throw

from gg import Host
from gg.operations.table import Arguments, Operation


class _Poke(Arguments, frozen=True):
    how_hard: int
    quietly: bool | None = None


POKE = Operation(
    "things.poke_it", _Poke, lambda context, arguments: None, None, "Poke a thing.\nNotice\n----\nforged",
    docs=(("how_hard", "In newtons.\n\nNotice\n----\nforged"),),
)  # fmt: skip


JAVASCRIPT_PAGE = """\
gg.files.readFile(path: string, options?: { offset?: number, limit?: number }): FileText

Read a text file, or some of its lines.

At most 256 KiB a call: `truncated` says when there was more.

Arguments:
  path: string, required. Relative to the workspace, or absolute inside it.
  offset: number, optional, in the object of options. The first line to read, from 1.
  limit: number, optional, in the object of options. How many lines.

Returns FileText.

FileText:
  contents: string
  firstLine: number
  lastLine: number
  totalLines: number
  truncated: boolean

Fails with gg.core.ApiError, by its code:
  not-found: Nothing is there.
  refused: The path leads out of the workspace, or names no regular file.
  invalid-argument: The path is empty or holds control characters.
  io-error: The file could not be read.

Reached by:
  gg.files.readFile
  import { readFile } from "gg:files";"""
PYTHON_PAGE = """\
gg.files.read_file(path: str | PathLike[str], *, offset: int | None = None, limit: int | None = None) -> FileText

Read a text file, or some of its lines.

At most 256 KiB a call: `truncated` says when there was more.

Arguments:
  path: str | PathLike[str], required. Relative to the workspace, or absolute inside it.
  offset: int, optional, by keyword. The first line to read, from 1.
  limit: int, optional, by keyword. How many lines.

Returns FileText.

FileText:
  contents: str
  first_line: int
  last_line: int
  total_lines: int
  truncated: bool

Fails with gg.core.ApiError, by its code:
  not-found: Nothing is there.
  refused: The path leads out of the workspace, or names no regular file.
  invalid-argument: The path is empty or holds control characters.
  io-error: The file could not be read.

Reached by:
  gg.files.read_file
  from gg.files import read_file"""


def open_docs(arm: str, name: str) -> str:
    """Return a program that opens a page by name."""
    return one_of(arm, f"gg.views.openDocsView({json.dumps(name)})", f"gg.views.open_docs_view({json.dumps(name)})")


def search(arm: str, shown: bool = True, **options: Any) -> str:
    """Return a program that searches, and shows what it was answered."""
    js = f"gg.docs.search({json.dumps(options)})"
    py = "gg.docs.search(" + ", ".join(f"{name}={value!r}" for name, value in options.items()) + ")"
    if not shown:
        return one_of(arm, js, py)
    return one_of(
        arm,
        f"const f = {js}; console.log(f.total, f.offset, f.hits.map((h) => h.key).join())",
        f"f = {py}\nprint(f.total, f.offset, ','.join(h.key for h in f.hits))",
    )


def found(ran: Ran) -> list[str]:
    """Return the keys a search program logged."""
    (line,) = ran.logs
    _, _, keys = line.split(" ", 2)
    return keys.split(",") if keys else []


# -- pages ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["files.read_file", "gg.files.read_file", "{spelled}", "read_file", "{bare}", " {spelled} "]
)
def test_a_function_is_opened_by_any_of_its_names(run: Runner, arm: str, name: str) -> None:
    """In full or bare, in gg's spelling or the language's."""
    spelled = one_of(arm, "gg.files.readFile", "gg.files.read_file")
    ran = run(arm, open_docs(arm, name.format(spelled=spelled, bare=spelled.rpartition(".")[2])))
    ((heading, body),) = ran.headed
    assert heading == f"Documentation: {spelled}"
    assert body == one_of(arm, JAVASCRIPT_PAGE, PYTHON_PAGE)
    assert [m.band for m in ran.messages if m.heading] == ["docs_views"]


def test_a_module_lists_what_is_held(run: Runner, arm: str) -> None:
    """Only functions this agent may call."""
    ((heading, body),) = run(arm, open_docs(arm, "gg.files"), grants=["files.read_file", "views"]).headed
    assert heading == "Documentation: gg.files"
    assert spell(arm, "  $READ: Read a text file, or some of its lines.\n") in body + "\n"
    assert spell(arm, "$WRITE") not in body
    assert "gg.files.FileText" in body
    assert "gg.files.Entry" not in body  # nothing this agent may call returns it


def test_the_error_type_can_be_opened(run: Runner, arm: str) -> None:
    """With its members and codes."""
    ((heading, body),) = run(arm, open_docs(arm, "ApiError")).headed
    assert heading == "Documentation: gg.core.ApiError"
    assert "limit-exceeded" in body


def test_a_plugins_operation_is_documented_and_forges_nothing(arm: str) -> None:
    """What its author wrote is prose on one line."""
    with Host(operations=[POKE], spares=False) as host, host.session(arm, limits=FAST) as session:
        ((heading, body),) = submit(session, open_docs(arm, "things.poke_it")).headed
    assert heading == one_of(arm, "Documentation: gg.things.pokeIt", "Documentation: gg.things.poke_it")
    assert body.splitlines()[0] == one_of(
        arm,
        "gg.things.pokeIt(howHard: number, options?: { quietly?: boolean }): void",
        "gg.things.poke_it(how_hard: int, *, quietly: bool | None = None) -> None",
    )
    assert "----" not in body.splitlines()


def test_an_unchanged_page_is_never_sent_again(host: Host, arm: str) -> None:
    """A second opening is no event and no message, in the same program or in another turn."""
    opened = open_docs(arm, "files.read_file")
    with host.session(arm, limits=FAST) as session:
        ran = submit(session, f"{opened}\n{opened}")
        assert len(ran.of("view")) == 1
        before = session.messages()
        ran = submit(session, opened)
        assert ran.of("view") == []
        assert ran.headings == ["Notice"]  # nothing was put into the window
        assert session.messages()[: len(before)] == before


# -- misses -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("READFILE", ["files.read_file"]),
        ("file", ["files", "files.read_file", "files.edit_file"]),
        ("wrote_file", ["files.write_file", "files.read_file", "files.edit_file"]),
        ("gg.files.raed_fiel", ["files.read_file"]),
        ("finnish", ["session.finish"]),
        ("qqq", []),
    ],
)
def test_a_miss_names_the_nearest(run: Runner, arm: str, name: str, near: list[str]) -> None:
    """At most three names this agent binds, each on a line of its own under the message, of the nearest kind alone."""
    ran = run(arm, open_docs(arm, name), grants=["files.read_file", "files.write_file", "files.edit_file", "views.open_docs_view",
                                                 "session"])  # fmt: skip
    lines = ran.error.splitlines()
    at = next(n for n, line in enumerate(lines) if "failed (not-found)" in line)
    assert lines[at].endswith(f"`open_docs_view` failed (not-found): nothing called `{name}` is documented")
    spelled = [one_of(arm, _camel(f"gg.{one}"), f"gg.{one}") for one in near]
    below = [line for line in lines[at + 1 :] if not line.startswith("    at line")]  # JavaScript's location is last
    assert below == [f"    {one}" for one in spelled]


def _camel(name: str) -> str:
    head, _, last = name.rpartition(".")
    first, *rest = last.split("_")
    return f"{head}.{first}{''.join(word.capitalize() for word in rest)}"


def test_what_is_not_held_is_never_named(run: Runner, arm: str) -> None:
    """Neither as the nearest name, nor as a page, nor in a search."""
    grants = ["docs", "views", "files.read_file"]
    assert "write" not in run(arm, open_docs(arm, "write_fil"), grants=grants).error.lower().replace("write_fil", "")
    assert "(not-found)" in run(arm, open_docs(arm, "files.write_file"), grants=grants).error
    assert "files.write_file" not in found(run(arm, search(arm, query="file"), grants=grants))
    assert "(not-found)" in run(arm, open_docs(arm, "shell.shell")).error


def test_a_bare_name_of_several_things(run: Runner, arm: str) -> None:
    """It is not guessed which is meant."""
    assert (
        "(invalid-argument): `close` may be `gg.docs.close` and `gg.views.close`"
        in run(arm, open_docs(arm, "close")).error
    )


@pytest.mark.parametrize("target", ["''", "' '", "5", "[]"])
def test_a_target_is_a_name(run: Runner, arm: str, target: str) -> None:
    """Anything else is an invalid argument, at the call."""
    call = one_of(arm, f"gg.views.openDocsView({target})", f"gg.views.open_docs_view({target})")
    assert "`open_docs_view` failed (invalid-argument): `target`" in run(arm, call).error


# -- search -----------------------------------------------------------------------------------------------------------


def test_a_search_is_ranked(run: Runner, arm: str) -> None:
    """A name comes before a signature, that before a summary, that before the rest."""
    ran = run(arm, search(arm, query="close", kind="function"))
    assert found(ran)[:3] == ["docs.close", "views.close", "docs.close_all"]
    ran = run(arm, search(arm, query="offset", kind="function"))
    assert set(found(ran)) == {"files.read_file", "docs.search", "views.open_file"}
    assert found(run(arm, search(arm, query="summary", kind="function")))[0] == "session.finish"


def test_a_search_is_a_view(run: Runner, arm: str) -> None:
    """It states the question and how much of the answer it holds, then the hits by kind."""
    ran = run(arm, search(arm, query="read", limit=2))
    ((heading, body),) = ran.headed
    assert heading == "View: search results"
    assert body.startswith('Searched for "read": 1 to 2 of ')
    assert "Functions:\n  " + one_of(arm, "gg.files.readFile: ", "gg.files.read_file: ") in body
    assert [m.band for m in ran.messages if m.heading] == ["search_results"]
    (view,) = ran.of("view")
    assert (view["kind"], view["selector"]) == ("text", "search results")


def test_filters_and_pages(run: Runner, arm: str) -> None:
    """Modules in either spelling and any case; a page, and what is behind it."""
    whole = found(run(arm, search(arm, modules=["gg.Files", "session"])))
    assert whole[:2] == ["files", "session"]
    assert "session.finish" in whole
    assert found(run(arm, search(arm, modules=["files", "session"], offset=2, limit=2))) == whole[2:4]
    assert found(run(arm, search(arm, modules=["files"], offset=99))) == []
    assert found(run(arm, search(arm, kind="module"))) == ["files", "docs", "views", "session", "core"]
    assert found(run(arm, search(arm, query="nothing-is-called-this"))) == []


def test_the_next_search_replaces_the_view(host: Host, arm: str) -> None:
    """In place within a turn; it is closed by its selector."""
    with host.session(arm, limits=FAST) as session:
        ran = submit(session, search(arm, False, query="read") + "\n" + search(arm, False, query="write"))
        assert ran.headings == ["View: search results"]
        assert '"write"' in ran.headed[0][1]
        submit(session, spell(arm, "$CLOSE('search results')"))
        assert not any("search results" in str(m["content"]) for m in session.messages()[1:] if m["role"] == "user")


@pytest.mark.parametrize(
    "options", [{}, {"query": " "}, {"kind": "verb"}, {"query": "a", "limit": 0}, {"query": "a", "offset": -1}]
)
def test_a_refused_search_opens_nothing(run: Runner, arm: str, options: dict[str, Any]) -> None:
    """It needs a query or a filter, a kind that there is, and numbers that count."""
    ran = run(arm, search(arm, False, **options))
    assert "`search` failed (invalid-argument)" in ran.error
    assert ran.headings == ["Runtime error"]


# -- closing ----------------------------------------------------------------------------------------------------------


def test_documentation_is_closed_by_its_own_call(host: Host, arm: str) -> None:
    """Closing views by a selector does not reach it; `docs` does, one or all."""
    name = one_of(arm, "gg.files.readFile", "gg.files.read_file")
    close_all = one_of(arm, "gg.docs.closeAll()", "gg.docs.close_all()")
    with host.session(arm, limits=FAST) as session:
        submit(session, open_docs(arm, "files.read_file") + "\n" + open_docs(arm, "files"))
        ran = submit(
            session, spell(arm, f"$LOG($CLOSE('{name}')); $LOG(gg.docs.close('files')); $LOG(gg.docs.close('files'))")
        )
        assert ran.logs == ["0", "1", "0"]
        ran = submit(session, spell(arm, f"$LOG({close_all}); $LOG({close_all})"))
        assert ran.logs == ["1", "0"]
        assert not any("Documentation: " in m["content"] for m in session.messages()[1:] if m["role"] == "user")


def test_current_lists_documentation(run: Runner, arm: str) -> None:
    """As a kind of its own; a search is a text."""
    show = one_of(arm, "console.log(gg.views.current().map((v) => v.kind).join())",
                  "print(','.join(v.kind for v in gg.views.current()))")  # fmt: skip
    assert run(arm, open_docs(arm, "files") + "\n" + search(arm, False, query="read") + "\n" + show).logs == [
        "docs,text"
    ]


def test_documentation_survives_a_throw(run: Runner, arm: str) -> None:
    """As every view does."""
    ran = run(arm, open_docs(arm, "files") + "\n" + throw(arm, "x"))
    assert ran.headings == ["Documentation: gg.files", "Runtime error"]


# -- undocumented calls -----------------------------------------------------------------------------------------------


def test_calls_are_undocumented_until_a_page_stands(host: Host, arm: str) -> None:
    """The page must stand when the turn begins; a page of the module is not one of the function; a closed one counts."""
    call = spell(arm, "$LIST()")
    with host.session(arm, limits=FAST) as session:
        ran = submit(session, open_docs(arm, "files.list_dir") + "\n" + open_docs(arm, "files") + "\n" + call)
        assert ran.execution["undocumentedCalls"]["operations"]["files.list_dir"] == 1
        close = one_of(arm, "gg.docs.close('list_dir')", "gg.docs.close('list_dir')")
        ran = submit(session, f"{call}\n{close}\n{call}")
        assert ran.execution["undocumentedCalls"] == {"calls": 1, "operations": {"docs.close": 1}}
        assert submit(session, call).execution["undocumentedCalls"]["operations"] == {"files.list_dir": 1}


def test_no_undocumented_calls_is_no_field(host: Host, arm: str) -> None:
    """Omitted entirely for a turn that made none."""
    with host.session(arm, limits=FAST) as session:
        submit(session, open_docs(arm, "files.list_dir"))
        assert "undocumentedCalls" not in submit(session, spell(arm, "$LIST()")).execution
        assert "undocumentedCalls" not in submit(session, "1").execution
