"""A tournament among other work: it stops at once, and takes one unit in a turn of the loop."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from dealer_service.rules.tournament import directing
from dealer_service.rules.tournament import entry as told
from dealer_service.rules.tournament.entry import LateRule
from dealer_service.store.api import Append
from dealer_service.store.memory import MemoryStore
from dealer_service.tables.floor import Floor
from dealer_service.tables.refused import Refused, ServiceReason
from tests.support.event_checks import require_one_unit
from tests.support.event_floor import CROWD, FREEZE_OUT, Committer, Evening, given

TEN = tuple(f"p{number}" for number in range(10))


class Turns:
    """Counts the turns of the event loop."""

    def __init__(self) -> None:
        self.turn = 0
        self._again()

    def _again(self) -> None:
        self.turn += 1
        self._next = asyncio.get_running_loop().call_soon(self._again)

    def end(self) -> None:
        self._next.cancel()


async def test_whoever_asks_a_tournament_that_is_stopping_is_refused() -> None:
    evening = Evening(MemoryStore(), seed=3)
    await evening.open(replace(FREEZE_OUT, players_max=2, late=LateRule(1, 0)))
    await evening.register("ann", "ben")
    await evening.settled()
    tournament = evening.tournament
    stops = asyncio.ensure_future(tournament.stop())
    await asyncio.sleep(0)
    assert not stops.done()
    with pytest.raises(Refused) as caught:
        await evening.change(given(directing.stop))
    assert caught.value.refusal.reason is ServiceReason.STOPPING
    await stops
    assert not any(isinstance(one, told.Stopped) for _, one in evening.told())
    for head in evening.store.group(evening.id):
        assert head.signed is not None
        assert head.signed.size == head.next_index


async def test_many_tables_do_not_all_close_in_one_turn_of_the_loop() -> None:
    evening = Evening(MemoryStore(), seed=3)
    await evening.open(replace(CROWD, rules=replace(CROWD.rules, seats=2)))
    await evening.register(*TEN)
    await evening.change(given(directing.stop))
    while any(table.standing.state.open for table in evening.floor.tables):
        assert await evening.step()
        await evening.settled()
    turns, closed = Turns(), list[int]()

    def note(_count: int, append: Append) -> str:
        if any(b'"table_closed"' in line for change in append.logs for line in change.lines):
            closed.append(turns.turn)
        return ""

    evening.committer.fails = note
    await evening.change(lambda tournament: tournament.cancelling())
    await evening.settled()
    turns.end()
    assert evening.is_over
    assert len(closed) == 5
    # The first one's unit is the change's own.
    assert max(Counter(closed).values()) <= 2
    require_one_unit(evening.id, evening.committer.written)


class Away(Committer):
    """Writes nothing while the store is away."""

    is_away = False

    def _write(self) -> None:
        if not self.is_away:
            super()._write()

    def come_back(self) -> None:
        self.is_away = False
        self._write()


async def test_who_could_not_hear_of_a_seat_has_the_whole_time_to_anchor() -> None:
    evening = Evening(MemoryStore(), seed=3)
    store = evening.committer = Away(evening.store)
    evening.house = replace(evening.house, committer=store, is_shared=True)
    evening.floor = Floor(evening.house)
    await evening.open(FREEZE_OUT)
    await evening.register("ann", "ben", anchors=True)
    await evening.settled()
    tournament = evening.tournament
    store.is_away = True
    registering = asyncio.ensure_future(evening.register("cleo", anchors=True))
    for _ in range(5):
        await asyncio.sleep(0)
    assert tournament.conduct.state.tables[1].hand == 0
    evening.clock.advance(10 * FREEZE_OUT.rules.link_ms)
    assert tournament.conduct.state.tables[1].hand == 0
    store.come_back()
    await registering
    await evening.settled()
    evening.clock.advance(FREEZE_OUT.rules.link_ms - 1)
    await evening.settled()
    assert tournament.standing.state.tables[1].hand == 0
    evening.clock.advance(1)
    await evening.settled()
    assert tournament.standing.state.tables[1].hand == 1
    await evening.play()
    require_one_unit(evening.id, store.written)


async def test_a_fault_at_one_table_halts_the_whole_and_says_where_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evening = Evening(MemoryStore(), seed=3)
    await evening.open(CROWD)
    await evening.register(*TEN)
    while not list(evening.deciding()):
        assert await evening.step()
    await evening.settled()
    table, player = next(iter(evening.deciding()))
    before = {head.log: head.next_index for head in evening.store.group(evening.id)}

    def end(*_: object) -> None:
        message = "a fault in the middle"
        raise RuntimeError(message)

    monkeypatch.setattr(table.dealing, "play_on", end)
    with pytest.raises(Refused) as caught:
        await evening.act(table, player)
    assert caught.value.refusal.reason is ServiceReason.TABLE_HALTED
    ((log, fault),) = evening.halted
    assert log == evening.id
    assert fault.__notes__ == [f"at table {table.number}, game {table.game}"]
    assert all(one.is_halted for one in evening.floor.tables)
    with pytest.raises(Refused) as caught:
        await evening.change(given(directing.stop))
    assert caught.value.refusal.reason is ServiceReason.TABLE_HALTED
    assert not evening.clock.skip()
    await evening.settled()
    after = {head.log: head.next_index for head in evening.store.group(evening.id)}
    assert after == before
