"""An arm whose programs show themselves: each opens a view of its own source, and logs it.

It has no interpreter: the compile step makes a WebAssembly module for each program, which speaks guest ABI v1. A line
``!reject`` is this language's syntax error, and ``!trap`` its crash.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from gg.hookspecs import hookimpl
from gg.types import ArmInfo, CompileRejected, Limits, Outcome, Prepared, Program, TrimKind, Trimming
from gg.worker.engine import Engine, Guest
from gg.worker.membrane import Membrane

_TEMPLATE = files("gg_echo").joinpath("guest.wat")


@hookimpl
def gg_arm_info() -> ArmInfo:
    """Say what this arm is."""
    return ArmInfo(
        id="echo", display_name="Echo", print_call="echo", extensions=("echo",), guest="per_program", compiles=True
    )


@hookimpl
def gg_prepare(program: Program) -> Prepared | CompileRejected:
    """Make the module's source from the program's text; reject what the language does not know."""
    for number, line in enumerate(program.source.split("\n"), 1):
        if line.startswith("!") and line != "!trap":
            return CompileRejected(f"program.echo:{number}:1: unknown command {line}\n".encode())
    call = json.dumps([["views.open_text", {"label": "echo", "body": program.source}]]).encode()
    log = program.source.encode() + b"\n"
    record = b"\x01" + len(log).to_bytes(4, "little") + log
    trap = "unreachable" if "!trap" in program.source.split("\n") else ""
    wat = (
        _TEMPLATE.read_text("utf-8")
        .replace("$CALL_BYTES", _escape(call))
        .replace("$CALL_LENGTH", str(len(call)))
        .replace("$LOG_BYTES", _escape(record))
        .replace("$LOG_OFFSET", str(_aligned(_DATA + len(call))))
        .replace("$LOG_LENGTH", str(len(record)))
        .replace("$HEAP", str(_aligned(_aligned(_DATA + len(call)) + len(record))))
        .replace("$PAGES", str((_aligned(_DATA + len(call) + len(record)) >> 16) + 32))
        .replace("$TRAP", trap)
    )
    return Prepared(program, payload=wat)


_DATA = 1 << 16


def _aligned(address: int) -> int:
    return (address + 15) & ~15


def _escape(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


@dataclass(frozen=True)
class _Artifact:
    guest: Guest
    source: str


@hookimpl
def gg_compile(prepared: Prepared, engine: Engine, limits: Limits) -> _Artifact:
    """Compile the program's own module."""
    return _Artifact(engine.program_guest(prepared.payload, limits), prepared.program.source)


@hookimpl
def gg_run(artifact: _Artifact, membrane: Membrane, limits: Limits) -> Outcome:
    """Run it."""
    return artifact.guest.run(artifact.source, membrane, limits)


@hookimpl
def gg_trim(kind: TrimKind, text: bytes, exit_status: int | None, signal: int | None) -> Trimming:
    """Keep everything: there is nothing of a stranger's in this language's errors."""
    if signal is not None:
        return Trimming("Notice")
    if exit_status == 0 or not text:
        return Trimming("clean")
    return Trimming("Compiler error" if kind == "compile" else "Runtime error", ((0, len(text.rstrip(b"\n"))),))
