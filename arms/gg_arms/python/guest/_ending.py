"""What the interpreter does after the main program: exit handlers and finalisers.

All of it is the program's, inside its deadline. An exception there that nothing catches is the program's failure.
"""

from __future__ import annotations

import atexit
import gc
import logging
import sys
import weakref
from collections.abc import Callable
from typing import Any

from ._own import own_builtins as __builtins__  # noqa: F401
from ._report import Part

Describe = Callable[[BaseException], list[Part]]

_run_exit_functions = atexit._run_exitfuncs
_count_exit_functions = atexit._ncallbacks
_collect = gc.collect
_handlers: list[Any] = logging._handlerList  # type: ignore[attr-defined]
_own_handlers = len(_handlers)
_shut_down_logging = logging.shutdown


def forget_exit_functions() -> None:
    """Drop what the standard library registered when it was imported: threads and processes to wait for.

    What `logging` registered is done by `wind_up` when the program has made a handler. Each first touch of a page of
    the snapshot costs microseconds, and the handlers of the whole library touch hundreds.
    """
    atexit._clear()
    weakref.finalize._registered_with_atexit = False  # type: ignore[attr-defined]  # it registers when used


class _Unraisable:
    """Describes the first exception the interpreter could only print, and has it printed."""

    def __init__(self, describe: Describe | None) -> None:
        self._describe = describe
        self.text: list[Part] | None = None

    def note(self, error: BaseException) -> None:
        """Keep the text of an exception, made while what its `__str__` may need is there."""
        if self._describe is not None:
            describe, self._describe = self._describe, None
            self.text = describe(error)

    def __call__(self, unraisable: Any, /) -> None:
        error = unraisable.exc_value
        if error is not None and not isinstance(error, SystemExit):
            self.note(error)
        sys.__unraisablehook__(unraisable)


def wind_up(names: dict[str, Any], describe: Describe | None) -> list[Part] | None:
    """Run what is left of the program, whose globals are `names`.

    Return the text, made by `describe`, of the first exception that nothing caught. Without `describe`, none is wanted.
    """
    first = _Unraisable(describe)
    sys.unraisablehook = first
    try:
        if _count_exit_functions():
            _run_exit_functions()
        if len(_handlers) > _own_handlers:
            _shut_down_logging()
        _clear(names)
    except BaseException as error:
        first.note(error)
    return first.text


def _clear(names: dict[str, Any]) -> None:
    """Let go of the program's globals in the interpreter's order, private names first, so that finalisers run."""
    for private in (True, False):
        for name in list(names):
            if name != "__builtins__" and (name[:1] == "_" and name[1:2] != "_") == private:
                names[name] = None
    _collect()
