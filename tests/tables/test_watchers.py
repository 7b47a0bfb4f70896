"""Readers of a game: bounded, in order, and each told what is for it alone."""

import asyncio

import pytest

from dealer_service.fairness.deck import Opening
from dealer_service.tables import watchers
from dealer_service.tables.watchers import (
    Audience,
    Backlogs,
    Batch,
    PrivateOpenings,
    TooSlow,
    Watcher,
)


def batch(first: int, count: int = 1, size: int = 10) -> Batch:
    return Batch(first, tuple(b"x" * size for _ in range(count)))


def openings() -> PrivateOpenings:
    return PrivateOpenings(1, (Opening(0, 51, bytes(range(16)), ()),))


async def read_all(watcher: Watcher) -> list[object]:
    return [message async for message in watcher]


async def test_messages_are_read_in_order_to_the_end() -> None:
    audience = Audience()
    watcher = audience.join("ann", 0)
    told = [batch(0), batch(1, 2), batch(3)]
    for one in told:
        audience.tell_all(one)
    audience.end()
    assert await read_all(watcher) == told


async def test_a_reader_waits_for_what_comes() -> None:
    audience = Audience()
    watcher = audience.join("", 0)
    reading = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    assert not reading.done()
    one = batch(0)
    audience.tell_all(one)
    assert await reading is one


async def test_openings_go_to_their_player_wherever_it_watches() -> None:
    audience = Audience()
    ann, again, bob, nobody = (audience.join(name, 0) for name in ("ann", "ann", "bob", ""))
    audience.tell_player("ann", openings())
    audience.end()
    assert [len(await read_all(one)) for one in (ann, again, bob, nobody)] == [1, 1, 0, 0]


async def test_who_joins_after_the_end_waits_for_nothing() -> None:
    audience = Audience()
    audience.end()
    assert await read_all(audience.join("ann", 5)) == []


async def test_nothing_is_told_after_the_end() -> None:
    audience = Audience()
    watcher = audience.join("ann", 0)
    audience.end()
    audience.tell_all(batch(0))
    assert await read_all(watcher) == []


@pytest.mark.parametrize("how", ["many", "large"])
async def test_one_that_does_not_read_is_ended_where_it_can_go_on(how: str) -> None:
    watcher = Watcher("ann", 7)
    watcher.tell(batch(7, 3))
    assert isinstance(await anext(watcher), Batch)
    if how == "many":
        for index in range(watchers.MAX_BACKLOG + 1):
            watcher.tell(batch(10 + index))
    else:
        for index in range(3):
            watcher.tell(batch(10 + index, 1, watchers.MAX_BACKLOG_BYTES // 2))
    with pytest.raises(TooSlow) as caught:
        await anext(watcher)
    assert caught.value.resume == 10
    assert not watcher._backlog


async def test_one_that_reads_is_never_too_slow() -> None:
    watcher = Watcher("ann", 0)
    for index in range(3 * watchers.MAX_BACKLOG):
        watcher.tell(batch(index, 1, 2000))
        message = await anext(watcher)
        assert isinstance(message, Batch)
        assert message.first == index


async def test_who_asks_for_more_has_sent_what_came_before() -> None:
    """Where one goes on is behind what it has taken, and not behind what lies in between."""
    watcher = Watcher("ann", 7)
    watcher.tell(batch(7, 3))
    watcher.tell(batch(10))
    await anext(watcher)
    assert watcher.resume == 7
    await anext(watcher)
    assert watcher.resume == 10


class TestAllBacklogsTogether:
    async def test_are_bounded_and_the_largest_goes_first(self) -> None:
        backlogs = Backlogs(200_000)
        slow, other = Audience(backlogs), Audience(backlogs)
        deaf, late, quick = slow.join("", 0), other.join("", 0), other.join("", 0)
        for index in range(20):
            slow.tell_all(batch(index, 1, 6_000))
        while not deaf._overrun:
            assert backlogs.held <= 200_000
            other.tell_all(batch(0, 1, 6_000))
            await anext(quick)
        with pytest.raises(TooSlow):
            await anext(deaf)
        assert backlogs.held == late.held > 0
        assert quick.held == 0
        assert isinstance(await anext(late), Batch)

    async def test_are_bounded_where_all_of_them_are_small(self) -> None:
        backlogs = Backlogs(100_000)
        audience = Audience(backlogs)
        watchers = [audience.join("", 0) for _ in range(100)]
        for index in range(20):
            audience.tell_all(batch(index, 1, 1_000))
            assert backlogs.held <= 100_000
        assert 0 < sum(not one._overrun for one in watchers) < len(watchers)

    async def test_are_given_back_by_who_reads_and_by_who_leaves(self) -> None:
        backlogs = Backlogs()
        audience = Audience(backlogs)
        reads, leaves = audience.join("ann", 0), audience.join("bob", 0)
        for index in range(4):
            audience.tell_all(batch(index, 1, 20_000))
        audience.tell_player("ann", openings())
        audience.leave(leaves)
        audience.end()
        assert backlogs.held == reads.held > 0
        assert len(await read_all(reads)) == 5
        assert backlogs.held == 0
        assert not backlogs._laden


def test_who_left_is_told_nothing() -> None:
    audience = Audience()
    watcher = audience.join("ann", 0)
    audience.leave(watcher)
    audience.tell_all(batch(0))
    assert (len(audience), len(watcher._backlog)) == (0, 0)


def test_openings_show_in_no_repr() -> None:
    shown = repr(openings())
    assert bytes(range(16)).hex() not in shown
    assert repr(bytes(range(16))) not in shown
    assert "51" not in shown
