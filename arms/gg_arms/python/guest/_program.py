"""Runs one program as `__main__` and reports how it ended."""

from __future__ import annotations

import builtins
import sys
from types import CodeType, ModuleType
from typing import Any

from . import _code
from ._ending import wind_up
from ._json import dumps_ascii, loads
from ._own import own_builtins as __builtins__  # noqa: F401
from ._report import PROGRAM_FILE, Part, failure, rejection, remember_source
from . import _seeding
from ._sdk_runtime import load, membrane
from ._streams import streams
from ._wire import report as host_report

RESERVE_BYTES = 1 << 19

_compile = compile
_exec = exec
_standard_excepthook = sys.excepthook


class _Reserve:
    """Memory that is given back when an error is rendered, which may be the error that there is none left."""

    held: bytearray | None = bytearray(RESERVE_BYTES)


def refill() -> None:
    """Take the reserve again; the warm-up has used it."""
    _Reserve.held = bytearray(RESERVE_BYTES)


def send(kind: str, parts: list[Part], status: int | None = None) -> None:
    """Report how the program ended; nothing of it runs after this."""
    body: dict[str, Any] = {"kind": kind, "parts": [list(part) for part in parts]}
    if status is not None:
        body["status"] = status
    host_report(dumps_ascii(body))


def report_exit(status: int) -> None:
    """Report an exit with a status."""
    send("exited", [], status)


def run(program: str, context: str) -> None:
    """Compile and run `program`; `context` is the JSON object that the host passes beside it."""
    _seeding.give_back()
    facts: dict[str, Any] = loads(context)
    sdk = facts.get("sdk")
    if sdk:
        load(sdk)
    modules: list[str] = facts.get("modules") or []
    roster = ["gg", *(f"gg.{name}" for name in modules)]
    if facts.get("lib"):
        roster.append("lib")
    code_modules: list[dict[str, str]] = facts.get("code") or []
    lib = _code.bind(code_modules) if code_modules else None
    load_key = facts.get("load")
    if load_key:  # the import of this module is the program
        program = f"import lib.{load_key}"
    remember_source(program)
    try:
        if load_key:
            for one in code_modules:
                if one["name"] == load_key:
                    _code.compiled(load_key, one["source"])
        code = _compile(program.encode("utf-8"), PROGRAM_FILE, "exec", 0, True)
    except BaseException as error:
        _Reserve.held = None
        send("rejected", rejection(error))
        return
    main = _main_module()
    if lib is not None:
        main.__dict__["lib"] = lib
    error, status = _execute(code, main)

    def described(error: BaseException) -> list[Part]:
        return _described(error, program, roster)

    # Before the program's globals go, which a `__str__` of its own may need.
    parts = None if error is None else described(error)
    late = wind_up(main.__dict__, described if parts is None else None)
    parts = parts or late
    if parts:
        membrane.closed = True
        send("failed", parts)
    elif status:
        report_exit(status)
    else:
        streams.flush()


def _described(error: BaseException, source: str, roster: list[str]) -> list[Part]:
    """Return the parts of an error's text; no call is made meanwhile."""
    _Reserve.held = None
    theirs = dict(vars(builtins))
    membrane.closed = True
    try:
        return failure(error, source, roster)
    finally:
        membrane.closed = False
        vars(builtins).update(theirs)


def _main_module() -> ModuleType:
    main = ModuleType("__main__")
    main.__builtins__ = sys.modules["builtins"]  # type: ignore[attr-defined]
    main.__file__ = PROGRAM_FILE
    main.__dict__["__cached__"] = None
    main.__dict__["gg"] = sys.modules["gg"]
    sys.modules["__main__"] = main
    sys.argv = [PROGRAM_FILE]
    return main


def _execute(code: CodeType, main: ModuleType) -> tuple[BaseException | None, int]:
    """Run the program's main part; return the error nobody caught, if any, and the exit status."""
    try:
        _exec(code, main.__dict__)
    except SystemExit as request:
        return None, _exit_status(request)
    except BaseException as error:
        if isinstance(error, MemoryError):
            _Reserve.held = None
        _call_hook(error)
        return error, 1
    return None, 0


def _call_hook(error: BaseException) -> None:
    """Call an exception hook that the program has set, as the interpreter would; what it prints is output."""
    hook = sys.__dict__.get("excepthook")
    if hook is None or hook is _standard_excepthook:
        return
    try:
        hook(type(error), error, error.__traceback__)
    except BaseException:
        # The interpreter would print both; the report is made of the program's own error.
        return


def _exit_status(request: SystemExit) -> int:
    """Return the status a `SystemExit` asks for; a code that is no number is printed to standard error."""
    code = request.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(1 << 31) <= code < 1 << 31 else 0xFF
    try:
        text = str(code)
    except Exception:
        text = "<exception str() failed>"
    streams.error(text + "\n")
    return 1
