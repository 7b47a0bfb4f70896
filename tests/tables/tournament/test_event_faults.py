"""The store fails in the middle of a tournament, and the next process goes on where it stood.

A unit fails before it is written, or with it written and nobody told: in either case nothing is
lost and nothing is there twice, at whatever unit it was.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from dealer_service.rules.entry import CloseReason
from dealer_service.rules.tournament import entry as told
from dealer_service.rules.tournament.entry import TournamentEntry
from dealer_service.store.api import Append, LogState, LostLog, SignedAt
from dealer_service.store.memory import MemoryStore
from dealer_service.tables.lines import decode as decode_game
from dealer_service.tables.tournament.lines import decode
from tests.support.audits import tell
from tests.support.event_checks import require_whole
from tests.support.event_floor import CROWD, FREEZE_OUT, Evening, audit

TRIO = ("ann", "ben", "cleo")
TEN = tuple(f"p{number}" for number in range(10))
KINDS: tuple[type[TournamentEntry], ...] = (
    told.Registered,
    told.Started,
    told.Drawn,
    told.HandStarted,
    told.HandFinished,
    told.Busted,
    told.Moved,
    told.TableBroken,
    told.TableColoredUp,
    told.BreakBegun,
    told.LevelBegun,
    told.Placed,
    told.TableClosed,
    told.TournamentClosed,
)


def at_unit(number: int, how: str) -> Callable[[int, Append], str]:
    return lambda count, _append: how if count == number else ""


def at_kind(kind: type, how: str, nth: int = 1) -> Callable[[int, Append], str]:
    """Fail at the nth unit of the tournament's log that has an entry of a kind."""
    seen = 0

    def fails(_count: int, append: Append) -> str:
        nonlocal seen
        for change in append.logs[:1]:
            if change.facts is not None and change.facts.tournament != change.log:
                continue
            if any(isinstance(entry, kind) for entry in entries_of(change.lines)):
                seen += 1
                return how if seen == nth else ""
        return ""

    return fails


def entries_of(lines: tuple[bytes, ...]) -> list[object]:
    found: list[object] = []
    for line in lines:
        try:
            found.append(decode(line)[1])
        except ValueError:
            found.append(decode_game(line)[1])
    return found


def require_nothing_twice(evening: Evening) -> None:
    entries = [entry for _, entry in evening.told()]
    started = [(one.table, one.hand) for one in entries if isinstance(one, told.HandStarted)]
    finished = [(one.table, one.hand) for one in entries if isinstance(one, told.HandFinished)]
    assert len(started) == len(set(started))
    assert finished
    assert sorted(started) == sorted(finished)
    secrets = [one.secret for one in entries if isinstance(one, told.Drawn)]
    assert len(secrets) == len(set(secrets))
    paid = Counter(
        one.movement.player
        for one in evening.store.movements(0, 1_000)
        if one.movement.what.value == "prize"
    )
    assert set(paid.values()) == {1}


@pytest.mark.parametrize("how", ["before", "after"])
async def test_a_sit_and_go_survives_a_failure_at_any_unit(how: str) -> None:
    number, survived = 2, 0
    while True:
        evening = Evening(MemoryStore(), seed=7, fails=at_unit(number, how))
        evening.habits = replace(evening.habits, all_in=0.5)
        await evening.open(FREEZE_OUT)
        ended = await evening.finish(*TRIO)
        require_whole(ended.store, ended.id)
        require_nothing_twice(ended)
        if ended is evening:
            break
        survived += 1
        number += 1
    assert survived > 10


