"""Renders the SDK: the operations as the guest's native functions.

The source is one JavaScript function of `define`, which the guest calls when it is built (the built-in operations) and
again when a program runs (the operations of others). Each call of `define` makes one native function, so no code of the
SDK runs inside a program and no frame of it shows in a stack.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gg.types import OperationSpec, Parameter

__all__ = ["Placed", "passed_by_place", "render"]

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_ID = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class Placed:
    """How the parameters of an operation are passed: by place, then the others in one object of options.

    Where nothing is required (``required`` is false) and there is more than one, the first may be passed by place or
    all of them in the object: `gg.docs.search("read")` and `gg.docs.search({ query: "read" })`.
    """

    positional: tuple[Parameter, ...]
    options: tuple[Parameter, ...]
    required: bool

    def all_options(self) -> Placed:
        """Return the shape in which all of them are options."""
        return Placed((), (*self.positional, *self.options), self.required)


def passed_by_place(operation: OperationSpec) -> Placed:
    """Return how the parameters of an operation are passed: required ones by place, optional ones as options.

    A parameter that is the only one is passed by place though it is optional: `gg.files.listDir("src")`.
    """
    required = tuple(parameter for parameter in operation.parameters if parameter.required)
    optional = tuple(parameter for parameter in operation.parameters if not parameter.required)
    if not required:
        return Placed(optional[:1], optional[1:], required=False)
    return Placed(required, optional, required=True)


def render(operations: Sequence[OperationSpec]) -> str:
    """Return the JavaScript source of the SDK of these operations; `passed_by_place` says how they are called.

    :raises ValueError: a name is no JavaScript identifier.
    """
    return "(define) => {\n" + "".join(f"  {_define(operation)}\n" for operation in operations) + "}"


def _define(operation: OperationSpec) -> str:
    placed = passed_by_place(operation)
    if not _ID.fullmatch(operation.id):
        raise ValueError(f"{operation.id!r} can't be an operation's id")
    arguments = (
        _identifier(operation.module),
        _identifier(_camel(operation.name)),
        operation.id,
        [_names(parameter) for parameter in (*placed.positional, *placed.options)],
        len(placed.positional),
        operation.result is not None,
        not placed.required and bool(placed.options),
    )
    return f"define({', '.join(json.dumps(argument) for argument in arguments)});"


def _names(parameter: Parameter) -> tuple[str, ...]:
    """How the program spells a parameter, how the call carries it, and whether it names something of gg's."""
    names = _identifier(_camel(parameter.name)), parameter.wire
    return (*names, "target") if parameter.kind == "target" else names


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _identifier(name: str) -> str:
    if not _IDENTIFIER.fullmatch(name):
        raise ValueError(f"{name!r} is no JavaScript identifier")
    return name
