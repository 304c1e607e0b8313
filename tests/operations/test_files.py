"""The files module as a program sees it, on both arms."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Runner, one_of, spell


def test_round_trip(run: Runner, arm: str, tmp_path: Path) -> None:
    """Write answers the bytes written, makes folders, and read gives back the same text with its lines."""
    program = one_of(
        arm,
        "const n = gg.files.writeFile('a/b/c.txt', 'é\\n2\\n3'); const r = gg.files.readFile('a/b/c.txt');"
        "console.log(n, JSON.stringify(r.contents), r.firstLine, r.lastLine, r.totalLines, r.truncated)",
        "import json\nn = gg.files.write_file('a/b/c.txt', 'é\\n2\\n3'); r = gg.files.read_file('a/b/c.txt')\n"
        "print(n, json.dumps(r.contents, ensure_ascii=False), r.first_line, r.last_line, r.total_lines, str(r.truncated).lower())",
    )
    assert run(arm, program, workspace=tmp_path).logs == ['6 "é\\n2\\n3" 1 3 3 false']
    assert (tmp_path / "a/b/c.txt").read_text() == "é\n2\n3"


def test_edit(run: Runner, arm: str, tmp_path: Path) -> None:
    """Edit replaces the one occurrence; none is not-found, several a conflict, and both leave the file alone."""
    (tmp_path / "f").write_text("one two two")
    assert run(arm, spell(arm, "$EDIT('f', 'one', '1')"), workspace=tmp_path).execution["ok"]
    assert (tmp_path / "f").read_text() == "1 two two"
    assert "`edit_file` failed (conflict)" in run(arm, spell(arm, "$EDIT('f', 'two', '2')"), workspace=tmp_path).error
    missing = run(arm, spell(arm, "$EDIT('f', 'three', '3')"), workspace=tmp_path).error
    assert "`edit_file` failed (not-found)" in missing
    assert one_of(arm, "`oldString`", "`old_string`") in missing
    assert "(invalid-argument)" in run(arm, spell(arm, "$EDIT('f', '', '3')"), workspace=tmp_path).error
    assert (tmp_path / "f").read_text() == "1 two two"


def test_list(run: Runner, arm: str, tmp_path: Path) -> None:
    """List gives names and kinds, sorted; the folder itself when no path is given, by position or by name."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x").write_text("")
    (tmp_path / "a").write_text("")
    show = one_of(
        arm,
        "console.log(gg.files.listDir({}).map(e => e.name + ':' + e.kind).join(' '))",
        "print(' '.join(e.name + ':' + e.kind for e in gg.files.list_dir({})))",
    )
    program = "\n".join(show.replace("{}", inside) for inside in ("", "'.'", "'b'"))
    assert run(arm, program, workspace=tmp_path).logs == ["a:file b:directory", "a:file b:directory", "x:file"]
    assert "(not-found)" in run(arm, spell(arm, "$LIST('nope')"), workspace=tmp_path).error


def test_large_reads_are_cut_with_a_flag(run: Runner, arm: str, tmp_path: Path) -> None:
    """A read is at most 256 KiB and says when there was more; showing such a file is refused."""
    (tmp_path / "f").write_text("0123456789abcde\n" * 20_000)
    show = one_of(
        arm,
        "const r = gg.files.readFile('f'); console.log(r.contents.length <= 262144, r.truncated, r.totalLines)",
        "r = gg.files.read_file('f'); print(str(len(r.contents) <= 262144).lower(), str(r.truncated).lower(), r.total_lines)",
    )
    assert run(arm, show, workspace=tmp_path).logs == ["true true 20000"]
    assert "`open_file` failed (limit-exceeded)" in run(arm, spell(arm, "$OPEN_FILE('f')"), workspace=tmp_path).error


def test_undecodable_bytes_are_deleted(run: Runner, arm: str, tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are left out of what a program and a model read."""
    (tmp_path / "f").write_bytes(b"a\xffb\xc3\n\x80c")
    assert run(arm, spell(arm, "$OPEN_FILE('f')"), workspace=tmp_path).headed[0][1] == "ab\nc"


@pytest.mark.parametrize("path", ["", ".", "a"])
def test_reading_a_folder(run: Runner, arm: str, tmp_path: Path, path: str) -> None:
    """A folder is no file: an error with a code, not a crash."""
    (tmp_path / "a").mkdir()
    error = run(arm, spell(arm, f"$READ('{path}')"), workspace=tmp_path).error
    assert "`read_file` failed (refused)" in error or "`read_file` failed (invalid-argument)" in error


def test_paths_of_the_language(run: Runner, tmp_path: Path) -> None:
    """In Python a PathLike is a path; it is opened under the name it has."""
    (tmp_path / "f").write_text("x")
    ran = run("python", "import pathlib\ngg.views.open_file(pathlib.PurePath('f'))", workspace=tmp_path)
    assert ran.headings == ["File: f:1-1 of 1 lines"]


def test_results_can_be_awaited(run: Runner, arm: str) -> None:
    """Awaiting a call's answer is harmless, where it returns nothing too."""
    program = one_of(
        arm,
        "await gg.views.openText('a', 'b'); const r = await gg.files.listDir(); console.log(r.length)",
        "import asyncio\nasync def main():\n    await gg.views.open_text('a', 'b')\nasyncio.run(main())\nprint(len(gg.files.list_dir()))",
    )
    ran = run(arm, program)
    assert (ran.logs, ran.headings) == (["0"], ["View: a"])


def test_imports_of_gg(run: Runner, arm: str) -> None:
    """`gg` is bound as a global and importable in every spelling."""
    program = one_of(
        arm,
        "import a from 'gg'; import * as b from 'gg'; import { files } from 'gg'; import { readFile } from 'gg:files';"
        "console.log(a === gg, b.files === files, gg.files.readFile === readFile)",
        "import gg as a, gg.files\nfrom gg import files\nfrom gg.files import read_file\n"
        "print(str(a is gg).lower(), str(gg.files is files).lower(), str(gg.files.read_file is read_file).lower())",
    )
    assert run(arm, program).logs == ["true true true"]
