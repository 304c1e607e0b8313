"""Operations as ordinary tools: the names, schemas and prompt of the mode in which a model calls them itself.

Names are an operation's id with an underscore (``files_read_file``); arguments and results are the wire's own
(``oldString``), so that a call's JSON is the operation's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

import msgspec

from gg.documentation import Style
from gg.operations.table import Operation
from gg.types import ArmInfo
from gg.window.shapes import Tool
from gg_rust_ext import clip

__all__ = ["NO_LANGUAGE", "ToolSpelling", "operation_tools", "tool_names", "tools_prompt"]

MAX_NAME = 64
MAX_DESCRIPTION_BYTES = 1024
_INT64 = (-(1 << 63), (1 << 63) - 1)


class ToolSpelling(ArmInfo):
    """How operations are written where no language is: as tools."""

    def spell(self, module: str, name: str) -> str:
        """Return the name of an operation's tool."""
        return _tool_name(f"{module}.{name}")


class ToolStyle(Style):
    """How the documentation of tools is written: a function is reached by its tool's name."""

    def path(self, module: str, name: str = "") -> str:
        """Return the name of a module, or of something in it."""
        return ".".join(filter(None, (module, name)))

    def reach(self, module: str, name: str = "") -> list[str]:
        """Return a function's tool, or what the tools of a module begin with."""
        return [f"{module}_{name}" if name else f"{module}_…"]


NO_LANGUAGE = ToolSpelling("", "", "", (), "shared")
"""Stands where an arm's info does, in a session that has no arm."""


def _tool_name(id: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", id)[:MAX_NAME]


def tool_names(operations: Iterable[Operation]) -> dict[str, Operation]:
    """Return operations by the names of their tools; where two would share one, the later gets a number."""
    names: dict[str, Operation] = {}
    for row in operations:
        name = base = _tool_name(row.id)
        number = 1
        while name in names:
            number += 1
            name = f"{base[: MAX_NAME - 8]}_{number}"
        names[name] = row
    return names


def operation_tools(names: dict[str, Operation]) -> list[Tool]:
    """Return the tools of named operations, with the schema of their arguments and their documentation."""
    return [Tool(name, _description(row), _schema(row)) for name, row in names.items()]


def _description(row: Operation) -> str:
    parts = [_line(row.summary)]
    if row.detail:
        parts.append(_line(row.detail))
    parts += [f"Fails with {code}: {_line(why)}" for code, why in row.errors]
    return clip("\n".join(parts), MAX_DESCRIPTION_BYTES)


def _schema(row: Operation) -> dict[str, Any]:
    (top,), named = msgspec.json.schema_components([row.arguments], ref_template="#/$defs/{name}")
    own = top["$ref"].rpartition("/")[2]
    schema: dict[str, Any] = named[own]
    for unwanted in ("title", "description"):
        schema.pop(unwanted, None)
    docs = dict(row.docs)
    properties: dict[str, Any] = schema.get("properties", {})
    for field in msgspec.structs.fields(row.arguments):
        made = _plain(properties[field.encode_name])
        if field.name in docs:
            made["description"] = _line(docs[field.name])
        properties[field.encode_name] = made
    others = {name: found for name, found in named.items() if name != own}
    return schema | ({"$defs": others} if others else {})


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an argument's schema without what only says that it may be left out, and without 64-bit bounds."""
    branches = cast("list[dict[str, Any]]", schema.get("anyOf", []))
    rest = [branch for branch in branches if branch != {"type": "null"}]
    made = dict(schema)
    if schema.get("default", ...) is None:
        del made["default"]
        if len(rest) == 1 < len(branches):
            made = dict(rest[0])
    if (made.get("minimum"), made.get("maximum")) == _INT64:
        del made["minimum"], made["maximum"]
    return made


def tools_prompt(tools: Iterable[str]) -> str:
    """Return the system prompt of an agent that calls these tools itself."""
    lines = [
        "You act by calling the tools you are offered. The calls of an answer are carried out in order.",
        "",
        "Standing rules:",
        "1. The answer to a call is its result as JSON, `ok` where it returns nothing, or what it failed with.",
        "2. A call that fails does not end the session, and what was done before it stands.",
    ]
    if any(name.startswith("views_") for name in tools):
        lines.append("3. A view that a call opened stands behind the answers, and stays.")
    lines += [
        "",
        "What you may read under a heading:",
        "- `Notice`: a fact about the session.",
        "- `View: …`, `File: …`, `Documentation: …`: what a call of yours showed you.",
    ]
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())
