"""Functions that behave like built-in ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._own import own_builtins as __builtins__  # noqa: F401


class Plain:
    """Wraps a function so that, like a built-in one, it is not bound when a class holds it (`sleep = time.sleep`)."""

    def __init__(self, function: Callable[..., Any], module: str) -> None:
        self._function = function
        self.__name__ = self.__qualname__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = module
        self.__wrapped__ = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._function(*arguments, **named)

    def __repr__(self) -> str:
        return f"<built-in function {self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__
