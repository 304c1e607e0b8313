"""Pictures of the workspace: a file view that goes out as one, and what reading one says (design 7 and 8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from sdk_types import check_messages
from support import FAST, Runner, one_of, spell, submit

from gg import Host
from gg.window.shapes import SHAPES
from gg.window.views import MAX_PICTURES_BYTES
from gg.workspace import MAX_IMAGE_BYTES

HEADS = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff\xe0",
    "image/gif": b"GIF89a",
    "image/webp": b"RIFF\x00\x00\x00\x00WEBP",
}


@pytest.mark.parametrize("media_type", HEADS)
def test_a_picture_is_seen(host: Host, arm: str, tmp_path: Path, media_type: str) -> None:
    """Its view is headed by the path alone and carries the file's bytes; the call answers what it is, and that it shows."""
    data = HEADS[media_type] + bytes(range(200))
    (tmp_path / "p").write_bytes(data)
    program = one_of(
        arm,
        "const r = gg.views.openFile('p'); gg.views.openText('r', [r.contents, r.mediaType, r.bytes, r.shown].join())",
        "r = gg.views.open_file('p'); gg.views.open_text('r', f'{r.contents},{r.media_type},{r.bytes},{r.shown}'.replace('True', 'true'))",
    )
    with host.session(arm, limits=FAST, workspace=tmp_path) as session:
        ran = submit(session, program)
        assert ran.headed == [
            ("File: p", f"{media_type}, {len(data)} bytes"), ("View: r", f",{media_type},{len(data)},true"),
        ]  # fmt: skip
        picture = next(m for m in ran.messages if m.heading == "File: p").image
        assert picture is not None
        assert (picture.media_type, picture.data) == (media_type, data)
        for shape in SHAPES:
            check_messages(shape, session.messages(shape))
        assert picture.base64 in repr(session.messages())
        (event, _) = ran.of("view")
        assert (event["kind"], event["selector"]) == ("file", "p")


def test_reading_a_picture_shows_nothing(run: Runner, arm: str, tmp_path: Path) -> None:
    """It answers what it is, that it is not shown, and the call that shows it in the language's own spelling."""
    (tmp_path / "p.png").write_bytes(HEADS["image/png"])
    program = one_of(
        arm,
        "const r = gg.files.readFile('p.png'); gg.views.openText('r', [r.mediaType, r.shown, r.notShownReason].join())",
        "r = gg.files.read_file('p.png'); gg.views.open_text('r', f'{r.media_type},{r.shown},{r.not_shown_reason}'.replace('False', 'false'))",
    )
    (view,) = run(arm, program, workspace=tmp_path).headed
    assert view == ("View: r", spell(arm, "image/png,false,reading shows nothing: `$OPEN_FILE` does"))


def test_text_has_nothing_of_a_picture(run: Runner, arm: str, tmp_path: Path) -> None:
    """The members of a picture are there and say nothing."""
    (tmp_path / "t").write_text("x")
    program = one_of(
        arm,
        "const r = gg.files.readFile('t'); gg.views.openText('r', [r.mediaType ?? 'none', r.shown ?? 'none'].join())",
        "r = gg.files.read_file('t'); gg.views.open_text('r', f'{r.media_type},{r.shown}'.replace('None', 'none'))",
    )
    assert run(arm, program, workspace=tmp_path).headed == [("View: r", "none,none")]


def test_a_picture_over_its_cap_is_described(run: Runner, arm: str, tmp_path: Path) -> None:
    """8 MiB is attached; a byte more is described, not attached, and the call says why."""
    head = HEADS["image/png"]
    for name, size in (("most", MAX_IMAGE_BYTES), ("more", MAX_IMAGE_BYTES + 1)):
        with (tmp_path / name).open("wb") as file:
            file.write(head)
            file.truncate(size)
    program = one_of(
        arm,
        "gg.views.openFile('most'); const r = gg.views.openFile('more'); gg.views.openText('r', [r.shown, r.notShownReason].join())",
        "gg.views.open_file('most'); r = gg.views.open_file('more'); gg.views.open_text('r', f'{r.shown},{r.not_shown_reason}'.replace('False', 'false'))",
    )
    ran = run(arm, program, workspace=tmp_path)
    assert ran.headed == [
        ("File: most", "image/png, 8388608 bytes"),
        ("File: more", "image/png, 8388609 bytes: not attached, since a picture is at most 8388608 bytes"),
        ("View: r", "false,it is over 8388608 bytes"),
    ]
    assert [m.image is not None for m in ran.messages if m.role == "user"] == [True, False, False]


def test_the_pictures_of_a_turn(run: Runner, arm: str, tmp_path: Path) -> None:
    """Together they have a bound, which is named at the call that passes it; one opened again counts once."""
    for name in "abcde":
        with (tmp_path / name).open("wb") as file:
            file.write(HEADS["image/gif"])
            file.truncate(MAX_IMAGE_BYTES)
    program = "\n".join(spell(arm, f"$OPEN_FILE('{name}')") for name in "aabcde")
    ran = run(arm, program, workspace=tmp_path)
    assert ran.headings == ["File: a", "File: b", "File: c", "File: d", "Runtime error"]
    assert (
        f"(limit-exceeded): the pictures of a turn hold at most {MAX_PICTURES_BYTES} bytes, and 0 of them are left"
        in ran.error
    )
    assert ran.of("view")[-1]["action"] == "refused"


def test_a_picture_opened_again(host: Host, arm: str, tmp_path: Path) -> None:
    """In the turn it is replaced in place; on a later turn the older one stays as it was sent."""
    picture = tmp_path / "p.png"
    picture.write_bytes(HEADS["image/png"] + b"1")
    with host.session(arm, limits=FAST, workspace=tmp_path) as session:
        submit(session, spell(arm, "$OPEN_FILE('p.png'); $OPEN_FILE('p.png')"))
        before = session.messages()
        picture.write_bytes(HEADS["image/png"] + b"2")
        submit(session, spell(arm, "$OPEN_FILE('p.png')"))
        assert session.messages()[: len(before)] == before
        assert [m.image.data[-1:] for m in session.window if m.image] == [b"1", b"2"]
        submit(session, spell(arm, "$CLOSE('p.png')"))
        assert [m.image.data[-1:] for m in session.window if m.image] == [b"1"]
