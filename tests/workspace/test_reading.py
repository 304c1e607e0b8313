"""Reading: lines as an editor counts them, bounds, bytes that are no text, pictures, folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gg.workspace import Entry, InvalidArgument, LimitExceeded, Refused, Workspace, _text, _workspace


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"a", 1),
        (b"a\n", 1),
        (b"a\nb", 2),
        (b"a\nb\n", 2),
        (b"a\n\n", 2),
        (b"a\r\nb\rc", 2),
        (b"\0", 1),
    ],
)
def test_lines_are_counted_as_an_editor_does(workspace: Workspace, root: Path, data: bytes, lines: int) -> None:
    """A final line end starts no further line; CR alone ends none; an empty file has none."""
    (root / "file").write_bytes(data)
    read = workspace.read_text("file")
    assert (read.kind, read.contents, read.total_lines) == ("text", data.decode(), lines)
    assert (read.first_line, read.last_line) == (1, lines)
    assert (read.truncated, read.size_bytes, read.deleted_bytes, read.media_type) == (False, len(data), 0, None)


@pytest.mark.parametrize(
    ("offset", "limit", "contents", "first", "last"),
    [
        (None, None, "1\n2\n3\n4", 1, 4),
        (1, 1, "1\n", 1, 1),
        (2, 2, "2\n3\n", 2, 3),
        (4, None, "4", 4, 4),
        (4, 10, "4", 4, 4),
        (3, 10**9, "3\n4", 3, 4),
    ],
)
def test_a_part_is_read(
    workspace: Workspace, root: Path, offset: int | None, limit: int | None, contents: str, first: int, last: int
) -> None:
    """Offset is the 1-based first line, limit the number of lines; the rest is counted all the same."""
    (root / "file").write_text("1\n2\n3\n4")
    read = workspace.read_text("file", offset, limit)
    assert (read.contents, read.first_line, read.last_line) == (contents, first, last)
    assert (read.total_lines, read.truncated) == (4, False)


@pytest.mark.parametrize(
    ("offset", "limit", "parameter"), [(0, None, "offset"), (-1, None, "offset"), (1, 0, "limit"), (1, -5, "limit")]
)
def test_lines_count_from_one(workspace: Workspace, root: Path, offset: int, limit: int | None, parameter: str) -> None:
    """An offset or a limit under 1 is an invalid argument, spelled as the language does."""
    (root / "file").write_text("x")
    with pytest.raises(InvalidArgument) as invalid:
        workspace.read_text("file", offset, limit)
    assert invalid.value.parameter == parameter
    assert invalid.value.message(str.upper).startswith(f"`{parameter.upper()}` is ")


@pytest.mark.parametrize(("data", "words"), [("", "0 lines"), ("a", "1 line"), ("a\nb\n", "2 lines")])
def test_an_offset_past_the_end_names_the_length(workspace: Workspace, root: Path, data: str, words: str) -> None:
    """The message tells how many lines there are."""
    (root / "file").write_text(data)
    with pytest.raises(InvalidArgument) as invalid:
        workspace.read_text("file", 3)
    assert str(invalid.value) == f"`offset` is 3, past the end: file has {words}"


def test_a_read_is_bounded_at_a_line(workspace: Workspace, root: Path) -> None:
    """What exceeds the bound is cut after a whole line and flagged; a further read goes on where it ended."""
    lines = [f"line {number}\n" for number in range(60_000)]
    (root / "file").write_text("".join(lines))
    parts, first = [], 1
    while first <= len(lines):
        read = workspace.read_text("file", first)
        assert len(read.contents) <= 256 * 1024
        assert read.total_lines == len(lines)
        assert read.truncated == (read.last_line < len(lines))
        parts.append(read.contents)
        first = read.last_line + 1
    assert len(parts) == 3  # noqa: PLR2004
    assert "".join(parts) == "".join(lines)


def test_a_line_longer_than_the_bound(workspace: Workspace, root: Path) -> None:
    """It is cut inside, between characters."""
    (root / "file").write_text("é" * 100 + "\nnext\n")
    read = workspace.read_text("file", max_bytes=11)
    assert (read.contents, read.first_line, read.last_line, read.truncated) == ("é" * 5, 1, 1, True)
    assert (read.deleted_bytes, read.total_lines) == (0, 2)
    (root / "file").write_text("ab\ncd\n")
    exact = workspace.read_text("file", max_bytes=6)
    assert (exact.contents, exact.truncated) == ("ab\ncd\n", False)


def test_undecodable_bytes_are_deleted(workspace: Workspace, root: Path) -> None:
    """Deleted, not replaced, and counted; also when a character is cut short by the end of the file."""
    (root / "file").write_bytes(b"a\xffb\xc3\n\xf0\x9f\x99")
    read = workspace.read_text("file")
    assert (read.contents, read.deleted_bytes, read.total_lines) == ("ab\n", 5, 2)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.lists(st.sampled_from([b"\n", b"a", "é".encode(), b"\r\n", b"\xff"]), max_size=30).map(b"".join),
    first=st.integers(1, 8),
    limit=st.none() | st.integers(1, 8),
    max_bytes=st.integers(1, 20),
    chunk=st.integers(1, 9),
)
def test_reading_by_chunks_is_reading(
    root: Path, data: bytes, first: int, limit: int | None, max_bytes: int, chunk: int
) -> None:
    """However a file falls into chunks, the lines are those that splitting it as a whole gives."""
    whole = data.split(b"\n")
    lines = [line + b"\n" for line in whole[:-1]] + ([whole[-1]] if whole[-1] else [])
    wanted = b"".join(lines[first - 1 : None if limit is None else first - 1 + limit])
    (root / "file").write_bytes(data)
    with pytest.MonkeyPatch.context() as patch, Workspace(root) as workspace:
        patch.setattr(_text, "_CHUNK_BYTES", chunk)
        if first > max(1, len(lines)):
            with pytest.raises(InvalidArgument):
                workspace.read_text("file", first, limit, max_bytes)
            return
        read = workspace.read_text("file", first, limit, max_bytes)
    assert read.total_lines == len(lines)
    assert read.truncated == (len(wanted) > max_bytes)
    assert len(read.contents.encode()) + read.deleted_bytes <= max_bytes
    assert wanted.decode("utf-8", "ignore").startswith(read.contents)
    if not read.truncated:
        assert read.contents == wanted.decode("utf-8", "ignore")
        assert read.last_line - read.first_line + 1 == len(wanted.splitlines(keepends=False)) or b"\r" in wanted


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"GIF87a", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
def test_pictures_are_told_by_their_bytes(workspace: Workspace, root: Path, head: bytes, media_type: str) -> None:
    """Type and size are reported, no text; the name does not matter; the bytes can be had up to a bound."""
    data = head + b"\0\n" * 100
    (root / "notes.txt").write_bytes(data)
    read = workspace.read_text("notes.txt")
    assert (read.kind, read.media_type, read.size_bytes, read.contents) == ("image", media_type, len(data), "")
    assert workspace.read_bytes("notes.txt") == data
    assert workspace.read_bytes("notes.txt", len(data)) == data
    with pytest.raises(LimitExceeded, match="larger than"):
        workspace.read_bytes("notes.txt", len(data) - 1)


@pytest.mark.parametrize("data", [b"RIFF\x10\0\0\0WAVE", b"\x89PN", b"GIF", b"\xff\xd8"])
def test_other_bytes_are_no_picture(workspace: Workspace, root: Path, data: bytes) -> None:
    """A sound file or a beginning cut short is read as text."""
    (root / "image.png").write_bytes(data)
    assert workspace.read_text("image.png").kind == "text"


def test_a_huge_file_is_not_read(workspace: Workspace, root: Path) -> None:
    """Past a gigabyte lines are not counted; the message names both sizes."""
    with (root / "huge").open("wb") as file:
        file.truncate(_workspace.MAX_FILE_BYTES + 1)
    with pytest.raises(LimitExceeded, match="1073741825 bytes") as exceeded:
        workspace.read_text("huge")
    assert exceeded.value.code == "limit-exceeded"


def test_a_folder_is_listed_by_name(workspace: Workspace, root: Path) -> None:
    """Files, folders, links by what they lead to; links out, to nothing, and pipes are `other`."""
    (root / "b").write_text("")
    (root / "a").mkdir()
    (root / ".hidden").write_text("")
    os.mkfifo(root / "pipe")
    for name, target in {"to-b": "b", "to-a": str(root / "a"), "out": "/etc", "nothing": "absent"}.items():
        (root / name).symlink_to(target)
    (root / os.fsdecode(b"bad\xff")).write_text("")
    expected = [
        Entry(".hidden", "file"),
        Entry("a", "directory"),
        Entry("b", "file"),
        Entry("bad", "file"),
        Entry("nothing", "other"),
        Entry("out", "other"),
        Entry("pipe", "other"),
        Entry("to-a", "directory"),
        Entry("to-b", "file"),
    ]
    assert workspace.list() == workspace.list(".") == expected
    assert workspace.list("a") == []


def test_only_a_folder_is_listed(workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is refused in words; a folder with too many entries is a limit."""
    (root / "file").write_text("")
    os.mkfifo(root / "pipe")
    for path in ("file", "pipe"):
        with pytest.raises(Refused, match=f"{path} is not a directory"):
            workspace.list(path)
    monkeypatch.setattr(_workspace, "MAX_ENTRIES", 1)
    with pytest.raises(LimitExceeded, match="more than 1 entries"):
        workspace.list()
