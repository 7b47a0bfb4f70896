"""A node's clock is the store's: set by a join that answers soon, and watched against its own."""

import asyncio

import pytest
import structlog

from dealer_service.store.leases import Beat
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.tables.store_time import LONGEST_NS, StoreTime
from dealer_service.tables.timescale import MS
from tests.support.nodes import MachineClock
from tests.support.service import START, ManualClock

HOUR = 3_600_000


class SlowStore:
    """A store whose beats take as long as is said, and whose time passes with the machine's."""

    def __init__(self, machine: MachineClock, *takes: int) -> None:
        self.machine = machine
        self.takes = iter(takes)
        self.halted = 0
        self.remembered: list[int] = []
        self.count = 0

    @property
    def now(self) -> int:
        return START + self.machine.elapsed() // MS + self.halted

    def beat(self) -> Beat:
        """Answer with the time in the middle."""
        takes = next(self.takes, 0)
        self.machine.pass_by(takes // 2)
        at = self.now
        self.machine.pass_by(takes - takes // 2)
        self.count += 1
        return Beat(self.count, frozenset(), at)

    def remember(self, beat: Beat) -> None:
        self.remembered.append(beat.count)


def begun(store: SlowStore) -> StoreTime:
    time = StoreTime(store.machine)
    _, reading = time.ask(store.beat)
    time.begin(reading, store.beat, store.remember)
    return time


@pytest.mark.parametrize("ahead", [0, HOUR, -HOUR])
def test_a_clock_begins_with_the_stores_time(ahead: int) -> None:
    machine = MachineClock(ahead)
    store = SlowStore(machine, 100)
    begun(store)
    assert abs(machine.now() - store.now) <= 1


def test_a_slow_answer_is_asked_again_and_each_beat_remembered() -> None:
    machine = MachineClock(HOUR)
    store = SlowStore(machine, 9_000, 4_000, 20, 5_000)
    begun(store)
    assert abs(machine.now() - store.now) <= 1
    assert store.remembered == [2, 3]


def test_a_store_that_never_answers_soon_is_not_joined() -> None:
    store = SlowStore(MachineClock(0), *[LONGEST_NS // MS + 1] * 20)
    with pytest.raises(StoreError) as caught:
        begun(store)
    assert caught.value.reason is Reason.STORE_UNREACHABLE


def test_a_store_that_is_not_quick_is_taken_at_its_best() -> None:
    store = SlowStore(MachineClock(0), *[900, 800, 700, 600] * 5)
    begun(store)
    assert abs(store.machine.now() - store.now) <= 1


async def test_calls_come_in_time_after_the_clock_was_set_forward() -> None:
    machine = MachineClock(0)
    store = SlowStore(machine)
    time = begun(store)
    called: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    machine.call_at(machine.now() + HOUR, lambda: called.set_result(machine.now()))
    store.halted = HOUR + 1_000
    time.follow(time.ask(store.beat)[1])
    assert START + HOUR <= await called <= store.now


async def test_no_call_comes_early_by_a_clock_that_runs_slower() -> None:
    machine = MachineClock(0)
    store = SlowStore(machine)
    time = begun(store)
    called: list[int] = []
    machine.call_at(machine.now() + 10_000, lambda: called.append(machine.now()))
    store.halted = -HOUR
    time.follow(time.ask(store.beat)[1])
    for _ in range(19):
        machine.advance(1_000)
        await asyncio.sleep(0)
    assert not called
    machine.advance(1_000)
    await asyncio.sleep(0)
    assert called == [START + 10_000]


async def test_what_is_odd_is_told_once() -> None:
    machine = MachineClock(HOUR)
    store = SlowStore(machine)
    with structlog.testing.capture_logs() as logs:
        time = begun(store)
        for halted in (0, 0, 60_000, 60_000, -HOUR, -HOUR):
            store.halted = halted
            machine.advance(1_000)
            time.follow(time.ask(store.beat)[1])
    assert [line["event"] for line in logs] == [
        "machine_clock_differs",
        "clock_set_forward",
        "clock_ahead_of_store",
    ]


async def test_a_clock_that_agrees_is_nothing_to_tell() -> None:
    machine = MachineClock(900)
    store = SlowStore(machine, 100, 5_000, 100)
    with structlog.testing.capture_logs() as logs:
        time = begun(store)
        for _ in range(3):
            time.follow(time.ask(store.beat)[1])
    assert logs == []


def test_a_clock_that_can_not_be_corrected_is_left_as_it_is() -> None:
    clock = ManualClock()
    time = StoreTime(clock)
    beat, reading = time.ask(lambda: Beat(1, frozenset(), 5))
    assert (beat.at, reading) == (5, None)
    time.follow(reading)
    assert clock.now() == START
    assert time.asked_at(reading, 7) == 7
