"""A checkpoint that a dealer withholds, over real gRPC: what the dealer says besides is no excuse.

The client's clock is the test's: it stands, or goes on by so much with each look at it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from dealer_service.client import (
    CallRefusedError,
    Dealer,
    Disconnected,
    Event,
    Reason,
    Refused,
    Seat,
    TableChanged,
)
from dealer_service.client.calls import Patience, Surroundings
from dealer_service.client.message import Message
from tests.support.fake_dealer import FakeDealer, Fault, token_for
from tests.support.simulator import NAMES, Simulator

SECONDS = 20
"""After which a test that waits in vain fails."""


@dataclass
class Clock:
    now: float = 0.0
    step: float = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
async def fake() -> AsyncIterator[FakeDealer]:
    dealer = FakeDealer()
    await dealer.start()
    yield dealer
    await dealer.stop()


@asynccontextmanager
async def ann_at(
    fake: FakeDealer, simulator: Simulator, clock: Clock, folder: Path
) -> AsyncIterator[Seat]:
    """Seat ann, whose seat is under a checkpoint."""
    patience = Patience(attempt=5, total=SECONDS, first_wait=0.01, longest_wait=0.05)
    around = Surroundings(monotonic=clock, patience=patience)
    async with Dealer.connect(fake.address, token_for("ann"), surroundings=around) as dealer:
        game = simulator.state.opened.game
        seat = await dealer.sit(game, stack=5_000, directory=folder)
        await hear(seat, lambda event: isinstance(event, TableChanged))
        yield seat


async def hear(seat: Seat, fits: Callable[[Event], bool]) -> Event:
    async with asyncio.timeout(SECONDS):
        async for event in seat:
            if fits(event):
                return event
    raise AssertionError


def is_over(event: Event) -> bool:
    return isinstance(event, Disconnected | Refused)


def withhold(player: str, message: Message) -> Message:
    """Tell ann of no checkpoint."""
    return replace(message, checkpoint="") if player == "ann" else message


def sitting_down(fake: FakeDealer, simulator: Simulator) -> Callable[[], Awaitable[None]]:
    """Give what has one more player sit down."""
    names = iter(NAMES[1:])
    return lambda: fake.change(simulator, lambda: simulator.sit(next(names), anchored=False))


async def refuse_at_last(
    fake: FakeDealer, seat: Seat, clock: Clock, end_stream: Callable[[], Awaitable[None]]
) -> tuple[Refused, int]:
    """Let just as much time pass as a stream has, and have it end, again and again."""
    asked = fake.requests["GetTable"]
    for streams in range(1, 9):
        clock.now += 5.1
        # Once when a stream begins anew, once when it has told something.
        told = partial(lambda past: len(asked) >= past, len(asked) + 2)
        await end_stream()
        assert isinstance(await hear(seat, is_over), Disconnected)
        refusing = asyncio.create_task(hear(seat, is_over))
        telling = asyncio.create_task(fake.until(told))
        await asyncio.wait({refusing, telling}, return_when=asyncio.FIRST_COMPLETED)
        telling.cancel()
        if refusing.done():
            refused = refusing.result()
            assert isinstance(refused, Refused)
            return refused, streams
        refusing.cancel()
    raise AssertionError


async def test_a_dealer_that_goes_on_talking_is_refused(fake: FakeDealer, tmp_path: Path) -> None:
    """In each of three streams it tells other things, past the time for the checkpoint."""
    simulator, clock = fake.open_table(), Clock()
    talk = sitting_down(fake, simulator)
    async with ann_at(fake, simulator, clock, tmp_path) as seat:
        fake.faults.tamper = withhold
        await talk()
        await hear(seat, lambda event: isinstance(event, TableChanged))
        refused, streams = await refuse_at_last(fake, seat, clock, talk)
        assert (refused.reason, streams) == (Reason.UNCOVERED, 3)
        with pytest.raises(CallRefusedError, match="UNCOVERED"):
            await seat.sit_out()
    assert not fake.requests["SitOut"]


async def test_a_dealer_that_breaks_its_streams_is_refused(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator, clock = fake.open_table(), Clock()
    talk = sitting_down(fake, simulator)
    async with ann_at(fake, simulator, clock, tmp_path) as seat:
        fake.faults.tamper = withhold
        await talk()
        await hear(seat, lambda event: isinstance(event, TableChanged))
        refused, streams = await refuse_at_last(fake, seat, clock, fake.break_streams)
        assert (refused.reason, streams) == (Reason.UNCOVERED, 3)


async def test_a_quiet_dealer_that_answers_is_refused(fake: FakeDealer, tmp_path: Path) -> None:
    """Of the looks at the clock after a line the second is within its time, and not the third."""
    simulator, clock = fake.open_table(), Clock()
    async with ann_at(fake, simulator, clock, tmp_path) as seat:
        fake.faults.tamper = withhold
        clock.step = 3.0
        await sitting_down(fake, simulator)()
        refused = await hear(seat, is_over)
        assert isinstance(refused, Refused)
        assert refused.reason is Reason.UNCOVERED
        assert len(fake.requests["Watch"]) == 1


async def test_a_connection_that_is_gone_without_a_word_is_no_fault_of_the_dealers(
    fake: FakeDealer, tmp_path: Path
) -> None:
    """Who answers nothing is asked again, and what it had signed comes with the next stream."""
    simulator, clock = fake.open_table(), Clock()
    talk = sitting_down(fake, simulator)
    async with ann_at(fake, simulator, clock, tmp_path) as seat:

        def lose(player: str, message: Message) -> Message:
            return withhold(player, message) if len(fake.requests["Watch"]) == 1 else message

        fake.faults.tamper = lose
        fake.faults.calls["GetTable"] = [Fault()]
        clock.step = 3.0
        await talk()
        assert isinstance(await hear(seat, is_over), Disconnected)
        await talk()
        await hear(seat, lambda event: isinstance(event, TableChanged))
        assert seat.refused is None
        assert len(fake.requests["Watch"]) == 2


async def test_a_reader_that_was_slow_itself_blames_nobody(
    fake: FakeDealer, tmp_path: Path
) -> None:
    """The stream begins anew, and there the checkpoint comes with its lines."""
    simulator, clock = fake.open_table(), Clock()
    talk = sitting_down(fake, simulator)
    async with ann_at(fake, simulator, clock, tmp_path) as seat:
        fake.faults.tamper = lambda player, message: (
            withhold(player, message) if len(fake.requests["Watch"]) == 1 else message
        )
        await talk()
        await hear(seat, lambda event: isinstance(event, TableChanged))
        clock.now += 60
        await talk()
        assert isinstance(await hear(seat, is_over), Disconnected)
        await talk()
        await hear(seat, lambda event: isinstance(event, TableChanged))
        assert seat.refused is None
