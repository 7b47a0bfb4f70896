"""A tournament of a thousand players runs to its winner, every chip accounted for.

Hands are played by the real engine. After every hand the stacks of the tournament's log are those
of the tables' own logs, and all of them together are the chips that came into play. `make nightly`
plays one with slower levels.
"""

import os
from collections.abc import Sequence
from dataclasses import replace

from dealer_service.rules.entry import AnteKind, AnteRule
from dealer_service.rules.tournament.entry import (
    EndReason,
    HandFinished,
    HandForHandBegun,
    HandStarted,
    Level,
    LevelBy,
    Moved,
    MoveWhy,
    PayoutKind,
    PayoutRule,
    ShareTable,
    Structure,
    TableColoredUp,
    TournamentEntry,
)
from dealer_service.rules.tournament.folding import fold
from dealer_service.rules.tournament.structure import USUAL, find_faults
from tests.support.tournament_play import Habits, TournamentPlay

PLAYERS = 1_000
BLINDS = (
    *((10, 5), (15, 5), (25, 5), (50, 25), (75, 25), (100, 25)),
    *((200, 100), (300, 100), (500, 100), (1_000, 500), (2_000, 500), (4_000, 500)),
)
"""Small blind and unit of each level."""

LEVEL_MINUTES = int(os.environ.get("CUTCARD_LEVEL_MINUTES", "3"))


def turbo() -> Structure:
    """Nine at a table, a race every third level, redraws at two tables and at the last."""
    levels = tuple(
        Level(
            small,
            2 * small,
            unit,
            LEVEL_MINUTES * 60_000,
            0,
            AnteRule(AnteKind.BIG_BLIND, 2 * small) if unit > 5 else None,
        )
        for small, unit in BLINDS
    )
    first = levels[0]
    rules = replace(
        USUAL.rules,
        seats=9,
        small_blind=first.small_blind,
        big_blind=first.big_blind,
        chip_unit=first.chip_unit,
    )
    paid = (2_500, 1_500, 1_000, *[500] * 10)
    return replace(
        USUAL,
        rules=rules,
        players_max=PLAYERS,
        levels=levels,
        level_by=LevelBy.TIME,
        buy_in=100,
        fee=10,
        payout=PayoutRule(
            PayoutKind.SHARES, unit=5, tables=(ShareTable(2, (10_000,)), ShareTable(100, paid))
        ),
        hand_for_hand=3,
        redraw=(2, 1),
    )


class Accounts:
    """Follows every chip: `issued` came into play, and a race may add or take some."""

    def __init__(self, stack: int) -> None:
        self.stack = stack
        self.raced = 0
        self.hands = 0
        self.before: dict[int, int] = {}

    def check(self, play: TournamentPlay, entries: Sequence[TournamentEntry]) -> None:
        state = play.state
        for entry in entries:
            if isinstance(entry, TableColoredUp):
                chips = sum(one.stack for one in state.tables[entry.table].seats.values())
                self.raced += chips - self.before[entry.table]
            if isinstance(entry, HandFinished):
                self.hands += 1
                stacks = {n: one.stack for n, one in state.tables[entry.table].seats.items()}
                of_game = play.tables[entry.table].state.seats
                assert stacks == {number: seat.stack for number, seat in of_game.items()}
                assert state.chips == PLAYERS * self.stack + self.raced
            if isinstance(entry, HandStarted):
                self.check_balance(play, entry)
        if state.has_started:
            self.before = {
                number: sum(one.stack for one in table.seats.values())
                for number, table in state.tables.items()
            }

    def check_balance(self, play: TournamentPlay, started: HandStarted) -> None:
        tables = play.state.tables
        players = len(tables[started.table].seats)
        others = [len(one.seats) for one in play.state.open_tables if one.is_between_hands]
        assert all(abs(other - players) < 2 for other in others)


def test_a_thousand_players_play_to_the_winner() -> None:
    structure = turbo()
    assert not find_faults(structure)
    accounts = Accounts(structure.stack)
    play = TournamentPlay(
        structure,
        seed=8,
        habits=Habits(all_in=0.75 / LEVEL_MINUTES, voids=0.005),
        after=accounts.check,
    ).run()
    state = play.state
    assert state.end is EndReason.FINISHED
    assert accounts.hands > PLAYERS
    places = sorted(one.place for one in state.entrants.values())
    assert len(places) == PLAYERS
    assert places[0] == 1
    (winner,) = (one for one in state.entrants.values() if one.place == 1)
    last = state.tables[winner.table].seats[winner.seat]
    assert last.stack == PLAYERS * structure.stack + accounts.raced
    assert sum(one.prize for one in state.entrants.values()) == PLAYERS * structure.buy_in
    whys = {entry.why for _, entry in play.log if isinstance(entry, Moved)}
    assert whys == {MoveWhy.BALANCE, MoveWhy.BREAK, MoveWhy.REDRAW}
    assert any(isinstance(entry, HandForHandBegun) for _, entry in play.log)
    assert accounts.raced
    assert fold(play.log) == state
