"""Writing and editing: whole or not at all, in place of the right file."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from gg.workspace import (
    Conflict,
    FileError,
    InvalidArgument,
    IoFailed,
    LimitExceeded,
    NotFound,
    Refused,
    Workspace,
    _workspace,
)


def test_write_returns_bytes(workspace: Workspace, root: Path) -> None:
    """The size is in bytes of UTF-8; nothing but the file is left in the folder."""
    assert workspace.write("file", "é\n") == 3  # noqa: PLR2004
    assert workspace.write("empty", b"") == 0
    assert (root / "file").read_bytes() == "é\n".encode()
    assert sorted(os.listdir(root)) == ["empty", "file"]


def test_missing_folders_are_made(workspace: Workspace, root: Path) -> None:
    """All of them, through links inside too, but none for a path that turns back by `..`."""
    workspace.write("a/b/c/file", "x")
    (root / "link").symlink_to("a/b")
    workspace.write("link/d/file", "y")
    assert (root / "a/b/d/file").read_text() == "y"
    workspace.write("/".join(["n"] * 300) + "/file", "deep")
    with pytest.raises(NotFound):
        workspace.write("new/../file", "x")
    assert not (root / "new").exists()


def test_a_file_is_no_folder(workspace: Workspace, root: Path) -> None:
    """Below a file, or below a link to nothing, nothing can be written."""
    workspace.write("file", "x")
    (root / "dangling").symlink_to("absent")
    for path in ("file/below", "dangling/below"):
        with pytest.raises(NotFound):
            workspace.write(path, "y")
    assert not (root / "absent").exists()


def test_a_new_file_has_the_usual_mode(workspace: Workspace, root: Path) -> None:
    """0666 less the umask; an overwritten one keeps its own."""
    before = os.umask(0o027)
    try:
        workspace.write("new", "x")
    finally:
        os.umask(before)
    assert (root / "new").stat().st_mode & 0o777 == 0o640
    (root / "new").chmod(0o755)
    workspace.write("new", "y")
    workspace.edit("new", "y", "z")
    assert (root / "new").stat().st_mode & 0o777 == 0o755
    assert (root / "new").read_text() == "z"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_overwritten_file_keeps_its_owner(workspace: Workspace, root: Path) -> None:
    """Where the host runs as root over another user's files, they stay that user's."""
    workspace.write("file", "x")
    os.chown(root / "file", 1234, 1234)
    workspace.write("file", "y")
    assert ((root / "file").stat().st_uid, (root / "file").stat().st_gid) == (1234, 1234)


@pytest.mark.parametrize("absolute", [False, True])
def test_a_link_is_written_through(workspace: Workspace, root: Path, absolute: bool) -> None:
    """A link inside stays a link, also one to nothing yet; what it names is written."""
    (root / "folder").mkdir()
    target = root / "folder" / "target"
    (root / "folder" / "link").symlink_to(target if absolute else "target")
    (root / "chain").symlink_to("folder/link")
    for path in ("folder/link", "chain"):
        workspace.write(path, path)
        assert target.read_text() == path
        workspace.edit(path, path, "edited")
        assert target.read_text() == "edited"
    assert (root / "chain").is_symlink()
    assert (root / "folder" / "link").is_symlink()


def test_a_reader_sees_old_or_new(workspace: Workspace, root: Path) -> None:
    """Who has the old file open reads it to its end."""
    workspace.write("file", "old" * 1000)
    with (root / "file").open() as reader:
        workspace.write("file", "new")
        assert reader.read() == "old" * 1000
    assert (root / "file").read_text() == "new"


def test_a_full_disk_leaves_the_old_file(workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in the middle is an io-error; the old file is whole and nothing else is left."""
    workspace.write("file", "old")
    real = os.write

    def full(fd: int, data: memoryview) -> int:
        if len(data) < 10:  # noqa: PLR2004
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(fd, data[:10])

    monkeypatch.setattr(os, "write", full)
    for act in (lambda: workspace.write("file", "x" * 25), lambda: workspace.edit("file", "old", "x" * 25)):
        with pytest.raises(IoFailed, match="file: No space left on device"):
            act()
    monkeypatch.undo()
    assert (root / "file").read_text() == "old"
    assert os.listdir(root) == ["file"]


