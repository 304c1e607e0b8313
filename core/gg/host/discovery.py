"""Finding plugins by their entry points, without importing an arm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from gg.config import Settings
from gg.errors import PluginLoadError, UsageError
from gg.hookspecs import host as specs
from gg.host.strangers import Hung, Strangers
from gg.stream.events import Event
from gg.warden.messages import PluginRef

__all__ = ["HostPlugins", "check_plugins", "find_arm", "find_arms", "find_worker_plugins"]


def find_arms(settings: Settings) -> dict[str, PluginRef]:
    """Return the installed arms by id; the first distribution that registers an id keeps it."""
    found = [_ref(point) for point in entry_points(group="gg.arms")]
    arms: dict[str, PluginRef] = {}
    for ref in sorted(found, key=lambda ref: (ref.name, ref.distribution)):
        if settings.arms is None or ref.name in settings.arms:
            arms.setdefault(ref.name, ref)
    return arms


def find_arm(settings: Settings, name: str) -> PluginRef:
    """Return one arm.

    :raises UsageError: naming the arms there are.
    """
    arms = find_arms(settings)
    if name not in arms:
        if not arms:
            raise UsageError(f"there is no arm {name!r}, and no other: none is installed, or GG_ARMS names none")
        raise UsageError(f"there is no arm {name!r}; the arms are: {', '.join(arms)}")
    return arms[name]


def find_worker_plugins(only: frozenset[str] | None = None) -> tuple[PluginRef, ...]:
    """Return the plugins that every worker loads beside its arm; of those of ``only`` where it is given."""
    found = (_ref(point) for point in entry_points(group="gg.worker_plugins"))
    return tuple(sorted((ref for ref in found if only is None or ref.name in only), key=lambda ref: ref.name))


def check_plugins(names: Iterable[str]) -> frozenset[str]:
    """Return the names of plugins of either side that a host is to load.

    :raises UsageError: for one that is not installed, naming those that are.
    """
    if isinstance(names, str):
        raise UsageError(f"plugins are a list of names, not the text {names!r}")
    given = frozenset(names)
    known = {point.name for group in ("gg.plugins", "gg.worker_plugins") for point in entry_points(group=group)}
    for name in sorted(given - known, key=str):
        installed = f"the plugins are: {', '.join(sorted(known))}" if known else "none is installed"
        raise UsageError(f"there is no plugin {name!r}; {installed}")
    return given


def _ref(point: EntryPoint) -> PluginRef:
    dist = point.dist
    return PluginRef(
        point.name, point.value, dist.name if dist else "an unknown distribution", dist.version if dist else ""
    )


def _listed(hook: Any) -> list[Any]:
    return list(hook())


class HostPlugins:
    """The host's plugin manager. A plugin that fails to load is kept in ``failures`` and breaks nothing.

    :param only: the names of the plugins to load; None loads all that are installed.
    :param strangers: makes the calls of their hooks.
    """

    def __init__(self, only: frozenset[str] | None = None, strangers: Strangers | None = None) -> None:
        self._strangers = strangers or Strangers()
        self.manager = pluggy.PluginManager("gg")
        self.manager.add_hookspecs(specs)
        self.failures: list[PluginLoadError] = []
        self._distributions: dict[str, str] = {}
        for point in entry_points(group="gg.plugins"):
            if only is None or point.name in only:
                self._load(point)

    def _load(self, point: EntryPoint) -> None:
        ref = _ref(point)
        self._distributions[ref.name] = ref.distribution
        try:
            self.register(point.load(), ref.name)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's import raises is its own failure
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            self.failures.append(PluginLoadError(ref.name, ref.distribution, reason))

    def register(self, plugin: object, name: str | None = None) -> None:
        """Register a plugin object.

        :raises pluggy.PluginValidationError: when it breaks the contract.
        """
        registered = self.manager.register(plugin, name=name)
        try:
            self.manager.check_pending()
        except pluggy.PluginValidationError:
            self.manager.unregister(plugin)
            raise
        assert registered is not None

    @property
    def names(self) -> list[str]:
        """Return the names of the entry points that were loaded, or tried."""
        return list(self._distributions)

    def distribution(self, plugin: str) -> str:
        """Return the distribution that a plugin came from, by the plugin's name."""
        return self._distributions.get(plugin, "no distribution")

    def operations(self) -> list[tuple[Any, str]]:
        """Return the rows that plugins add to the operations table, each with the distribution it came from."""
        rows: list[tuple[Any, str]] = []
        for impl in self.manager.hook.gg_operations.get_hookimpls():
            try:
                answer: list[Any] = self._strangers.call(partial(_listed, impl.function))
                rows.extend((row, self.distribution(impl.plugin_name)) for row in answer)
            except Exception as error:  # noqa: BLE001 - a stranger's code; its failure is reported as its own
                said = " ".join(str(error).split())
                what = said if isinstance(error, Hung) else f"raised {type(error).__name__}: {said}"
                reason = f"gg_operations {what}"
                self.failures.append(PluginLoadError(impl.plugin_name, self.distribution(impl.plugin_name), reason))
        return rows

    def event_sinks(self) -> list[Callable[[Event], None]]:
        """Return a sink for each plugin that sees events: one that breaks takes no other with it, and is named."""
        return [self._sink(impl) for impl in self.manager.hook.gg_event.get_hookimpls()]

    def _sink(self, impl: Any) -> Callable[[Event], None]:
        def sink(event: Event) -> None:
            try:
                self._strangers.call(lambda: impl.function(*([event] if impl.argnames else [])))
            except Exception as error:
                name = f"gg_event of {impl.plugin_name} ({self.distribution(impl.plugin_name)})"
                what = str(error) if isinstance(error, Hung) else f"raised {type(error).__name__}: {error}"
                raise RuntimeError(f"{name} {what}") from error

        return sink
