"""Conversations about what an agent holds: its library, documentation, skills, memories, endings, plugins, the shell."""

from __future__ import annotations

from typing import Any

from conversations import Conversation, Said, Skill, turn

from gg.hookspecs import hookimpl
from gg_board import BoardPlugin

LIBRARY = {"library": True}
SHELL = {"grants": ["shell", "views"]}


class Rejects:
    """Lets an ending stand when its summary is long enough."""

    @hookimpl
    def gg_agent_stop(self, stop: Any) -> str | None:
        return None if len(stop.summary) > 10 else "The summary says too little."


class Guards:
    """Protects one file, and the shell."""

    @hookimpl
    def gg_pre_call(self, call: Any) -> str | None:
        if call.operation == "files.write_file" and call.arguments["path"] == "protected":
            return "this file is protected"
        return "no shell today" if call.operation == "shell.shell" else None


class Broken:
    """Raises wherever it is asked."""

    @hookimpl
    def gg_agent_stop(self, stop: Any) -> str | None:
        raise ValueError("the judge broke")

    @hookimpl
    def gg_pre_call(self, call: Any) -> str | None:
        if call.operation == "files.write_file":
            raise ValueError("the guard broke")
        return None


class Nonsense:
    """Answers what is no reason."""

    @hookimpl
    def gg_agent_stop(self, stop: Any) -> Any:
        return 42


