"""A plain model of a session: what its model reads and what its operator counts, from the steps of its programs alone.

Written from the specification, and without a line of gg's own. A message is ``[heading, body, turn]``; a body that only
the runtime knows is None. Steps are those of `tests/contract/arms.py`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from arms import Arm, Step

__all__ = ["Counts", "Model", "tail_of"]

SUCCESS = (
    "Your program ran and put nothing in your context.\n\n"
    "A view is the only way to see anything — a value you computed, or a file.\n"
    "Nothing `{}` writes is readable by you."
)
UNBACKED = ("views.open_text", "views.close", "views.open_docs_view", "docs.", "context.", "session.", "programs.")
CALLS = {
    "open": "views.open_text", "open_file": "views.open_file", "close": "views.close", "write": "files.write_file",
    "read": "files.read_file", "list": "files.list_dir", "open_docs": "views.open_docs_view", "close_all_docs": "docs.close_all",
    "search": "docs.search", "compact": "context.compact", "finish": "session.finish", "rerun": "programs.rerun",
    "approve": "session.approve",
}  # fmt: skip


class Failed(Exception):
    """A step failed: ``code`` of a call, or None for a throw."""

    def __init__(self, code: str | None, said: str = "") -> None:
        super().__init__(said)
        self.code = code


class Counts:
    """What one submission is counted as."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str | None]] = []
        self.views: Counter[str] = Counter()
        self.records: list[tuple[str, str]] = []
        self.refusals: list[str] = []
        self.logged: list[str] = []
        self.ok = True
        self.finished: str | None = None
        self.skipped = False

    @property
    def dispatched(self) -> list[tuple[str, str | None]]:
        """The calls that reached one of gg's tools."""
        return [
            (id, code)
            for id, code in self.calls
            if not id.startswith(UNBACKED) and code not in ("refused", "invalid-argument", "unavailable")
        ]


