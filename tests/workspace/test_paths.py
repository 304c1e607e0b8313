"""Which paths are served, and that none leads out."""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gg.workspace
from gg.workspace import (
    FileError,
    InvalidArgument,
    IoFailed,
    NotFound,
    Refused,
    Workspace,
    WorkspaceError,
    _resolve,
    forbidden_character,
)

OPERATIONS: list[tuple[str, Callable[[Workspace, str], object]]] = [
    ("read", lambda workspace, path: workspace.read_text(path)),
    ("bytes", lambda workspace, path: workspace.read_bytes(path)),
    ("write", lambda workspace, path: workspace.write(path, b"overwritten")),
    ("edit", lambda workspace, path: workspace.edit(path, "secret", "changed")),
    ("list", lambda workspace, path: workspace.list(path)),
]
every_operation = pytest.mark.parametrize("operation", [act for _, act in OPERATIONS], ids=[n for n, _ in OPERATIONS])


@every_operation
def test_nothing_leads_out(workspace: Workspace, root: Path, operation: Callable[[Workspace, str], object]) -> None:
    """`..`, absolute paths and links of every kind are refused by every operation; the secret stays as it was."""
    (root / "sub").mkdir()
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    links = {
        "absolute": str(root.parent / "secret"),
        "relative": "../secret",
        "folder": str(outside),
        "sub/up": "../../secret",
        "chain": "relative",
        "almost": str(root) + "-not/secret",
        "sneaky": f"{root}/../secret",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    paths = [
        "../secret",
        "sub/../../secret",
        "sub/../../root/../secret",
        "/etc/passwd",
        "/",
        str(root.parent / "secret"),
        f"{root}/../secret",
        f"{root}-not/secret",
        "folder/secret",
        "folder/new",
        *links,
    ]
    for path in paths:
        with pytest.raises(Refused) as refused:
            operation(workspace, path)
        assert path in str(refused.value)
    assert (root.parent / "secret").read_text() == "secret"
    assert os.listdir(outside) == ["secret"]


@every_operation
@pytest.mark.parametrize(
    "path",
    [
        "",
        "a\0b",
        "a\nb",
        "a\rb",
        "a\tb",
        "a\x1b[1mb",
        "a\x7fb",
        "a\x85b",
        "a\u2028b",
        "a\u2029b",
        "a\u202eb",
        "a\u2066b",
        "a\ud800b",
    ],
    ids=ascii,
)
def test_paths_that_no_file_may_have(
    workspace: Workspace, operation: Callable[[Workspace, str], object], path: str
) -> None:
    """Empty, control characters, line breaks, bidirectional overrides, lone surrogates; the message quotes none."""
    with pytest.raises(InvalidArgument) as invalid:
        operation(workspace, path)
    assert invalid.value.parameter == "path"
    assert invalid.value.code == "invalid-argument"
    assert str(invalid.value).startswith("`path` ")
    assert str(invalid.value).isascii()
    assert str(invalid.value).isprintable()


def test_ordinary_names_are_allowed() -> None:
    """Spaces, accents, emoji, and scripts written from the right are no reason to refuse."""
    for text in ("a b", "é", "名前", "🙂", "שלום", "مرحبا", "a\u200fb", "~", "-", "a\\b"):
        assert forbidden_character(text) is None
    assert forbidden_character("a\nb") == "a line break"
    assert forbidden_character("\0") == "a NUL"


def test_an_absolute_path_inside_is_served(workspace: Workspace, root: Path) -> None:
    """Under the folder's own name or its real one, with doubled slashes or not; the folder itself can be listed."""
    workspace.write(f"{root}/sub/file", "text")
    for path in (f"{root}/sub/file", f"{root}//sub/./file", f"{root}/sub/../sub/file", "./sub//file"):
        assert workspace.read_text(path).contents == "text"
    assert [entry.name for entry in workspace.list(str(root))] == ["sub"]
    assert [entry.name for entry in workspace.list(f"{root}/")] == ["sub"]
    link = root.parent / "alias"
    link.symlink_to(root)
    with Workspace(link) as by_link:
        for path in (f"{link}/sub/file", f"{root}/sub/file"):
            assert by_link.read_text(path).contents == "text"


def test_links_inside_are_followed(workspace: Workspace, root: Path) -> None:
    """Relative and absolute links, to files and folders, also through `..`, as long as they stay inside."""
    workspace.write("a/b/file", "text")
    (root / "file").symlink_to("a/b/file")
    (root / "folder").symlink_to(root / "a")
    (root / "a" / "b" / "up").symlink_to("../../a/b")
    (root / "self").symlink_to(root)
    for path in ("file", "folder/b/file", "a/b/up/file", "self/file", "self/folder/b/up/up/file", "folder/../a/b/file"):
        assert workspace.read_text(path).contents == "text"
    assert [entry.name for entry in workspace.list("folder")] == ["b"]


def test_a_loop_of_links_ends(workspace: Workspace, root: Path) -> None:
    """Links in a circle are an io-error, for reading and for writing."""
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    for act in (workspace.read_text, workspace.list, lambda path: workspace.write(path, b"")):
        with pytest.raises(IoFailed) as failed:
            act("one")
        assert failed.value.errno == errno.ELOOP


def test_what_is_no_file_is_refused_at_once(workspace: Workspace, root: Path) -> None:
    """Pipes, sockets, devices and folders: neither read nor written, nor waited on."""
    os.mkfifo(root / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(root / "socket"))
    (root / "folder").mkdir()
    names = ["pipe", "socket", "folder", "folder/", "folder/.", "."]
    if os.geteuid() == 0:
        os.mknod(root / "null", 0o20666, os.makedev(1, 3))
        names.append("null")
    for name in names:
        for _, operation in OPERATIONS[:4]:
            with pytest.raises(Refused):
                operation(workspace, name)
    listener.close()


def test_what_is_missing_is_not_found(workspace: Workspace) -> None:
    """A missing file, a missing folder, a file taken for a folder, a link to nothing."""
    workspace.write("file", "x")
    os.symlink("nothing", os.path.join(workspace.root, "dangling"))
    for path in ("absent", "absent/file", "file/below", "file/", "dangling"):
        with pytest.raises(NotFound) as missing:
            workspace.read_text(path)
        assert missing.value.code == "not-found"
        assert str(missing.value) == f"{path} does not exist"


@every_operation
def test_names_that_are_too_long(workspace: Workspace, operation: Callable[[Workspace, str], object]) -> None:
    """A name over 255 bytes, or a path over 4,096, is an io-error in the system's words."""
    for path in ("x" * 256, "é" * 128, "a/" * 2100 + "x"):
        with pytest.raises(IoFailed) as failed:
            operation(workspace, path)
        assert failed.value.code == "io-error"
        assert failed.value.errno == errno.ENAMETOOLONG
        assert str(failed.value) == "`path` is too long a name"


def test_a_folder_that_may_not_be_entered(root: Path) -> None:
    """Permission is an io-error; as another user where the tests run as root."""
    (root / "closed").mkdir()
    (root / "closed" / "file").write_text("x")
    (root / "read-only").write_text("x")
    (root / "read-only").chmod(0o444)
    (root / "closed").chmod(0)

    def attempt() -> list[str]:
        with Workspace(root) as workspace:
            answers: list[str] = []
            for _, operation in OPERATIONS[:3]:
                for path in ("closed/file", "read-only")[: 2 if operation is OPERATIONS[2][1] else 1]:
                    try:
                        operation(workspace, path)
                    except FileError as failure:
                        answers.append(failure.code)
            return answers

    assert _as_nobody(root, attempt) == ["io-error"] * 4
    (root / "closed").chmod(0o700)


@pytest.mark.parametrize("walk", [False, True])
def test_a_root_that_cannot_be_used(root: Path, walk: bool) -> None:
    """Missing, a file, unreadable, a name no folder can have: one sentence that names it."""
    (root / "file").write_text("")
    (root / "closed").mkdir(mode=0)
    cases = [("absent", "does not exist"), ("file", "is not a directory"), ("a\0b", "cannot be opened")]
    for name, words in cases:
        with pytest.raises(WorkspaceError, match=words) as failed:
            Workspace(root / name, walk=walk)
        assert "\n" not in str(failed.value)

    def attempt() -> list[str]:
        try:
            Workspace(root / "closed", walk=walk)
        except WorkspaceError as failure:
            return [str(failure)]
        return []

    assert _as_nobody(root, attempt) == [f"the workspace {root}/closed cannot be opened: Permission denied"]


def test_a_closed_workspace_says_so(root: Path) -> None:
    """Using it is a ValueError; closing again is nothing."""
    workspace = Workspace(root)
    workspace.close()
    workspace.close()
    for _, operation in OPERATIONS:
        with pytest.raises(ValueError, match="closed"):
            operation(workspace, "x")


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EPERM])
def test_without_openat2_it_walks(root: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """An old kernel and an old container are both told by the first call."""

    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(_resolve, "open_how", refuse)
    with Workspace(root) as workspace:
        workspace.write("a/b", "text")
        assert workspace.read_text("a/b").contents == "text"
        with pytest.raises(Refused):
            workspace.read_text("../secret")


def test_no_descriptor_is_left_open(workspace: Workspace, root: Path) -> None:
    """However an operation ends, the process has as many descriptors as before."""
    (root / "out").symlink_to("/etc")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "deep" / "er" / "up").symlink_to("../er/loop")
    (root / "deep" / "er" / "loop").symlink_to("up")
    before = os.listdir("/proc/self/fd")
    for path in ("out/passwd", "deep/er", "deep/er/up", "absent/x", "deep/er/file", "../x", "deep/er/file/x", "\0"):
        for _, operation in OPERATIONS:
            try:
                operation(workspace, path)
            except FileError:
                pass
    assert len(os.listdir("/proc/self/fd")) == len(before)


