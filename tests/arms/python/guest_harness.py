"""Runs the Python guest alone, with a host of a few lines and the WASI that a worker gives it."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wasmtime import Config, Engine, Store, _ffi, component

import gg_arms
from gg.worker.component_wasi import define_wasi
from gg.worker.world import World

GUEST = Path(gg_arms.__path__[0]) / "python" / "python.wasm"
CONTEXT = {"modules": ["files", "views", "session"], "lib": False, "code": []}
MEMORY_BYTES = 256 << 20
STACK_BYTES = 64 << 20
STACK_MARGIN_BYTES = 8 << 20
Answer = Callable[[str, dict[str, Any] | None, str | None], dict[str, Any]]


@dataclass
class Run:
    """What the host saw of one program."""

    logs: list[tuple[int, str]] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    calls: list[list[Any]] = field(default_factory=list)
    sleeps: list[float] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    trap: str | None = None

    @property
    def report(self) -> dict[str, Any] | None:
        """The report that counts."""
        return self.reports[0] if self.reports else None

    @property
    def kind(self) -> str:
        """How the program ended, `returned` when nothing was reported and nothing trapped."""
        if self.report is not None:
            return str(self.report["kind"])
        return "returned" if self.trap is None else "trapped"

    @property
    def body(self) -> str:
        """The report's parts, joined."""
        return "\n".join(text for _, text in (self.report or {"parts": []})["parts"])

    def text(self, stream: int) -> str:
        """Everything written to a stream."""
        return "".join(text for number, text in self.logs if number == stream)

    @property
    def out(self) -> str:
        """Everything written to standard output."""
        return self.text(1)

    @property
    def err(self) -> str:
        """Everything written to standard error."""
        return self.text(2)


def succeed(operation: str, arguments: dict[str, Any] | None, fault: str | None) -> dict[str, Any]:
    """Answer every call with nothing, and a fault as the host does."""
    if fault is not None:
        return fail(operation, "invalid-argument", fault)
    return {"ok": True, "value": None}


def fail(operation: str, code: str, message: str) -> dict[str, Any]:
    """Return the answer of a call that failed."""
    name = operation.rpartition(".")[2]
    return {"ok": False, "error": {"operation": name, "code": code, "message": message}}


def _make_room_on_the_stack() -> int:
    """Let this process's stack grow, and return how much of it a guest may use, in bytes.

    CPython counts its own part of the stack and raises RecursionError at 1 MiB; the machine code around it needs several
    times as much, and most of all where it counts nothing, as in letting go of a deep structure.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = STACK_BYTES + STACK_MARGIN_BYTES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            return max(1 << 20, hard - STACK_MARGIN_BYTES)
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    return STACK_BYTES


class Guest:
    """The compiled component, in which each program gets an instance of its own."""

    def __init__(self) -> None:
        if not GUEST.exists():
            raise FileNotFoundError("the Python guest is not built: run `python -m gg_arms.build python`")
        config = Config()
        room = _make_room_on_the_stack()
        # Without it, a stack of more than 2 MiB is a panic of wasmtime's; wasmtime-py has no public name for it.
        _ffi.wasmtime_config_async_stack_size_set(config.ptr(), room + (1 << 20))
        config.max_wasm_stack = room
        self.engine = Engine(config)
        self.component = self._load()
        self._now = Run()
        self._answer: Answer = succeed
        self.linker = component.Linker(self.engine)
        with self.linker.root() as root, root.add_instance("gg:guest/host@1.0.0") as host:
            host.add_func("call", self._call)
            host.add_func("log", self._log)
            host.add_func("report", self._report)
            host.add_func("sleep", self._sleep)
        define_wasi(self.linker, self.component, self.engine, World)

    def _load(self) -> component.Component:
        source = GUEST.read_bytes()
        key = hashlib.sha256(source).hexdigest()[:24]
        folder = Path(os.environ.get("GG_TEST_CACHE") or Path(tempfile.gettempdir()) / f"gg-test-cache-{os.getuid()}")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        compiled = folder / f"python-{key}.cwasm"
        if not compiled.exists():
            beside = compiled.with_suffix(f".{os.getpid()}")
            beside.write_bytes(component.Component(self.engine, source).serialize())
            beside.replace(compiled)
        return component.Component.deserialize_file(self.engine, str(compiled))

    def run(
        self,
        program: str,
        answer: Answer = succeed,
        context: dict[str, Any] | None = None,
        memory_bytes: int = MEMORY_BYTES,
    ) -> Run:
        """Run one program in a fresh instance."""
        self._now, self._answer = Run(), answer
        store = Store(self.engine)
        store.set_limits(memory_size=memory_bytes)
        try:
            instance = self.linker.instantiate(store, self.component)
            entry = instance.get_func(store, "run")
            assert entry is not None
            entry(store, program, json.dumps(context or CONTEXT))
        except Exception as error:
            self._now.trap = str(error)
        return self._now

    def _call(self, store: object, request: str) -> str:
        answers: list[dict[str, Any]] = []
        for operation, arguments, *fault in json.loads(request):
            self._now.calls.append([operation, arguments, *fault])
            self._now.order.append(operation)
            answers.append(self._answer(operation, arguments, fault[0] if fault else None))
        return json.dumps(answers)

    def _log(self, store: object, stream: int, text: str) -> None:
        self._now.logs.append((stream, text))
        self._now.order.append(text)

    def _report(self, store: object, report: str) -> None:
        self._now.reports.append(json.loads(report))
        self._now.order.append("report")

    def _sleep(self, store: object, ms: float) -> None:
        self._now.sleeps.append(ms)
        self._now.order.append(f"sleep {ms:g}")
        time.sleep(ms / 1000)
