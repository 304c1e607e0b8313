"""What the code of an operation does to its session, noted so that a replay can do it without that code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from gg.record.lines import Effect

if TYPE_CHECKING:
    from gg.operations.context import CallContext

__all__ = ["Noting", "apply_effect"]

Service = TypeVar("Service")
SERVICES = ("views", "ending", "hand_over")
"""The services of `CallContext` through which an operation reaches the window, the ending and the next program."""


class Noting:
    """Notes every call of a service that returned, until it is taken."""

    def __init__(self) -> None:
        self.effects: list[Effect] = []

    def service(self, name: str, service: Service) -> Service:
        """Return a stand-in for a service, which notes what is called or set."""
        return cast("Service", _Noted(self, name, service))

    def take(self) -> list[Effect]:
        """Return what was noted since the last time."""
        effects, self.effects = self.effects, []
        return effects


class _Noted:
    """Passes everything on to a service, and notes it."""

    def __init__(self, noting: Noting, name: str, service: object) -> None:
        object.__setattr__(self, "_of", (noting, name, service))

    def __getattr__(self, name: str) -> Any:
        noting, service_name, service = self._of
        value = getattr(service, name)
        if not callable(value):
            return value

        def call(*args: Any, **kwargs: Any) -> Any:
            answer = value(*args, **kwargs)
            noting.effects.append(_effect(service_name, name, args, kwargs))
            return answer

        return call

    def __setattr__(self, name: str, value: Any) -> None:
        noting, service_name, service = self._of
        setattr(service, name, value)
        noting.effects.append(_effect(service_name, f"{name}=", (value,), {}))


def _effect(service: str, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Effect:
    try:
        plain_args, plain_kwargs = msgspec.to_builtins([list(args), kwargs], builtin_types=(bytes,))
    except (TypeError, ValueError):
        return Effect(service, method, None)
    return Effect(service, method, plain_args, plain_kwargs)


def apply_effect(context: CallContext, effect: Effect) -> None:
    """Do to a session what an operation did to the recorded one.

    :raises ValueError: when the record does not say what that was, or it cannot be done.
    """
    what = f"{effect.service}.{effect.method}"
    if effect.service not in SERVICES or effect.method.startswith("_") or effect.args is None:
        raise ValueError(f"the record does not hold all of what the operation did to the session ({what})")
    service = getattr(context, effect.service)
    args = [_hashable(arg) for arg in effect.args]
    try:
        if effect.method.endswith("="):
            setattr(service, effect.method[:-1], args[0])
        else:
            getattr(service, effect.method)(*args, **{key: _hashable(arg) for key, arg in effect.kwargs.items()})
    except Exception as error:
        raise ValueError(f"what the operation did to the session cannot be done again ({what}: {error})") from error


def _hashable(value: Any) -> Any:
    """Return lists as the tuples they were: JSON has only one of the two."""
    return tuple(_hashable(item) for item in cast("list[Any]", value)) if isinstance(value, list) else value
