"""One dealer of a shared store writes the dealer's log; when it dies another goes on with it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from dealer_service.store.api import DEALER_LOG
from dealer_service.store.leases import Node
from dealer_service.transcript.noted import Stage, read_noted
from tests.support.publishers import Publisher, game_of, publisher, send
from tests.support.shared_stores import LEASE_MS, SHARED, SharedBy, SharedStore

OPENED, COMMITTED = Stage.HAND_OPENED, Stage.DECK_COMMITTED


@pytest.fixture(params=SHARED)
def shared(request: pytest.FixtureRequest) -> Iterator[SharedBy]:
    with SHARED[request.param]() as by:
        yield by


class Cluster:
    """Publishers of one store, each with a folder, a journal and a name of its own."""

    def __init__(self, folder: Path, shared: SharedBy, stack: AsyncExitStack) -> None:
        self.folder, self.shared = folder, shared
        self.stores: dict[str, SharedStore] = {}
        self._stack = stack

    async def start(self, name: str) -> Publisher:
        store = self.stores[name] = self.shared.open()
        await asyncio.to_thread(store.join, Node(name, "127.0.0.1:1"), LEASE_MS)
        made = publisher(self.folder / name, store, leases=store, node=name)
        return await self._stack.enter_async_context(made)

    def beat(self, name: str) -> None:
        self.stores[name].beat()


@pytest.fixture
async def cluster(tmp_path: Path, shared: SharedBy) -> AsyncIterator[Cluster]:
    async with AsyncExitStack() as stack:
        yield Cluster(tmp_path, shared, stack)


async def play(one: Publisher, game: int, *others: Publisher) -> None:
    """Send a hand's notices, and wait until every dealer shows them."""
    await one.write(send(game_of(game), 1, OPENED, COMMITTED))
    for each in (one, *others):
        await each.published(game_of(game), 1, COMMITTED)


def games(one: Publisher) -> list[str]:
    noted = [read_noted(line) for line in one.lines()]
    return [each.game.hex() for each in noted if each.stage.value == OPENED]


async def test_all_show_what_one_writes(cluster: Cluster) -> None:
    """Whichever dealer the notices come from."""
    a, b = await cluster.start("a"), await cluster.start("b")
    await play(a, 0, b)
    await play(b, 1, a)
    assert a.lines() == b.lines()
    assert games(a) == [game_of(0), game_of(1)]
    assert [a.publishing.owns_log, b.publishing.owns_log].count(True) == 1
    assert (await b.publishing.proof(game_of(0), 1, OPENED)) is not None


@pytest.mark.parametrize("moment", ["_round", "_extend", "_show"])
async def test_another_goes_on_when_the_owner_dies_and_that_one_follows_when_it_wakes(
    cluster: Cluster, moment: str
) -> None:
    """It stands still before a batch, between lines and signature, or before it is shown."""
    a = await cluster.start("a")
    await play(a, 0)
    b = await cluster.start("b")
    await play(b, 1, a)
    assert a.publishing.owns_log
    held, reached = hold(a, moment)
    await a.write(send(game_of(2), 1, OPENED, COMMITTED))
    await reached.wait()
    await asyncio.to_thread(cluster.shared.pass_lease)
    await asyncio.to_thread(cluster.beat, "b")
    await b.published(game_of(2), 1, COMMITTED)
    await play(b, 3)
    assert b.publishing.owns_log
    held.set()
    # Though it has nothing to write.
    await a.published(game_of(3), 1, COMMITTED)
    await play(a, 4, b)
    assert not a.publishing.owns_log
    assert a.lines() == b.lines()
    assert games(b) == [game_of(number) for number in range(5)]
    assert a.faults == b.faults == []


async def test_a_store_has_every_notice_once_whoever_is_quicker_to_make_the_log(
    cluster: Cluster,
) -> None:
    a, b = await cluster.start("a"), await cluster.start("b")
    await asyncio.gather(*(play(one, 2 * n + k) for n in range(5) for k, one in enumerate((a, b))))
    await a.published(game_of(9), 1, COMMITTED)
    await b.published(game_of(8), 1, COMMITTED)
    assert sorted(games(a)) == sorted(map(game_of, range(10)))
    head = await asyncio.to_thread(cluster.stores["a"].head, DEALER_LOG)
    assert head is not None
    assert head.next_index == 20
    assert a.faults == b.faults == []


def hold(one: Publisher, moment: str) -> tuple[asyncio.Event, asyncio.Event]:
    """Let a dealer's publishing stand still at a moment until the first event is set.

    The second tells that it has come there.
    """
    held, reached = asyncio.Event(), asyncio.Event()
    go_on = getattr(one.publishing, moment)

    async def wait(*given: Any) -> None:
        reached.set()
        await held.wait()
        await go_on(*given)

    setattr(one.publishing, moment, wait)
    return held, reached