TALKS: dict[str, Conversation] = {
    "a library": Conversation([
        turn([("open", "a", "one")]),
        turn([("throw", "not kept from it")], [("nothing",)]),
        turn([("show_history", "history"), ("show_last", "program: the last one")]),
        turn([("get", "zzzz")]),
    ], LIBRARY),
    "a library that keeps two": Conversation([
        turn([("open", "a", "one")]),
        turn([("open", "b", "two")]),
        turn([("open", "c", "three")]),
        turn([("show_history", "history")]),
    ], {"library": True, "keep": 2}),
    "no library": Conversation([
        turn([("caught", "get", "zzzz"), ("rerun", ("nothing",))]),
    ]),
    "a hand-over": Conversation([
        turn([("open", "a", "one"), ("log", "from the first"), ("rerun", ("open", "b", "two"), ("log", "from the second"))]),
        turn([("show_history", "history"), ("show_last", "program: what is kept")]),
    ], LIBRARY),
    "a chain of four": Conversation([
        turn([("log", "1"), ("rerun", ("log", "2"), ("rerun", ("log", "3"), ("rerun", ("log", "4"), ("open", "end", "4"))))]),
        turn([("log", "1"), ("rerun", ("rerun", ("rerun", ("rerun", ("open", "end", "5")))))]),
    ], LIBRARY),
    "hand-overs that do not happen": Conversation([
        turn([("rerun", ("nothing",)), ("throw", "failed after it")]),
        turn([("rerun", ("nothing",)), ("finish", "done")]),
    ], LIBRARY),
    "hand-overs that are refused": Conversation([
        turn([("rerun", ("open", "a", "b")), ("caught", "rerun", ("open", "c", "d"))]),
        turn([("rerun",)]),
        turn([("rerun", ("reject",))]),
        turn([("rerun", ("throw", "the second one fails"))]),
    ], LIBRARY),
    "documentation": Conversation([
        turn([("search", "read a file")]),
        turn([("open_docs", "files.read_file")]),
        turn([("open_docs", "files.read_file"), ("read", "f")]),
        turn([("open_docs", "files")]),
        turn([("close_docs", "files.read_file")]),
        turn([("close_all_docs",)]),
    ]),
    "documentation that is not there": Conversation([
        turn([("open_docs", "files.raed_file")]),
        turn([("open_docs", "shell.shell")]),
        turn([("open_docs", "")]),
        turn([("search", "zebra crossing"), ("show_hits", "hits", "zebra crossing")]),
        turn([("close_docs", "files.read_file")]),
    ]),
    "calls without documentation": Conversation([
        turn([("write", "f", "x"), ("caught", "read", "f"), ("caught", "read", "f")]),
        turn([("open_docs", "files.read_file")]),
        turn([("caught", "read", "f"), ("write", "f", "y")]),
    ]),
    "a skill with code": Conversation([
        Said(user="Parse it."),
        turn([("read_skill", "csv-tools")]),
        turn([("show_parsed", "parsed")]),
        turn([("undefined",)]),
        turn([("read_skill", "csv-tools")]),
    ], skills={"csv-tools": Skill("Import `parse` from it.", "parse")}),
    "a skill without code": Conversation([
        turn([("read_skill", "notes"), ("open", "a", "b")]),
        turn([("undefined",)]),
        turn([("read_skill", "no-such-skill")]),
    ], skills={"notes": Skill("Be kind.")}),
    "a skill whose code breaks": Conversation([
        turn([("read_skill", "broken"), ("open", "a", "b")]),
        turn([("undefined",)]),
    ], skills={"broken": Skill("It breaks.", "breaks")}),
    "a skill with a script": Conversation([
        turn([("read_skill", "greets"), ("log", "from the program")]),
        turn([("read_skill", "greets"), ("throw", "it failed")]),
    ], skills={"greets": Skill("It greets.", "", [("log", "from the script"), ("open", "greeting", "hello")])}),
    "a skill whose script fails": Conversation([
        turn([("read_skill", "fails"), ("open", "a", "b")]),
        turn([("read_skill", "ends")]),
    ], skills={
        "fails": Skill("It fails.", "", [("throw", "no luck")]),
        "ends": Skill("It ends.", "", [("finish", "done")]),
    }),
    "memories": Conversation([
        turn([("write_memory", "colour", "what they like", "Blue."), ("read_memory", "colour")]),
        turn([("edit_memory", "colour", "Blue", "Green"), ("show_memories", "found", ["green"])]),
        turn([("delete_memory", "colour"), ("caught", "read_memory", "colour"), ("show_memories", "found", ["green"])]),
        turn([("read_memory", "colour")]),
    ]),
    "a memory with code": Conversation([
        turn([("write_code", "csv-tools")]),
        turn([("read_memory", "csv-tools")]),
        turn([("show_parsed", "parsed")]),
        turn([("delete_memory", "csv-tools")]),
    ]),
    "endings of a reviewer": Conversation([
        turn([("caught", "finish", "done"), ("request_changes", ["", "  "])]),
        turn([("request_changes", ["tests", "docs"])]),
    ], {"role": "review"}),
    "an approval": Conversation([
        turn([("open", "a", "b"), ("approve",)]),
    ], {"role": "review"}),
    "an ending that is taken back": Conversation([
        turn([("finish", "too early"), ("throw", "after it")]),
        turn([("finish", "one"), ("finish", "two")], [("open", "a", "b")], [("nothing",)]),
    ]),
    "an ending nobody may declare like that": Conversation([
        turn([("finish", " \n ")]),
        turn([("approve",)]),
        turn([("caught", "finish", ""), ("finish", "done")]),
    ]),
    "an ending that is rejected": Conversation([
        turn([("open", "a", "b"), ("finish", "short")]),
        turn([("finish", "It is all done and tested.")]),
    ], plugins=[Rejects]),
    "a judge that breaks": Conversation([
        turn([("write", "f", "x")]),
        turn([("finish", "done")]),
    ], plugins=[Broken]),
    "a judge that talks nonsense": Conversation([
        turn([("finish", "done")]),
    ], plugins=[Nonsense]),
    "a guard that refuses": Conversation([
        turn([("write", "protected", "x")]),
        turn([("write", "free", "x"), ("caught", "write", "protected", "x"), ("show_read", "free", "free")]),
        turn([("caught", "shell", "echo x"), ("open", "a", "b")]),
    ], {"grants": ["files", "views", "shell"]}, plugins=[Guards]),
    "waiting for an issue": Conversation([
        turn([("create_issue", "Mend the roof"), ("wait_for_issue", 1), ("open", "a", "b")]),
        turn([("open", "c", "d")]),
        turn([("settle_issue", 1, "It was mended.")]),
        turn([("wait_for_issue", 7)]),
    ], operations=lambda: BoardPlugin().gg_operations()),
    "the shell": Conversation([
        turn([("show_shell", "fails", "echo out; echo err >&2; exit 3")]),
        turn([("show_shell", "long", "i=0; while [ $i -lt 3000 ]; do echo 0123456789; i=$((i+1)); done; echo end")]),
        turn([("shell", "")]),
    ], SHELL),
}  # fmt: skip
"""By name, as the pages of tests/snapshots/conversations are called."""
