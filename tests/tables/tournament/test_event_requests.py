"""What players, the operator and a failing source of randomness do to a tournament that runs."""

import asyncio
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest
from structlog.testing import capture_logs

from dealer_service.fairness.commitment import chain
from dealer_service.rules import entropy, seating
from dealer_service.rules.table_state import TableState
from dealer_service.rules.tournament import directing, entering
from dealer_service.rules.tournament import entry as told
from dealer_service.rules.tournament.entry import LateRule, RebuyRule, Share
from dealer_service.store.memory import MemoryStore
from dealer_service.tables.refused import Refused, ServiceReason
from dealer_service.tables.table import Table
from tests.support.event_checks import require_one_unit, require_whole
from tests.support.event_floor import CROWD, FREEZE_OUT, Evening, given

TRIO = ("ann", "ben", "cleo")
REBUYS = replace(
    FREEZE_OUT,
    late=LateRule(2, 0),
    rebuy=RebuyRule(chips=1_500, cost=1_000, most=2, max_stack=3_000, decide_ms=20_000),
)


async def started(structure: told.Structure = FREEZE_OUT, **how: bool) -> Evening:
    evening = Evening(MemoryStore(), seed=3)
    await evening.open(structure)
    await evening.register(*TRIO, **how)
    await evening.settled()
    return evening


def count(evening: Evening, kind: type) -> int:
    return sum(isinstance(entry, kind) for _, entry in evening.told())


async def test_a_rebuy_waits_for_the_end_of_the_hand() -> None:
    evening = await started(REBUYS)
    rebuy = given(partial(entering.rebuy, player="ann"))
    asked = evening.change(rebuy, caller="ann", waits=entering.waits_for_hand)
    answer = asyncio.ensure_future(asked)
    await evening.settled()
    assert not answer.done()
    await evening.play(answer.done)
    assert (await answer).startswith(b"Rebought")
    entries = [entry for _, entry in evening.told()]
    bought = next(n for n, one in enumerate(entries) if isinstance(one, told.Rebought))
    assert sum(isinstance(one, told.HandStarted) for one in entries[:bought]) == 1
    assert sum(isinstance(one, told.HandFinished) for one in entries[:bought]) == 1
    await evening.play()
    require_whole(evening.store, evening.id)
    require_one_unit(evening.id, evening.committer.written)


async def test_who_has_no_chips_may_decide_for_a_while() -> None:
    evening = await started(REBUYS)
    evening.habits = replace(evening.habits, all_in=1.0, folds=0.0)
    await evening.play(lambda: bool(evening.tournament.standing.state.lost))
    lost = dict(evening.tournament.standing.state.lost)
    assert not count(evening, told.Busted)
    evening.clock.advance(20_000)
    await evening.settled()
    busted = [(at, one) for at, one in evening.told() if isinstance(one, told.Busted)]
    assert {one.player: at for at, one in busted} == {
        player: one.until for player, one in lost.items()
    }


async def test_a_disqualification_waits_for_the_hand_and_is_refused_without_waiting() -> None:
    evening = await started()
    decide = given(partial(directing.disqualify, player="ann"))
    with pytest.raises(Refused) as caught:
        await evening.change(decide)
    assert caught.value.refusal.reason == "HAND_OPEN"
    waits = entering.waits_for_hand
    answer = asyncio.ensure_future(evening.change(decide, waits=waits))
    await evening.play(answer.done)
    assert b"Disqualified" in await answer
    await evening.play()
    require_one_unit(evening.id, evening.committer.written)


async def test_the_first_hand_waits_for_the_anchors_that_were_promised() -> None:
    evening = await started(anchors=True)
    (table,) = evening.floor.tables
    assert table.standing.state.hand == 0
    for number, name in enumerate(TRIO):
        await anchor(evening, table, name, bytes([number + 1]) * 32)
        await evening.settled()
        assert table.standing.state.hand == (1 if name == "cleo" else 0)
    assert count(evening, told.HandStarted) == 1


