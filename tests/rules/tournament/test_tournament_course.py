"""Levels, breaks, moves, races and rounds come when they are due, and not before (14.7, 14.8)."""

from dataclasses import replace

import pytest

from dealer_service.rules.entry import Resumed
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.tournament.directing import disqualify, resume, stop
from dealer_service.rules.tournament.due import awaited_anchors, next_time
from dealer_service.rules.tournament.entry import (
    BreakBegun,
    Busted,
    Drawn,
    DrawWhat,
    HandFinished,
    HandForHandBegun,
    HandForHandEnded,
    HandStarted,
    LateRule,
    LevelBegun,
    LevelBy,
    Moved,
    MoveWhy,
    PayoutKind,
    PayoutRule,
    Placed,
    ShareTable,
    Stopped,
    Structure,
    TableBroken,
    TableColoredUp,
    Ties,
)
from dealer_service.rules.tournament.folding import evolve
from dealer_service.rules.tournament.hands import hand_terms
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.rules.tournament.state import clock_ends_at
from dealer_service.rules.tournament.step import StepKind
from tests.support.tournament_desk import MINUTE, Desk, level, reason_of, structure


def begin(played: Structure) -> Desk:
    """Start with as many players as there may be: a, b, c, …"""
    desk = Desk(played, [chr(ord("a") + number) for number in range(played.players_max)])
    desk.settle()
    return desk


def move_out(desk: Desk, table: int, loser: str, winner: str) -> None:
    """Let one player lose all its chips to another at a table."""
    desk.start_hand(table)
    won = desk.stack_of(loser) + desk.stack_of(winner)
    desk.end_hand(table, {loser: 0, winner: won})


# Levels and breaks.


def test_a_level_by_time_ends_when_its_clock_has_run() -> None:
    desk = begin(structure())
    assert next_time(desk.state, {}) == desk.now + 10 * MINUTE
    assert desk.wait(10 * MINUTE - 1) == []
    assert desk.wait(1) == [LevelBegun(2)]


def test_a_level_begins_while_a_hand_is_open_and_counts_from_the_next() -> None:
    desk = begin(structure(levels=(level(25), level(50))))
    desk.start_hand()
    assert desk.wait(10 * MINUTE) == [LevelBegun(2)]
    assert desk.state.tables[1].open is not None
    desk.end_hand()
    desk.settle()
    terms, button = hand_terms(desk.state, 1)
    assert (terms.level, terms.small_blind, button) == (2, 50, None)


def test_a_break_lies_between_two_levels_and_no_hand_starts_in_it() -> None:
    levels = (level(25, break_ms=MINUTE), level(25), level(25))
    desk = begin(structure(levels=levels))
    assert desk.wait(10 * MINUTE) == [BreakBegun(1)]
    assert desk.due() is None
    with pytest.raises(ImpossibleEntry, match="no level is played"):
        desk.give((HandStarted(1, 1, 1, 1, 2, 3),))
    assert desk.wait(MINUTE - 1) == []
    assert desk.wait(1) == [LevelBegun(2)]


def test_the_last_level_has_no_end() -> None:
    desk = begin(structure(levels=(level(25),)))
    assert next_time(desk.state, {}) is None
    assert desk.wait(1_000 * MINUTE) == []


def test_a_level_by_hands_ends_with_the_hands_of_one_table_voids_not_counted() -> None:
    desk = begin(structure(level_by=LevelBy.HANDS, levels=(level(25, length=2), level(25))))
    assert not desk.play()
    assert not desk.play(void=True)
    assert desk.play() == [LevelBegun(2)]


def test_a_hand_counts_for_the_level_that_it_started_in() -> None:
    levels = (level(25, length=1), level(25, length=1), level(25))
    desk = begin(structure(players_max=6, level_by=LevelBy.HANDS, levels=levels))
    desk.start_hand(1)
    assert desk.play(2) == [LevelBegun(2)]
    desk.end_hand(1)
    assert desk.settle() == []
    assert desk.play(1) == [LevelBegun(3)]


def test_a_level_by_orbits_ends_when_the_deal_has_gone_round_a_table() -> None:
    """Three were dealt into its first hand, so that three hands are an orbit."""
    desk = begin(structure(level_by=LevelBy.ORBITS, levels=(level(25, length=1), level(25))))
    desk.play()
    desk.play(1, {"a": 0, "b": 2_000})
    assert desk.all(LevelBegun) == [LevelBegun(1)]
    assert desk.play() == [LevelBegun(2)]