class Model:
    """One session. ``window`` is what stands behind the system prompt."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self.window: list[list[Any]] = []
        self.open: dict[tuple[str, str], list[Any]] = {}
        self.files: dict[str, str] = {}
        self.turn = 0
        self.ended: str | None = None

    def user(self, text: str) -> None:
        """Take a user message, which belongs to no turn but the last."""
        self.window.append([None, text, self.turn])

    def submit(self, programs: list[list[Step]]) -> list[Counts]:
        """Take a turn; the window is as it should be then, and each program's counts are returned."""
        self.turn += 1
        before = list(self.window)
        self.window.append(["assistant", "", self.turn])
        self.window += [["tool", "ok", self.turn] for _ in programs]
        self._summary: str | None = None
        self._ending: str | None = None
        self._handed_over = 0
        notices: list[str] = []
        errors: list[list[Any]] = []
        counts: list[Counts] = []
        for program in programs:
            count = Counts()
            counts.append(count)
            if self._ending is not None:
                count.ok, count.skipped = False, True
                continue
            failed = self._chain(program, count, notices)
            if failed is not None:
                count.ok = False
                errors.append([failed, None, self.turn])
        if self._ending is not None:
            self.ended = self._ending
        elif self._summary is not None:
            self._rewrite(before, self._summary)
        self.window += [["Notice", notice, self.turn] for notice in notices]
        self.window += errors
        last = next(message for message in reversed(self.window) if message[0] != "tool")
        if self.ended is None and last[0] == "assistant":
            self.window.append(["Notice", SUCCESS.format(self.arm.print_call), self.turn])
        return counts

    # -- a program ----------------------------------------------------------------------------------------------------

    def _chain(self, program: list[Step], count: Counts, notices: list[str]) -> str | None:
        """Run a program and those it hands over to; return the heading of its error."""
        while True:
            self._next: list[Step] | None = None
            if ("reject",) in program:
                failed: str | None = "Compiler error"
            else:
                failed = self._run(program, count)
            if self._ending is not None:
                count.finished = self._ending
            if failed is not None:
                self._ending = None
            if self._next is None:
                return failed
            why = ""
            if failed is not None:
                why = "the program that handed over to it failed afterwards"
            elif self._ending is not None:
                why = "the program that handed over to it also ended the session"
            elif self._handed_over == 3:
                why = "this turn had already run 3 replacement programs, and runs no more"
            if why:
                notices.append(f"The replacement program was not run: {why}.")
                return failed
            self._handed_over += 1
            program = self._next

    def _run(self, program: list[Step], count: Counts) -> str | None:
        for step in program:
            try:
                self._step(step, count)
            except Failed:
                return "Runtime error"
        return None

    def _step(self, step: Step, count: Counts) -> None:
        name, *arguments = step
        if name == "caught":
            try:
                self._step(tuple(arguments), count)
            except Failed:
                pass
        elif name == "repeated":
            for _ in range(int(arguments[0])):
                self._step(tuple(arguments[1:]), count)
        elif name in ("log", "warn"):
            count.logged += [line.removesuffix("\r") for line in str(arguments[0]).split("\n")]
        elif name == "throw":
            raise Failed(None)
        elif name != "nothing":
            self._call(str(name), CALLS[str(name)], arguments, count)

    def _call(self, name: str, id: str, arguments: list[Any], count: Counts) -> None:
        code: str | None = None
        try:
            getattr(self, f"_{name}")(count, *arguments)
        except Failed as failed:
            code = failed.code
            raise
        finally:
            count.calls.append((id, code))
            if code is not None and id.startswith("views.") and code != "unavailable":
                self._view(count, "refused", "")
            elif code in ("refused", "invalid-argument", "unavailable") or (code and id.startswith(UNBACKED)):
                count.refusals.append(id)

    # -- operations ---------------------------------------------------------------------------------------------------

    def _open(self, count: Counts, label: str, body: str) -> None:
        if not label.strip():
            raise Failed("invalid-argument")
        self._place(count, ("text", label), f"View: {label}", body)

    def _path(self, path: Any) -> str:
        if not isinstance(path, str) or not path:
            raise Failed("invalid-argument")
        if path.startswith("../"):
            raise Failed("refused")
        return path

    def _read(self, count: Counts, path: Any) -> str:
        text = self.files.get(self._path(path))
        if text is None:
            raise Failed("not-found")
        return text

    def _open_file(self, count: Counts, path: Any) -> None:
        text = self._read(count, path)
        lines = text.count("\n") + (not text.endswith("\n") and text != "")
        where = f":1-{lines} of {lines} lines" if lines else ""
        self._place(count, ("file", path), f"File: {path}{where}", text)

    def _write(self, count: Counts, path: Any, text: str) -> None:
        self.files[self._path(path)] = text

    def _list(self, count: Counts, path: Any) -> None:
        self._path(path)

    def _close(self, count: Counts, selector: str) -> None:
        if not selector:
            raise Failed("invalid-argument")
        for key in [key for key in self.open if key[0] != "docs" and key[1] == selector]:
            self._remove(count, key)

    def _open_docs(self, count: Counts, target: str) -> None:
        if ("docs", target) not in self.open:
            self._place(count, ("docs", target), f"Documentation: {self.arm.name(target)}", None)

    def _close_all_docs(self, count: Counts) -> None:
        for key in [key for key in self.open if key[0] == "docs"]:
            self._remove(count, key)

    def _search(self, count: Counts, query: str) -> None:
        if not query.strip():
            raise Failed("invalid-argument")
        self._place(count, ("search", "search results"), "View: search results", None)

    def _rewrite(self, before: list[Any], summary: str) -> None:
        stays = [
            message for message in before if any(message is view for k, view in self.open.items() if k[0] == "docs")
        ]
        note = ["Notice", "The conversation before this was compacted. Its summary:\n\n" + summary, self.turn - 1]
        self.window = [*stays, note, *(message for message in self.window if message[2] == self.turn)]
        self.open = {key: view for key, view in self.open.items() if any(view is message for message in self.window)}

    def _compact(self, count: Counts, summary: str) -> None:
        if not summary.strip():
            raise Failed("invalid-argument")
        self._summary = summary

    def _finish(self, count: Counts, summary: str) -> None:
        if not summary.strip():
            raise Failed("invalid-argument")
        self._ending = summary

    def _approve(self, count: Counts) -> None:
        raise Failed("unavailable")

    def _rerun(self, count: Counts, program: list[Step]) -> None:
        if self._next is not None:
            raise Failed("refused")
        if not program:
            raise Failed("invalid-argument")
        self._next = program

    # -- views --------------------------------------------------------------------------------------------------------

    def _place(self, count: Counts, key: tuple[str, str], heading: str, body: str | None) -> None:
        old = self.open.get(key)
        message = self.open[key] = [heading, body, self.turn]
        if old is not None and old[2] == self.turn:
            self.window[next(at for at, one in enumerate(self.window) if one is old)] = message
        else:
            self.window.append(message)
        self._view(count, "opened" if old is None else "replaced", self._selector(key))

    def _remove(self, count: Counts, key: tuple[str, str]) -> None:
        gone = self.open.pop(key)
        self.window = [message for message in self.window if message is not gone]
        self._view(count, "closed", self._selector(key))

    def _selector(self, key: tuple[str, str]) -> str:
        return self.arm.name(key[1]) if key[0] == "docs" else key[1]

    def _view(self, count: Counts, action: str, selector: str) -> None:
        group = "opened" if action == "replaced" else action
        count.views[group] += 1
        if count.views[group] <= 100:
            count.records.append((action, selector))


def tail_of(lines: list[str]) -> list[str]:
    """Return the newest lines within 200 lines and 16 KiB, each cut at 2 KiB between characters."""
    kept: list[str] = []
    size = 0
    for line in reversed(lines):
        cut = line.encode()[:2048].decode("utf-8", "ignore")
        size += len(cut.encode())
        if len(kept) == 200 or size > 16_384:
            break
        kept.insert(0, cut)
    return kept
