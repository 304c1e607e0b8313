"""Renders the documentation as JavaScript's users write types: signatures with an object of options, and imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from gg.documentation import Style, TypeNames, render_pages
from gg.types import ArmInfo, DocumentationEntry, OperationSpec, Parameter, Shape
from gg_arms.javascript._sdk import passed_by_place

__all__ = ["render"]

_TAKES: Mapping[str, str] = MappingProxyType({"path": "string", "integer": "number", "target": "string | object"})


def render(operations: Sequence[OperationSpec], info: ArmInfo) -> tuple[DocumentationEntry, ...]:
    """Return the pages of these operations."""
    return render_pages(operations, _JavaScript(info))


class _JavaScript(Style):
    def type_of(self, shape: Shape, names: TypeNames, *, taken: bool) -> str:
        if shape is None:
            return "void"
        if isinstance(shape, str):
            return _TAKES.get(shape, shape)
        if shape in names:
            return names[shape]
        kind, inner = shape
        if kind == "record":
            return "object"
        written = self.type_of(inner, names, taken=taken)
        if kind == "optional":
            return f"{written} | null"
        return f"({written})[]" if " " in written else f"{written}[]"

    def signatures(self, operation: OperationSpec, names: TypeNames) -> list[str]:
        answer = self.type_of(operation.result, names, taken=False)
        call = self.info.spell(operation.module, operation.name)
        placed = passed_by_place(operation)
        shapes = [placed] if placed.required or not placed.options else [placed, placed.all_options()]
        lines: list[str] = []
        for shape in shapes:
            inside = [self._member(one, names) for one in shape.positional]
            if shape.options:
                inside.append("options?: { " + ", ".join(self._member(one, names) for one in shape.options) + " }")
            lines.append(f"{call}({', '.join(inside)}): {answer}")
        return lines

    def _member(self, one: Parameter, names: TypeNames) -> str:
        kind = one.kind[1] if isinstance(one.kind, tuple) and one.kind[0] == "optional" else one.kind
        written = self.type_of(kind, names, taken=True)
        return f"{self.info.spell_name(one.name)}{'' if one.required else '?'}: {written}"

    def passed(self, operation: OperationSpec, parameter: Parameter) -> str:
        placed = passed_by_place(operation)
        how = "required" if parameter.required else "optional"
        if parameter in placed.options:
            return f"{how}, in the object of options"
        return how if placed.required or not placed.options else f"{how}, by place or in the object of options"

    def field(self, field: Parameter, names: TypeNames) -> str:
        kind = field.kind[1] if isinstance(field.kind, tuple) and field.kind[0] == "optional" else field.kind
        if field.required:
            kind = field.kind
        written = self.type_of(kind, names, taken=False)
        return f"{self.info.spell_name(field.name)}{'' if field.required else '?'}: {written}"

    def record_note(self) -> str:
        return "A plain object. Nothing is bound to the name."

    def error_signature(self) -> str:
        return "class gg.core.ApiError extends Error"

    def error_fields(self) -> Sequence[tuple[str, str]]:
        return (
            ("message", "string. The whole sentence."),
            ("operation", "string. The operation's name, such as `edit_file`."),
            ("code", "string. Why it failed."),
            ("detail", "string. What went wrong, alone."),
        )

    def reach(self, module: str, name: str = "") -> list[str]:
        if not name:
            return [self.path(module), f'import * as {module} from "gg:{module}";']
        return [self.path(module, name), f'import {{ {name} }} from "gg:{module}";']
