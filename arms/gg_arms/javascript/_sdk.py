"""Renders the SDK: the operations as the guest's native functions.

The source is one JavaScript function of `define`, which the guest calls when it is built (the built-in operations) and
again when a program runs (the operations of others). Each call of `define` makes one native function, so no code of the
SDK runs inside a program and no frame of it shows in a stack.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from gg.types import OperationSpec, Parameter

__all__ = ["render"]

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_ID = re.compile(r"[A-Za-z0-9_.-]+")


def render(operations: Sequence[OperationSpec]) -> str:
    """Return the JavaScript source of the SDK of these operations.

    Required parameters are positional, then an object of options takes the others. A parameter that is the only one is
    positional though it is optional: `gg.files.listDir("src")`.

    :raises ValueError: a name is no JavaScript identifier.
    """
    return "(define) => {\n" + "".join(f"  {_define(operation)}\n" for operation in operations) + "}"


def _define(operation: OperationSpec) -> str:
    positional = [parameter for parameter in operation.parameters if parameter.required]
    options = [parameter for parameter in operation.parameters if not parameter.required]
    if not positional and len(options) == 1:
        positional, options = options, []
    if not _ID.fullmatch(operation.id):
        raise ValueError(f"{operation.id!r} can't be an operation's id")
    arguments = (
        _identifier(operation.module),
        _identifier(_camel(operation.name)),
        operation.id,
        [_names(parameter) for parameter in (*positional, *options)],
        len(positional),
        operation.result is not None,
    )
    return f"define({', '.join(json.dumps(argument) for argument in arguments)});"


def _names(parameter: Parameter) -> tuple[str, str]:
    """How the program spells a parameter, and how the call carries it."""
    return _identifier(_camel(parameter.name)), parameter.wire


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _identifier(name: str) -> str:
    if not _IDENTIFIER.fullmatch(name):
        raise ValueError(f"{name!r} is no JavaScript identifier")
    return name
