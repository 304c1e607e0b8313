"""The host hooks that may object: to an ending, and to a call. A hook that breaks or hangs never costs a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gg.host.discovery import HostPlugins
from gg.host.strangers import Hung, Strangers
from gg.types import AgentStop, PendingCall
from gg.window.clean import clean_text

__all__ = ["Judges", "Objection"]

MAX_REASON_BYTES = 16 << 10

Report = Callable[[str, str], None]
"""Told of a hook that broke: what happened, and the distribution it came from."""
Objection = Callable[[PendingCall, Report], "str | None"]


class Judges:
    """The plugins that implement `gg_agent_stop` and `gg_pre_call`."""

    def __init__(self, plugins: HostPlugins | None, strangers: Strangers) -> None:
        self._plugins = plugins
        self._strangers = strangers

    @property
    def pre_call(self) -> Objection | None:
        """Return what judges a call, or None where nobody does: a program's calls then cost nothing more."""
        guarded = self._plugins is not None and bool(self._plugins.manager.hook.gg_pre_call.get_hookimpls())
        return self._pre_call if guarded else None

    def agent_stop(self, stop: AgentStop, report: Report) -> list[str]:
        """Return the reasons for which plugins reject an ending, in their order."""
        if self._plugins is None:
            return []
        answers = [self._ask(impl, stop, report) for impl in self._plugins.manager.hook.gg_agent_stop.get_hookimpls()]
        return [reason for reason, _ in answers if reason is not None]

    def _pre_call(self, call: PendingCall, report: Report) -> str | None:
        """Return the reason for which a call is refused, or None."""
        assert self._plugins is not None
        for impl in self._plugins.manager.hook.gg_pre_call.get_hookimpls():
            reason, broke = self._ask(impl, call, report)
            if broke:
                return "what guards this call failed"
            if reason is not None:
                return reason
        return None

    def _ask(self, impl: Any, value: object, report: Report) -> tuple[str | None, bool]:
        """Return a hook's reason, and whether the hook broke."""
        name = getattr(impl.function, "__name__", "a hook")
        try:
            answer: Any = self._strangers.call(lambda: impl.function(*([value] if impl.argnames else [])))
        except Hung as hung:
            return self._broke(impl, report, f"{name} {hung}")
        except BaseException as error:  # noqa: BLE001 - a stranger's code, on a thread of its own
            return self._broke(impl, report, f"{name} raised {type(error).__name__}: {error}")
        if answer is None:
            return None, False
        if not isinstance(answer, str) or not answer.strip():
            said = "an empty text" if isinstance(answer, str) else type(answer).__name__
            return self._broke(impl, report, f"{name} answered {said}, not None or a reason")
        reason, _ = clean_text(answer)
        return reason.encode()[:MAX_REASON_BYTES].decode("utf-8", "ignore"), False

    def _broke(self, impl: Any, report: Report, what: str) -> tuple[None, bool]:
        assert self._plugins is not None
        report(f"{what} ({impl.plugin_name})", self._plugins.distribution(impl.plugin_name))
        return None, True