def test_no_clock_runs_and_no_hand_starts_while_it_is_stopped() -> None:
    desk = begin(structure())
    desk.wait(4 * MINUTE)
    desk.give(stop(desk.state, desk.now))
    assert clock_ends_at(desk.state) is None
    assert desk.wait(60 * MINUTE) == []
    assert desk.due() is None
    desk.give(resume(desk.state, desk.now))
    assert clock_ends_at(desk.state) == desk.now + 6 * MINUTE
    assert desk.wait(6 * MINUTE) == [LevelBegun(2)]
    assert desk.all(Stopped) == [Stopped()]
    assert desk.all(Resumed) == [Resumed()]


def test_an_open_hand_plays_on_through_a_stop() -> None:
    desk = begin(structure())
    desk.start_hand()
    desk.give(stop(desk.state, desk.now))
    desk.end_hand(1, {"a": 0, "b": 2_000})
    assert desk.settle() == [Placed("a", 3, 1, 0)]


# Hands.


def test_the_first_hand_has_the_button_that_was_drawn() -> None:
    desk = Desk(structure(), ("a", "b", "c"))
    desk.settle([1, 2, 3], [3, 1, 2])
    assert desk.all(Drawn)[1].what is DrawWhat.BUTTON
    assert hand_terms(desk.state, 1)[1] == 3
    desk.play()
    assert hand_terms(desk.state, 1)[1] is None


def test_a_button_is_drawn_again_where_its_player_went() -> None:
    desk = Desk(structure(seats=4, players_max=4), "abcd")
    desk.settle([1, 2, 3, 4], [3, 1, 2, 4])
    desk.give(disqualify(desk.state, desk.now, "c"))
    desk.settle([4, 1, 2])
    assert [one.what for one in desk.all(Drawn)[1:]] == [DrawWhat.BUTTON] * 2
    assert hand_terms(desk.state, 1)[1] == 4


def test_a_void_hand_gives_every_chip_back() -> None:
    desk = begin(structure())
    desk.start_hand()
    with pytest.raises(ImpossibleEntry, match="gives every chip back"):
        desk.end_hand(1, {"a": 900, "b": 1_100}, void=True)
    desk.end_hand(1, void=True)
    assert desk.all(HandFinished)[0].void


def test_chips_neither_come_nor_go_in_a_hand() -> None:
    desk = begin(structure())
    desk.start_hand()
    with pytest.raises(ImpossibleEntry, match="chips came or went"):
        desk.end_hand(1, {"a": 1_025})


# Balancing, breaking and redraw.


def test_the_next_big_blind_moves_to_the_seat_left_of_the_last_one() -> None:
    """Table 1 has five, table 2 three: its last big blind was in seat 2, so seat 3 moves."""
    desk = begin(structure(seats=5, players_max=10))
    desk.play(1)
    big = desk.state.tables[1].big_blind
    for loser in ("d", "f"):
        move_out(desk, 2, loser, "b")
        desk.settle()
    (moved,) = desk.all(Moved)
    assert moved.why is MoveWhy.BALANCE
    assert (moved.from_table, moved.from_seat, moved.table) == (1, big + 1, 2)
    last = next(one.big_blind_seat for one in reversed(desk.all(HandStarted)) if one.table == 2)
    taken = set(range(1, 6)) - {2, 3}
    assert moved.seat in {2, 3}
    assert moved.seat == next(
        seat for seat in [*range(last + 1, 6), *range(1, last + 1)] if seat not in taken
    )
    assert moved.stack == 1_000


def test_nobody_moves_from_a_table_whose_hand_is_open() -> None:
    desk = begin(structure(seats=5, players_max=10))
    desk.start_hand(1)
    for loser in ("d", "f"):
        move_out(desk, 2, loser, "b")
        desk.settle()
    assert not desk.all(Moved)
    step = desk.due()
    assert step is not None
    assert (step.kind, step.table) == (StepKind.START_HAND, 2)
    desk.end_hand(1)
    desk.settle()
    assert len(desk.all(Moved)) == 1


def test_before_its_first_hand_the_highest_seat_moves_to_the_lowest() -> None:
    desk = begin(structure(seats=5, players_max=10))
    for loser in ("d", "f"):
        desk.give(disqualify(desk.state, desk.now, loser))
    desk.settle()
    (moved,) = desk.all(Moved)
    assert (moved.from_seat, moved.seat) == (5, 2)


def test_the_table_with_the_highest_number_breaks_when_the_others_have_room() -> None:
    desk = begin(structure(players_max=7))
    assert len(desk.state.open_tables) == 3
    desk.start_hand(1)
    move_out(desk, 2, "b", "e")
    desk.settle([6, 3])
    assert desk.all(Moved) == [
        Moved("f", 3, 2, 2, 1, 1_000, MoveWhy.BREAK),
        Moved("c", 3, 1, 2, 3, 1_000, MoveWhy.BREAK),
    ]
    assert desk.all(TableBroken) == [TableBroken(3)]


