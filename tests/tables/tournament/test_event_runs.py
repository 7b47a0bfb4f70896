"""A tournament through the service, from the first registration to the last line of its log."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_service.rules.tournament import entry as told
from dealer_service.store.api import ChipMove
from dealer_service.store.memory import MemoryStore
from tests.support.audits import tell
from tests.support.event_checks import require_one_unit, require_whole
from tests.support.event_floor import CROWD, FREEZE_OUT, Evening, audit
from tests.support.stores import open_sqlite

TRIO = ("ann", "ben", "cleo")
TEN = tuple(f"p{number}" for number in range(10))


def kinds(evening: Evening) -> Counter[str]:
    return Counter(type(entry).__name__ for _, entry in evening.told())


async def test_a_sit_and_go_is_played_to_its_end() -> None:
    evening = Evening(MemoryStore())
    await evening.open(FREEZE_OUT)
    await evening.register(*TRIO)
    await evening.play()
    state = require_whole(evening.store, evening.id)
    require_one_unit(evening.id, evening.committer.written)
    assert {one.place for one in state.entrants.values()} == {1, 2, 3}
    assert kinds(evening)["TournamentClosed"] == 1
    assert not evening.floor.tables


async def test_a_crowd_plays_on_a_store_on_disk_through_a_restart(tmp_path: Path) -> None:
    opened = open_sqlite(tmp_path)
    evening = Evening(opened.store, seed=6)
    await evening.open(CROWD)
    await evening.register(*TEN)
    await evening.play(lambda: kinds(evening)["Moved"] > 0)
    again = evening.restarted(opened.reopen())
    await again.play()
    require_whole(again.store, again.id)
    report = await audit(again)
    assert report.exit_status() == 0, tell(report)
    opened.close()


async def test_wallets_hear_of_buy_ins_and_of_the_prize() -> None:
    evening = Evening(MemoryStore())
    await evening.open(FREEZE_OUT)
    await evening.register(*TRIO)
    await evening.play()
    moves = [one.movement for one in evening.store.movements(0, 100)]
    bought = [(one.player, one.amount) for one in moves if one.what is ChipMove.BUY_IN]
    assert bought == [(name, 1_100) for name in TRIO]
    assert [one.amount for one in moves if one.what is ChipMove.PRIZE] == [3_000]
    assert {one.log for one in moves} == {evening.id}


@pytest.mark.parametrize("seed", range(4))
async def test_tables_break_and_players_move_until_one_is_left(seed: int) -> None:
    evening = Evening(MemoryStore(), seed=seed)
    evening.habits = replace(evening.habits, all_in=0.1)
    await evening.open(CROWD)
    await evening.register(*TEN)
    await evening.play()
    require_whole(evening.store, evening.id)
    require_one_unit(evening.id, evening.committer.written)
    seen = kinds(evening)
    report = await audit(evening)
    assert report.exit_status() == 0, tell(report)
    assert seen["TableOpened"] == 4
    assert seen["TableBroken"] == 3
    assert seen["Moved"] >= 3


async def test_chips_are_raced_when_a_level_has_a_higher_unit() -> None:
    evening = Evening(MemoryStore(), seed=5)
    evening.habits = replace(evening.habits, all_in=0.02)
    await evening.open(CROWD)
    await evening.register(*TEN)
    await evening.play()
    require_whole(evening.store, evening.id)
    require_one_unit(evening.id, evening.committer.written)
    raced = [entry for _, entry in evening.told() if isinstance(entry, told.TableColoredUp)]
    assert {25, 100} <= {one.unit for one in raced}


async def test_no_line_stays_without_a_checkpoint() -> None:
    evening = Evening(MemoryStore())
    await evening.open(FREEZE_OUT)
    await evening.register("ann", "ben")
    await evening.settled()
    assert not evening.tournament.conduct.log.is_covered
    evening.clock.advance(200)
    await evening.settled()
    standing = evening.tournament.standing
    assert standing.checkpoint_size == standing.size


async def test_the_same_request_has_the_same_answer_and_no_second_effect() -> None:
    evening = Evening(MemoryStore())
    await evening.open(FREEZE_OUT)
    await evening.register("ann")
    await evening.register("ann")
    assert kinds(evening)["Registered"] == 1


async def test_a_tournament_that_is_over_still_answers_what_it_was_asked() -> None:
    evening = Evening(MemoryStore())
    await evening.open(FREEZE_OUT)
    await evening.register(*TRIO)
    await evening.play()
    await evening.register("ann")
    state, size = await evening.floor.tournament_state(evening.id)
    assert state.phase == "closed"
    assert size == len(evening.told())
