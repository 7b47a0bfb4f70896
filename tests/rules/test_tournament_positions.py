"""Who sits where at a tournament's table (section 8, TDA 2024 rules 10-A, 32 and 34-B)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from dealer_service.rules.entry import (
    Act,
    Acted,
    Button,
    By,
    HandOpened,
    SatOut,
    SeatWord,
    VoidReason,
)
from dealer_service.rules.positions import clockwise
from dealer_service.rules.table_state import TableState
from tests.support.rule_cases import CASES
from tests.support.simulator import RULES, Simulator, passive
from tests.support.tournament_tables import LEVELS, TABLE_RULES

STACK = 10_000


def sit(table: Simulator, seats: Collection[int]) -> None:
    for seat in seats:
        table.give_seat(f"p{seat}", seat, STACK, anchored=False)


def seated(seats: Collection[int], button: int | None = None) -> Simulator:
    """Sit players p1, p2, … down on the seats of those numbers."""
    table = Simulator(rules=TABLE_RULES)
    table.level, table.button = LEVELS[0], button
    sit(table, seats)
    return table


def next_hand(table: Simulator) -> HandOpened:
    """Play a hand in which nobody bets, and give its opening."""
    table.play_hand(choose=passive)
    return [entry for _, entry in table.log if isinstance(entry, HandOpened)][-1]


def places(opened: HandOpened) -> tuple[int, int | None, int]:
    return opened.button, opened.small_blind_seat, opened.big_blind_seat


def waiting(opened: HandOpened) -> tuple[int, ...]:
    return tuple(one.seat for one in opened.seats if one.state is SeatWord.WAITING)


@dataclass(frozen=True, slots=True)
class Case:
    """A table after one hand, who then goes and comes, and what the next hand says."""

    name: str
    seats: tuple[int, ...]
    button: int
    gone: tuple[int, ...]
    come: tuple[int, ...]
    places: tuple[int, int | None, int]
    waits: tuple[int, ...] = ()


NEWCOMERS = [
    Case("nobody comes", (1, 3, 5, 7), 1, (), (), (3, 5, 7)),
    Case("behind the big blind", (1, 3, 5, 7), 1, (), (8,), (3, 5, 7)),
    Case("right of the button", (1, 3, 5, 7), 1, (), (2,), (3, 5, 7)),
    Case("between button and small blind", (1, 3, 5, 7), 1, (), (4,), (3, 5, 7), (4,)),
    Case("between the blinds: it has the big one", (1, 3, 5, 7), 1, (), (6,), (3, 5, 6)),
    Case("both", (1, 3, 5, 7), 1, (), (4, 6), (3, 5, 6), (4,)),
    Case("two between button and small blind", (1, 4, 8), 1, (), (5, 6), (4, 8, 1), (5, 6)),
    Case("over the highest seat", (5, 7, 9), 5, (), (1, 8), (7, 9, 1), (8,)),
    Case("button above, small blind below", (9, 2, 5), 5, (), (1, 4), (9, 2, 4), (1,)),
    Case("on the seat of a dead button", (1, 3, 5, 7), 1, (3,), (3,), (3, 5, 7)),
    Case("a dead button, and one left of it", (1, 3, 5, 7), 1, (3,), (4,), (3, 5, 7), (4,)),
    Case("on the seat of a dead small blind", (1, 3, 5, 7), 1, (5,), (5,), (3, 5, 7)),
    Case("a dead small blind, and one before it", (1, 3, 5, 7), 1, (5,), (4,), (3, None, 7), (4,)),
    Case("a dead small blind, and one behind it", (1, 3, 5, 7), 1, (5,), (6,), (3, None, 6)),
    Case("heads-up, left of the big blind", (2, 6), 2, (), (8,), (2, 6, 8)),
    # The big blind goes on to the old button, and the newcomer between them has the button.
    Case("heads-up, left of the button", (2, 6), 2, (), (4,), (4, 6, 2)),
    # The rest play heads-up: who had the big blind has the button (34-B).
    Case("two are left", (1, 3, 5), 1, (3,), (4,), (5, 5, 1), (4,)),
    # One alone would be left, so that nobody is left out.
    Case("one would be left", (1, 3, 7), 1, (3, 7), (4, 5), (3, None, 1)),
]


@pytest.mark.parametrize("case", NEWCOMERS, ids=[case.name for case in NEWCOMERS])
def test_newcomers_take_their_place_and_wait_left_of_the_button_alone(case: Case) -> None:
    table = seated(case.seats, case.button)
    next_hand(table)
    for seat in case.gone:
        table.give_up_seat(f"p{seat}")
    sit(table, case.come)
    opened = next_hand(table)
    assert places(opened) == case.places
    assert waiting(opened) == case.waits
    assert not any(one.waits or one.owes for one in opened.seats)


def test_who_waited_left_of_the_button_is_in_the_next_hand() -> None:
    table = seated((1, 3, 5, 7), 1)
    next_hand(table)
    sit(table, (4,))
    assert waiting(next_hand(table)) == (4,)
    opened = next_hand(table)
    assert (places(opened), waiting(opened)) == ((5, 7, 1), ())


def test_an_absent_newcomer_between_button_and_small_blind_just_sits_out() -> None:
    table = seated((1, 3, 5, 7), 1)
    next_hand(table)
    sit(table, (4,))
    table.sit_out("p4")
    opened = next_hand(table)
    assert {one.seat: one.state for one in opened.seats}[4] is SeatWord.SITTING_OUT
    assert places(opened) == (3, 5, 7)


def test_a_seat_without_chips_has_no_position() -> None:
    table = seated((1, 3, 5, 7), 1)
    next_hand(table)
    table.give_seat("p6", 6, 0, anchored=False)
    opened = next_hand(table)
    assert {one.seat: one.state for one in opened.seats}[6] is SeatWord.NO_CHIPS
    assert places(opened) == (3, 5, 7)


def test_absent_players_have_the_button_and_the_blinds_in_their_turn() -> None:
    table = seated((1, 3, 5), 1)
    for name in ("p1", "p3", "p5"):
        table.sit_out(name)
    assert [places(next_hand(table)) for _ in range(3)] == [(1, 3, 5), (3, 5, 1), (5, 1, 3)]


@pytest.mark.parametrize("button", [2, 5, 9])
def test_the_first_button_is_where_the_tournament_drew_it(button: int) -> None:
    seats = (2, 5, 9)
    left = clockwise(seats, button)
    assert places(next_hand(seated(seats, button))) == (button, left[0], left[1])


@pytest.mark.parametrize(("button", "big"), [(2, 6), (6, 2)])
def test_heads_up_the_first_button_has_the_small_blind(button: int, big: int) -> None:
    assert places(next_hand(seated((2, 6), button))) == (button, button, big)


def test_a_first_hand_that_was_void_is_dealt_from_the_same_button() -> None:
    table = Simulator(rules=TABLE_RULES)
    table.level, table.button = LEVELS[0], 5
    for seat in (2, 5, 9):
        table.give_seat(f"p{seat}", seat, STACK)
    table.open_hand()
    table.give_links(missing=["p2"])
    table.void_hand(VoidReason.LINK_MISSING)
    assert places(next_hand(table)) == (5, 9, 2)


BUTTONS = [case for case in CASES if case["kind"] == "button"]


def told_places(opened: HandOpened, state: TableState) -> dict[str, Any]:
    """Give what a case may say of a hand, by its names."""
    dealt_in = [one.seat for one in opened.seats if one.state in {SeatWord.IN, SeatWord.ABSENT}]
    small, big = opened.small_blind_seat, opened.big_blind_seat
    after_button = clockwise(dealt_in, opened.button)
    return {
        "button": opened.button,
        "sb": small,
        "bb": big,
        "button_is_dead": opened.button not in state.seats,
        "first_preflop": clockwise(dealt_in, big)[0],
        "first_postflop": after_button[0],
        "last_to_act_postflop": after_button[-1],
    }


@pytest.mark.parametrize("case", BUTTONS, ids=[case["id"] for case in BUTTONS])
def test_whole_tables_move_the_button_as_the_rule_cases_say(case: Mapping[str, Any]) -> None:
    """BU-01 to BU-08, played: the hand that is given, and those that follow."""
    given, is_tournament = case["given"], case["mode"] == "tournament"
    table = seated(given["seats"], given["button"]) if is_tournament else _cash(given)
    before = next_hand(table)
    assert places(before) == (given["button"], given["sb"], given["bb"])
    for step in [{**given, "expect": case["expect"]}, *case.get("then", ())]:
        for seat in step["eliminated_or_left"]:
            if is_tournament:
                table.give_up_seat(f"p{seat}")
            else:
                table.leave(f"p{seat}")
        told = told_places(next_hand(table), table.state)
        assert {name: told[name] for name in step["expect"]} == step["expect"]


def _cash(given: Mapping[str, Any]) -> Simulator:
    table = Simulator(rules=RULES)
    assert table.state.rules.button is Button.MOVING
    for seat in given["seats"]:
        table.sit(f"p{seat}", seat=seat, stack=STACK, anchored=False)
    return table


(CLOCK,) = (case for case in CASES if case["kind"] == "clock")


@pytest.mark.parametrize(
    ("given", "expect"),
    list(zip(CLOCK["given"], CLOCK["expect"], strict=True)),
    ids=["facing a bet", "facing none"],
)
def test_the_clock_folds_to_a_bet_and_else_checks(
    given: Mapping[str, bool], expect: Mapping[str, str]
) -> None:
    """TO-11: in the small blind's turn, and in the big blind's when all have called."""
    table = seated((1, 2, 3), 1)
    table.open_hand()
    table.commit_deck()
    table.act(Act.CALL)
    if not given["facing_bet"]:
        table.act(Act.CALL)
    due = table.decision
    assert due is not None
    assert due.may_check is not given["facing_bet"]
    put = _put(table, due.seat)
    table.time_out()
    entries = [entry for _, entry in table.log]
    (acted,) = [one for one in entries if isinstance(one, Acted) and one.by is By.CLOCK]
    assert (acted.seat, acted.act) == (due.seat, Act(expect["action"]))
    assert SatOut(due.seat, f"p{due.seat}", By.CLOCK) in entries
    assert _put(table, due.seat) == put > 0


def _put(table: Simulator, seat: int) -> int:
    """Give what a seat has put into the hand that is open."""
    assert table.state.open is not None
    return {chair.seat: chair.put for chair in table.state.open.play.chairs}[seat]
