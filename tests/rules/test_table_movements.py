"""Chips between tables and wallets: nothing is lost, nothing moves twice."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.rules import entry as e
from dealer_service.rules.movements import (
    INWARD,
    OUTWARD,
    Movement,
    What,
    movements,
)
from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import chips_on_table
from tests.support.simulator import LIVELY, Simulator, play_chain, play_game


def balance(moved: list[Movement]) -> int:
    inward = sum(one.amount for one in moved if one.what in INWARD)
    return inward - sum(one.amount for one in moved if one.what in OUTWARD)


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_what_came_in_less_what_went_out_lies_on_the_table_at_every_line(seed: int) -> None:
    game = play_game(seed=seed, hands=12, players=4, habits=LIVELY)
    state = evolve(None, *game.log[0])
    moved: list[Movement] = []
    for at, entry in game.log[1:]:
        moved += movements(state, entry)
        state = evolve(state, at, entry)
        assert balance(moved) == chips_on_table(state)
    assert balance(moved) == 0


def test_what_is_carried_out_of_one_game_is_carried_into_the_next() -> None:
    games = play_chain(games=3, hands=4, habits=LIVELY)
    for before, after in pairwise(games):
        out = [one for one in before.moved if one.what is What.CARRIED_OUT]
        into = [one for one in after.moved if one.what is What.CARRIED_IN]
        assert [(o.player, o.seat, o.amount) for o in out] == [
            (i.player, i.seat, i.amount) for i in into
        ]
        assert before.moved[-1] == Movement(What.GAME_CLOSED)


def game() -> Simulator:
    simulator = Simulator()
    for name in ("ann", "ben", "cleo"):
        simulator.sit(name, stack=10_000)
    return simulator


def test_taking_a_seat_and_adding_chips_come_from_the_wallet() -> None:
    simulator = game()
    simulator.add_chips("ann", 500)
    assert simulator.moved[0] == Movement(What.SEAT_TAKEN, "ann", 1, 10_000)
    assert simulator.moved[-1] == Movement(What.CHIPS_ADDED, "ann", 1, 500)


def test_leaving_between_hands_cashes_out_at_once() -> None:
    simulator = game()
    simulator.leave("ben")
    simulator.remove("cleo")
    assert simulator.moved[-2:] == [
        Movement(What.CASHED_OUT, "ben", 2, 10_000),
        Movement(What.CASHED_OUT, "cleo", 3, 10_000),
    ]


def test_leaving_in_mid_hand_cashes_out_at_its_end_with_what_is_then_left() -> None:
    simulator = game()
    simulator.open_hand()
    simulator.give_links()
    simulator.commit_deck()
    before = list(simulator.moved)
    simulator.leave("ben")
    assert simulator.moved == before
    simulator.settle()
    simulator.play_out()
    simulator.end_hand()
    (ended,) = [one for _, one in simulator.log if isinstance(one, e.HandEnded)]
    (stack,) = [one.stack for one in ended.stacks if one.seat == 2]
    assert simulator.moved == [*before, Movement(What.CASHED_OUT, "ben", 2, stack)]


def test_leaving_before_a_void_cashes_out_what_was_there() -> None:
    simulator = game()
    simulator.open_hand()
    simulator.remove("ben")
    simulator.void_hand(e.VoidReason.OPERATOR)
    assert simulator.moved[-1] == Movement(What.CASHED_OUT, "ben", 2, 10_000)


def test_closing_cashes_every_seat_out_and_says_that_it_is_over() -> None:
    simulator = game()
    simulator.close()
    assert simulator.moved[-4:] == [
        Movement(What.CASHED_OUT, "ann", 1, 10_000),
        Movement(What.CASHED_OUT, "ben", 2, 10_000),
        Movement(What.CASHED_OUT, "cleo", 3, 10_000),
        Movement(What.GAME_CLOSED),
    ]
