"""The arms of the contract, one row each. A new arm joins by adding its row to ``ARMS``.

A scenario's program is a list of steps; a row says how its language writes each of them, and how an error reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

Step = tuple[str | int, ...]


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
    literal: Callable[[object], str] = json.dumps
    """Write a text, a number or a list of them."""

    def __repr__(self) -> str:
        return f"<{self.id}>"

    def name(self, id: str) -> str:
        """Return the name of an operation as its documentation's heading has it."""
        return f"gg.{_camel(id)}" if self.id == "javascript" else f"gg.{id}"

    def program(self, steps: list[Step]) -> str:
        """Return a program of these steps."""
        return "\n".join(self._step(step) for step in steps)

    def _step(self, step: Step) -> str:
        name, *arguments = step
        if name == "caught":
            return self.caught(self._step(tuple(arguments)))
        if name == "repeated":
            return self.repeated(int(arguments[0]), self._step(tuple(arguments[1:])))
        return self.steps[str(name)].format(*(self.literal(argument) for argument in arguments))


def _snake(text: str) -> str:
    return re.sub(
        r"`(\w+)`", lambda m: "`" + re.sub(r"(?<=[a-z])[A-Z]", lambda c: "_" + c[0].lower(), m[1]) + "`", text
    )


def _said_javascript(body: str) -> str:
    return _snake(re.sub(r"^Error: ", "", re.split(r"\n    at ", body)[0]))


def _said_python(body: str) -> str:
    return re.sub(r"^[\w.]+: ", "", body.split("\n")[-1])


_VERBS = {
    "open": "views.open_text({0}, {1})", "open_file": "views.open_file({0})", "close": "views.close({0})",
    "write": "files.write_file({0}, {1})", "read": "files.read_file({0})", "edit": "files.edit_file({0}, {1}, {2})",
    "finish": "session.finish({0})", "approve": "session.approve()", "changes": "session.request_changes({0})",
    "docs": "views.open_docs_view({0})", "close_docs": "docs.close_all()", "search": "docs.search({0})",
    "compact": "context.compact({0})", "list": "files.list_dir({0})", "rerun": "programs.rerun({0})",
    "remember": "memories.write_memory({0}, {1}, {2})", "recall": "memories.read_memory({0})",
    "skill": "skills.read_skill({0})", "issue": "board.create_issue({0})", "wait": "board.wait_for_issue({0})",
}  # fmt: skip


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
        },
        caught=lambda statement: f"try {{ {statement} }} catch (e) {{}}",
        repeated=lambda count, statement: f"for (let i = 0; i < {count}; i++) {{ {statement} }}",
        said=_said_javascript,
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
        },
        caught=lambda statement: f"try: {statement}\nexcept Exception: pass",
        repeated=lambda count, statement: f"for i in range({count}):\n    " + statement.replace("\n", "\n    "),
        said=_said_python,
        literal=_python_literal,
    ),
)
