"""The schemas themselves: well-formed, in step with the code, and strict."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft202012Validator
from schema_documents import NAMES, SCHEMAS, problems

from gg.operations.table import ErrorCode
from gg.stream import events
from gg.window.messages import Band

EVENT = {"seq": 1, "ts": 1.5}
CLASSES = {kind.__struct_config__.tag: kind for kind in events.Event.__subclasses__()}


def wire_fields(kind: type[msgspec.Struct]) -> dict[str, bool]:
    """Return the fields of a struct as they go out, and whether each is always there."""
    always = {"seq", "ts"}
    return {
        field.encode_name: field.name in always
        or not (field.default is msgspec.UNSET or (kind.__struct_config__.omit_defaults and not field.required))
        for field in msgspec.structs.fields(kind)
    }


def properties(definition: dict[str, Any]) -> set[str]:
    """Return the properties of an event's definition, those of the base included."""
    return {*definition["properties"], *SCHEMAS["event"]["$defs"]["base"]["properties"]} - {"type"}


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name: str) -> None:
    """Each published file is a JSON Schema of draft 2020-12."""
    assert SCHEMAS[name]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMAS[name])


def test_every_event_has_a_definition() -> None:
    """The event schema lists exactly the events there are."""
    assert {one["$ref"].rpartition("/")[2] for one in SCHEMAS["event"]["oneOf"]} == set(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_an_event_has_the_fields_of_its_class(name: str) -> None:
    """An event's schema names every field of its class, and requires those that are always there."""
    definition = SCHEMAS["event"]["$defs"][name]
    fields = wire_fields(CLASSES[name])
    if name == "log":
        assert fields.pop("facts")  # its items stand beside the fields
    assert properties(definition) == set(fields)
    required = {*definition["required"], *SCHEMAS["event"]["$defs"]["base"]["required"]} - {"type"}
    assert required == {name for name, always in fields.items() if always}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("surfaceModule", events.SurfaceModule),
        ("surfaceFunction", events.SurfaceFunction),
        ("callRecord", events.CallRecord),
        ("undocumentedCalls", events.UndocumentedCalls),
        ("viewsSuppressed", events.ViewsSuppressed),
    ],
)
def test_a_part_of_an_event_has_the_fields_of_its_class(name: str, kind: type[msgspec.Struct]) -> None:
    """A nested object's schema names every field of its class, and requires those that are always there."""
    definition = SCHEMAS["event"]["$defs"][name]
    fields = wire_fields(kind)
    assert set(definition["properties"]) == set(fields)
    assert set(definition["required"]) == {name for name, always in fields.items() if always}


def test_vocabularies_are_the_codes() -> None:
    """Slugs, levels, error codes and bands are those of the code."""
    defined = SCHEMAS["event"]["$defs"]
    assert set(defined["slug"]["enum"]) == set(get_args(events.LogSlug))
    assert set(defined["log"]["properties"]["level"]["enum"]) == set(get_args(events.Level))
    assert set(defined["code"]["enum"]) == set(get_args(ErrorCode))
    assert set(SCHEMAS["message"]["$defs"]["band"]["enum"]) == set(get_args(Band))


WRONG = [
    ("event", {"type": "api_call", **EVENT, "call": 1, "operation": "files.read_file", "more": 1}),
    ("event", {"type": "api_call", **EVENT, "call": 0, "operation": "files.read_file"}),
    ("event", {"type": "unheard_of", **EVENT}),
    ("event", {"type": "code_execution", **EVENT, "ok": True, "toolCalls": 0, "error": "x"}),
    ("event", {"type": "code_execution", **EVENT, "ok": False, "toolCalls": 0}),
    ("event", {"type": "code_execution", **EVENT, "ok": True, "toolCalls": 0, "logs": ["x"]}),
    ("event", {"type": "code_execution", **EVENT, "ok": True, "toolCalls": 0, "durationMs": None}),
    ("event", {"type": "api_result", **EVENT, "call": 1, "operation": "a.b", "ok": False, "parkedMs": 0.1}),
    ("event", {"type": "view", **EVENT, "action": "opened", "kind": "text", "selector": "a"}),
    ("event", {"type": "log", **EVENT, "level": "warn", "slug": "programs_not_run", "message": "1 was not run"}),
    ("event", {"type": "log", **EVENT, "level": "warn", "slug": "no_such_slug", "message": "m"}),
    ("message", {"role": "tool", "content": "ok", "band": "tool_output", "tokens": 1}),
    ("message", {"role": "user", "content": "x", "band": "runtime_errors", "tokens": 1}),
    ("message", {"role": "user", "content": "x", "band": "no_such_band", "heading": "Notice", "tokens": 1}),
    ("run", {"v": 1, "arm": "a", "outcome": "finished", "messages": [], "events": []}),
    ("run", {"v": 1, "arm": "a", "outcome": "continue", "summary": "s", "messages": [], "events": []}),
    ("run", {"v": 2, "arm": "a", "outcome": "continue", "messages": [], "events": []}),
    ("trim", {"band": "Oops", "body": "", "dropped": {"lines": 0, "diagnostics": 0, "frames": 0}}),
    ("logs", {"logged": 1, "kept": 1, "suppressed": -1, "keptBytes": 1, "lines": ["x"]}),
]


@pytest.mark.parametrize(("name", "document"), WRONG)
def test_what_gg_never_prints_is_refused(name: str, document: dict[str, Any]) -> None:
    """A schema refuses a key it does not know, a key that is missing, a null, and keys that exclude each other."""
    assert problems(name, document)


def test_a_log_may_carry_other_facts() -> None:
    """The facts of a log line are open: plugins write some."""
    line = {"type": "log", **EVENT, "level": "debug", "slug": "worker_note", "message": "m", "timing.runMs": 0.5}
    assert not problems("event", line)
