"""What the tests of whole programs share: running them, reading what came of them, and arms that misbehave."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from gg import Host, Limits, Message, Reply, Session, ToolCall, Turn
from gg.stream.events import level_of, to_wire

ARMS = ("javascript", "python")
ROOT = Path(__file__).resolve().parents[2]
GG = [sys.executable, "-m", "gg.cli"]
FAST = Limits(5.0, 256 << 20)
SUCCESS_NOTICE = (
    "Your program ran and put nothing in your context.\n\n"
    "A view is the only way to see anything — a value you computed, or a file.\n"
    "Nothing `{}` writes is readable by you."
)
PRINT_CALLS = {"javascript": "console.log", "python": "print"}
_NAMES = {
    "javascript": {
        "FINISH": "gg.session.finish", "OPEN_TEXT": "gg.views.openText", "OPEN_FILE": "gg.views.openFile",
        "CLOSE": "gg.views.close", "CURRENT": "gg.views.current", "READ": "gg.files.readFile",
        "WRITE": "gg.files.writeFile", "EDIT": "gg.files.editFile", "LIST": "gg.files.listDir", "LOG": "console.log",
    },
    "python": {
        "FINISH": "gg.session.finish", "OPEN_TEXT": "gg.views.open_text", "OPEN_FILE": "gg.views.open_file",
        "CLOSE": "gg.views.close", "CURRENT": "gg.views.current", "READ": "gg.files.read_file",
        "WRITE": "gg.files.write_file", "EDIT": "gg.files.edit_file", "LIST": "gg.files.list_dir", "LOG": "print",
    },
}  # fmt: skip
THROW = {"javascript": "throw new Error({!r})", "python": "raise RuntimeError({!r})"}
LOOP = {"javascript": "while (true) {}", "python": "while True: pass"}


def spell(arm: str, program: str) -> str:
    """Write a program in an arm's own names: ``$READ`` and the like stand for calls both languages write alike."""
    for word, call in _NAMES[arm].items():
        program = program.replace(f"${word}", call)
    return program


def throw(arm: str, message: str) -> str:
    """Return a statement that fails the program with an error of that message."""
    return THROW[arm].format(message)


def one_of(arm: str, javascript: str, python: str) -> str:
    """Return the program written in the arm's language."""
    return {"javascript": javascript, "python": python}[arm]


@dataclass
class Ran:
    """A turn and ways to read it. Events are as they go out on the wire."""

    turn: Turn
    session: Session

    @property
    def events(self) -> list[dict[str, Any]]:
        """Every event of the turn."""
        return [to_wire(event) for event in self.turn.events]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The events of one type."""
        return [event for event in self.events if event["type"] == kind]

    def slugs(self, *, at_least: str = "debug") -> list[str]:
        """The slugs of gg's own lines, in order, of a level or louder."""
        order = ["debug", "info", "warn", "error"]
        loud = order[order.index(at_least) :]
        return [event["slug"] for event in self.of("log") if event["level"] in loud]

    def log(self, slug: str) -> dict[str, Any]:
        """The one line with this slug."""
        (event,) = [event for event in self.of("log") if event["slug"] == slug]
        return event

    @property
    def loud(self) -> list[str]:
        """Types of the events at info or above, besides the call pairs and ``code_execution``."""
        ordinary = ("api_call", "api_result", "code_execution")
        wire = [(to_wire(event), level_of(event)) for event in self.turn.events]
        return [
            event.get("slug", event["type"])
            for event, level in wire
            if level != "debug" and event["type"] not in ordinary
        ]

    @property
    def execution(self) -> dict[str, Any]:
        """The ``code_execution`` of the turn's one program."""
        (event,) = self.of("code_execution")
        return event

    @property
    def messages(self) -> list[Message]:
        """What the model reads, receipts included."""
        return self.turn.messages

    @property
    def headed(self) -> list[tuple[str, str]]:
        """Heading and body of what gg sent beside the receipts."""
        return [(m.heading or "", m.content) for m in self.messages if m.role == "user"]

    @property
    def headings(self) -> list[str]:
        """The headings, in window order."""
        return [heading for heading, _ in self.headed]

    @property
    def receipts(self) -> list[str]:
        """The tool results, in order."""
        return [m.content for m in self.messages if m.role == "tool"]

    @property
    def error(self) -> str:
        """The body of the turn's one error."""
        (body,) = [b for h, b in self.headed if h in ("Runtime error", "Compiler error")]
        return body

    @property
    def logs(self) -> list[str]:
        """What the one program logged."""
        lines: list[str] = self.execution.get("logs", [])
        return lines


