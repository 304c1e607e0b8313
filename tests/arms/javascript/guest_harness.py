"""Runs programs in the JavaScript guest alone: wasmtime, the five host functions in Python, nothing of gg around it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import wasmtime

_ARMS = find_spec("gg_arms")
assert _ARMS is not None
assert _ARMS.submodule_search_locations
GUEST = Path(_ARMS.submodule_search_locations[0]) / "javascript" / "javascript.wasm"
MODULES = ("files", "views", "session")
WASI = "wasi_snapshot_preview1"

Answer = Callable[[str, dict[str, Any] | None, str | None], Any]


class ApiFailure(Exception):
    """Raised by an answer to fail a call: (code, message)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass
class Ran:
    """What one program did: its report (None: it returned normally), logs, calls and sleeps."""

    report: dict[str, Any] | None = None
    logs: str = ""
    calls: list[list[Any]] = field(default_factory=list)
    sleeps: list[float] = field(default_factory=list)
    trap: str | None = None

    @property
    def kind(self) -> str:
        """`returned`, `rejected`, `failed` or `trapped`."""
        return "trapped" if self.trap else "returned" if self.report is None else str(self.report["kind"])

    @property
    def body(self) -> str:
        """The report's parts, joined as the host joins them."""
        return "" if self.report is None else "\n".join(text for _, text in self.report["parts"])

    def part(self, role: str) -> str:
        """The texts of one role."""
        return "" if self.report is None else "\n".join(text for r, text in self.report["parts"] if r == role)


class Guest:
    """A compiled guest; each `run` is a fresh instance.

    :raises FileNotFoundError: the guest has not been built.
    """

    def __init__(self, wasm: bytes | None = None) -> None:
        if wasm is None and not GUEST.is_file():
            raise FileNotFoundError(f"{GUEST.name} has not been built: run `python -m gg_arms.build javascript`")
        wasm = GUEST.read_bytes() if wasm is None else wasm
        config = wasmtime.Config()
        config.epoch_interruption = True
        config.max_wasm_stack = 1 << 20
        self.engine = wasmtime.Engine(config)
        self.module = wasmtime.Module(self.engine, wasm)
        self.linker = wasmtime.Linker(self.engine)
        self.ran = Ran()
        self.answer: Answer = lambda operation, arguments, fault: None
        self.sleep = True
        self._pending: bytes | None = None
        self._data: tuple[wasmtime.Memory, Any] | None = None
        self.ring = 0
        for imported in self.module.imports:
            handler = getattr(self, f"_{imported.module}_{imported.name}", None)
            if handler is not None:
                self.linker.define_func(
                    imported.module, imported.name or "", imported.type, handler, access_caller=True
                )  # type: ignore[arg-type]
        self.linker.define_unknown_imports_as_traps(self.module)

    def run(
        self,
        program: str | bytes,
        *,
        answer: Answer | None = None,
        context: Mapping[str, Any] | None = None,
        memory_mib: int = 256,
        deadline_ticks: int = 1 << 40,
        sleep: bool = True,
        warm: bool = False,
    ) -> Ran:
        """Run one program in a fresh instance."""
        self.ran = Ran()
        self.answer = answer or (lambda operation, arguments, fault: None)
        self.sleep = sleep
        store = wasmtime.Store(self.engine)
        store.set_epoch_deadline(deadline_ticks)
        store.set_limits(memory_size=memory_mib << 20)
        exports = self.linker.instantiate(store, self.module).exports(store)
        self.ring = exports["gg_log"].value(store)  # type: ignore[union-attr]
        source = program.encode() if isinstance(program, str) else program
        document = json.dumps({"modules": list(MODULES), "lib": False, "code": [], **(context or {})}).encode()
        memory = exports["memory"]
        addresses: list[int] = []
        try:
            if warm:
                exports["gg_warm"](store)  # type: ignore[operator]
            for data in (source, document):
                address = exports["gg_alloc"](store, len(data))  # type: ignore[operator]
                memory.write(store, data, address)  # type: ignore[union-attr]
                addresses += [address, len(data)]
            exports["gg_run"](store, *addresses)  # type: ignore[operator]
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            self.ran.trap = str(error)
        self._drain(store, memory)
        return self.ran

    def _drain(self, where: Any, memory: Any) -> None:
        used = int.from_bytes(memory.read(where, self.ring + 4, self.ring + 8), "little")
        self._records(bytes(memory.read(where, self.ring + 8, self.ring + 8 + used)))
        memory.write(where, bytes(4), self.ring + 4)

    def _records(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            length = int.from_bytes(data[at + 1 : at + 5], "little")
            self.ran.logs += data[at + 5 : at + 5 + length].decode(errors="surrogateescape")
            at += 5 + length
        assert at == len(data)

    def _gg_call(self, caller: Any, request: int, length: int, out: int, cap: int) -> int:
        memory = caller["memory"]
        results = []
        for call in json.loads(bytes(memory.read(caller, request, request + length))):
            self.ran.calls.append(call)
            fault = call[2] if len(call) > 2 else None
            key = call[0].rpartition(".")[2]
            try:
                if fault is not None:
                    raise ApiFailure("invalid-argument", fault)
                results.append({"ok": True, "value": self.answer(call[0], call[1], fault)})
            except ApiFailure as error:
                results.append({"ok": False, "error": {"operation": key, "code": error.code, "message": error.message}})
        reply = json.dumps(results).encode()
        if len(reply) <= cap:
            memory.write(caller, reply, out)
        else:
            self._pending = reply
        return len(reply)

    def _gg_take(self, caller: Any, out: int) -> int:
        reply, self._pending = self._pending, None
        if reply is None:
            return -1
        caller["memory"].write(caller, reply, out)
        return len(reply)

    def _gg_log(self, caller: Any, address: int, length: int) -> None:
        self._records(bytes(caller["memory"].read(caller, address, address + length)))

    def _gg_report(self, caller: Any, address: int, length: int) -> None:
        if self.ran.report is None:
            self.ran.report = json.loads(bytes(caller["memory"].read(caller, address, address + length)))

    def _gg_sleep(self, caller: Any, ms: float) -> None:
        self.ran.sleeps.append(ms)
        if self.sleep:
            time.sleep(ms / 1000)

    def _wasi_snapshot_preview1_clock_time_get(self, caller: Any, clock: int, precision: int, out: int) -> int:
        now = time.time_ns() if clock == 0 else time.monotonic_ns()
        caller["memory"].write(caller, now.to_bytes(8, "little"), out)
        return 0

    def _wasi_snapshot_preview1_random_get(self, caller: Any, out: int, length: int) -> int:
        caller["memory"].write(caller, os.urandom(length), out)
        return 0
