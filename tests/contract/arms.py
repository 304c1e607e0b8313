"""The arms of the contract, one row each. A new arm joins by adding its row to ``ARMS``.

A scenario's program is a list of steps; a row says how its language writes each of them, and how an error reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Step = tuple[Any, ...]


@dataclass(frozen=True, repr=False)
class Arm:
    """One language. ``steps`` has a template a step: ``{0}`` is its first argument as a literal, and so on."""

    id: str
    print_call: str
    steps: dict[str, str]
    caught: Callable[[str], str]
    """Write a statement so that its failure is caught and ignored."""
    repeated: Callable[[int, str], str]
    """Write a statement so that it runs many times."""
    said: Callable[[str], str]
    """Return the sentence of an error's body: what was thrown, without class, place and frames."""
    code: dict[str, str]
    """Code halves of skills: ``parse`` exports a function of that name, ``breaks`` fails when it is loaded."""
    extension: str
    """Of its source files, without a dot."""
    name: Callable[[str], str]
    """Return the name of an operation as its documentation's heading has it."""
    literal: Callable[[object], str] = json.dumps
    """Write a text, a number or a list of them."""

    def __repr__(self) -> str:
        return f"<{self.id}>"

    def program(self, steps: Sequence[Step]) -> str:
        """Return a program of these steps."""
        return "\n".join(self._step(step) for step in steps)

    def _step(self, step: Step) -> str:
        name, *arguments = step
        if name == "caught":
            return self.caught(self._step(tuple(arguments)))
        if name == "repeated":
            return self.repeated(int(arguments[0]), self._step(tuple(arguments[1:])))
        if name == "rerun" and not (arguments and isinstance(arguments[0], str)):  # another program, by its steps
            arguments = [self.program(arguments)]
        return self.steps[name].format(*(self.literal(argument) for argument in arguments))


def snake(text: str) -> str:
    """Return a text with the names in it written as a language with snake_case would."""
    return re.sub(r"\b[a-z]+(?:[A-Z][a-z]*)+\b", lambda m: re.sub(r"[A-Z]", lambda c: "_" + c[0].lower(), m[0]), text)


def _said_javascript(body: str) -> str:
    return snake(re.sub(r"^\w*Error: ", "", re.sub(r"\n    at [^\n]*", "", body)))


def _said_python(body: str) -> str:
    found = re.search(r"^[\w.]+(?:: |$)(.*)", body, re.MULTILINE | re.DOTALL)
    return re.sub(r"^name '(\w+)' is", r"\1 is", found[1] if found else body)


_VERBS = {
    "open": "views.open_text({0}, {1})", "open_file": "views.open_file({0})", "close": "views.close({0})",
    "write": "files.write_file({0}, {1})", "read": "files.read_file({0})", "edit": "files.edit_file({0}, {1}, {2})",
    "finish": "session.finish({0})", "approve": "session.approve()", "request_changes": "session.request_changes({0})",
    "rerun": "programs.rerun({0})", "get": "programs.get({0})",
    "search": "docs.search({0})", "open_docs": "views.open_docs_view({0})", "close_docs": "docs.close({0})",
    "close_all_docs": "docs.close_all()", "list": "files.list_dir({0})",
    "read_skill": "skills.read_skill({0})", "write_memory": "memories.write_memory({0}, {1}, {2})",
    "read_memory": "memories.read_memory({0})", "edit_memory": "memories.edit_memory({0}, {1}, {2})",
    "delete_memory": "memories.delete_memory({0})", "shell": "shell.shell({0})", "compact": "context.compact({0})",
    "compact_but": "context.compact({0}, {1})", "create_issue": "board.create_issue({0})",
    "wait_for_issue": "board.wait_for_issue({0})",
}  # fmt: skip
"""Calls that every language makes alike but for their spelling."""


def _python_literal(value: object) -> str:
    """Write JSON as Python does: a character past U+FFFF is one escape, not two."""
    return re.sub(
        r"(?<!\\)((?:\\\\)*)\\u(d[89ab]..)\\u(d[c-f]..)",
        lambda m: (
            f"{m[1]}\\U{ord((chr(int(m[2], 16)) + chr(int(m[3], 16))).encode('utf-16', 'surrogatepass').decode('utf-16')):08x}"
        ),
        json.dumps(value),
    )


def _camel(call: str) -> str:
    return re.sub(r"_(\w)", lambda m: m[1].upper(), call)


