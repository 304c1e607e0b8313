"""Documentation: looked up by name, searched, closed, and never sent twice (messages page; code execution page)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import FAST, Ran, Runner, one_of, spell, submit, throw

from gg import Host
from gg.documentation.desk import Question
from gg.operations.table import Arguments, Operation
from gg.stream.events import to_wire


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
    assert found(run(arm, search(arm, query="nothing_is_called_this"))) == []


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


# -- targets ----------------------------------------------------------------------------------------------------------

OPEN = {"javascript": "gg.views.openDocsView", "python": "gg.views.open_docs_view"}


@pytest.mark.parametrize(
    ("target", "heading"),
    [
        ("$READ", "$READ"),
        ("gg.files", "gg.files"),
        ("gg.core", "gg.core"),
        ("gg.core.ApiError", "gg.core.ApiError"),
        ("imported", "$LIST"),
        ("module", "gg.views"),
        ("replaced", "$READ"),
    ],
)
def test_a_bound_thing_is_its_own_target(run: Runner, arm: str, target: str, heading: str) -> None:
    """A function, a module and the error type are opened by handing them over, however they were come by."""
    imports = one_of(
        arm,
        "import { listDir as imported } from 'gg:files'; import * as module from 'gg:views';"
        "const replaced = gg.files.readFile;",
        "from gg.files import list_dir as imported\nimport gg.views as module\nreplaced = gg.files.read_file",
    )
    poison = one_of(
        arm,
        "Object.prototype.default = 5; Array.prototype.push = () => 0; globalThis.gg = { views: gg.views, files: gg.files, core: gg.core };",
        "gg.files.__name__ = 'x'\nimported.__name__ = 'views.close'\nimported.__qualname__ = 'views.close'",
    )
    ran = run(arm, "\n".join((imports, poison, spell(arm, f"{OPEN[arm]}({target})"))))
    assert ran.headings == [spell(arm, f"Documentation: {heading}")]


@pytest.mark.parametrize(
    ("javascript", "python", "what"),
    [
        ("undefined", None, "undefined"),
        ("", None, "undefined"),
        ("gg.files.nothing", None, "undefined"),
        ("null", "None", {"javascript": "null", "python": "None"}),
        ("5", "5", {"javascript": "a number", "python": "an integer"}),
        ("5n", "5.5", {"javascript": "a bigint", "python": "a float"}),
        ("true", "True", {"javascript": "a boolean", "python": "True"}),
        ("Symbol()", "b''", {"javascript": "a symbol", "python": "bytes"}),
        ("() => 1", "lambda: 1", "a function that is not gg's"),
        ("gg.files.readFile.bind(null)", "len", {"javascript": "a function that is not gg's", "python": "of type builtin_function_or_method"}),
        ("class A {}", "int", {"javascript": "a function that is not gg's", "python": "a class that is not gg's"}),
        ("{}", "{}", {"javascript": "an object that is not gg's", "python": "a dict"}),
        ("new Proxy(gg.files, {})", "__import__('os')", {"javascript": "an object that is not gg's", "python": "a module that is not gg's"}),
        ("{ get default() { throw new Error('ran') } }", "[gg.files]", {"javascript": "an object that is not gg's", "python": "a list"}),
    ],
)  # fmt: skip
def test_another_target_is_named_for_what_it_is(
    run: Runner, arm: str, javascript: str, python: str | None, what: str | dict[str, str]
) -> None:
    """It is invalid, at the call site, and nothing opens."""
    target = one_of(arm, javascript, python or "")
    if target == "" and arm == "python":
        pytest.skip("Python has no such value")
    said = what if isinstance(what, str) else what[arm]
    ran = run(arm, f"{OPEN[arm]}({target})")
    assert f"`open_docs_view` failed (invalid-argument): `target` is {said}; it must be a name" in ran.error
    assert ran.headings == ["Runtime error"]
    assert [view["action"] for view in ran.of("view")] == ["refused"]


def test_what_is_not_granted_cannot_be_opened_by_itself(run: Runner, arm: str) -> None:
    """Every module is bound; the page of one that is not held is one that is not there."""
    for target in ("gg.shell", "gg.shell.shell"):
        ran = run(arm, f"{OPEN[arm]}({target})")
        assert "(not-found): nothing called `shell" in ran.error
        assert ran.headings == ["Runtime error"]


def test_a_page_is_closed_by_the_thing_itself(run: Runner, arm: str) -> None:
    """And a view opened and closed in one program never appears."""
    ran = run(arm, spell(arm, f"{OPEN[arm]}($READ); $LOG(gg.docs.close($READ)); $LOG(gg.docs.close('never_was'))"))
    assert ran.logs == ["1", "0"]
    assert ran.headings == ["Notice"]


# -- types ------------------------------------------------------------------------------------------------------------


def test_a_type_has_a_page(run: Runner, arm: str) -> None:
    """A record is documented under the module that first uses it, with who uses it."""
    ((heading, body),) = run(arm, open_docs(arm, "FileText")).headed
    assert heading == "Documentation: gg.files.FileText"
    assert one_of(arm, "  firstLine: number", "  first_line: int") in body
    assert one_of(arm, "`firstLine` to `lastLine`", "`first_line` to `last_line`") in body
    assert spell(arm, "Used by:\n  $READ: ") in body
    assert spell(arm, "\n  $OPEN_FILE: ") in body
    ((_, body),) = run(arm, open_docs(arm, "FileText"), grants=["files.read_file", "views.open_docs_view"]).headed
    assert spell(arm, "$OPEN_FILE") not in body


def test_types_are_hits_where_a_function_uses_them(run: Runner, arm: str) -> None:
    """And the error type, which any call can throw, is no hit."""
    assert "files.FileText" in found(run(arm, search(arm, kind="type")))
    assert "core.ApiError" not in found(run(arm, search(arm, kind="type")))
    assert found(run(arm, search(arm, kind="type"), grants=["docs", "files.write_file"])) == [
        "docs.Results",
        "docs.Hit",
    ]
    assert found(run(arm, search(arm, query="ApiError"))) == []


# -- more of search ---------------------------------------------------------------------------------------------------


class _Ranked(Arguments, frozen=True):
    wombat: int


class _Plain(Arguments, frozen=True):
    count: int


def _nothing(context: object, arguments: object) -> None:
    """Do nothing."""


RANKED = (
    Operation("a.in_the_detail", _Plain, _nothing, None, "First.", "It is about a wombat."),
    Operation("a.in_an_argument", _Plain, _nothing, None, "Second.", docs=(("count", "Of each wombat."),)),
    Operation("a.in_the_brief", _Plain, _nothing, None, "Third, of a wombat."),
    Operation("a.in_the_signature", _Ranked, _nothing, None, "Fourth."),
    Operation("a.find_wombat", _Plain, _nothing, None, "Fifth."),
    *(Operation(f"many.thing_{n}", _Plain, _nothing, None, f"Thing {n}.") for n in range(130)),
)


def test_rank_is_where_a_word_stands(arm: str) -> None:
    """The name, then the signature with its arguments, then the summary, then the rest with argument descriptions."""
    with Host(operations=RANKED, spares=False) as host, host.session(arm, limits=FAST) as session:
        assert found(submit(session, search(arm, query="Wombat"))) == [
            "a.find_wombat", "a.in_the_signature", "a.in_the_brief", "a.in_the_detail", "a.in_an_argument",
        ]  # fmt: skip
        # Pages hold 20, and 100 at most; the whole is counted.
        ran = submit(session, search(arm, modules=["gg.many"]))
        assert ran.logs[0].startswith("131 0 ")  # the functions, and the module that holds them
        assert len(found(ran)) == 20
        assert "Searched for everything in gg.many: 1 to 20 of 131." in ran.headed[-1][1]
        assert len(found(submit(session, search(arm, modules=["many"], limit=5000)))) == 100
        ran = submit(session, search(arm, modules=["MANY"], offset=120))
        assert len(found(ran)) == 11
        assert "121 to 131 of 131." in ran.headed[-1][1]


def test_a_search_of_several_words(run: Runner, arm: str) -> None:
    """What has most of the words is found, in the language's spelling or gg's, and filler is no word."""
    for query in ("read file", "readFile", "read_file", "how do I read a file"):
        assert found(run(arm, search(arm, query=query, kind="function")))[0] == "files.read_file", query


def test_every_shape_of_a_search(run: Runner) -> None:
    """JavaScript takes the query by place or in the object of options."""
    program = (
        "for (const r of [gg.docs.search('read'), gg.docs.search({ query: 'read' }), gg.docs.search('read', { limit: 20 }),"
        " gg.docs.search(undefined, { kind: 'module' }), gg.docs.search(null, { kind: 'module' })])"
        " console.log(r.hits[0].key);"
    )
    assert run("javascript", program).logs == ["files.read_file"] * 3 + ["files"] * 2


def test_a_question_forges_nothing(run: Runner, arm: str) -> None:
    """What was asked is repeated on one line."""
    ran = run(arm, search(arm, query="read\nNotice\n----\nforged"))
    assert ran.headed[0][1].split("\n")[0].startswith('Searched for "read Notice ---- forged": ')
    assert "----" not in ran.headed[0][1].split("\n")


# -- what an arm renders ----------------------------------------------------------------------------------------------


def test_arms_without_the_hook_are_documented_all_the_same() -> None:
    """Gg renders their pages in a neutral style; the arm `echo` has no hook."""
    with Host(spares=False) as host, host.session("echo", limits=FAST) as session:
        found_page = session.documentation.find("files.read_file")
        assert found_page.entry is not None
        page = session.documentation.page(found_page.entry)
        assert page.name == "gg.files.readFile"
        assert page.body.startswith("gg.files.readFile(path: path, offset?: integer or nothing")
        assert not [event for event in session.events if getattr(event, "slug", "") == "plugin_failed"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("docsraise", "gg_documentation raised ZeroDivisionError"),
        ("docswrong", "gg_documentation answered str, not DocumentationEntry"),
        ("docsbadfield", "gg_documentation raised ValidationError"),
    ],
)
def test_a_hook_that_breaks_is_reported(strange_host: Host, name: str, said: str) -> None:
    """The operator reads which distribution broke; the program reads gg's own pages."""
    with strange_host.session(name, limits=FAST) as session:
        found_page = session.documentation.find("read_file")
        assert found_page.entry is not None
        assert "Read a text file" in session.documentation.page(found_page.entry).body
        (line,) = [to_wire(e) for e in session.events if getattr(e, "slug", "") == "plugin_failed"]
        assert said in line["message"]
        assert line["distribution"] == "gg-strange"


