"""One dealer of a shared store writes the dealer's log; when it dies another goes on with it."""

import asyncio
import errno
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from dealer_service.publishing.cosigning import Cosigning, Prove, SeenLater, Unwitnessed
from dealer_service.publishing.publication import Publication
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

    async def start(self, name: str, cosigning: Cosigning | None = None) -> Publisher:
        store = self.stores[name] = self.shared.open()
        await asyncio.to_thread(store.join, Node(name, "127.0.0.1:1"), LEASE_MS)
        made = publisher(self.folder / name, store, leases=store, node=name, cosigning=cosigning)
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


class Witness(Unwitnessed):
    """Knows the newest size that any dealer brought it; it can stand still before it answers."""

    def __init__(self, seen: list[int]) -> None:
        self._seen = seen
        self.asked, self.answers = asyncio.Event(), asyncio.Event()
        self.answers.set()

    async def question(self, size: int) -> None:
        await self._judge(size)

    async def gather(self, note: str, size: int, prove: Prove) -> str:  # noqa: ARG002 - unproved
        await self._judge(size)
        self._seen.append(size)
        return note

    async def _judge(self, size: int) -> None:
        self.asked.set()
        await self.answers.wait()
        if self._seen[-1] > size:
            message = f"a witness saw {self._seen[-1]} lines, and here are {size}"
            raise SeenLater(message)

    def hold(self) -> None:
        self.asked.clear()
        self.answers.clear()


async def test_who_lost_the_log_while_it_asked_its_witnesses_follows(cluster: Cluster) -> None:
    """They saw what the new owner signed, which is no other log."""
    seen = [0]
    mine = Witness(seen)
    a = await cluster.start("a", mine)
    await play(a, 0)
    b = await cluster.start("b", Witness(seen))
    mine.hold()
    await a.write(send(game_of(1), 1, OPENED, COMMITTED))
    await mine.asked.wait()
    await asyncio.to_thread(cluster.shared.pass_lease)
    await asyncio.to_thread(cluster.beat, "b")
    await play(b, 2)
    mine.answers.set()
    await play(b, 3, a)
    assert b.publishing.owns_log
    assert a.lines() == b.lines()
    assert a.faults == b.faults == []


async def test_who_is_slower_to_make_the_log_follows(cluster: Cluster) -> None:
    """The witnesses that it asks know the log of the one that was quicker."""
    seen = [0]
    mine = Witness(seen)
    a, b = await cluster.start("a", mine), await cluster.start("b", Witness(seen))
    mine.hold()
    held, reached = hold(b, "_round")
    await reached.wait()
    await a.write(send(game_of(0), 1, OPENED, COMMITTED))
    await mine.asked.wait()
    held.set()
    await b.published(game_of(0), 1, COMMITTED)
    mine.answers.set()
    await play(b, 1, a)
    assert a.lines() == b.lines()
    assert a.faults == b.faults == []


async def test_another_goes_on_while_the_owner_can_not_write_its_folder(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its disk is full; it lives, and its lease runs."""
    a = await cluster.start("a")
    await play(a, 0)
    b = await cluster.start("b")
    await play(b, 1, a)
    put = Publication._put

    def full(publication: Publication, place: Path, content: bytes) -> None:
        if publication.folder == a.publication:
            raise OSError(errno.ENOSPC, "no space left")
        put(publication, place, content)

    monkeypatch.setattr(Publication, "_put", full)
    await a.write(send(game_of(2), 1, OPENED, COMMITTED))
    await b.published(game_of(2), 1, COMMITTED)
    assert b.publishing.owns_log
    monkeypatch.undo()
    await play(b, 3, a)
    assert a.lines() == b.lines()
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