def test_a_real_limit_leaves_the_old_file(workspace: Workspace, root: Path) -> None:
    """The same with a limit of the kernel's, in a process of its own."""
    workspace.write("file", "old")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            workspace.write("file", b"x" * 10_000)
        except IoFailed as failure:
            status = 0 if failure.errno == errno.EFBIG else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (root / "file").read_text() == "old"
    assert os.listdir(root) == ["file"]


def test_edit_replaces_the_one_match(workspace: Workspace, root: Path) -> None:
    """The rest stays to the byte, undecodable bytes and line ends included; deleting is replacing by nothing."""
    (root / "file").write_bytes(b"\xff one\r\ntwo\n\xfe")
    workspace.edit("file", "one\r\ntwo", "1")
    assert (root / "file").read_bytes() == b"\xff 1\n\xfe"
    workspace.edit("file", " 1\n", "")
    assert (root / "file").read_bytes() == b"\xff\xfe"


def test_more_than_one_match_is_a_conflict(workspace: Workspace, root: Path) -> None:
    """The worked example's sentence, the argument spelled by the language; the file is untouched."""
    workspace.write("src/main.rs", "let a; let b; let c;")
    with pytest.raises(Conflict) as conflict:
        workspace.edit("src/main.rs", "let", "var")
    assert (conflict.value.code, conflict.value.count) == ("conflict", 3)
    assert conflict.value.message(lambda name: {"old_string": "oldString"}[name]) == (
        "`oldString` matched 3 times in src/main.rs"
    )
    assert str(conflict.value) == "`old_string` matched 3 times in src/main.rs"
    assert (root / "src" / "main.rs").read_text() == "let a; let b; let c;"
    workspace.write("overlap", "aaa")
    with pytest.raises(Conflict) as overlapping:
        workspace.edit("overlap", "aa", "b")
    assert overlapping.value.count == 2  # noqa: PLR2004


def test_braces_in_a_path_are_the_paths(workspace: Workspace) -> None:
    """A file called {parameter} is named as such."""
    workspace.write("{parameter}", "aa a a")
    with pytest.raises(Conflict) as conflict:
        workspace.edit("{parameter}", " a", "x")
    assert conflict.value.message(lambda _: "oldString") == "`oldString` matched 2 times in {parameter}"
    assert str(conflict.value) == "`old_string` matched 2 times in {parameter}"
    with pytest.raises(NotFound) as missing:
        workspace.read_text("{parameter}s")
    assert missing.value.message(lambda _: "x") == "{parameter}s does not exist"


def test_no_match_and_no_file_are_not_found(workspace: Workspace) -> None:
    """Two sentences for two causes; an edit makes neither file nor folder."""
    workspace.write("file", "x")
    with pytest.raises(NotFound, match="`old_string` was not found in file"):
        workspace.edit("file", "y", "z")
    with pytest.raises(NotFound, match="^new/file does not exist"):
        workspace.edit("new/file", "y", "z")
    assert [entry.name for entry in workspace.list()] == ["file"]


def test_arguments_that_cannot_be_used(workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty old string, lone surrogates in any text, a file too large to edit; the file stays."""
    workspace.write("file", "x")
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: workspace.edit("file", "", "y"), "old_string"),
        (lambda: workspace.edit("file", "\ud800", "y"), "old_string"),
        (lambda: workspace.edit("file", "x", "\udfff"), "new_string"),
        (lambda: workspace.write("file", "\ud800"), "contents"),
    ]
    for act, parameter in cases:
        with pytest.raises(InvalidArgument) as invalid:
            act()
        assert invalid.value.parameter == parameter
    monkeypatch.setattr(_workspace, "MAX_EDIT_BYTES", 0)
    with pytest.raises(LimitExceeded):
        workspace.edit("file", "x", "y")
    assert (root / "file").read_text() == "x"


def test_every_code_has_an_error() -> None:
    """The tree covers the codes a file operation can answer with, one class each."""

    def leaves(kind: type[FileError]) -> list[type[FileError]]:
        return [leaf for below in kind.__subclasses__() for leaf in (leaves(below) or [below])]

    codes = [leaf.code for leaf in leaves(FileError)]
    assert sorted(codes) == ["conflict", "invalid-argument", "io-error", "limit-exceeded", "not-found", "refused"]
    assert Refused("x").message() == "x"