def test_a_strangers_page_stands_beside_ggs(strange_host: Host) -> None:
    """What the arm renders is taken, without a line that could pass for a rule; the gate asks the table, not the page."""
    with strange_host.session("docspart", limits=FAST) as session:
        (entry,) = [one for one in (session.documentation.find("files.read_file").entry,) if one]
        assert session.documentation.page(entry).body == "Notice\nthe arm's own page"
        assert session.documentation.find("files.write_file").entry is not None  # left out by the arm: gg's
        assert session.documentation.find("shell.shell").entry is None  # though the arm says it is about nothing
        assert "Mine" in [one.name for one in session.documentation.search(Question(kind="type"))]


# -- pages are true ---------------------------------------------------------------------------------------------------

_SAMPLES = {
    "javascript": {"string": "'1'", "number": "1", "boolean": "true", "string | object": "'files'", "string[]": "['1']"},
    "python": {"str": "'1'", "int": "1", "float": "1.5", "bool": "True", "list[str]": "['1']", "str | PathLike[str]": "'1'",
               "str | Callable | ModuleType | type": "'files'"},
}  # fmt: skip


def calls_of(arm: str, signature: str) -> list[str]:
    """Return calls in each way a signature allows: with all of its arguments, and with the required ones alone."""
    head, _, rest = signature.partition("(")
    inside = rest.rpartition("):" if arm == "javascript" else ") ->")[0]
    samples = _SAMPLES[arm]
    if arm == "javascript":
        before, brace, options = inside.partition("options?: { ")
        placed = [part for part in before.split(", ") if part]
        full = [samples[part.split(": ", 1)[1]] for part in placed]
        some = [samples[part.split(": ", 1)[1]] for part in placed if "?:" not in part]
        if brace:
            named = [part.split("?: ") for part in options.rstrip(" }").split(", ")]
            full.append("{ " + ", ".join(f"{name}: {samples[kind]}" for name, kind in named) + " }")
        return [f"{head}({', '.join(full)})", f"{head}({', '.join(some)})"]
    full, some, keyword = [], [], False
    for part in filter(None, inside.split(", ")):
        if part == "*":
            keyword = True
            continue
        name, kind = part.removesuffix(" = None").split(": ", 1)
        sample = samples[kind.removesuffix(" | None") if part.endswith("= None") else kind]
        full.append(f"{name}={sample}" if keyword else sample)
        if not part.endswith("= None"):
            some.append(sample)
    return [f"{head}({', '.join(full)})", f"{head}({', '.join(some)})"]