@pytest.mark.parametrize("swapped", ["folder", "file"])
def test_a_race_never_leads_out(workspace: Workspace, root: Path, swapped: str) -> None:
    """While a thread swaps a component for a link to the outside and back, nothing outside is read or written."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("secret")
    (root / "folder").mkdir()
    (root / "folder" / "file").write_text("inside")
    here = root / "folder" if swapped == "folder" else root / "folder" / "file"
    there = outside if swapped == "folder" else outside / "file"
    aside, link = root / "aside", root / "link"
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            link.symlink_to(there)
            here.rename(aside)
            link.rename(here)
            here.rename(link)
            aside.rename(here)
            link.unlink()

    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[Any] = set()
    try:
        for number in range(1500):
            try:
                if number % 2 and swapped == "file":
                    workspace.write("folder/file", "inside")
                elif number % 2:
                    workspace.edit("folder/file", "inside", "inside")  # a write would make the folder anew
                else:
                    seen.add(workspace.read_text("folder/file").contents)
                seen.add("served")
            except (Refused, NotFound, IoFailed) as failure:
                seen.add(failure.code)
    finally:
        stop.set()
        thread.join()
    assert "secret" not in seen
    assert "served" in seen
    assert (outside / "file").read_text() == "secret"
    assert os.listdir(outside) == ["file"]


def test_the_package_lists_its_names() -> None:
    """`__all__` is complete: every name exists."""
    assert all(hasattr(gg.workspace, name) for name in gg.workspace.__all__)


def _as_nobody(root: Path, action: Callable[[], list[str]]) -> list[str]:
    """Return what `action` returns in a child that is no root and can reach the folder."""
    if os.geteuid() == 0:
        for folder in (root, *list(root.parents)[:-2]):
            folder.chmod(folder.stat().st_mode | 0o755)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            os.write(writing, "\n".join(action()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer.split("\n")
