"""Whatever a tournament is played by and whoever does what, it holds together to its last line.

`CUTCARD_TOURNAMENTS` says how many are played; `make nightly` plays more.
"""

import os
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.rules.tournament.entry import (
    AddedOn,
    Busted,
    Disqualified,
    EndReason,
    HandFinished,
    HandStarted,
    Moved,
    PayoutKind,
    Rebought,
    Seated,
    TableColoredUp,
    TakenOver,
    TournamentEntry,
)
from dealer_service.rules.tournament.folding import evolve, fold
from dealer_service.rules.tournament.money import INWARD, OUTWARD, movements
from dealer_service.rules.tournament.prizes import share_by_stacks, share_evenly
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.rules.tournament.structure import find_faults
from tests.support.random_tournaments import random_habits, random_structure
from tests.support.tournament_play import TournamentPlay

TOURNAMENTS = int(os.environ.get("CUTCARD_TOURNAMENTS", "48"))
BATCH = 8


def check_unit(play: TournamentPlay, entries: Sequence[TournamentEntry]) -> None:
    """Hold each unit to what is true of a tournament at any time."""
    state = play.state
    check_players(state)
    for number, table in state.tables.items():
        mine = {seat: (one.player, one.stack) for seat, one in table.seats.items()}
        of_game = play.tables[number].state.seats
        assert mine == {seat: (one.player, one.stack) for seat, one in of_game.items()}
    moved = Counter(entry.player for entry in entries if isinstance(entry, Moved))
    assert all(times == 1 for times in moved.values())
    for entry in entries:
        if isinstance(entry, HandStarted):
            check_balance(state, entry.table)


def check_players(state: TournamentState) -> None:
    are_in = {name for name, one in state.entrants.items() if one.is_in}
    assert len(are_in) == state.players_in
    sitting = [
        (seat.player, number, place)
        for number, table in state.tables.items()
        for place, seat in table.seats.items()
    ]
    assert len({player for player, _, _ in sitting}) == len(sitting)
    for player, number, place in sitting:
        one = state.entrants[player]
        assert (one.table, one.seat) == (number, place)
    assert are_in <= {player for player, _, _ in sitting} | set(state.waiting)


def check_balance(state: TournamentState, opening: int) -> None:
    """When a table opens a hand, none between hands has two players more or fewer."""
    players = len(state.tables[opening].seats)
    for table in state.open_tables:
        if table.is_between_hands:
            assert abs(len(table.seats) - players) < 2


def check_chips(log: Sequence[tuple[int, TournamentEntry]]) -> None:
    """No chip comes or goes but by an entry that says so."""
    state: TournamentState | None = None
    chips = 0
    for at, entry in log:
        before, state = state, evolve(state, at, entry)
        match entry:
            case Seated():
                chips += entry.stack
            case Rebought() | AddedOn():
                chips += entry.chips
            case TakenOver():
                chips += entry.stack - entry.removed
            case Disqualified():
                chips -= entry.stack
            case TableColoredUp():
                assert before is not None
                seats = before.tables[entry.table].seats
                gained = sum(one.stack - seats[one.seat].stack for one in entry.stacks)
                raced = [one for one in seats.values() if one.unit < entry.unit and one.stack]
                bare = sum(one.stack < entry.unit for one in raced)
                assert gained <= entry.unit * (bare + 1)
                chips += gained
            case _:
                pass
        assert state.chips == chips


def check_money(play: TournamentPlay) -> None:
    """What came in less what went out is the fees less what the house added."""
    state: TournamentState | None = None
    came = went = 0
    for at, entry in play.log:
        for one in movements(state, entry):
            came += one.amount * (one.what in INWARD)
            went += one.amount * (one.what in OUTWARD)
        state = evolve(state, at, entry)
    assert state is not None
    structure = state.structure
    if structure.payout.kind is PayoutKind.POINTS:
        assert came == went == 0
    elif state.end is EndReason.FINISHED:
        added = state.pool - (structure.buy_in * state.entries + state.spent)
        assert came - went == structure.fee * state.entries - added


def check_places(state: TournamentState) -> None:
    """Every player has a place, ties take as many as they are, and all prizes are paid."""
    players = [one for one in state.entrants.values() if one.counts]
    counts = Counter(one.place for one in players)
    due = 1
    for place, many in sorted(counts.items()):
        assert place == due
        due += many
    assert sum(one.prize for one in players) == sum(state.prizes)


def play_one(seed: int) -> TournamentPlay:
    dice = Random(seed)
    structure = random_structure(dice)
    assert not find_faults(structure)
    return TournamentPlay(structure, seed=seed, habits=random_habits(dice), after=check_unit).run()


@pytest.mark.parametrize("batch", range(-(-TOURNAMENTS // BATCH)))
def test_any_tournament_holds_together(batch: int) -> None:
    for seed in range(batch * BATCH, min(TOURNAMENTS, (batch + 1) * BATCH)):
        play = play_one(seed)
        assert fold(play.log) == play.state, seed
        check_chips(play.log)
        check_money(play)
        if play.state.end is EndReason.FINISHED:
            check_places(play.state)


def test_one_seed_is_one_event() -> None:
    assert play_one(3).log == play_one(3).log


def test_who_is_out_never_plays_again_without_entering_again() -> None:
    play = play_one(5)
    sitting: set[str] = set()
    for _, entry in play.log:
        match entry:
            case Seated() | TakenOver():
                assert entry.player not in sitting
                sitting.add(entry.player)
                if isinstance(entry, TakenOver):
                    sitting.remove(entry.house_player)
            case Busted() | Disqualified():
                sitting.remove(entry.player)
            case Moved():
                assert entry.player in sitting
            case HandFinished():
                assert all(one.stack >= 0 for one in entry.stacks)
            case _:
                pass


@given(st.integers(0, 10**9), st.lists(st.text("abc", min_size=1), min_size=1, unique=True))
def test_shares_of_a_tie_are_the_whole_and_as_even_as_they_can_be(
    amount: int, names: list[str]
) -> None:
    shares = share_evenly(amount, names)
    assert sum(shares.values()) == amount
    assert max(shares.values()) - min(shares.values()) <= 1
    assert [shares[name] for name in sorted(names)] == sorted(shares.values(), reverse=True)


@settings(max_examples=200)
@given(
    st.integers(0, 10**9),
    st.dictionaries(st.text("abc", min_size=1), st.integers(1, 10**6), min_size=1, max_size=10),
)
def test_shares_of_a_cancelled_pool_are_the_whole(amount: int, stacks: dict[str, int]) -> None:
    shares = share_by_stacks(amount, stacks)
    assert sum(shares.values()) == amount
    assert all(share >= amount // 2 // len(stacks) for share in shares.values())
