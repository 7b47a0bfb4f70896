"""What cards are worth to a house player: Chen's points, and rates with a board."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.bots.strength import RANKS, rate_hand, score_hole_cards
from dealer_service.fairness.cards import CARD_NAMES

DECKS = st.permutations(list(CARD_NAMES))


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        # Examples that Chen's formula is published with, and its bounds.
        ("As Ah", 20),
        ("As Ks", 12),
        ("Ts Th", 10),
        ("5s 7s", 5.5),
        ("2s 7h", -1.5),
        ("2s 2h", 5),
        ("Js Ts", 9),
        ("Ks Qh", 8),
        ("As 5s", 7),
    ],
)
def test_hole_cards_have_chens_points(cards: str, points: float) -> None:
    assert score_hole_cards(cards.split()) == points


def test_points_do_not_depend_on_order_or_on_which_suit() -> None:
    for high, low in combinations(RANKS, 2):
        suited = {
            score_hole_cards(pair) for pair in ((f"{high}s", f"{low}s"), (f"{low}d", f"{high}d"))
        }
        offsuit = {
            score_hole_cards(pair) for pair in ((f"{high}s", f"{low}h"), (f"{low}c", f"{high}d"))
        }
        assert len(suited) == len(offsuit) == 1
        assert suited.pop() == offsuit.pop() + 2


@pytest.mark.parametrize(
    "better_first",
    [
        # Best first: each hand is rated above the next on its board.
        [("Qs Qh", "Qd 7c 2h"), ("Qs 7h", "Qd 7c 2h"), ("As Ah", "Qd 7c 2h")],
        [("As Ah", "Qd 7c 2h"), ("Qs Jh", "Qd 7c 2h"), ("7s 6h", "Qd 7c 2h")],
        [("7s 6h", "Qd 7c 2h"), ("As Kh", "Qd 7c 2h"), ("5s 4h", "Qd 7c 2h")],
        [("8s 8h", "8d 8c 2h"), ("2s 2d", "8d 8c 2h"), ("As 8h", "8d 8c 2h")],
        [("6s 5s", "Qs 7s 2s"), ("6s 5s", "Qs 7s 2h"), ("6s 5c", "Qs 7s 2h")],
        [("Ts 9h", "Jd 8c 7h"), ("Ts 9h", "Jd 8c 2h"), ("Ts 4h", "Jd 8c 2h")],
        [("5s 4h", "Ad 3c 2h"), ("5s 3h", "Ad 3c 2h"), ("Ks Qh", "Ad 3c 2h")],
    ],
)
def test_better_hands_are_rated_higher(better_first: list[tuple[str, str]]) -> None:
    rates = [rate_hand(cards.split(), board.split()) for cards, board in better_first]
    assert rates == sorted(rates, reverse=True)
    assert len(set(rates)) == len(rates)


@pytest.mark.parametrize(
    ("cards", "board"),
    [
        ("3s 2h", "Ad Ac Kh Kd Qc"),  # two pair that all have
        ("3s 2h", "Ts Jd Qc Kh Ad"),  # a straight that all have
        ("3s 2h", "Ad Ac Ah Kd Qc"),  # three of a kind that all have
        ("3s 2h", "9d 8d 6d Kd Qd"),  # a flush that all have
    ],
)
def test_what_lies_on_the_board_for_all_is_worth_nothing(cards: str, board: str) -> None:
    assert rate_hand(cards.split(), board.split()) < 0.35


def test_draws_are_worth_nothing_when_no_card_comes() -> None:
    board = ["Qs", "7s", "2h", "Kd", "Jc"]
    assert rate_hand(["6s", "5s"], board) == rate_hand(["6c", "5s"], board)


@given(DECKS, st.sampled_from([3, 4, 5]))
def test_every_hand_has_a_rate(deck: list[str], board: int) -> None:
    assert 0 < rate_hand(deck[:2], deck[2 : 2 + board]) < 1
    assert -1.5 <= score_hole_cards(deck[:2]) <= 20
