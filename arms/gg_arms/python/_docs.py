"""Renders the documentation as Python's users write it: signatures as `_sdk` defines them, and imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from gg.documentation import Style, TypeNames, render_pages
from gg.types import ArmInfo, DocumentationEntry, OperationSpec, Parameter, Shape
from gg_arms.python._sdk import GIVES, TAKES, passed_by_place

__all__ = ["render"]

_TARGET = "str | Callable | ModuleType | type"
_DOCUMENTED: Mapping[bool, Mapping[str, str]] = MappingProxyType({True: {**TAKES, "target": _TARGET}, False: GIVES})


def render(operations: Sequence[OperationSpec], info: ArmInfo) -> tuple[DocumentationEntry, ...]:
    """Return the pages of these operations."""
    return render_pages(operations, _Python(info))


class _Python(Style):
    def type_of(self, shape: Shape, names: TypeNames, *, taken: bool) -> str:
        if shape is None:
            return "None"
        if isinstance(shape, str):
            return _DOCUMENTED[taken].get(shape, "Any")
        if shape in names:
            return names[shape]
        kind, inner = shape
        if kind == "record":
            return "Record"
        written = self.type_of(inner, names, taken=taken)
        return f"list[{written}]" if kind == "list" else f"{written} | None"

    def signatures(self, operation: OperationSpec, names: TypeNames) -> list[str]:
        placed = passed_by_place(operation)
        inside = [self._member(one, names) for one in placed.positional]
        if placed.named:
            inside += ["*", *(self._member(one, names) for one in placed.named)]
        answer = self.type_of(operation.result, names, taken=False)
        return [f"{self.info.spell(operation.module, operation.name)}({', '.join(inside)}) -> {answer}"]

    def _member(self, one: Parameter, names: TypeNames) -> str:
        kind = one.kind[1] if isinstance(one.kind, tuple) and one.kind[0] == "optional" else one.kind
        written = self.type_of(kind, names, taken=True)
        return f"{one.name}: {written}" if one.required else f"{one.name}: {written} | None = None"

    def passed(self, operation: OperationSpec, parameter: Parameter) -> str:
        how = "required" if parameter.required else "optional"
        return f"{how}, by keyword" if parameter in passed_by_place(operation).named else how

    def record_note(self) -> str:
        return "A `gg.core.Record`: its fields are read as attributes or as keys. Nothing is bound to the name."

    def error_signature(self) -> str:
        return "class gg.core.ApiError(Exception)"

    def error_fields(self) -> Sequence[tuple[str, str]]:
        return (
            ("operation", "str. The operation's name, such as `edit_file`."),
            ("code", "str. Why it failed."),
            ("message", "str. What went wrong, alone; `str(error)` is the whole sentence."),
        )

    def reach(self, module: str, name: str = "") -> list[str]:
        if not name:
            return [self.path(module), f"from gg import {module}"]
        return [self.path(module, name), f"from gg.{module} import {name}"]
