"""What a session's model is given of its operations: as modules of a language, or as tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gg.operations.gate import Gate
from gg.operations.table import Operation, OperationTable
from gg.stream.events import SurfaceFunction, SurfaceModule
from gg.types import ArmInfo
from gg.window.prompt import submit_program_tool, system_prompt
from gg.window.shapes import Tool
from gg.window.tools import NO_LANGUAGE, operation_tools, tool_names, tools_prompt

__all__ = ["Surface", "surface_of_arm", "surface_of_tools"]


@dataclass(frozen=True, slots=True)
class Surface:
    """How names are spelled, the tools a request offers, the system prompt, and what the stream says is held."""

    info: ArmInfo
    tools: list[Tool]
    prompt: str
    modules: list[SurfaceModule]


def surface_of_arm(info: ArmInfo, held: Sequence[Operation]) -> Surface:
    """Return what a model that submits programs is given."""
    modules = [
        SurfaceModule(
            module=module,
            path=info.member_separator.join(("gg", module)),
            functions=[
                SurfaceFunction(name=info.spell_name(row.name), spelling=info.spell(module, row.name), operation=row.id)
                for row in held
                if row.module == module
            ],
        )
        for module in dict.fromkeys(row.module for row in held)
    ]
    return Surface(info, [submit_program_tool(info)], system_prompt(info, held), modules)


def surface_of_tools(table: OperationTable, gate: Gate) -> Surface:
    """Return what a model that calls tools is given. Names are the table's, so that no grant changes one."""
    names = {name: row for name, row in tool_names(table).items() if gate.permits(row)}
    modules = [
        SurfaceModule(
            module=module,
            path=module,
            functions=[SurfaceFunction(name, name, row.id) for name, row in names.items() if row.module == module],
        )
        for module in gate.modules(table)
    ]
    return Surface(NO_LANGUAGE, operation_tools(names), tools_prompt(names), modules)