ARMS = (
    Arm(
        id="javascript",
        print_call="console.log",
        steps={name: f"gg.{_camel(call)};" for name, call in _VERBS.items()}
        | {
            "throw": "throw new Error({0});",
            "log": "console.log({0});",
            "warn": "console.error({0});",
            "nothing": "1;",
            "spin": "while (true) {{}}",
            "reject": "1 +",
            "undefined": "nowhere;",
            "complain": "console.error({0});",
            "compact_but": "gg.context.compact({0}, {{files: {1}}});",
            "show_read": "gg.views.openText({0}, gg.files.readFile({1}).contents);",
            "show_last": "gg.views.openText({0}, gg.programs.get(gg.programs.history().at(-1).id));",
            "show_history": "gg.views.openText({0}, gg.programs.history().map("
            "(p) => [p.turn, p.lines, p.ok, Boolean(p.error)].join(' ')).join('\\n'));",
            "show_current": "gg.views.openText({0}, gg.views.current().map("
            "(view) => view.kind + ' ' + view.selector).join('\\n'));",
            "show_hits": "gg.views.openText({0}, String(gg.docs.search({1}).total));",
            "show_shell": "const ran = gg.shell.shell({1}); "
            "gg.views.openText({0}, ran.exitCode + ' ' + ran.truncated + ' ' + ran.output.length + ' ' "
            "+ ran.output.slice(-20));",
            "show_memories": "gg.views.openText({0}, gg.memories.searchMemories({1}).map((m) => m.name).join(' '));",
            "show_parsed": "gg.views.openText({0}, lib.csvTools.parse('a,b').join(' '));",
            "settle_issue": "gg.board.updateIssue({0}, {{status: 'done', result: {1}}});",
            "write_code": "gg.memories.writeMemory({0}, 'd', 'b', {{code: 'export const parse = (t) => t.split(\",\")'}});",
        },
        code={
            "parse": "export const parse = (text) => text.split(',');\n",
            "breaks": "const key = 'secret';\nthrow new Error('not today');\n",
        },
        caught=lambda statement: f"try {{ {statement} }} catch (e) {{}}",
        repeated=lambda count, statement: f"for (let i = 0; i < {count}; i++) {{ {statement} }}",
        said=_said_javascript,
        extension="js",
        name=lambda id: f"gg.{_camel(id)}",
    ),
    Arm(
        id="python",
        print_call="print",
        steps={name: f"gg.{call}" for name, call in _VERBS.items()}
        | {
            "throw": "raise RuntimeError({0})",
            "log": "print({0})",
            "warn": "import sys; print({0}, file=sys.stderr)",
            "nothing": "1",
            "spin": "while True: pass",
            "reject": "1 +",
            "undefined": "nowhere",
            "complain": "import sys; print({0}, file=sys.stderr)",
            "compact_but": "gg.context.compact({0}, files={1})",
            "show_read": "gg.views.open_text({0}, gg.files.read_file({1}).contents)",
            "show_last": "gg.views.open_text({0}, gg.programs.get(gg.programs.history()[-1].id))",
            "show_history": "gg.views.open_text({0}, '\\n'.join(f'{{p.turn}} {{p.lines}} {{str(p.ok).lower()}} {{str(bool(p.error)).lower()}}'"
            " for p in gg.programs.history()))",
            "show_current": "gg.views.open_text({0}, '\\n'.join(f'{{v.kind}} {{v.selector}}' for v in gg.views.current()))",
            "show_hits": "gg.views.open_text({0}, str(gg.docs.search({1}).total))",
            "show_shell": "ran = gg.shell.shell({1}); gg.views.open_text({0}, "
            "f'{{ran.exit_code}} {{str(ran.truncated).lower()}} {{len(ran.output)}} {{ran.output[-20:]}}')",
            "show_memories": "gg.views.open_text({0}, ' '.join(m.name for m in gg.memories.search_memories({1})))",
            "show_parsed": "gg.views.open_text({0}, ' '.join(lib.csv_tools.parse('a,b')))",
            "settle_issue": "gg.board.update_issue({0}, status='done', result={1})",
            "write_code": "gg.memories.write_memory({0}, 'd', 'b', code='def parse(t): return t.split(\",\")')",
        },
        code={
            "parse": "def parse(text):\n    return text.split(',')\n",
            "breaks": "key = 'secret'\nraise RuntimeError('not today')\n",
        },
        caught=lambda statement: "try:\n    " + statement.replace("\n", "\n    ") + "\nexcept Exception: pass",
        repeated=lambda count, statement: f"for i in range({count}):\n    " + statement.replace("\n", "\n    "),
        said=_said_python,
        extension="py",
        name=lambda id: f"gg.{id}",
        literal=_python_literal,
    ),
)
