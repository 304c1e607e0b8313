"""Pages of the operations table: one for each function, module and type, in a language's own style.

An arm renders its pages with a `Style` of its own; the base is the neutral one, which gg uses for an arm that renders
none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from gg.documentation.prose import one_line, paragraphs, spelled
from gg.operations.table import ErrorCode
from gg.types import ArmInfo, DocumentationEntry, OperationSpec, Parameter, RecordSpec, Shape

__all__ = ["CORE", "Style", "TypeNames", "render"]

CORE = "core"
"""The module that has the error type; every agent holds it."""
_INDENT = "  "
_BRIEFS: Mapping[str, str] = {
    "files": "The workspace: read, write, edit and list its files.",
    "shell": "Commands in the workspace.",
    "views": "What you see of your programs' work: the only channel out of a program.",
    "docs": "Documentation of everything you may call.",
    "programs": "The programs you have submitted, and the hand-over to another one.",
    "session": "The end of the session.",
    "skills": "Skills: texts, and code that a program can import.",
    "memories": "What you keep for later.",
    "context": "Your own context.",
    CORE: "What all modules share: the error of a call that failed.",
}

TypeNames = Mapping[Shape, str]
"""What each record is called, by its shape."""


class Style:
    """How a language writes documentation: types, signatures, how arguments are passed, and the lines that reach it."""

    def __init__(self, info: ArmInfo) -> None:
        self.info = info

    def path(self, module: str, name: str = "") -> str:
        """Return the fully qualified name of a module, or of something in it whose name is spelled already."""
        return self.info.member_separator.join(filter(None, ("gg", module, name)))

    def type_of(self, shape: Shape, names: TypeNames, *, taken: bool) -> str:
        """Return how a type is written; ``taken`` for what a call takes, otherwise for what it answers."""
        if shape is None:
            return "nothing"
        if isinstance(shape, str):
            return "name" if shape == "target" else shape
        if shape in names:
            return names[shape]
        kind, inner = shape
        if kind == "record":
            return "record"
        written = self.type_of(inner, names, taken=taken)
        return f"list of {written}" if kind == "list" else f"{written} or nothing"

    def signatures(self, operation: OperationSpec, names: TypeNames) -> list[str]:
        """Return the ways a function can be called, each on one line."""
        members: list[str] = []
        for one in operation.parameters:
            optional = "" if one.required else "?"
            members.append(f"{self.info.spell_name(one.name)}{optional}: {self.type_of(one.kind, names, taken=True)}")
        answer = self.type_of(operation.result, names, taken=False)
        return [f"{self.info.spell(operation.module, operation.name)}({', '.join(members)}) -> {answer}"]

    def passed(self, operation: OperationSpec, parameter: Parameter) -> str:  # noqa: ARG002 - a language's own looks at it
        """Say how an argument is passed."""
        return "required" if parameter.required else "optional"

    def field(self, field: Parameter, names: TypeNames) -> str:
        """Return how a field of a record is written."""
        return f"{self.info.spell_name(field.name)}: {self.type_of(field.kind, names, taken=False)}"

    def record_note(self) -> str:
        """Say what a record is in this language."""
        return "A record."

    def error_signature(self) -> str:
        """Return the declaration of the error type."""
        return self.path(CORE, "ApiError")

    def error_fields(self) -> Sequence[tuple[str, str]]:
        """Return what can be read off a failed call's error: name and type, and what it is."""
        return (
            ("operation", "the operation's name, such as `edit_file`"),
            ("code", "why it failed"),
            ("message", "what went wrong"),
        )

    def reach(self, module: str, name: str = "") -> list[str]:
        """Return the lines of a program that reach a module, or something in it."""
        return [self.path(module, name)]


