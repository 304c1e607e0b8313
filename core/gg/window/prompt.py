"""The system prompt: what a model is told once, so that no error has to repeat it."""

from __future__ import annotations

from collections.abc import Sequence

from gg.operations.table import Operation
from gg.types import ArmInfo, OperationSpec

__all__ = ["TOOL_NAME", "submit_program_tool", "system_prompt"]

TOOL_NAME = "submit_program"


def submit_program_tool(info: ArmInfo) -> dict[str, object]:
    """Return the one tool of responses as code, in the OpenAI shape."""
    return {
        "type": "function",
        "function": {
            "name": TOOL_NAME,
            "description": f"Submit a whole {info.display_name} program. It is compiled and run as it stands.",
            "parameters": {
                "type": "object",
                "properties": {"program": {"type": "string", "description": f"The {info.display_name} source."}},
                "required": ["program"],
                "additionalProperties": False,
            },
        },
    }


def system_prompt(info: ArmInfo, operations: Sequence[Operation]) -> str:
    """Return the system prompt of an agent that holds ``operations``."""
    lines = [
        f"You answer by submitting whole {info.display_name} programs with the `{TOOL_NAME}` tool.",
        "Each program is compiled and run as you wrote it, in a sandbox, in the order you submitted them.",
        "The answer to a submission is a receipt: it says nothing about how the program went.",
        "",
        "Standing rules:",
        "1. A program that throws does not end the session.",
        "2. Whatever a program did before it threw stands.",
        "3. A view is the only channel out of a program: open one to see a value or a file on your next turn.",
        f"4. Logging is not a channel to you: what `{info.print_call}` writes goes to the operator.",
        "5. A program that ran is not told so: it gets nothing back but the views it opened.",
        "",
        "What you may read under a heading:",
        "- `Compiler error`: the program did not compile, so none of it ran.",
        "- `Runtime error`: it compiled and then threw, or a limit of the sandbox stopped it.",
        "- `Notice`: a fact about the session.",
        "- `View: …`, `File: …`, `Documentation: …`: what a program of yours showed you.",
        "",
    ]
    if info.checker:
        lines += [f"Programs are checked by `{info.checker}`.", ""]
    if {"docs.search", "views.open_docs_view"} <= {operation.id for operation in operations}:
        search, show = info.spell("docs", "search"), info.spell("views", "open_docs_view")
        lines += [f"Documentation of what a program may call is found with `{search}` and opened with `{show}`.", ""]
    lines.append("What a program may call, in every program as `gg`:")
    for operation in operations:
        lines.append(f"- `{_signature(info, operation.spec())}` {operation.summary}")
    return "\n".join(lines)


def _signature(info: ArmInfo, spec: OperationSpec) -> str:
    spelled = [(info.spell_name(p.name), p.required) for p in spec.parameters]
    required = [name for name, needed in spelled if needed]
    optional = [name for name, needed in spelled if not needed]
    placed = [] if required else optional[:1]
    named = optional[len(placed) :]
    if info.case == "snake":
        inside = [*required, *(f"{name}=None" for name in placed)]
        inside += ["*", *(f"{name}=None" for name in named)] if named else []
    else:
        inside = [*required, *(f"{name}?" for name in placed)]
        inside += ["{" + ", ".join(f"{name}?" for name in named) + "}?"] if named else []
    return f"{info.spell(spec.module, spec.name)}({', '.join(inside)})"