def test_a_table_that_is_to_break_starts_no_hand_and_nobody_moves_there_or_away() -> None:
    """Table 1 has three and table 2 one: they are balanced, and table 3 is left alone."""
    desk = begin(structure(players_max=7))
    desk.start_hand(3)
    move_out(desk, 2, "b", "e")
    desk.settle()
    assert [(one.from_table, one.table) for one in desk.all(Moved)] == [(1, 2)]
    desk.end_hand(3)
    desk.settle()
    assert [one.table for one in desk.all(TableBroken)] == [3]


def test_nobody_is_balanced_to_a_table_that_is_to_break() -> None:
    """Table 3 has three, two fewer than table 1, when both others have room for them."""
    desk = begin(structure(seats=6, players_max=14))
    assert [len(table.seats) for table in desk.state.open_tables] == [5, 5, 4]
    for table in (1, 2, 3):
        desk.start_hand(table)
    move_out_now(desk, 3, "c", "f")
    desk.settle()
    desk.start_hand(3)
    move_out_now(desk, 2, "b", "e")
    desk.settle()
    desk.end_hand(1)
    assert desk.settle() == []
    desk.end_hand(3)
    desk.settle()
    assert {one.why for one in desk.all(Moved)} == {MoveWhy.BREAK}


def test_the_next_hand_waits_for_the_anchor_of_who_was_moved_there() -> None:
    desk = Desk(structure(seats=5, players_max=10), "abcdefghij", anchors=True)
    desk.settle()
    for loser in ("d", "f"):
        move_out(desk, 2, loser, "b")
        desk.settle()
    (moved,) = desk.all(Moved)
    assert awaited_anchors(desk.state, 2) == {moved.player: desk.now + 3_000}


def test_a_redraw_waits_for_all_tables_and_gives_new_ones() -> None:
    desk = begin(structure(seats=5, players_max=6, redraw=(1,)))
    desk.start_hand(1)
    move_out(desk, 2, "b", "d")
    assert desk.settle() == [Placed("b", 6, 1, 0)]
    assert desk.due() is None
    desk.end_hand(1)
    desk.settle()
    moved = desk.all(Moved)
    assert [one.why for one in moved] == [MoveWhy.REDRAW] * 5
    assert {one.table for one in moved} == {3}
    assert sorted(one.seat for one in moved) == [1, 2, 3, 4, 5]
    assert desk.all(TableBroken) == [TableBroken(1), TableBroken(2)]


# Races.


def test_a_higher_unit_is_raced_for_before_the_next_hand() -> None:
    desk = begin(structure(levels=(level(25), level(100))))
    desk.play(1, {"a": 975, "b": 1_000, "c": 1_025})
    desk.wait(10 * MINUTE)
    (raced,) = desk.all(TableColoredUp)
    assert raced.draw == desk.state.draws
    assert raced.unit == 100
    assert [desk.stack_of(name) for name in "abc"] == [1_000, 1_000, 1_000]
    desk.play()
    assert len(desk.all(TableColoredUp)) == 1


def test_nothing_is_drawn_where_no_chip_is_odd() -> None:
    desk = begin(structure(levels=(level(25), level(100))))
    desk.wait(10 * MINUTE)
    assert desk.all(TableColoredUp) == [TableColoredUp(1, 100, ())]
    assert DrawWhat.RACE not in {one.what for one in desk.all(Drawn)}


def test_nobody_is_raced_out() -> None:
    """One chip of 25 wins no new one, and becomes one all the same."""
    desk = begin(structure(levels=(level(25), level(100))))
    desk.play(1, {"a": 25, "b": 1_975})
    desk.now += 10 * MINUTE
    desk.settle([2, 2, 2, 1])
    assert desk.stack_of("a") == 100
    assert desk.stack_of("b") == 2_000


def test_a_late_players_chips_are_of_the_first_unit() -> None:
    played = structure(players_max=4, seats=4, levels=(level(25), level(100), level(100)))
    desk = begin(replace(played, late=LateRule(2, 1)))
    move_out(desk, 1, "a", "b")
    desk.wait(10 * MINUTE)
    desk.play()
    desk.register("a")
    desk.settle()
    assert [one.stacks for one in desk.all(TableColoredUp)] == [(), ()]


# Hand for hand.


def bubble(**changes: object) -> Desk:
    """Two tables of three, two places paid, hand for hand from three above the money."""
    desk = begin(structure(**{"players_max": 7, "seats": 4, "hand_for_hand": 4} | changes))
    desk.start_hand(1)
    desk.start_hand(2)
    move_out_now(desk, 1, "a", "c")
    assert desk.settle() == [Placed("a", 7, 1, 0), HandForHandBegun()]
    return desk


