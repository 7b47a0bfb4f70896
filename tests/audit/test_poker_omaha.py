"""Omaha hands and lows of the audit's own engine: exactly two of the hand, three of the board."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli.poker.games import Game
from audit_cli.poker.lows import name_low
from audit_cli.poker.ranking import measure, name_hand
from tests.support.audited_hands import read_cards

HI_LO = Game(4, two_count=True, hi_lo=True)


def names(hole: str, board: str) -> tuple[str, str]:
    holes, cards = read_cards(hole), read_cards(board)
    low = HI_LO.low(holes, cards)
    return name_hand(HI_LO.high(holes, cards)), "none" if low is None else name_low(low)


@pytest.mark.parametrize(
    ("hole", "board", "high", "low"),
    [
        # One spade in the hand and four on the board are no flush.
        ("As 9d 9h 2c", "Ks Qs 7s 3s 3d", "Two pair, nines and threes", "none"),
        # Four of a kind in the hand are a pair.
        ("Ac Ad Ah As", "Kd Qh 7c 5s 2d", "Pair of aces", "none"),
        # The board's straight needs two of the hand.
        ("Ac Ad 8h 8s", "9d Th Jc Qs Kd", "Pair of aces", "none"),
        ("Ah 2h 3c Kd", "4s 5d 9c Jc Kh", "Pair of kings", "none"),
        ("Ah 2h Kc Kd", "4s 5d 8c Jc Kh", "Three kings", "Low, eight five four two ace"),
        ("Ah 2h 3c Kd", "4s 5d 6c Jc Kh", "Straight, six high", "Low, six five four two ace"),
        # A rank of the hand that the board pairs does not count twice.
        ("Ah 2h Tc Kd", "2s 4d 7c Jc Kh", "Two pair, kings and twos", "none"),
        (
            "Ah 2h 3c Kd",
            "2s 4d 7c Jc Kh",
            "Two pair, kings and twos",
            "Low, seven four three two ace",
        ),
    ],
)
def test_two_of_the_hand_and_three_of_the_board(hole: str, board: str, high: str, low: str) -> None:
    assert names(hole, board) == (high, low)


def test_the_lower_from_the_top_down_is_the_better_low() -> None:
    board = read_cards("2s 3d 4c Kh Kd")
    ranked = ["Ah 5h", "Ah 6h", "5h 6h", "Ah 7h", "7h 5h", "Ah 8h", "7h 8h"]
    lows = [HI_LO.low([*read_cards(hole), *read_cards("Qc Qd")], board) for hole in ranked]
    assert None not in lows
    assert lows == sorted(lows, reverse=True, key=lambda low: low or ())


@given(st.permutations(range(52)), st.sampled_from([4, 5, 6]))
def test_an_omaha_hand_is_the_best_of_every_choice(deck: list[int], count: int) -> None:
    game = Game(count, two_count=True, hi_lo=True)
    holes, board = deck[:count], deck[10:15]
    choices = [(*two, *three) for two in combinations(holes, 2) for three in combinations(board, 3)]
    strength = game.high(holes, board)
    assert strength == max(measure(choice) for choice in choices)
    five = game.high_five(holes, board, strength)
    assert measure(five) == strength
    assert (len(set(five) & set(holes)), len(set(five) & set(board))) == (2, 3)
    low = game.low(holes, board)
    if low is not None:
        told = game.low_five(holes, board, low)
        assert (len(set(told) & set(holes)), len(set(told) & set(board))) == (2, 3)
        pips = [1 if card >> 2 == 12 else (card >> 2) + 2 for card in told]
        assert pips == sorted(set(pips), reverse=True)
        assert pips[0] <= 8