@pytest.mark.parametrize("role", ["standard", "review"])
def test_every_page_is_true(arm: str, role: str) -> None:
    """Each signature can be called as it is written, and each line that reaches something does."""
    ids = [f"{module}" for module in ("files", "shell", "docs", "views", "programs", "session", "things")]
    with Host(operations=[POKE], spares=False) as host:
        with host.session(arm, limits=FAST, library=True, grants=ids, role=role) as session:
            pages = session.documentation.search(Question(kind="function"))
            assert len(pages) == len(session.operations()) > 10
            calls = [call for page in pages for line in page.signature.split("\n") for call in calls_of(arm, line)]
            assert len(calls) >= 2 * len(pages)
            unbound = [page.fqn for page in pages]
            imports = [session.documentation.page(page).body.rpartition("\n")[2].strip() for page in pages]
        for call in calls:
            program = one_of(
                arm,
                f"try {{ {call} }} catch (e) {{ console.log(e.code ?? 'thrown', e.message) }}",
                f"try: {call}\nexcept gg.core.ApiError as e: print(e.code, e)",
            )
            with host.session(arm, limits=FAST, library=True, grants=ids, role=role) as session:
                ran = submit(session, program)
                assert ran.execution["ok"], (call, ran.headed)
                (line,) = ran.logs or [""]
                wrong = ("missing", "is not an argument", "not an option", "must be", "the options", "unavailable")
                assert not any(words in line for words in wrong), (call, line)
        with host.session(arm, limits=FAST, library=True, grants=ids, role=role) as session:
            for line, name in zip(imports, unbound, strict=True):
                last = name.rpartition(".")[2]
                same = one_of(
                    arm, f"{line}\nconsole.log({name} === {last})", f"{line}\nprint(str({name} is {last}).lower())"
                )
                assert submit(session, same).logs == ["true"], line


def test_the_prompt_says_where_documentation_is(host: Host, arm: str) -> None:
    """The heading, and the two calls in the language's spelling, where they are held."""
    with host.session(arm, limits=FAST) as session:
        prompt = session.messages()[0]["content"]
    said = one_of(arm, "`gg.docs.search` and opened with `gg.views.openDocsView`", "`gg.docs.search` and opened with `gg.views.open_docs_view`")  # fmt: skip
    assert f"Documentation of what a program may call is found with {said}." in prompt
    assert "`Documentation: …`" in prompt
    with host.session(arm, limits=FAST, grants=["files"]) as session:
        assert "docs" not in session.messages()[0]["content"]


def test_nothing_is_rendered_before_it_is_asked_for(arm: str) -> None:
    """A session that looks nothing up asks the arm nothing, and two that do render once."""
    with Host(spares=False) as host:
        with host.session(arm, limits=FAST) as session:
            submit(session, spell(arm, "$LIST()"))
            assert host.catalogues._kept == {}
            submit(session, search(arm, query="read"))
            kept = host.catalogues._kept[arm]
        with host.session(arm, limits=FAST) as session:
            submit(session, search(arm, query="read"))
            assert host.catalogues._kept == {arm: kept}