async def test_the_first_hand_waits_no_longer_than_for_links() -> None:
    evening = await started(anchors=True)
    (table,) = evening.floor.tables
    evening.clock.advance(FREEZE_OUT.rules.link_ms - 1)
    await evening.settled()
    assert table.standing.state.hand == 0
    evening.clock.advance(1)
    await evening.settled()
    assert table.standing.state.hand == 1


async def test_after_a_restart_anchors_have_their_whole_time_again() -> None:
    evening = await started(anchors=True)
    evening.clock.advance(FREEZE_OUT.rules.link_ms - 1)
    assert isinstance(evening.store, MemoryStore)
    again = evening.restarted(evening.store.reopened())
    again.clock.advance(FREEZE_OUT.rules.link_ms - 1)
    await again.settled()
    (table,) = again.floor.tables
    assert table.standing.state.hand == 0
    again.clock.advance(1)
    await again.settled()
    assert table.standing.state.hand == 1


async def test_nothing_starts_while_the_source_of_randomness_fails() -> None:
    evening = Evening(MemoryStore(), seed=3)
    await evening.open(CROWD)
    await evening.register(*(f"p{number}" for number in range(9)))
    evening.has_chance = False
    await evening.register("p9")
    await evening.settled()
    assert not count(evening, told.Started)
    assert not evening.halted
    evening.has_chance = True
    evening.clock.advance(1_000)
    await evening.settled()
    assert count(evening, told.Started) == 1
    await evening.play()
    require_whole(evening.store, evening.id)


async def test_a_tournament_does_not_open_without_randomness() -> None:
    evening = Evening(MemoryStore())
    evening.has_chance = False
    with pytest.raises(Refused) as caught:
        await evening.open()
    assert caught.value.refusal.reason is ServiceReason.RANDOMNESS_FAILED


async def test_a_stopped_tournament_starts_no_hand_and_may_be_cancelled() -> None:
    evening = await started()
    await evening.change(given(directing.stop))
    await evening.play(lambda: evening.tournament.standing.state.all_between_hands)
    evening.clock.advance(600_000)
    await evening.settled()
    assert count(evening, told.HandStarted) == 1
    await evening.change(lambda tournament: tournament.cancelling())
    await evening.settled()
    assert evening.is_over
    state = require_whole(evening.store, evening.id)
    assert state.end is told.EndReason.CANCELLED


async def test_a_table_at_the_end_of_its_rules_is_told_of_and_the_event_can_be_cancelled() -> None:
    one_hand = replace(FREEZE_OUT, rules=replace(FREEZE_OUT.rules, max_hands=1))
    with capture_logs() as logged:
        evening = await started(one_hand)
        evening.habits = replace(evening.habits, all_in=0.0)
        await evening.play(lambda: count(evening, told.HandFinished) == 1)
        await evening.settled()
    assert [line["event"] for line in logged] == ["table_can_not_go_on"]
    assert not evening.halted
    await evening.change(given(directing.stop))
    await evening.change(lambda tournament: tournament.cancelling())
    await evening.settled()
    require_whole(evening.store, evening.id)


async def test_a_table_without_anybody_there_plays_no_faster_than_in_time() -> None:
    quick = replace(FREEZE_OUT, rules=replace(FREEZE_OUT.rules, pause_ms=0))
    evening = await started(quick)
    (table,) = evening.floor.tables
    for name in TRIO:
        await evening.floor.change(
            table.game,
            evening.request("SitOut", name),
            lambda _, name=name: lambda state, _at: seating.sit_out(state, name),  # type: ignore[misc]
            lambda _entries, _state, _size: b"",
        )
    await evening.play(lambda: count(evening, told.HandStarted) == 5)
    starts = [at for at, entry in evening.told() if isinstance(entry, told.HandStarted)]
    assert all(later - sooner >= 2_000 for sooner, later in pairwise(starts[1:]))


