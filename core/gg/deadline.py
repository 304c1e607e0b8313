"""The deadline of a running program: something that advances wasmtime's epoch at a set time.

`EpochTimer` is a POSIX timer whose function *is* wasmtime's, so nothing of Python runs when it fires and nothing runs
at all before. `EpochTicker` does the same with a thread, where the function's address cannot be had.

A program's store takes ``set_epoch_deadline(1)`` *before* the deadline is armed (it counts from the epoch of that
moment, so a deadline that had fired already would be lost); both then trap it with wasmtime's `interrupt`.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from gg.confinement._libc import error, ffi, libc

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    import wasmtime

__all__ = ["Deadline", "EpochTicker", "EpochTimer", "deadline_for", "engine_address", "epoch_increment_address"]

_CLOCK_MONOTONIC: Final = 1
_SIGEV_THREAD: Final = 2
_THREAD_STACK_BYTES: Final = 256 * 1024
_NANOSECONDS: Final = 1_000_000_000


class EpochTimer:
    """A POSIX timer that calls ``increment(engine)`` on a thread of libc's, once each time it is armed.

    Made after the process was forked and confined: it owns a thread, which neither survives a fork nor is bound by a
    Landlock ruleset that came later. The thread that calls has a small stack, so that it can still be started when the
    process is near its memory limit. Used by one thread.
    """

    def __init__(self, increment: int, engine_pointer: int) -> None:
        """Make the timer, disarmed. Raises `OSError` where the kernel has none to give.

        :param increment: the address of `wasmtime_engine_increment_epoch`.
        :param engine_pointer: the address of the engine, which must outlive the timer.
        """
        attributes = ffi.new("char[128]")  # a pthread_attr_t, 56 bytes on x86-64 and 64 on aarch64
        libc.pthread_attr_init(attributes)
        libc.pthread_attr_setstacksize(attributes, _THREAD_STACK_BYTES)
        event = ffi.new("struct sigevent *")
        event.notify = _SIGEV_THREAD
        event.value = ffi.cast("void *", engine_pointer)
        event.function = ffi.cast("void *", increment)
        event.attributes = attributes
        timer = ffi.new("void **")
        failed = int(libc.timer_create(_CLOCK_MONOTONIC, event, timer))
        libc.pthread_attr_destroy(attributes)
        if failed:
            raise error("timer_create")
        self._timer: Any = timer[0]
        self._open = True
        # Every host call of a program disarms and arms: the structures and what lies in them are kept at hand.
        self._settime: Any = libc.timer_settime
        self._never: Any = ffi.new("struct itimerspec *")
        self._setting: Any = ffi.new("struct itimerspec *")
        self._value: Any = self._setting.value
        self._old: Any = ffi.new("struct itimerspec *")
        self._left: Any = self._old.value

    @property
    def address(self) -> int:
        """Return the `timer_t`, for native code that sets the timer too."""
        return int(ffi.cast("uintptr_t", self._timer))

    def arm(self, seconds: float) -> None:
        """Fire once, `seconds` from now (at once for 0 or less). Arming again moves it."""
        value = self._value
        value.seconds = whole = int(seconds) if seconds > 0 else 0
        # Never all zero: that would disarm.
        value.nanoseconds = max(1, int((seconds - whole) * _NANOSECONDS))
        self._set(self._setting)

    def disarm(self) -> float:
        """Stop the timer and return the seconds that were left.

        0.0 means that it was not armed or has fired; the epoch may then still advance a moment from now, under the
        next program: replace the engine's process.
        """
        self._set(self._never)
        left = self._left
        return float(left.seconds + left.nanoseconds / _NANOSECONDS)

    def close(self) -> None:
        """Disarm and free the timer. Safe to call twice."""
        if self._open:
            self._open = False
            libc.timer_delete(self._timer)

    def _set(self, setting: Any) -> None:
        if not self._open:
            message = "the timer is closed"
            raise ValueError(message)
        if self._settime(self._timer, 0, setting, self._old):
            raise error("timer_settime")

    def __enter__(self) -> EpochTimer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class EpochTicker:
    """The same on a thread of Python's, which sleeps until it is armed. Fires up to a GIL switch (5 ms) late."""

    def __init__(self, increment: Callable[[], object]) -> None:
        """Start the thread. `increment` advances the epoch, such as ``engine.increment_epoch``."""
        self._increment = increment
        self._changed = threading.Condition()
        self._due: float | None = None
        self._open = True
        self._thread = threading.Thread(target=self._run, name="gg-epoch", daemon=True)
        self._thread.start()

    def arm(self, seconds: float) -> None:
        """Fire once, `seconds` from now (at once for 0 or less). Arming again moves it."""
        self._set(time.monotonic() + max(0.0, seconds))

    def disarm(self) -> float:
        """Stop and return the seconds that were left; 0.0 where it was not armed or has fired."""
        due = self._set(None)
        return 0.0 if due is None else max(0.0, due - time.monotonic())

    def close(self) -> None:
        """Stop the thread. Safe to call twice."""
        if self._open:
            with self._changed:
                self._open = False
                self._changed.notify()
            self._thread.join()

    def _set(self, due: float | None) -> float | None:
        if not self._open:
            message = "the ticker is closed"
            raise ValueError(message)
        with self._changed:
            before, self._due = self._due, due
            self._changed.notify()
        return before

    def _run(self) -> None:
        with self._changed:
            while self._open:
                if self._due is None:
                    self._changed.wait()
                elif (left := self._due - time.monotonic()) > 0:
                    self._changed.wait(left)
                else:
                    self._due = None
                    self._increment()

    def __enter__(self) -> EpochTicker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


