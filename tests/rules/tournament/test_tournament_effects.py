"""What an entry does at the tables, and what money it moves (14.4, 14.9)."""

from dealer_service.rules.entry import SeatStack
from dealer_service.rules.tournament.directing import cancel
from dealer_service.rules.tournament.entry import (
    AddedOn,
    AddOnRule,
    Busted,
    Disqualified,
    EndReason,
    LateRule,
    LevelBegun,
    Moved,
    MoveWhy,
    PayoutKind,
    PayoutRule,
    Placed,
    Rebought,
    RebuyRule,
    Reentered,
    Registered,
    Seated,
    TableColoredUp,
    TakenOver,
    TournamentClosed,
    TournamentEntry,
    Withdrawn,
)
from dealer_service.rules.tournament.money import Movement, What, movements
from dealer_service.rules.tournament.table_effects import (
    Add,
    ColorUp,
    Remove,
    Seat,
    TableEffect,
    Unseat,
    effects,
)
from tests.support.tournament_desk import SECRET, Desk, structure

STRUCTURE = structure(
    late=LateRule(1, 1),
    rebuy=RebuyRule(1_000, 90, 1, 0, 0),
    add_on=AddOnRule(500, 40),
)


def desk() -> Desk:
    found = Desk(STRUCTURE, ("ann", "ben"))
    found.register("bot", house=True)
    return found


def does(entry: TournamentEntry) -> tuple[TableEffect, ...]:
    return effects(desk().state, entry)


def moves(entry: TournamentEntry) -> tuple[Movement, ...]:
    return movements(desk().state, entry)


def test_a_seat_is_taken_with_its_stack_and_says_whether_it_is_the_houses() -> None:
    assert does(Seated("ann", 1, 2, 1_000)) == (Seat(1, "ann", 2, 1_000, house=False),)
    assert does(Seated("bot", 1, 3, 1_000)) == (Seat(1, "bot", 3, 1_000, house=True),)


def test_who_moves_leaves_one_table_and_sits_down_at_another() -> None:
    moved = Moved("ann", 1, 2, 3, 4, 700, MoveWhy.BALANCE)
    assert does(moved) == (Unseat(1, "ann"), Seat(3, "ann", 4, 700, house=False))


def test_who_is_out_leaves_its_seat() -> None:
    assert does(Busted("ann", 1, 2, 5, 300)) == (Unseat(1, "ann"),)
    assert does(Disqualified("ann", 1, 2, 300)) == (Remove(1, "ann"),)


def test_a_seat_that_is_taken_over_changes_hands() -> None:
    taken = TakenOver("ann", "bot", 1, 3, 1_000, 400)
    assert does(taken) == (Unseat(1, "bot"), Seat(1, "ann", 3, 1_000, house=False))


def test_chips_that_are_bought_are_added() -> None:
    assert does(Rebought("ann", 1, 2, 1_000)) == (Add(1, "ann", 1_000),)
    assert does(AddedOn("ann", 1, 2, 500)) == (Add(1, "ann", 500),)


def test_a_race_is_told_at_the_table_where_a_stack_changed() -> None:
    stacks = (SeatStack(2, 1_100),)
    assert does(TableColoredUp(1, 100, stacks, 4)) == (ColorUp(1, 100, stacks),)
    assert does(TableColoredUp(1, 100, ())) == ()


def test_what_is_the_tournaments_alone_does_nothing_at_a_table() -> None:
    assert does(LevelBegun(2)) == ()
    assert does(Placed("ann", 1, 1, 300)) == ()


def test_entering_costs_buy_in_and_fee_and_withdrawing_gives_both_back() -> None:
    assert moves(Registered("zoe", 4, anchors=False)) == (Movement(What.BUY_IN, "zoe", 110),)
    assert moves(Reentered("ann")) == (Movement(What.BUY_IN, "ann", 110),)
    assert moves(Withdrawn("ann")) == (Movement(What.REFUND, "ann", 110),)
    taken = TakenOver("ann", "bot", 1, 3, 1_000, 400)
    assert moves(taken) == (Movement(What.REFUND, "bot", 110),)


def test_rebuys_and_add_ons_have_their_prices() -> None:
    assert moves(Rebought("ann", 1, 2, 1_000)) == (Movement(What.REBUY, "ann", 90),)
    assert moves(AddedOn("ann", 1, 2, 500)) == (Movement(What.ADD_ON, "ann", 40),)


def test_prizes_are_money_and_points_are_not() -> None:
    assert moves(Placed("ann", 1, 1, 300)) == (Movement(What.PRIZE, "ann", 300),)
    assert moves(Placed("ann", 3, 1, 0)) == ()
    points = PayoutRule(PayoutKind.POINTS, points=(10,))
    state = Desk(structure(payout=points, buy_in=0, fee=0), ("ann",)).state
    assert movements(state, Placed("ann", 1, 1, 10)) == ()


def test_cancelling_before_the_start_gives_everything_back() -> None:
    closed = TournamentClosed(EndReason.CANCELLED, SECRET)
    found = desk()
    assert cancel(found.state, found.now, SECRET) == (closed,)
    assert moves(closed) == (
        Movement(What.REFUND, "ann", 110),
        Movement(What.REFUND, "ben", 110),
        Movement(What.REFUND, "bot", 110),
        Movement(What.TOURNAMENT_CLOSED),
    )


def test_the_last_line_of_any_other_moves_nothing_more() -> None:
    restored = TournamentClosed(EndReason.RESTORED, SECRET)
    assert moves(restored) == (Movement(What.TOURNAMENT_CLOSED),)
