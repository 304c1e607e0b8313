"""The worker's plugin manager: exactly one arm, and the worker plugins around it."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
import pluggy

from gg.errors import PluginLoadError
from gg.hookspecs import worker as specs
from gg.protocol import Documented
from gg.toolchain import Compiler, Machine
from gg.types import ArmInfo, DocumentationEntry, OperationSpec, Prepared, PreparedModule
from gg.warden.messages import Configure, PluginRef

__all__ = ["Arm", "load_arm"]

_REQUIRED = ("gg_arm_info", "gg_prepare", "gg_compile", "gg_run", "gg_trim")


class Arm:
    """An arm's hooks, typed where gg calls them.

    ``hook`` is pluggy's; ``info`` what the arm says of itself; ``facts`` what the operator should know of it; ``kept``
    the preparations of scripts that run again and again.
    """

    def __init__(self, manager: pluggy.PluginManager, ref: PluginRef, machine: Machine) -> None:
        self.hook: Any = manager.hook
        info = self.hook.gg_arm_info(machine=machine)
        if not isinstance(info, ArmInfo):
            raise _broken(ref, f"gg_arm_info answered {type(info).__name__}, not ArmInfo")
        if info.id != ref.name:
            raise _broken(ref, f"gg_arm_info says its id is {info.id!r}, and it is registered as {ref.name!r}")
        if info.guest not in ("shared", "per_program"):
            raise _broken(ref, f"ArmInfo.guest is {info.guest!r}, not 'shared' or 'per_program'")
        if info.strategy not in ("winch", "cranelift"):
            raise _broken(ref, f"ArmInfo.strategy is {info.strategy!r}, not 'winch' or 'cranelift'")
        _check_compilers(ref, info)
        self.info = info
        self.added: tuple[OperationSpec, ...] = ()
        self.facts: dict[str, float | str] = {}
        self.kept: dict[str, Prepared] = {}
        self._own_context: dict[str, Any] = {}
        self._contexts: dict[str, str] = {}
        self._with_code: tuple[object, str] = (None, "")

    def add_operations(self, operations: Sequence[OperationSpec]) -> None:
        """Have the arm render the SDK of operations that plugins added: its guest evaluates it before each program."""
        self.added = tuple(operations)
        source = self.hook.gg_render_sdk(operations=operations)
        if source:
            self.add_context(sdk=source)

    def document(self, operations: Sequence[OperationSpec]) -> Documented:
        """Have the arm render the documentation of these operations, where it renders any."""
        try:
            answer = self.hook.gg_documentation(operations=operations)
            if answer is None:
                return Documented(None)
            entries = tuple(answer)
            wrong = next((entry for entry in entries if not isinstance(entry, DocumentationEntry)), None)
            if wrong is None:  # as it crosses: what is inside an entry is checked too
                return msgspec.msgpack.decode(msgspec.msgpack.encode(Documented(entries)), type=Documented)
            trouble = f"gg_documentation answered {type(wrong).__name__}, not DocumentationEntry"
        except Exception as error:  # noqa: BLE001 - an arm's defect: gg renders its documentation instead
            trouble = f"gg_documentation raised {type(error).__name__}: {error}"
        return Documented(None, trouble)

    def add_context(self, **items: object) -> None:
        """Add to the context object that every program's guest is given."""
        self._own_context.update(items)
        self._contexts.clear()
        self._with_code = (None, "")

    def complete_context(self, context: str, modules: tuple[PreparedModule, ...] = (), load: str = "") -> str:
        """Return the host's context object with what this worker adds to it, and with the code in scope."""
        if modules:
            return self._context_with_code(context, modules, load)
        if not self._own_context:
            return context
        if context not in self._contexts:
            self._contexts = {context: json.dumps(json.loads(context) | self._own_context)}
        return self._contexts[context]

    def _context_with_code(self, context: str, modules: tuple[PreparedModule, ...], load: str) -> str:
        """Return the context of an agent that has loaded code; the last one is remembered."""
        of = (context, modules, load)
        if self._with_code[0] != of:
            sources = [(m.name, m.built.decode("utf-8", "ignore") if m.built else m.source) for m in modules]
            code = [{"name": name, "source": source} for name, source in sources if self.info.guest == "shared"]
            whole = json.loads(context) | self._own_context | {"lib": True, "code": code}
            self._with_code = (of, json.dumps(whole | {"load": load} if load else whole))
        return self._with_code[1]


def _check_compilers(ref: PluginRef, info: ArmInfo) -> None:
    declared: tuple[Any, ...] = info.compilers
    for compiler in declared:
        if not isinstance(compiler, Compiler):
            raise _broken(ref, f"ArmInfo.compilers holds {type(compiler).__name__}, not Compiler")
        if not os.path.isabs(compiler.executable):
            raise _broken(ref, f"the executable of the compiler {compiler.id!r} is no absolute path")
    if len({compiler.id for compiler in declared}) < len(declared):
        raise _broken(ref, "two compilers of ArmInfo.compilers have one id")
    if info.compilers and not info.compiles:
        raise _broken(ref, "it declares compilers, and ArmInfo.compiles is false")


def load_arm(ref: PluginRef, worker_plugins: Sequence[PluginRef], settings: Configure) -> Arm:
    """Import and check one arm and the worker plugins.

    :raises PluginLoadError: naming the distribution at fault; a broken worker plugin is at fault as itself.
    """
    manager = pluggy.PluginManager("gg")
    manager.add_hookspecs(specs)
    for plugin in (ref, *worker_plugins):
        _register(manager, plugin)
    missing = [name for name in _REQUIRED if not _implemented(manager, name)]
    if missing:
        raise _broken(ref, f"it does not implement {', '.join(missing)}")
    if settings.trace_hooks:
        manager.trace.root.setwriter(lambda line: print(line, end="", file=sys.stderr))
        manager.enable_tracing()
    try:
        return Arm(manager, ref, settings.machine)
    except PluginLoadError:
        raise
    except Exception as error:
        raise _broken(ref, f"gg_arm_info raised {type(error).__name__}: {error}") from error


def _implemented(manager: pluggy.PluginManager, name: str) -> bool:
    """Say whether an arm answers the hook: a wrapper around it is no answer."""
    hook: pluggy.HookCaller = getattr(manager.hook, name)
    return any(not (impl.wrapper or impl.hookwrapper) for impl in hook.get_hookimpls())


def _register(manager: pluggy.PluginManager, ref: PluginRef) -> None:
    module, _, attribute = ref.value.partition(":")
    try:
        plugin: Any = importlib.import_module(module)
        for part in filter(None, attribute.split(".")):
            plugin = getattr(plugin, part)
        manager.register(plugin, name=ref.name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise _broken(ref, " ".join(str(error).split())) from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise _broken(ref, f"{type(error).__name__}: {error}") from error


def _broken(ref: PluginRef, reason: str) -> PluginLoadError:
    return PluginLoadError(ref.name, ref.distribution, reason)