def move_out_now(desk: Desk, table: int, loser: str, winner: str) -> None:
    won = desk.stack_of(loser) + desk.stack_of(winner)
    desk.end_hand(table, {loser: 0, winner: won})


def test_a_round_begins_when_no_hand_is_open() -> None:
    desk = bubble()
    assert desk.due() is None
    desk.end_hand(2)
    desk.settle()
    for table in (1, 2):
        step = desk.due()
        assert step is not None
        assert (step.kind, step.table) == (StepKind.START_HAND, table)
        desk.start_hand(table)
    assert desk.due() is None


def test_a_table_plays_one_hand_a_round_and_places_wait_for_its_end() -> None:
    desk = bubble()
    desk.end_hand(2)
    desk.start_hand(1)
    move_out_now(desk, 1, "c", "e")
    assert desk.settle() == []
    desk.start_hand(2)
    move_out_now(desk, 2, "b", "d")
    told = desk.settle()
    assert told[:2] == [Placed("b", 5, 2, 0), Placed("c", 5, 2, 0)]


def test_by_stacks_a_round_compares_all_tables() -> None:
    desk = bubble(ties=Ties.STACKS)
    desk.end_hand(2)
    desk.start_hand(1)
    desk.start_hand(2)
    move_out_now(desk, 1, "c", "e")
    move_out_now(desk, 2, "b", "d")
    assert desk.settle()[:2] == [Placed("b", 6, 1, 0), Placed("c", 5, 1, 0)]


def test_a_level_that_ends_in_a_round_waits_for_its_end() -> None:
    desk = bubble()
    desk.end_hand(2)
    desk.start_hand(1)
    assert desk.wait(10 * MINUTE) == []
    assert next_time(desk.state, {}) is None
    desk.end_hand(1)
    assert desk.settle() == []
    desk.play(2)
    assert LevelBegun(2) in desk.log


def test_a_void_hand_counts_in_a_round() -> None:
    desk = bubble()
    desk.end_hand(2)
    desk.play(1, void=True)
    step = desk.due()
    assert step is not None
    assert step.table == 2
    desk.play(2, void=True)
    assert desk.state.round == frozenset()
    step = desk.due()
    assert step is not None
    assert step.table == 1


def test_a_table_that_is_to_be_broken_plays_its_hand_of_the_round() -> None:
    """Five are in, four places are paid: three are left, who fit into one table."""
    paid = PayoutRule(
        PayoutKind.SHARES, unit=1, tables=(ShareTable(2, (4_000, 3_000, 2_000, 1_000)),)
    )
    desk = begin(structure(players_max=5, hand_for_hand=1, payout=paid))
    desk.start_hand(1)
    desk.end_hand(1, {"a": 0, "c": 0, "e": 3_000})
    desk.settle()
    assert not desk.all(Placed)
    step = desk.due()
    assert step is not None
    assert (step.kind, step.table) == (StepKind.START_HAND, 2)
    assert TableBroken(2) in desk.play(2)


def test_hand_for_hand_ends_with_the_bubble() -> None:
    desk = bubble(hand_for_hand=4)
    desk.end_hand(2)
    desk.settle()
    for loser, winner, table in (("b", "d", 2), ("c", "e", 1)):
        desk.start_hand(table)
        move_out_now(desk, table, loser, winner)
    desk.settle()
    assert desk.all(HandForHandEnded) == [HandForHandEnded()]
    assert len(desk.state.open_tables) == 1


# What can not be.


def test_time_does_not_fall_and_a_log_begins_with_its_opening() -> None:
    desk = begin(structure())
    with pytest.raises(ImpossibleEntry, match="time is before"):
        evolve(desk.state, desk.now - 1, Stopped())
    with pytest.raises(ImpossibleEntry, match="begins with tournament_opened"):
        evolve(None, desk.now, Stopped())
    with pytest.raises(ImpossibleEntry, match="one tournament_opened"):
        evolve(desk.state, desk.now, desk.state.opened)


def test_who_has_chips_does_not_bust() -> None:
    desk = begin(structure())
    with pytest.raises(ImpossibleEntry, match="not lost all"):
        desk.give((Busted("a", 1, 1, 1, 1_000),))


def test_a_disqualified_player_waits_for_its_hand_and_takes_its_chips_out_of_play() -> None:
    desk = begin(structure())
    desk.start_hand()
    answer = disqualify(desk.state, desk.now, "a")
    assert reason_of(answer) is TournamentReason.HAND_OPEN
    desk.end_hand(1, {"a": 500, "b": 1_500})
    desk.give(disqualify(desk.state, desk.now, "a"))
    assert desk.settle() == [Placed("a", 3, 1, 0)]
    assert desk.state.chips == 2_500
    assert desk.refused("a") is TournamentReason.OUT_FOR_GOOD