class _Renderer:
    """Renders one table in one style."""

    def __init__(self, operations: Sequence[OperationSpec], style: Style) -> None:
        self.operations = operations
        self.style = style
        self.names: dict[Shape, str] = {}
        self.records: dict[str, tuple[RecordSpec, str, list[OperationSpec]]] = {}
        for operation in operations:
            for record in operation.records:
                self._name(record, operation)

    def _name(self, record: RecordSpec, operation: OperationSpec) -> None:
        """Name a record after its module; a second one of that name gets a number."""
        name = self.names.get(record.shape)
        if name is None:
            name, number = record.name, 2
            while name in self.records:
                name, number = f"{record.name}{number}", number + 1
            self.names[record.shape] = name
            self.records[name] = (record, operation.module, [])
        self.records[name][2].append(operation)

    def functions(self) -> Iterable[DocumentationEntry]:
        for operation in self.operations:
            style, words = self.style, _words(operation)
            signatures = style.signatures(operation, self.names)
            name = style.info.spell_name(operation.name)
            brief = self._spelled(one_line(operation.summary), words)
            rest = [self._spelled(line, words) for line in paragraphs(operation.detail)]
            arguments = [self._argument(operation, one, words) for one in operation.parameters]
            errors = [f"{code}: {self._spelled(one_line(why), words)}" for code, why in operation.errors]
            answer = style.type_of(operation.result, self.names, taken=False)
            blocks = ["\n".join(signatures), brief, *rest]
            blocks += [_block("Arguments:", arguments)] if arguments else []
            blocks += [f"Returns {answer}." if operation.result is not None else "Returns nothing."]
            blocks += [_block(f"{self.names[record.shape]}:", self._fields(record)) for record in operation.records]
            blocks += [_block(f"Fails with {style.path(CORE, 'ApiError')}, by its code:", errors)] if errors else []
            blocks += [_block("Reached by:", style.reach(operation.module, name))]
            yield DocumentationEntry(
                operation.id, "function", operation.module, name, style.info.spell(operation.module, operation.name),
                "\n".join(signatures), brief, "\n".join([*rest, *arguments, *errors]), "\n\n".join(blocks),
                (operation.id,),
            )  # fmt: skip

    def modules(self) -> Iterable[DocumentationEntry]:
        for module in dict.fromkeys([*(one.module for one in self.operations), CORE]):
            brief = _BRIEFS.get(module, f"Operations of the module {module}.")
            reach = self.style.reach(module)
            body = "\n\n".join([brief, _block("Reached by:", reach)])
            path = self.style.path(module)
            yield DocumentationEntry(module, "module", module, module, path, reach[-1], brief, "", body)

    def types(self) -> Iterable[DocumentationEntry]:
        for name, (record, module, users) in self.records.items():
            words = [field.name for field in record.fields]
            fields = self._fields(record)
            spelled_fields = ", ".join(f"`{self.style.info.spell_name(field.name)}`" for field in record.fields)
            about = [self._spelled(line, words) for line in paragraphs(record.doc)]
            brief = about[0] if about else f"A record of {spelled_fields or 'nothing'}."
            body = "\n\n".join([name, brief, *about[1:], _block("Fields:", fields), self.style.record_note()])
            yield DocumentationEntry(
                f"{module}.{record.name if name == record.name else name}", "type", module, name,
                self.style.path(module, name), f"{name} {{{spelled_fields}}}", brief, "\n".join(fields), body,
                tuple(dict.fromkeys(one.id for one in users)),
            )  # fmt: skip
        yield self._error()

    def _error(self) -> DocumentationEntry:
        style = self.style
        brief = "The error of a call that failed."
        fields = [f"{name}: {what}" for name, what in style.error_fields()]
        *codes, last = (f"`{code}`" for code in get_args(ErrorCode))
        blocks = [
            style.error_signature(),
            brief,
            _block("Fields:", fields),
            f"The code is one of {', '.join(codes)} or {last}.",
        ]
        blocks += [_block("Reached by:", style.reach(CORE, "ApiError"))]
        return DocumentationEntry(
            f"{CORE}.ApiError", "type", CORE, "ApiError", style.path(CORE, "ApiError"), style.error_signature(), brief,
            "\n".join(fields), "\n\n".join(blocks),
        )  # fmt: skip

    def _argument(self, operation: OperationSpec, one: Parameter, words: Sequence[str]) -> str:
        kind = one.kind[1] if isinstance(one.kind, tuple) and one.kind[0] == "optional" else one.kind
        written = self.style.type_of(kind, self.names, taken=True)
        about = self._spelled(one_line(one.doc), words)
        how = self.style.passed(operation, one)
        return f"{self.style.info.spell_name(one.name)}: {written}, {how}. {about}".rstrip()

    def _fields(self, record: RecordSpec) -> list[str]:
        words = [field.name for field in record.fields]
        lines: list[str] = []
        for field in record.fields:
            about = self._spelled(one_line(field.doc), words)
            lines.append(self.style.field(field, self.names) + (f". {about}" if about else ""))
        return lines

    def _spelled(self, text: str, words: Iterable[str]) -> str:
        return spelled(text, words, self.style.info.spell_name)


def render(operations: Sequence[OperationSpec], style: Style) -> tuple[DocumentationEntry, ...]:
    """Return the pages of these operations: modules in table order, then functions, then types."""
    renderer = _Renderer(operations, style)
    return (*renderer.modules(), *renderer.functions(), *renderer.types())


def _words(operation: OperationSpec) -> list[str]:
    return [
        *(one.name for one in operation.parameters),
        *(field.name for record in operation.records for field in record.fields),
    ]


def _block(title: str, lines: Iterable[str]) -> str:
    return "\n".join([title, *(f"{_INDENT}{line}" for line in lines)])
