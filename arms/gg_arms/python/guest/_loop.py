"""An event loop for asyncio that needs no descriptors: its selector sleeps on the host and never has an event."""

from __future__ import annotations

import asyncio
from asyncio import base_events, events, unix_events
from collections.abc import Callable
from typing import Any, NoReturn

from ._clock import pause
from ._network import denied as network_denied
from ._own import own_builtins as __builtins__  # noqa: F401
from ._process import denied as processes_denied


class _Selector:
    """A selector without descriptors."""

    def select(self, timeout: float | None = None) -> list[Any]:
        """Sleep until the next timer."""
        if timeout is None:
            raise RuntimeError("deadlock: every task is waiting and no timer is set")
        if timeout > 0:
            pause(timeout)
        return []

    def close(self) -> None:
        """Nothing is held."""


class SandboxEventLoop(base_events.BaseEventLoop):
    """Runs tasks, callbacks and timers. Work for the default executor runs in the loop itself: there are no threads."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _Selector()

    def _process_events(self, event_list: list[Any]) -> None:
        """No events ever come."""

    def _write_to_self(self) -> None:
        """Nobody else could be waiting for a wake-up."""

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """Run `func` at the loop's next turn; an executor that is named does what it does without threads."""
        if executor is not None or getattr(self, "_default_executor", None) is not None:
            return super().run_in_executor(executor, func, *args)
        self._check_closed()  # type: ignore[attr-defined]
        future: asyncio.Future[Any] = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                result = func(*args)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:
                if isinstance(error, StopIteration):
                    wrapped = RuntimeError(
                        "StopIteration interacts badly with generators and cannot be raised into a Future"
                    )
                    wrapped.__cause__ = error
                    future.set_exception(wrapped)
                else:
                    future.set_exception(error)
            else:
                future.set_result(result)

        self.call_soon(work)
        return future

    async def subprocess_shell(self, *arguments: Any, **named: Any) -> NoReturn:
        """Deny starting a process."""
        raise processes_denied()

    async def subprocess_exec(self, *arguments: Any, **named: Any) -> NoReturn:
        """Deny starting a process."""
        raise processes_denied()

    async def create_connection(self, *arguments: Any, **named: Any) -> NoReturn:
        """Deny the network."""
        raise network_denied()

    async def create_server(self, *arguments: Any, **named: Any) -> NoReturn:
        """Deny the network."""
        raise network_denied()

    async def create_datagram_endpoint(self, *arguments: Any, **named: Any) -> NoReturn:
        """Deny the network."""
        raise network_denied()

    async def getaddrinfo(self, *arguments: Any, **named: Any) -> NoReturn:
        """Deny the network."""
        raise network_denied()


def install() -> None:
    """Make this the loop that `asyncio.run` and `asyncio.new_event_loop` create."""
    events._event_loop_policy = None  # type: ignore[attr-defined]
    policy: Any = unix_events._DefaultEventLoopPolicy  # type: ignore[attr-defined]
    policy._loop_factory = SandboxEventLoop
    for module in (asyncio, unix_events):
        for name in ("SelectorEventLoop", "EventLoop", "_UnixSelectorEventLoop"):
            if hasattr(module, name):
                setattr(module, name, SandboxEventLoop)
