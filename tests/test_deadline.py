"""The deadline stops a real endless loop in wasm, by timer and by ticker."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import wasmtime

from gg import deadline
from gg.deadline import Deadline, EpochTicker, EpochTimer, deadline_for, engine_address, epoch_increment_address

LIMIT_S = 0.05
LATE_S = 2.0  # a busy machine; a quiet one is back within a millisecond


@pytest.fixture(scope="module")
def engine() -> wasmtime.Engine:
    """An engine that checks the epoch."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    return wasmtime.Engine(config)


def _timer(engine: wasmtime.Engine) -> Deadline:
    increment, pointer = epoch_increment_address(), engine_address(engine)
    assert increment is not None
    assert pointer is not None
    return EpochTimer(increment, pointer)


def _ticker(engine: wasmtime.Engine) -> Deadline:
    return EpochTicker(engine.increment_epoch)


@pytest.fixture(params=[_timer, _ticker], ids=["timer", "ticker"])
def clock(request: pytest.FixtureRequest, engine: wasmtime.Engine) -> Iterator[Deadline]:
    """Each of the two deadlines."""
    made: Deadline = request.param(engine)
    yield made
    made.close()


@pytest.fixture
def call(engine: wasmtime.Engine) -> Callable[..., Any]:
    """Return a function that calls an export in a fresh store with one epoch to live."""
    text = '(module (func (export "spin") (loop (br 0))) (func (export "six") (result i32) i32.const 6))'
    module = wasmtime.Module(engine, text)

    def run(name: str, start: Callable[[], None] = lambda: None) -> Any:
        store = wasmtime.Store(engine)
        store.set_epoch_deadline(1)
        function: Any = wasmtime.Instance(store, module, []).exports(store)[name]
        start()
        return function(store)

    return run


def test_a_loop_is_stopped(clock: Deadline, call: Callable[..., Any]) -> None:
    """The loop traps after the limit, not before; the disarm tells that it fired; the next program runs."""
    for _ in range(3):
        start = time.monotonic()
        with pytest.raises(wasmtime.Trap) as trapped:
            call("spin", lambda: clock.arm(LIMIT_S))
        took = time.monotonic() - start
        assert trapped.value.trap_code is wasmtime.TrapCode.INTERRUPT
        assert LIMIT_S <= took < LIMIT_S + LATE_S
        assert clock.disarm() == 0.0
    assert call("six") == 6  # noqa: PLR2004


def test_disarmed_time_does_not_count(clock: Deadline, call: Callable[..., Any]) -> None:
    """The rest is returned; nothing fires while disarmed, and arming with the rest goes on from there."""
    clock.arm(30.5)
    left = clock.disarm()
    assert 29 < left <= 30.5  # noqa: PLR2004
    clock.arm(LIMIT_S)
    left = clock.disarm()
    time.sleep(2 * LIMIT_S)
    assert 0 < left <= LIMIT_S
    assert clock.disarm() == 0.0
    assert call("six") == 6  # noqa: PLR2004
    with pytest.raises(wasmtime.Trap):
        call("spin", lambda: clock.arm(left))


@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e-12])
def test_no_time_left_fires_at_once(clock: Deadline, call: Callable[..., Any], seconds: float) -> None:
    """A limit of nothing, or less, stops the loop rather than disarming."""
    with pytest.raises(wasmtime.Trap):
        call("spin", lambda: clock.arm(seconds))


def test_closed_is_closed(engine: wasmtime.Engine) -> None:
    """Closing disarms and may be repeated; using it afterwards is a ValueError."""
    for make in (_timer, _ticker):
        with make(engine) as made:
            made.arm(60)
        made.close()
        with pytest.raises(ValueError, match="closed"):
            made.arm(1)


def test_the_timer_is_chosen_where_it_works(engine: wasmtime.Engine) -> None:
    """With wasmtime's private names in place a timer is chosen, with and without the self-test."""
    for self_test in (True, False):
        with deadline_for(engine, self_test=self_test) as chosen:
            assert isinstance(chosen, EpochTimer)


@pytest.mark.parametrize("name", ["epoch_increment_address", "engine_address", "EpochTimer", "_stops_a_loop"])
def test_the_ticker_stands_in(
    engine: wasmtime.Engine, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Where an address is hidden, a timer is refused, or the self-test fails, a ticker does the work."""

    def fail(*_: object) -> None:
        if name == "EpochTimer":
            raise OSError

    ticker = EpochTicker
    monkeypatch.setattr(deadline, name, fail)
    with deadline_for(engine) as chosen:
        assert isinstance(chosen, ticker)
        with pytest.raises(wasmtime.Trap):
            call("spin", lambda: chosen.arm(LIMIT_S))


def test_a_timer_that_never_fires_fails_the_self_test(engine: wasmtime.Engine) -> None:
    """The self-test ends by itself, and tells the public way from the timer's."""

    class Dead(EpochTimer):
        def arm(self, seconds: float) -> None:
            pass

    increment, pointer = epoch_increment_address(), engine_address(engine)
    assert increment is not None
    assert pointer is not None
    with Dead(increment, pointer) as dead:
        assert deadline._stops_a_loop(engine, dead) is False  # noqa: SLF001
