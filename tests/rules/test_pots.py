from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dealer_service.rules.betting import Chair
from dealer_service.rules.pots import find_uncalled, layer_pots

Stake = tuple[int, int, bool]
"""A seat, what it has put into the hand, and whether it is live."""


def seat_all(stakes: list[Stake]) -> tuple[Chair, ...]:
    return tuple(Chair(seat, 0, 0, put, not live, acted=True) for seat, put, live in stakes)


def test_pots_are_layers_at_the_totals_of_live_seats() -> None:
    stakes = [(1, 50, True), (2, 100, True), (3, 200, True), (4, 200, True)]
    assert layer_pots(seat_all(stakes)) == (
        (200, (1, 2, 3, 4)),
        (150, (2, 3, 4)),
        (200, (3, 4)),
    )


def test_folded_chips_fall_into_the_layers_that_they_reach() -> None:
    stakes = [(1, 100, True), (2, 250, True), (3, 250, True), (5, 160, False)]
    assert layer_pots(seat_all(stakes)) == ((400, (1, 2, 3)), (360, (2, 3)))


def test_folded_chips_above_the_highest_live_total_fall_into_the_last_pot() -> None:
    stakes = [(1, 40, True), (2, 100, True), (3, 130, False), (4, 130, False)]
    assert layer_pots(seat_all(stakes)) == ((160, (1, 2)), (240, (2,)))


def test_equal_totals_make_one_pot() -> None:
    stakes = [(1, 40, False), (2, 100, True), (3, 100, True), (4, 70, False), (5, 100, True)]
    assert layer_pots(seat_all(stakes)) == ((410, (2, 3, 5)),)


def test_dead_money_joins_the_main_pot() -> None:
    stakes = [(1, 50, True), (2, 100, True), (3, 100, True)]
    assert layer_pots(seat_all(stakes), dead=30) == ((180, (1, 2, 3)), (100, (2, 3)))


def test_without_a_chip_there_is_no_pot() -> None:
    assert layer_pots(seat_all([(1, 0, True), (2, 0, False)])) == ()


def test_the_uncalled_bet_is_measured_against_folded_seats_too() -> None:
    """A folded call of 300 has matched that much of a bet of 500."""
    assert find_uncalled(seat_all([(1, 500, True), (2, 300, False), (3, 100, True)])) == (1, 200)


def test_a_folded_seat_gets_nothing_back() -> None:
    assert find_uncalled(seat_all([(1, 500, False), (2, 300, True)])) is None


def test_a_matched_bet_is_not_uncalled() -> None:
    assert find_uncalled(seat_all([(1, 500, True), (2, 500, False), (3, 100, True)])) is None


STAKES = st.lists(st.tuples(st.integers(0, 50), st.booleans()), min_size=2, max_size=10).map(
    lambda some: [(seat, amount, live) for seat, (amount, live) in enumerate(some, 1)]
)


@given(STAKES, st.integers(0, 20))
def test_no_chip_appears_or_is_lost_and_no_pot_is_nobodys(stakes: list[Stake], dead: int) -> None:
    if not any(live for _, _, live in stakes):
        stakes = [(seat, amount, True) for seat, amount, _ in stakes]
    uncalled = find_uncalled(seat_all(stakes))
    left = [
        (seat, amount - uncalled[1] if uncalled and seat == uncalled[0] else amount, live)
        for seat, amount, live in stakes
    ]
    pots = layer_pots(seat_all(left), dead)
    back = uncalled[1] if uncalled else 0
    assert sum(pot.amount for pot in pots) + back == sum(a for _, a, _ in stakes) + dead
    assert all(pot.amount and pot.eligible for pot in pots)
    live = {seat: amount for seat, amount, is_live in left if is_live}
    for below, above in pairwise(pots):
        assert set(above.eligible) < set(below.eligible)
    for pot in pots:
        least = min(live[seat] for seat in pot.eligible)
        assert {seat for seat, amount in live.items() if amount >= least} == set(pot.eligible)
