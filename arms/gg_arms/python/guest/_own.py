"""What the guest keeps for itself, so that a program that breaks its surroundings breaks only its own.

A function looks built-in names up in the `__builtins__` its module had when the function was made. Each module of the
guest therefore begins with `from ._own import own_builtins as __builtins__`, and a program that replaces `builtins.len`
replaces it for itself alone. Modules of the standard library that the guest cannot do without are loaded a second time
by `private_copy`.
"""

from __future__ import annotations

import builtins
import importlib.util
from types import ModuleType
from typing import Any

own_builtins: dict[str, Any] = dict(vars(builtins))


def restore_builtins() -> None:
    """Give the program's side the built-ins it began with, once nothing of it but its error is left."""
    vars(builtins).update(own_builtins)


def private_copy(name: str) -> ModuleType:
    """Load the standard library's module `name` again, on the guest's built-ins, and beside `sys.modules`."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(f"no module named {name!r} to copy")
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__builtins__"] = own_builtins
    spec.loader.exec_module(module)
    return module
