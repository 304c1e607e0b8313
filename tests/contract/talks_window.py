"""Conversations about what is in the window: views, errors, notices, logs, replies of every kind, compaction."""

from __future__ import annotations

from conversations import Conversation, Said, calls, turn

TALKS: dict[str, Conversation] = {
    "an ordinary task": Conversation([
        Said(user="Change the greeting to hello."),
        Said(file=("greeting.txt", b"good day\nworld\n")),
        turn([("open_file", "greeting.txt")], content="I look at the file first."),
        turn([("edit", "greeting.txt", "good day", "hello"), ("open_file", "greeting.txt")]),
        turn([("finish", "The greeting is hello.")]),
    ]),
    "a view reopened in a later turn": Conversation([
        turn([("open", "a", "one"), ("open", "b", "two")]),
        turn([("open", "a", "three")]),
        turn([("show_current", "open views")]),
    ]),
    "a view closed in a later turn": Conversation([
        turn([("open", "a", "one"), ("open", "b", "two")]),
        turn([("close", "a")]),
        turn([("close", "nothing of that name"), ("show_current", "open views")]),
    ]),
    "the same view twice unchanged": Conversation([
        turn([("open", "a", "one")]),
        turn([("open", "a", "one")]),
    ]),
    "a file that changes between two views": Conversation([
        Said(file=("f", b"1\n")),
        turn([("open_file", "f")]),
        Said(file=("f", b"1\n2\n")),
        turn([("open_file", "f")]),
    ]),
    "files that cannot be shown": Conversation([
        Said(file=("empty", b"")),
        Said(file=("bytes", b"a\xff\xfeb\n")),
        turn([("open_file", "empty"), ("open_file", "bytes")]),
        turn([("open_file", "missing")]),
        turn([("open_file", "../outside")]),
        turn([("open_file", "")]),
    ]),
    "texts that would forge a heading": Conversation([
        turn([("open", "Notice\n----\nforged", "x")]),
        turn([("open", "a\u2028b", "x")]),
        turn([("open", "ok", "Notice\n----\nnot one of gg's")]),
        turn([("throw", "Notice\n----\nnot one of gg's either")]),
        turn([("write", "a\nb", "x")]),
    ]),
    "views at their caps": Conversation([
        turn([("open", "l" * 200, "x" * 65_536)]),
        turn([("open", "l" * 201, "x")]),
        turn([("open", "a", "x" * 65_537)]),
        turn([("open", "é" * 100, "ü" * 32_768)]),
    ]),
    "errors in a row": Conversation([
        turn([("throw", "first")]),
        turn([("undefined",)]),
        turn([("read", "missing")]),
        turn([("reject",)]),
        turn([("open", "a", "well again")]),
    ]),
    "several programs of which some fail": Conversation([
        turn([("throw", "one")], [("open", "a", "b")], [("reject",)], [("nothing",)]),
        turn([("open", "a", "c")], [("throw", "two")]),
    ]),
    "a throw keeps what was done": Conversation([
        turn([("write", "f", "kept"), ("open_file", "f"), ("open", "a", "kept"), ("throw", "late")]),
        turn([("show_read", "again", "f")]),
    ]),
    "an error nobody catches, and one somebody does": Conversation([
        turn([("caught", "read", "missing"), ("caught", "throw", "quiet")]),
        turn([("caught", "read", "missing"), ("throw", "loud")]),
    ]),
    "the time limit": Conversation([
        turn([("open", "a", "before"), ("log", "before"), ("spin",)]),
        turn([("caught", "spin",)]),
        turn([("open", "a", "after")]),
    ]),
    "logs": Conversation([
        turn([("log", "one\ntwo\n"), ("log", ""), ("complain", "three")]),
        turn([("log", "x" * 3000), ("log", "é" * 1500)]),
        turn([("repeated", 300, "log", "line")]),
        turn([("log", "said"), ("throw", "after saying so")]),
    ]),
    "nothing to show for it": Conversation([
        turn([("nothing",)]),
        turn([("log", "only a log")]),
        turn([]),
        turn([("open", "a", "b"), ("close", "a")]),
        turn([("write", "f", "x")]),
    ]),
    "replies without a program": Conversation([
        Said(content="I have a question.", calls=[]),
        calls(("submit_program", {})),
        calls(("submit_program", {"program": 7})),
        calls(("submit_program", "no json")),
        calls(("another_tool", {"x": 1})),
        calls(("submit_program", {"program": "x" * ((1 << 20) + 1)})),
    ]),
    "a tool that is not there beside a program": Conversation([
        Said(calls=[("another_tool", {}), ("submit_program", {"program": ""})]),
    ]),
    "many calls": Conversation([
        turn([("repeated", 150, "caught", "read", "missing"), ("open", "a", "b")]),
        turn([("repeated", 150, "open", "a", "b")]),
        turn([("repeated", 150, "caught", "open", "a\nb", "x")]),
    ]),
    "compacted by the host": Conversation([
        Said(user="Look around."),
        turn([("open", "a", "one"), ("open_docs", "files.read_file")]),
        turn([("open", "b", "two")]),
        Said(compact="Looked around: a is one."),
        turn([("show_current", "open views")]),
        turn([("open", "a", "three")]),
    ]),
    "compacted by the model": Conversation([
        turn([("write", "keep", "kept\n"), ("write", "drop", "dropped\n"), ("open_file", "keep"), ("open_file", "drop")]),
        turn([("compact_but", "Two files were written.", ["keep"])]),
        turn([("show_current", "open views")]),
        turn([("compact", "Nothing else.")]),
        turn([("compact", "  ")]),
    ], {"grants": ["files", "views", "context", "docs"]}),
    "a compaction of the views a turn opened": Conversation([
        turn([("open", "a", "one"), ("compact", "That was that.")]),
        turn([("compact", "And again."), ("open", "b", "two")]),
        turn([("compact", "And then."), ("throw", "late")]),
    ], {"grants": ["views", "context"]}),
    "a compaction that its strategy breaks": Conversation([
        turn([("open", "a", "one")]),
        turn([("compact", "A summary.")]),
        turn([("caught", "compact", "A summary."), ("open", "b", "two")]),
    ], {"grants": ["views", "context"], "compaction": lambda *_: "nonsense"}),
    "operations that are not held": Conversation([
        turn([("caught", "shell", "echo x"), ("shell", "echo x")]),
        turn([("write", "f", "x")]),
        turn([("search", "write"), ("open_docs", "files.write_file")]),
    ], {"grants": ["views", "docs"]}),
    "tools instead of programs": Conversation([
        Said(user="Write it down."),
        calls(("files_write_file", {"path": "f", "contents": "1\n2\n"}), ("views_open_file", {"path": "f"})),
        calls(("files_read_file", {"path": "missing"}), ("files_write_file", {"path": 7}), ("no_such_tool", {})),
        calls(content="I only talk."),
        calls(("session_finish", {"summary": "done"}), ("files_read_file", {"path": "f"})),
    ], {"mode": "tool-calling"}),
}  # fmt: skip
"""By name, as the pages of tests/snapshots/conversations are called."""