def submit(session: Session, *programs: str, content: str = "") -> Ran:
    """Submit programs as one turn of a session."""
    calls = [ToolCall(f"c{n}", "submit_program", {"program": text}) for n, text in enumerate(programs, 1)]
    return Ran(session.turn(Reply(content, calls)), session)


class Runner:
    """Runs programs as one turn of a session that is closed afterwards."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def __call__(self, arm: str, *programs: str, limits: Limits = FAST, **options: Any) -> Ran:
        """Run ``programs``; ``options`` are `Host.session`'s."""
        with self.host.session(arm, limits=limits, **options) as session:
            return submit(session, *programs)


class Reusing(Runner):
    """Runs programs in one session an arm and limits, where a test asks for nothing else of it: many times quicker."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._sessions: dict[tuple[str, Limits], Session] = {}

    def __call__(self, arm: str, *programs: str, limits: Limits = FAST, **options: Any) -> Ran:
        """Run ``programs`` as the next turn of a session."""
        if options:
            return super().__call__(arm, *programs, limits=limits, **options)
        session = self._sessions.get((arm, limits))
        if session is None or session.ended:
            if session is not None:
                session.close()
            session = self._sessions[arm, limits] = self.host.session(arm, limits=limits)
        return submit(session, *programs)

    def close(self) -> None:
        """Close its sessions."""
        for session in self._sessions.values():
            session.close()


def wait_until(condition: Callable[[], bool], timeout_s: float = 10.0) -> bool:
    """Wait for a condition; say whether it came true in time."""
    until = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def alive(pid: int) -> bool:
    """Say whether a process exists and is no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def children(pid: int) -> list[int]:
    """Return the processes a process has started that are alive."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == pid and fields[0] not in ("Z", "X"):
                    found.append(int(entry.name))
    return found


def descendants(pid: int) -> list[int]:
    """Return all processes below one."""
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def warden_pid(host: Host) -> int:
    """Return the process id of a host's warden."""
    return host.warden._process.pid


def gg(*arguments: str, data: bytes = b"", timeout: float = 60, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the gg command."""
    return subprocess.run([*GG, *arguments], input=data, capture_output=True, timeout=timeout, check=False, **options)


class StrangeArms:
    """A distribution with arms that misbehave (`arms/gg_strange.py`), and an interpreter that has it installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages = folder / "packages"
        self.python = folder / "bin" / "python"

    def __enter__(self) -> StrangeArms:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        site = self.folder / "lib" / version / "site-packages"
        for made in (site, self.packages, self.python.parent):
            made.mkdir(parents=True)
        shutil.copy(Path(__file__).parent / "arms" / "gg_strange.py", self.packages)
        info = self.packages / "gg_strange-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gg-strange\nVersion: 1.0\n")
        source = (self.packages / "gg_strange.py").read_text()
        names = [line[9:].partition("(")[0].lower() for line in source.splitlines() if line.startswith("class Arm")]
        points = [f"{name} = gg_strange:{name}" for name in names]
        points.append("gone = gg_strange_that_is_not_there")
        (info / "entry_points.txt").write_text("[gg.arms]\n" + "\n".join(points) + "\n")
        home = Path(os.path.realpath(sys.executable)).parent
        (self.folder / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n")
        self.python.symlink_to(os.path.realpath(sys.executable))
        ours = next(path for path in sys.path if path.endswith("site-packages"))
        (site / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n{self.packages}\n")
        sys.path.insert(0, str(self.packages))
        importlib.invalidate_caches()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.path.remove(str(self.packages))

    @contextlib.contextmanager
    def host(self, **options: Any) -> Iterator[Host]:
        """Make a host whose warden is that interpreter's."""
        before, sys.executable = sys.executable, str(self.python)
        try:
            made = Host(**options)
        finally:
            sys.executable = before
        with made:
            yield made
