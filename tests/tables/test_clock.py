"""The machine's clock: never backwards, never early."""

import asyncio
import time

import pytest

from dealer_service.elapsed import elapsed_ns, slept
from dealer_service.tables.clock import SystemClock, going_on
from tests.support.service import PATIENCE, START, ManualClock


def test_it_gives_milliseconds_since_1970() -> None:
    before, now, after = time.time() * 1000, SystemClock().now(), time.time() * 1000
    assert int(before) - 1 <= now <= after + 1


def test_a_wall_clock_that_is_set_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SystemClock()
    first = clock.now()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 0 <= clock.now() - first < 60_000


async def test_what_came_due_while_the_machine_slept_comes_soon_after() -> None:
    """The event loop's own clock does not count the sleep."""
    passed = 0

    def elapsed() -> int:
        return time.monotonic_ns() + passed

    clock = SystemClock(elapsed=elapsed)
    at = clock.now() + 3_600_000
    called: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    clock.call_at(at, lambda: called.set_result(clock.now()))
    await asyncio.sleep(0)
    passed = 3_600_000 * 1_000_000
    assert await asyncio.wait_for(called, PATIENCE) >= at


async def test_cancelled_calls_are_forgotten() -> None:
    clock = SystemClock()
    kept = clock.call_at(clock.now() + 60_000, lambda: None)
    for _ in range(10_000):
        clock.call_at(clock.now() + 30_000, lambda: None).cancel()
    assert len(clock._calls) < 200
    kept.cancel()


def test_time_that_elapses_only_rises() -> None:
    before, now, after = elapsed_ns(), elapsed_ns(), elapsed_ns()
    assert before <= now <= after
    assert slept() == pytest.approx(slept(), abs=1)


async def test_a_call_is_never_early() -> None:
    clock = SystemClock()
    for wait in (0, 1, 2, 3, 5):
        at = clock.now() + wait
        called = asyncio.get_running_loop().create_future()
        clock.call_at(at, lambda called=called: called.set_result(clock.now()))  # type: ignore[misc]
        assert await called >= at


async def test_a_call_whose_time_is_past_comes_at_once() -> None:
    clock = SystemClock()
    called = asyncio.Event()
    clock.call_at(clock.now() - 1000, called.set)
    await called.wait()


async def test_a_cancelled_call_does_not_come() -> None:
    clock = SystemClock()
    heard: list[str] = []
    done = asyncio.Event()
    clock.call_at(clock.now(), lambda: heard.append("cancelled")).cancel()
    clock.call_at(clock.now() + 2, done.set)
    await done.wait()
    assert not heard


def test_a_clock_that_was_set_back_goes_on_from_where_a_game_stands() -> None:
    clock = ManualClock()
    ahead = going_on(clock, START + 5_000)
    assert ahead.now() == START + 5_000
    rung: list[int] = []
    ahead.call_at(START + 5_010, lambda: rung.append(ahead.now()))
    clock.advance(9)
    assert (ahead.now(), rung) == (START + 5_009, [])
    clock.advance(1)
    assert rung == [START + 5_010]


def test_a_clock_that_is_not_behind_stays_as_it_is() -> None:
    clock = ManualClock()
    assert going_on(clock, START) is clock
    assert going_on(clock, START - 1) is clock