@pytest.mark.parametrize("how", ["before", "after"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
async def test_a_crowd_survives_a_failure_in_the_middle_of_anything(
    kind: type[TournamentEntry], how: str
) -> None:
    evening = Evening(MemoryStore(), seed=5, fails=at_kind(kind, how))
    evening.habits = replace(evening.habits, all_in=0.15)
    await evening.open(CROWD)
    ended = await evening.finish(*TEN)
    assert ended is not evening
    require_whole(ended.store, ended.id)
    require_nothing_twice(ended)
    if how == "after":
        report = await audit(ended)
        assert report.exit_status() == 0, tell(report)


@pytest.mark.parametrize("nth", [1, 2, 3, 5, 8])
async def test_several_failures_one_after_another_lose_nothing(nth: int) -> None:
    evening = Evening(MemoryStore(), seed=nth, fails=at_kind(told.Moved, "after", 1))
    evening.habits = replace(evening.habits, all_in=0.1)
    await evening.open(CROWD)
    processes = 1
    while not evening.is_over or evening.committer.failed:
        ended = await evening.finish(*TEN)
        processes += ended is not evening
        evening = ended
    assert processes == 2
    require_whole(evening.store, evening.id)


async def test_a_hand_that_was_open_is_played_on_with_the_same_deck() -> None:
    evening = Evening(MemoryStore(), seed=2)
    await evening.open(FREEZE_OUT)
    await evening.register(*TRIO)
    await evening.play(lambda: any(True for _ in evening.deciding()))
    (table,) = evening.floor.tables
    before = table.standing
    assert isinstance(evening.store, MemoryStore)
    again = evening.restarted(evening.store.reopened())
    (after,) = again.floor.tables
    assert after.standing.state == before.state
    assert {name: list(own.openings) for name, own in after.standing.openings.items()} == {
        name: list(own.openings) for name, own in before.openings.items()
    }
    await again.play()
    require_whole(again.store, again.id)


async def test_a_dealer_that_is_stopped_goes_on_when_it_is_started() -> None:
    evening = Evening(MemoryStore(), seed=4)
    await evening.open(CROWD)
    await evening.register(*TEN)
    await evening.play(lambda: any(isinstance(one, told.Moved) for _, one in evening.told()))
    rests = evening.tournament.come_to_rest()
    while not rests.done():
        assert await evening.step()
        await evening.settled()
    await evening.floor.stop()
    assert isinstance(evening.store, MemoryStore)
    for head in evening.store.group(evening.id):
        assert head.signed is not None
        assert head.signed.size == head.next_index
    again = evening.restarted(evening.store.reopened())
    await again.play()
    require_whole(again.store, again.id)


@pytest.mark.parametrize("lost_one", [0, 2], ids=["the tournament's", "a table's"])
async def test_a_restore_closes_what_is_left_where_a_log_was_lost(lost_one: int) -> None:
    evening = Evening(MemoryStore(), seed=4)
    await evening.open(CROWD)
    await evening.register(*TEN)
    await evening.play(lambda: any(True for _ in evening.deciding()))
    assert isinstance(evening.store, MemoryStore)
    again = Evening(evening.store.reopened(), clock=evening.clock)
    again.id = evening.id
    heads = again.store.group(evening.id)
    again.store.mark_lost([LostLog(heads[lost_one].log, SignedAt(10_000, bytes(32)))])
    again.floor.recover(again.store, closes=True)
    await again.floor.close_restored({})
    states = [head.facts.state for head in again.store.group(evening.id)]
    wanted = [LogState.REVEALED] * len(heads)
    wanted[lost_one] = LogState.LOST
    assert states == wanted


async def test_after_a_restore_tables_and_tournament_close_as_restored() -> None:
    evening = Evening(MemoryStore(), seed=4)
    await evening.open(CROWD)
    await evening.register(*TEN)
    await evening.play(lambda: any(isinstance(one, told.Moved) for _, one in evening.told()))
    assert isinstance(evening.store, MemoryStore)
    again = Evening(evening.store.reopened(), clock=evening.clock)
    again.id = evening.id
    again.floor.recover(again.store, closes=True)
    await again.floor.close_restored({})
    last = again.told()[-1][1]
    assert isinstance(last, told.TournamentClosed)
    assert last.reason is told.EndReason.RESTORED
    for log in again.games().values():
        reasons = [getattr(entry, "reason", None) for _, entry in log]
        assert CloseReason.RESTORED in reasons