async def test_a_deal_is_made_when_the_last_player_has_agreed() -> None:
    evening = await started(replace(FREEZE_OUT, deals=True))
    evening.habits = replace(evening.habits, all_in=0.0)
    shares = tuple(Share(name, 1_000) for name in TRIO)
    waits = entering.waits_for_hand
    proposed = await evening.change(
        lambda tournament: tournament.proposing("ann", shares, 0), caller="ann", waits=waits
    )
    assert proposed == b""
    assert evening.tournament.deal is not None
    assert evening.tournament.deal.agreed == {"ann"}

    async def agree(name: str) -> bytes:
        return await evening.change(
            lambda tournament: tournament.agreeing(name, shares, 0), caller=name, waits=waits
        )

    await agree("ben")
    last = asyncio.ensure_future(agree("cleo"))
    await evening.play(last.done)
    assert b"DealAgreed" in await last
    await evening.play()
    state = require_whole(evening.store, evening.id)
    assert {one.prize for one in state.entrants.values()} == {1_000}


async def test_agreeing_to_another_proposal_than_the_one_that_stands_is_refused() -> None:
    evening = await started(replace(FREEZE_OUT, deals=True))
    shares = tuple(Share(name, 1_000) for name in TRIO)
    others = (Share("ann", 3_000), Share("ben", 0), Share("cleo", 0))
    waits = entering.waits_for_hand
    await evening.change(lambda one: one.proposing("ann", shares, 0), waits=waits)
    await evening.change(lambda one: one.proposing("", others, 0), waits=waits)
    with pytest.raises(Refused):
        await evening.change(lambda one: one.agreeing("ben", shares, 0), waits=waits)


async def test_a_fault_at_one_table_halts_the_tournament() -> None:
    evening = Evening(MemoryStore(), seed=3)
    await evening.open(CROWD)
    await evening.register(*(f"p{number}" for number in range(10)))
    await evening.settled()
    tournament, (table, *others) = evening.tournament, evening.floor.tables
    table.halt(RuntimeError("broken"))
    assert [game for game, _ in evening.halted] == [evening.id]
    assert tournament.is_halted
    assert all(one.is_halted for one in others)
    with pytest.raises(Refused):
        await evening.change(given(directing.stop))


async def test_a_tournament_that_is_let_go_of_has_no_table_that_opened_meanwhile() -> None:
    evening = Evening(MemoryStore(), seed=3)
    await evening.open(CROWD)
    await evening.register(*(f"p{number}" for number in range(9)))
    last = asyncio.ensure_future(evening.register("p9"))
    await asyncio.sleep(0)
    assert evening.tournament.tables
    assert not evening.floor.tables
    assert evening.floor.let_go() == (evening.id,)
    with pytest.raises(Refused) as caught:
        await last
    assert caught.value.refusal.reason is ServiceReason.GAME_MOVING
    await evening.settled()
    assert not evening.floor.tables
    assert not evening.floor.tournaments


async def test_a_table_is_no_tournament_and_a_tournament_no_game() -> None:
    evening = await started()
    (table,) = evening.floor.tables
    with pytest.raises(Refused) as caught:
        await evening.floor.table(evening.id)
    assert caught.value.refusal.reason is ServiceReason.NO_SUCH_GAME
    with pytest.raises(Refused) as caught:
        await evening.floor.tournament(table.game)
    assert caught.value.refusal.reason is ServiceReason.NO_SUCH_TOURNAMENT


async def anchor(evening: Evening, table: Table, name: str, seed: bytes) -> None:
    """Give a player's anchor at a table."""
    end = chain("dealer.example.com", bytes.fromhex(table.game), name, seed, 4)[-1].hex()

    def decide(state: TableState, _at: int) -> object:
        return entropy.log_anchor(
            state, name, end, None, None, next_link=table.next_link, past=table.dealing.values
        )

    await evening.floor.change(
        table.game,
        evening.request("Anchor", name),
        lambda _: decide,  # type: ignore[arg-type, return-value]
        lambda _entries, _state, _size: b"",
    )