Deadline: TypeAlias = "EpochTimer | EpochTicker"


def epoch_increment_address() -> int | None:
    """Return the address of wasmtime's epoch increment, or `None` where its library cannot be reached.

    The library's path is a private name of the wasmtime package; `deadline_for` tries what came of it.
    """
    with contextlib.suppress(ImportError, AttributeError, OSError, TypeError):
        from wasmtime import _ffi

        private: Any = _ffi
        library = ffi.dlopen(str(private.dll._name))
        return int(ffi.cast("uintptr_t", ffi.addressof(library, "wasmtime_engine_increment_epoch")))
    return None


def engine_address(engine: wasmtime.Engine) -> int | None:
    """Return the address of the engine, or `None` where the wasmtime package hides it."""
    with contextlib.suppress(AttributeError, TypeError, ValueError):
        pointer: Any = engine.ptr()
        # A ctypes pointer offers its own bytes, that is the address, as a buffer.
        return int.from_bytes(memoryview(pointer).tobytes(), sys.byteorder) or None
    return None


def deadline_for(engine: wasmtime.Engine, *, self_test: bool = True) -> Deadline:
    """Return a timer for the engine, or a ticker where none works.

    The engine needs ``epoch_interruption``. Called after `apply`, since both own a thread.

    :param self_test: stop an endless loop with the timer first, 5 to 20 ms; one process of a kind need do so.
    """
    increment, pointer = epoch_increment_address(), engine_address(engine)
    if increment is None or pointer is None:
        return EpochTicker(engine.increment_epoch)
    try:
        timer = EpochTimer(increment, pointer)
    except (OSError, AttributeError):
        return EpochTicker(engine.increment_epoch)
    if not self_test or _stops_a_loop(engine, timer):
        return timer
    timer.close()
    return EpochTicker(engine.increment_epoch)


_LOOP: Final = '(module (func (export "spin") (loop (br 0))))'
_SELF_TEST_TIMEOUT_S: Final = 0.25


def _stops_a_loop(engine: wasmtime.Engine, timer: EpochTimer) -> bool:
    """Tell whether the timer, and not the public way that stands behind it, stopped a loop."""
    import wasmtime

    module = wasmtime.Module(engine, _LOOP)
    store = wasmtime.Store(engine)
    store.set_epoch_deadline(1)
    spin: Any = wasmtime.Instance(store, module, []).exports(store)["spin"]
    with EpochTicker(engine.increment_epoch) as rescue:
        rescue.arm(_SELF_TEST_TIMEOUT_S)
        timer.arm(0.001)
        with contextlib.suppress(wasmtime.Trap):
            spin(store)
        timer.disarm()
        return rescue.disarm() > 0
