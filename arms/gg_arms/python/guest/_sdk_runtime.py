"""What the generated SDK modules stand on: calls through the membrane, plain arguments, records.

The SDK is Python source, rendered from the table of operations by gg, in which a line `# module: NAME` begins a module.
`load` makes real modules of it: `gg` and `gg.NAME`.
"""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

from ._arguments import Fault, name_target, plain
from ._json import dumps, loads
from ._own import own_builtins as __builtins__
from ._records import Record, shaped
from ._stack import SDK_FILE_PREFIX
from ._wire import call as host_call

_HEADER = re.compile(r"^# module: ([a-z_][a-z0-9_]*)\n", re.MULTILINE)
_compile = compile
_exec = exec

Parameter = tuple[str, str, Any, bool, Any]
"""Name in Python, name on the wire, kind, whether it is required, and the value the program passed."""


class ApiError(Exception):
    """An operation that failed. `str(error)` is the whole sentence.

    Attributes:
        operation: the operation's name, such as `edit_file`.
        code: `invalid-argument`, `not-found`, `conflict`, `refused`, `unavailable`, `limit-exceeded`, `io-error` or
            `other`.
        message: what went wrong, alone.
    """

    operation: str
    code: str
    message: str

    def __init__(self, operation: str, code: str, message: str) -> None:
        super().__init__(f"`{operation}` failed ({code}): {message}")
        self.operation = operation
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[ApiError], tuple[str, str, str]]:
        return type(self), (self.operation, self.code, self.message)


ApiError.__module__ = "gg.core"


class _Membrane:
    """Whether operations still reach the host."""

    closed = False


membrane = _Membrane()


def call(operation: str, result: Any, *parameters: Parameter) -> Any:
    """Call one operation and return its plain result.

    Raises:
        ApiError: when the operation fails, is refused, or is handed an argument that cannot be sent.
    """
    name = operation.rpartition(".")[2]
    if membrane.closed:
        raise ApiError(name, "refused", "the program has ended")
    arguments: dict[str, Any] = {}
    try:
        for spelled, wire, kind, required, value in parameters:
            if required or value is not None:
                arguments[wire] = plain(spelled, kind, value)
        request = dumps([[operation, arguments]])
    except Fault as fault:
        request = dumps([[operation, None, str(fault)]])
    reply = loads(host_call(request))
    answer = reply[0] if isinstance(reply, list) else reply
    if answer.get("ok"):
        return shaped(result, answer.get("value"))
    error = answer["error"]
    raise ApiError(str(error.get("operation") or name), error["code"], error["message"])


def load(source: str) -> None:
    """Make modules of SDK source; a module that exists already is extended."""
    pieces = _HEADER.split(source)
    for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
        module = _module(name)
        code = _compile(body, f"{SDK_FILE_PREFIX}{name}>", "exec", 0, True)
        earlier: list[str] = module.__dict__["__all__"]
        _exec(code, module.__dict__)
        added: list[str] = module.__dict__["__all__"]
        module.__dict__["__all__"] = list(dict.fromkeys([*earlier, *added]))
        for function in added:
            name_target(module.__dict__[function], f"{name}.{function}")


def _module(name: str) -> ModuleType:
    whole = f"gg.{name}"
    module = sys.modules.get(whole)
    if module is None:
        module = ModuleType(whole)
        module.__package__ = "gg"
        module.__dict__.update(_NAMES)
        sys.modules[whole] = module
        name_target(module, name)
        gg = sys.modules["gg"]
        setattr(gg, name, module)
        gg.__dict__["__all__"].append(name)
        module.__dict__["__all__"] = []
    return module


_NAMES: dict[str, Any] = {"__builtins__": __builtins__, "_call": call}


def begin() -> None:
    """Make the package `gg` and its module `core`, which has the error type."""
    gg = ModuleType("gg", "Operations of the session this program belongs to.")
    gg.__path__ = []
    gg.__package__ = "gg"
    gg.__dict__["__all__"] = []
    sys.modules["gg"] = gg
    core = _module("core")
    core.__doc__ = "What all of gg's modules share."
    core.__dict__["ApiError"] = ApiError
    core.__dict__["Record"] = Record
    core.__dict__["__all__"] += ["ApiError", "Record"]
    name_target(ApiError, "core.ApiError")
    name_target(Record, "core.Record")
