"""The entries of the documentation: functions, the modules they are in, and the error type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from gg.operations.table import ERROR_CODES, Operation
from gg.types import ArmInfo, OperationSpec, Parameter, Shape

__all__ = ["Catalogue", "Entry", "Kind", "signature"]

Kind = Literal["module", "function", "type"]

ERROR_TYPE = "core.ApiError"
_MODULES = {
    "files": "The files of the workspace.",
    "shell": "Commands, run in the workspace.",
    "docs": "Documentation of what you may call.",
    "views": "What you see on your next turn.",
    "context": "What you have read and said so far.",
    "programs": "The programs you submitted.",
    "session": "The end of the session.",
    "core": "What all modules share.",
}
_SCALARS = {"string": "string", "path": "path", "integer": "integer", "number": "number", "boolean": "boolean",
            "any": "any value"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One page. ``key`` is gg's own name (``files.read_file``), ``spelling`` the language's (``gg.files.readFile``).

    ``brief`` is its first sentence, ``detail`` everything else that is searched, ``text`` the body of its view.
    """

    key: str
    kind: Kind
    module: str
    name: str
    spelling: str
    signature: str
    brief: str
    detail: str
    text: str


class Catalogue:
    """What one agent can look up: the operations it holds and no other, in table order."""

    def __init__(self, info: ArmInfo, held: Iterable[Operation]) -> None:
        specs = [row.spec() for row in held]
        modules = list(dict.fromkeys(spec.module for spec in specs))
        self._entries = {
            entry.key: entry
            for entry in (
                *(_module(info, name, [spec for spec in specs if spec.module == name]) for name in modules),
                *(_function(info, spec) for spec in specs),
                _error_type(info),
            )
        }

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def get(self, key: str) -> Entry | None:
        """Return the entry of gg's own name."""
        return self._entries.get(key)


def signature(info: ArmInfo, spec: OperationSpec) -> str:
    """Return how a call is written: required arguments in order, optional ones by name."""
    required = [info.spell_name(p.name) for p in spec.parameters if p.required]
    optional = [info.spell_name(p.name) for p in spec.parameters if not p.required]
    if info.case == "snake":
        leading, named = (optional[:1], optional[1:]) if not required else ([], optional)
        inside = [*required, *(f"{name}=None" for name in leading)]
        inside += ["*", *(f"{name}=None" for name in named)] if named else []
    elif optional and (required or len(optional) > 1):
        inside = [*required, "{" + ", ".join(f"{name}?" for name in optional) + "}?"]
    else:
        inside = [*required, *(f"{name}?" for name in optional)]
    return f"{info.spell(spec.module, spec.name)}({', '.join(inside)})"


def _function(info: ArmInfo, spec: OperationSpec) -> Entry:
    spelled = info.spell(spec.module, spec.name)
    arguments = [_argument(info, parameter) for parameter in spec.parameters]
    errors = [f"- {code}: {_line(why)}" for code, why in spec.errors]
    parts = [signature(info, spec), _line(spec.summary)]
    if spec.detail:
        parts.append(_line(spec.detail))
    if arguments:
        parts.append("Arguments:\n" + "\n".join(arguments))
    parts.append(f"Returns {_returned(info, spec.result)}.")
    if errors:
        parts.append(f"Fails with {_spelled_error(info)}:\n" + "\n".join(errors))
    parts.append(f"Reached as {spelled}.")
    detail = " ".join((spec.detail, *arguments, *errors))
    return Entry(
        spec.id, "function", spec.module, info.spell_name(spec.name), spelled, signature(info, spec),
        _line(spec.summary), detail, "\n\n".join(parts),
    )  # fmt: skip


def _argument(info: ArmInfo, parameter: Parameter) -> str:
    kind = parameter.kind
    if not parameter.required and isinstance(kind, tuple) and kind[0] == "optional":
        kind = kind[1]
    facts = [_kind(info, kind)]
    if not parameter.required:
        facts.append("optional")
    doc = f": {_line(parameter.doc)}" if parameter.doc else ""
    return f"- {info.spell_name(parameter.name)} ({', '.join(facts)}){doc}"


def _module(info: ArmInfo, name: str, specs: Sequence[OperationSpec]) -> Entry:
    spelled = info.member_separator.join(("gg", name))
    brief = _MODULES.get(name, f"Operations of the module {name}.")
    functions = "\n".join(f"- {signature(info, spec)}: {_line(spec.summary)}" for spec in specs)
    text = f"{spelled}\n\n{brief}\n\nFunctions:\n{functions}"
    return Entry(name, "module", name, name, spelled, spelled, brief, "", text)


def _error_type(info: ArmInfo) -> Entry:
    spelled = _spelled_error(info)
    brief = "An operation that failed."
    fields = "\n".join(
        (
            "- operation (string): the operation's name, such as `edit_file`",
            f"- code (string): one of {', '.join(ERROR_CODES)}",
            "- message (string): what went wrong",
        )
    )
    text = f"{spelled}\n\n{brief}\n\nMembers:\n{fields}"
    return Entry(ERROR_TYPE, "type", "core", "ApiError", spelled, spelled, brief, "", text)


def _spelled_error(info: ArmInfo) -> str:
    return info.member_separator.join(("gg", "core", "ApiError"))


def _returned(info: ArmInfo, shape: Shape) -> str:
    return "nothing" if shape is None else _kind(info, shape)


def _kind(info: ArmInfo, shape: Shape) -> str:
    if isinstance(shape, str):
        return _SCALARS.get(shape, "any value")
    if shape is None:
        return "nothing"
    kind, inner = shape
    if kind == "optional":
        return f"{_kind(info, inner)} or nothing"
    if kind == "list":
        return f"list of {_kind(info, inner)}"
    fields = ", ".join(f"{info.spell_name(name)} ({_kind(info, field)})" for name, _, field in inner)
    return f"record of {fields}"


def _line(text: str) -> str:
    """Return prose as one line: whoever wrote it can begin no message with it."""
    return " ".join(text.split())
