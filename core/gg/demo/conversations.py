"""Three turns of a scripted model, once in each language: it looks, it fails, it mends and ends."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CONVERSATIONS", "QUESTION", "ScriptedTurn"]

QUESTION = "Find every TODO in this workspace, rename the variable `sum` in src/main.rs to `amount`, and tell me."


class ScriptedTurn(NamedTuple):
    """What the scripted model says in a turn, and the program it submits."""

    content: str
    program: str


_JAVASCRIPT = (
    ScriptedTurn(
        "I look for the TODOs first.",
        """\
const found = [];
function walk(folder) {
  for (const entry of gg.files.listDir(folder)) {
    const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
    if (entry.kind === "directory") walk(path);
    else {
      gg.files.readFile(path).contents.split("\\n").forEach((line, index) => {
        if (line.includes("TODO")) found.push(`${path}:${index + 1}: ${line.trim()}`);
      });
    }
  }
}
walk(".");
console.log("found", found.length);
gg.views.openText("TODOs", found.join("\\n"));
gg.views.openFile("src/main.rs");
""",
    ),
    ScriptedTurn(
        "Now the rename.",
        """\
gg.files.editFile("src/main.rs", "sum", "amount");
gg.views.openText("done", "renamed");
""",
    ),
    ScriptedTurn(
        "The string occurs more than once, so I rewrite the file.",
        """\
const source = gg.files.readFile("src/main.rs").contents;
const renamed = source.replaceAll(/\\bsum\\b(?= [=+]|$)/gm, "amount").replace("let mut sum", "let mut amount");
gg.files.writeFile("src/main.rs", renamed);
gg.session.finish("Two TODOs: settings.toml:1 and src/main.rs:11. The variable is now called amount.");
""",
    ),
)

_PYTHON = (
    ScriptedTurn(
        "I look for the TODOs first.",
        """\
found = []

def walk(folder):
    for entry in gg.files.list_dir(folder):
        path = entry.name if folder == "." else f"{folder}/{entry.name}"
        if entry.kind == "directory":
            walk(path)
        else:
            lines = gg.files.read_file(path).contents.splitlines()
            found.extend(f"{path}:{n}: {line.strip()}" for n, line in enumerate(lines, 1) if "TODO" in line)

walk(".")
print("found", len(found))
gg.views.open_text("TODOs", "\\n".join(found))
gg.views.open_file("src/main.rs")
""",
    ),
    ScriptedTurn(
        "Now the rename.",
        """\
gg.files.edit_file("src/main.rs", "sum", "amount")
gg.views.open_text("done", "renamed")
""",
    ),
    ScriptedTurn(
        "The string occurs more than once, so I rewrite the file.",
        """\
import re

source = gg.files.read_file("src/main.rs").contents
renamed = re.sub(r"\\bsum\\b(?! \\{)", "amount", source)
gg.files.write_file("src/main.rs", renamed)
gg.session.finish("Two TODOs: settings.toml:1 and src/main.rs:11. The variable is now called amount.")
""",
    ),
)

CONVERSATIONS = {"javascript": _JAVASCRIPT, "python": _PYTHON}
