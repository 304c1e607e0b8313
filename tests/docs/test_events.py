"""The page of events is in step with the code: events, fields, levels, slugs and their facts."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from doc_pages import DOCS, ROOT, code, read, sections, table

from gg.stream import events

PAGE = sections(read(DOCS / "events.md"), 2)
BASE = {field.encode_name for field in msgspec.structs.fields(events.Event)}
CLASSES: dict[str, type[events.Event]] = {kind.__struct_config__.tag: kind for kind in events.Event.__subclasses__()}  # type: ignore[misc]


def documented(title: str) -> dict[str, bool]:
    """Return the fields of a section's table, and whether each is said to be always there."""
    return {code(row[0]): row[1] == "yes" for row in table(PAGE[title], "field")}


def test_every_event_has_a_section() -> None:
    """The sections are the events there are."""
    assert set(PAGE) - {"Every event"} == set(CLASSES)


def test_the_fields_of_every_event() -> None:
    """The common table has the fields of the base class, and the type."""
    assert documented("Every event") == {"type": True, "seq": True, "ts": True, "turn": False, "program": False}
    assert BASE == {"seq", "ts", "turn", "program"}


@pytest.mark.parametrize("name", CLASSES)
def test_fields(name: str) -> None:
    """An event's table has its own fields, in order, and says which are always there."""
    fields = [field for field in msgspec.structs.fields(CLASSES[name]) if field.encode_name not in BASE]
    own = {field.encode_name: field.default is not msgspec.UNSET for field in fields if field.encode_name != "facts"}
    assert list(documented(name).items()) == list(own.items())


@pytest.mark.parametrize("name", CLASSES)
def test_levels(name: str) -> None:
    """An event's section states the level that the code gives it."""
    said = PAGE[name].split("Level: ", 1)[1].split(".", 1)[0]
    if name == "log":
        assert said == "its own field `level`"
    elif name == "view":
        view = events.ViewRecord
        levels = {
            action: events.level_of(view(action=action)) for action in ("opened", "replaced", "closed", "refused")
        }
        assert levels == {"opened": "debug", "replaced": "debug", "closed": "debug", "refused": "warn"}
        assert said == "debug; warn where `action` is `refused`"
    else:
        values: dict[str, Any] = {field.name: None for field in msgspec.structs.fields(CLASSES[name]) if field.required}
        assert said == events.level_of(CLASSES[name](**values))


def emitted() -> dict[str, tuple[set[str], list[set[str]]]]:
    """Return, for each slug in the sources, the levels it is logged at and the facts of each place that logs it."""
    found: dict[str, tuple[set[str], list[set[str]]]] = {}
    for path in sorted(Path(ROOT / "core" / "gg").rglob("*.py")):
        for node in ast.walk(ast.parse(read(path))):
            if not isinstance(node, ast.Call):
                continue
            named = {keyword.arg: keyword.value for keyword in node.keywords}
            if isinstance(node.func, ast.Attribute) and node.func.attr == "log" and len(node.args) >= 3:
                level, slug = node.args[:2]
                facts = {"—" if name == "facts" else str(name) for name in named}
            elif isinstance(node.func, ast.Name) and node.func.id == "LogLine":
                level, slug, given = named["level"], named["slug"], named.get("facts")
                facts = (
                    {str(ast.literal_eval(key)) for key in given.keys if key} if isinstance(given, ast.Dict) else set()
                )
            else:
                continue
            if isinstance(level, ast.Constant) and isinstance(slug, ast.Constant):
                levels, places = found.setdefault(str(slug.value), (set(), []))
                levels.add(str(level.value))
                places.append(facts)
    return found


def test_slugs() -> None:
    """The table of slugs has every slug of the code and no other, each once."""
    slugs = [code(row[0]) for row in table(PAGE["log"], "slug")]
    assert sorted(slugs) == sorted(get_args(events.LogSlug))


@pytest.mark.parametrize("row", table(PAGE["log"], "slug"), ids=lambda row: code(row[0]))
def test_slug(row: list[str]) -> None:
    """A slug's level and facts are those the code logs; one that nothing logs is called reserved."""
    slug, level, facts = code(row[0]), row[1], row[2]
    there = emitted()
    if level == "reserved":
        assert slug not in there
        return
    levels, places = there[slug]
    assert sorted(level.split(", ")) == sorted(levels)
    said = {code(one): not one.endswith("(not always)") for one in facts.split(", ") if one not in ("", "—")}
    if facts == "—":
        said["—"] = True
    assert said == {fact: all(fact in place for place in places) for fact in set().union(*places)}
