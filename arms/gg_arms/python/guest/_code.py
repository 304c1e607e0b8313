"""The package `lib`: the code that the agent has loaded, a module a key, made when it is first imported.

A frame of such a module shows in no traceback: its source was never shown to whoever wrote the program.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ._own import own_builtins as __builtins__  # noqa: F401

PACKAGE = "lib"
CODE_FILE_PREFIX = "<lib."

_compile = compile
_exec = exec
_import = import_module


def compiled(key: str, source: str) -> Any:
    """Compile one module's source."""
    return _compile(source.encode("utf-8"), f"{CODE_FILE_PREFIX}{key}>", "exec", 0, True)


class _Loader:
    """Finds and makes the modules of the package. Called by the interpreter's import machinery."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources
        self._head = PACKAGE + "."

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Say where a module comes from."""
        if name.startswith(self._head) and name[len(self._head) :] in self._sources:
            return ModuleSpec(name, self)  # type: ignore[arg-type]  # a loader by its methods
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave making the module object to the interpreter."""

    def exec_module(self, module: ModuleType) -> None:
        """Evaluate a module."""
        key = module.__name__[len(self._head) :]
        _exec(compiled(key, self._sources[key]), module.__dict__)


def bind(code: list[dict[str, str]]) -> ModuleType:
    """Make the package of these modules; none of them is evaluated yet."""
    sources = {one["name"]: one["source"] for one in code}
    package = ModuleType(PACKAGE, "The code of skills and memories that this session has loaded.")
    package.__path__ = []
    package.__package__ = PACKAGE
    package.__dict__["__all__"] = list(sources)

    def __getattr__(name: str) -> Any:
        if name in sources:
            return _import(f"{PACKAGE}.{name}")
        raise AttributeError(f"module {PACKAGE!r} has no attribute {name!r}", name=name, obj=package)

    package.__dict__["__getattr__"] = __getattr__
    sys.modules[PACKAGE] = package
    sys.meta_path.insert(0, _Loader(sources))  # type: ignore[arg-type]  # as above
    return package
