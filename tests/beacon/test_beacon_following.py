"""A round is fetched once for all who wait for it, when it is due, and for nobody else."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from dealer_service.beacon import following
from dealer_service.beacon.following import Following
from dealer_service.beacon.refusal import BeaconError
from dealer_service.beacon.rounds import Network, Round
from tests.support import drand
from tests.support.service import PATIENCE, START, ManualClock

NETWORK = Network(drand.PUBLIC_KEY, drand.GENESIS, drand.PERIOD, drand.GROUP_HASH, drand.NAME)
NUMBER = drand.round_after(START)


@dataclass
class Scripted:
    """A source that gives one thing after another, and rounds when all were given."""

    script: list[Round | Exception | None] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)

    def network(self) -> Network:
        return NETWORK

    def read(self, number: int) -> Round | None:
        self.asked.append(number)
        given = self.script.pop(0) if self.script else Round(number, bytes(48))
        if isinstance(given, Exception):
            raise given
        return given


class Rounds:
    """What follows a scripted source, on a clock that stands at the round's time."""

    def __init__(self) -> None:
        self.source = Scripted()
        self.clock = ManualClock(NETWORK.due_at(NUMBER))
        self.verified: list[bool] = []
        self.following = Following(NETWORK, self.source, self.verify, self.clock)

    def verify(self, _network: Network, _one: Round) -> bool:
        return self.verified.pop(0) if self.verified else True

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)


@pytest.fixture
async def rounds(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rounds]:
    monkeypatch.setattr(following, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(following, "LONGEST_PAUSE", 0.001)
    rounds = Rounds()
    yield rounds
    await rounds.following.stop()


async def test_all_who_wait_for_a_round_are_told_of_one_reading(rounds: Rounds) -> None:
    told: list[str] = []
    rounds.following.want(NUMBER, lambda: told.append("a"))
    rounds.following.want(NUMBER, lambda: told.append("b"))
    await rounds.until(lambda: len(told) == 2)
    rounds.following.want(NUMBER, lambda: told.append("c"))
    assert told == ["a", "b"]
    await rounds.until(lambda: len(told) == 3)
    assert rounds.source.asked == [NUMBER]
    assert rounds.following.find(NUMBER) == Round(NUMBER, bytes(48))


async def test_a_round_is_not_read_before_it_is_due(rounds: Rounds) -> None:
    told: list[int] = []
    rounds.following.want(NUMBER + 1, lambda: told.append(1))
    rounds.following.want(NUMBER, lambda: told.append(0))
    await rounds.until(lambda: told)
    assert (told, rounds.source.asked) == ([0], [NUMBER])
    rounds.clock.advance(1000 * drand.PERIOD)
    await rounds.until(lambda: len(told) == 2)
    assert rounds.source.asked == [NUMBER, NUMBER + 1]


async def test_whoever_gives_up_is_not_told_and_others_are(rounds: Rounds) -> None:
    rounds.source.script = [None] * 3
    told: list[str] = []
    gone = rounds.following.want(NUMBER, lambda: told.append("gone"))
    rounds.following.want(NUMBER, lambda: told.append("there"))
    gone.cancel()
    gone.cancel()
    await rounds.until(lambda: told)
    assert told == ["there"]


async def test_a_round_that_nobody_waits_for_any_more_is_not_read(rounds: Rounds) -> None:
    early = rounds.following.want(NUMBER + 1, lambda: None)
    early.cancel()
    rounds.clock.advance(1000 * drand.PERIOD)
    told: list[int] = []
    rounds.following.want(NUMBER, lambda: told.append(0))
    await rounds.until(lambda: told)
    assert rounds.source.asked == [NUMBER]


@pytest.mark.parametrize("fault", [BeaconError("no answer"), RuntimeError("unforeseen")])
async def test_a_reading_that_fails_is_repeated(rounds: Rounds, fault: Exception) -> None:
    rounds.source.script = [fault, None, fault]
    told: list[int] = []
    rounds.following.want(NUMBER, lambda: told.append(0))
    await rounds.until(lambda: told)
    assert rounds.source.asked == [NUMBER] * 4


async def test_what_is_not_signed_by_the_network_is_never_given(rounds: Rounds) -> None:
    rounds.verified = [False, False]
    told: list[int] = []
    rounds.following.want(NUMBER, lambda: told.append(0))
    await rounds.until(lambda: told)
    assert rounds.source.asked == [NUMBER] * 3


async def test_only_the_last_rounds_are_kept(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "REMEMBERED", 2)
    for number in (NUMBER - 2, NUMBER - 1, NUMBER):
        told: list[int] = []
        rounds.following.want(number, lambda told=told: told.append(0))  # type: ignore[misc]
        await rounds.until(lambda told=told: told)  # type: ignore[misc]
    assert rounds.following.find(NUMBER - 2) is None
    assert rounds.following.find(NUMBER - 1) is not None


async def test_nobody_is_told_after_the_stop(rounds: Rounds) -> None:
    told: list[int] = []
    rounds.following.want(NUMBER + 1, lambda: told.append(0))
    await rounds.following.stop()
    rounds.clock.advance(1000 * drand.PERIOD)
    await asyncio.sleep(0)
    assert (told, rounds.source.asked) == ([], [])
