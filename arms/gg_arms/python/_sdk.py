"""Renders the operations table as Python: the modules `gg.files`, `gg.views` and so on that a program calls.

The result is read by `guest/_sdk_runtime.py`: a line `# module: NAME` begins a module, and everything up to the next
one is its source. It is baked into the guest for gg's own operations and evaluated before the program for those of
plugins.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gg.types import OperationSpec, Parameter, Shape

__all__ = ["GIVES", "TAKES", "Placed", "passed_by_place", "render"]

LINE = 100
_NAME = re.compile(r"[a-z_][a-z0-9_]*")
TAKES: Mapping[str, str] = MappingProxyType(
    {
        "string": "str",
        "path": "str | PathLike[str]",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "any": "Any",
    }
)
GIVES: Mapping[str, str] = MappingProxyType({**TAKES, "path": "str"})


class Placed(NamedTuple):
    """How the parameters of an operation are passed: by place or by keyword, and by keyword alone."""

    positional: tuple[Parameter, ...]
    named: tuple[Parameter, ...]


def passed_by_place(operation: OperationSpec) -> Placed:
    """Return how the parameters of an operation are passed: required ones by place, optional ones by keyword.

    Where nothing is required, the first may be passed by place too: `list_dir("src")`.
    """
    required = tuple(one for one in operation.parameters if one.required)
    optional = tuple(one for one in operation.parameters if not one.required)
    return Placed(required, optional) if required else Placed(optional[:1], optional[1:])


def render(operations: Sequence[OperationSpec]) -> str:
    """Return the source of the SDK's modules, in the order in which the table first names them.

    :param operations: rows of the operations table; their prose is escaped, their names are checked.
    :returns: Python source in sections, as the module's docstring describes.
    :raises ValueError: a module, operation or parameter has a name that Python cannot take.
    """
    order = {module: place for place, module in reversed(list(enumerate(one.module for one in operations)))}
    rows = sorted(operations, key=lambda one: order[one.module])
    modules = groupby(rows, key=lambda one: one.module)
    head = "# DO NOT EDIT: rendered from gg's table of operations by gg_arms.python._sdk.\n"
    return head + "".join(_module(name, list(its)) for name, its in modules)


def _module(name: str, operations: Sequence[OperationSpec]) -> str:
    names = ", ".join(repr(_checked(one.name)) for one in operations)
    head = (
        f'# module: {_checked(name)}\n"""Operations of gg\'s module {name}."""\n\n'
        f"from os import PathLike\nfrom typing import Any\n\nfrom gg.core import Record\n\n__all__ = [{names}]\n"
    )
    return head + "".join(_function(one) for one in operations)


def _function(operation: OperationSpec) -> str:
    parameters = operation.parameters
    placed = passed_by_place(operation)
    signature = [
        f"{_checked(one.name)}: {_type(one.kind, TAKES)}" if one.required else _default(one)
        for one in placed.positional
    ]
    if placed.named:
        signature += ["*", *(_default(one) for one in placed.named)]
    passed = "".join(
        f"        ({one.name!r}, {one.wire!r}, {one.kind!r}, {one.required!r}, {one.name}),\n" for one in parameters
    )
    return (
        f"\n\ndef {_checked(operation.name)}({', '.join(signature)}) -> {_type(operation.result, GIVES)}:\n"
        f"{_docstring(operation)}"
        f"    return _call(\n        {operation.id!r},\n        {operation.result!r},\n{passed}    )\n"
    )


def _default(parameter: Parameter) -> str:
    return f"{_checked(parameter.name)}: {_type(parameter.kind, TAKES)} | None = None"


def _type(shape: Shape, names: Mapping[str, str]) -> str:
    if shape is None:
        return "None"
    if isinstance(shape, str):
        return names.get(shape, "Any")
    kind, inner = shape
    if kind == "list":
        return f"list[{_type(inner, names)}]"
    if kind == "optional":
        return f"{_type(inner, names)} | None"
    return "Record"


def _docstring(operation: OperationSpec) -> str:
    lines = [*_prose(operation.summary)]
    if operation.detail:
        lines += ["", *_prose(operation.detail)]
    if any(one.doc for one in operation.parameters):
        lines += ["", "Args:"]
        lines += [
            f"    {line}" for one in operation.parameters for line in _prose(f"{one.name}: {one.doc}".rstrip(": "))
        ]
    fields = _fields(operation.result)
    if fields:
        lines += ["", "Returns:", f"    {fields}"]
    if operation.errors:
        lines += ["", "Raises:"]
        lines += [
            f"    {line}" for code, why in operation.errors for line in _prose(f"gg.core.ApiError ({code}): {why}")
        ]
    text = "\n".join(f"    {line}".rstrip() for line in lines).strip()
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "")
    return f'    """{escaped}\n    """\n'


def _fields(shape: Shape) -> str:
    """Return the sentence that lists a record's fields, or nothing for another shape."""
    if not isinstance(shape, tuple):
        return ""
    kind, inner = shape
    if kind == "record":
        return "Record of " + ", ".join(f"{name} ({_type(field, GIVES)})" for name, _, field in inner)
    found = _fields(inner)
    return f"list of {found}" if found and kind == "list" else found


def _prose(text: str) -> Iterable[str]:
    for line in text.splitlines() or [""]:
        yield from wrap(line, LINE) or [""]


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is no name for an operation, a module or a parameter in Python")
    return name
