from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.rules.entry import Awarded, Winner
from dealer_service.rules.judging import Ranks, rank_hands
from dealer_service.rules.payout import award_pots, split
from dealer_service.rules.pots import Pot

SPLITS = [
    (100, 2, 1, (50, 50), "even"),
    (7, 2, 1, (4, 3), "the odd chip goes to the first left of the button"),
    (32, 3, 1, (11, 11, 10), "two odd chips go to two winners, one each"),
    (700, 2, 100, (400, 300), "the odd unit is a whole one"),
    (730, 3, 100, (330, 200, 200), "what is below a unit goes to the first"),
    (50, 2, 100, (50, 0), "less than a unit is not split"),
]


@pytest.mark.parametrize(
    ("amount", "winners", "unit", "shares", "why"), SPLITS, ids=[row[4] for row in SPLITS]
)
def test_a_pot_is_split(
    amount: int, winners: int, unit: int, shares: tuple[int, ...], why: str
) -> None:
    assert split(amount, winners, unit) == shares, why


@given(st.integers(0, 10**6), st.integers(1, 10), st.integers(1, 500))
def test_a_split_keeps_every_chip_and_nobody_gets_two_odd_units(
    amount: int, winners: int, unit: int
) -> None:
    shares = split(amount, winners, unit)
    assert sum(shares) == amount
    assert all(share % unit == 0 for share in shares[1:])
    assert list(shares[1:]) == sorted(shares[1:], reverse=True)
    assert max(shares) - min(shares) <= 2 * unit - 1


BOARD = ("2s", "3h", "5s", "8h", "Th")


def rank(hands: Mapping[int, tuple[str, ...]]) -> Ranks:
    return rank_hands(hands, BOARD, omaha=False, hi_lo=False)


def test_pots_are_paid_from_the_highest_numbered_to_the_main_pot() -> None:
    hands = {1: ("Ac", "Ad"), 2: ("Kc", "Kd"), 3: ("Qc", "Qd")}
    pots = (Pot(75, (1, 2, 3)), Pot(70, (2, 3)))
    side, main = award_pots(pots, hands, (BOARD,), [rank(hands)], 1, (0, 0))
    assert (side.pot, [winner.seat for winner in side.winners]) == (1, [2])
    assert (main.pot, [winner.seat for winner in main.winners]) == (0, [1])
    assert main.winners[0].name == "Pair of aces"
    assert main.winners[0].best_five == ("Ac", "Ad", "Th", "8h", "5s")


def test_a_pot_that_one_seat_alone_can_win_names_no_hand() -> None:
    hands = {1: ("Ac", "Ad"), 2: ("Kc", "Kd")}
    pots = (Pot(75, (1, 2)), Pot(70, (2,)))
    side, _ = award_pots(pots, hands, (BOARD,), [rank(hands)], 1, (0, 0))
    assert side == Awarded(pot=1, amount=70, rake=0, board=1, winners=(Winner(2, 70),))


def test_a_hand_that_was_not_opened_wins_nothing() -> None:
    hands = {2: ("Kc", "Kd")}
    (main,) = award_pots((Pot(75, (1, 2)),), hands, (BOARD,), [rank(hands)], 1, (0,))
    assert [winner.seat for winner in main.winners] == [2]
