"""The evaluator against a plain classifier, for every five cards that there are."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.rules.cards import CARDS, RANKS
from dealer_service.rules.ranking import (
    CLASSES,
    Category,
    best_five,
    category_of,
    strength_of,
    strength_using,
)

COUNTS = {
    Category.STRAIGHT_FLUSH: 40,
    Category.FOUR_OF_A_KIND: 624,
    Category.FULL_HOUSE: 3_744,
    Category.FLUSH: 5_108,
    Category.STRAIGHT: 10_200,
    Category.THREE_OF_A_KIND: 54_912,
    Category.TWO_PAIR: 123_552,
    Category.ONE_PAIR: 1_098_240,
    Category.HIGH_CARD: 1_302_540,
}


def classify(ranks: tuple[int, ...], flush: bool) -> tuple[int, ...]:
    """Rank five cards as a person does: the category, then the ranks in the order they count."""
    counts = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    groups = [count for count, _ in counts]
    order = [rank for _, rank in counts]
    straight = len(order) == 5 and order[0] - order[4] == 4
    if order == [12, 3, 2, 1, 0]:
        straight, order = True, [3, 2, 1, 0, -1]
    category = {
        (4, 1): 7,
        (3, 2): 6,
        (3, 1, 1): 3,
        (2, 2, 1): 2,
        (2, 1, 1, 1): 1,
        (1, 1, 1, 1, 1): 0,
    }[tuple(groups)]
    if straight:
        category = 8 if flush else 4
    elif flush:
        category = 5
    return (category, *order)


def test_all_2598960_hands_of_five_cards_rank_as_a_plain_classifier_ranks_them() -> None:
    seen: dict[tuple[int, ...], tuple[int, int]] = {}
    counts: Counter[int] = Counter()
    number = {card: index for index, card in enumerate(CARDS)}
    for hand in combinations(CARDS, 5):
        a, b, c, d, e = (number[card] for card in hand)
        flush = a & 3 == b & 3 == c & 3 == d & 3 == e & 3
        key = (a >> 2, b >> 2, c >> 2, d >> 2, e >> 2, flush)
        strength = strength_of(hand)
        known = seen.setdefault(key, (strength, 0))
        if known[0] != strength:
            pytest.fail(f"{hand} has the strength {strength}, others of its ranks {known[0]}")
        counts[strength] += 1
    ranked = sorted(
        (classify(key[:5], bool(key[5])), strength) for key, (strength, _) in seen.items()
    )
    assert [strength for _, strength in ranked] == list(range(7_462))
    assert len({plain for plain, _ in ranked}) == CLASSES == 7_462
    by_category: Counter[Category] = Counter()
    for plain, strength in ranked:
        assert category_of(strength) == plain[0]
        by_category[category_of(strength)] += counts[strength]
    assert by_category == COUNTS
    assert sum(counts.values()) == 2_598_960


HANDS = st.permutations(CARDS).map(tuple)


@given(HANDS, st.integers(5, 7))
def test_the_best_five_of_seven_count(deck: tuple[str, ...], size: int) -> None:
    cards = deck[:size]
    best = max(strength_of(five) for five in combinations(cards, 5))
    assert strength_of(cards) == best
    assert strength_of(best_five(cards)) == best
    assert len(set(best_five(cards))) == 5


@given(HANDS)
def test_suits_never_break_a_tie(deck: tuple[str, ...]) -> None:
    turned = [card[0] + "dhsc"["cdhs".index(card[1])] for card in deck[:7]]
    assert strength_of(turned) == strength_of(deck[:7])


def test_a_hand_that_must_use_two_hole_cards_can_not_play_four_of_them() -> None:
    board = ["2c", "7d", "9h", "Js", "3d"]
    assert category_of(strength_using(["As", "Ad", "Ah", "Ac"], board, 2)) is Category.ONE_PAIR


FIVES = [
    ("9s 9d 4c 9h 9c Kd 4d", "9c 9d 9h 9s Kd", "groups by size, then the kicker"),
    ("4h Qs Qc 4c 4d Qd 2c", "Qc Qd Qs 4c 4d", "two of the lower three, the first in c d h s"),
    ("Ts Tc Jd Jh 4s 9d 9c", "Jd Jh Tc Ts 9c", "the third pair is one kicker, its first suit"),
    ("2c 3d 4h 5s Kd Ah Ac", "5s 4h 3d 2c Ac", "five first in the wheel, the ace's first suit"),
    ("Ah 2h 3h 4h 5h 6c 6d", "5h 4h 3h 2h Ah", "a steel wheel beats the straight to the six"),
    ("9h 8d 7s 6c 5h 9c 9d", "9c 8d 7s 6c 5h", "of equal ranks in a straight the first suit"),
    ("2h 9h Kh 4h 3h Ah 5s", "Ah Kh 9h 4h 3h", "the five highest of a flush of six"),
    ("As Ks Qs Js Ts 9s 2d", "As Ks Qs Js Ts", "the highest straight flush"),
    ("Kc Kd Ah Qd 8s Ks 3c", "Kc Kd Ks Ah Qd", "kickers from high to low"),
    ("2c 7d 9h Js Kd As Qc", "As Kd Qc Js 9h", "high cards"),
]


@pytest.mark.parametrize(("cards", "five", "why"), FIVES, ids=[why for _, _, why in FIVES])
def test_best_five_stand_in_their_order(cards: str, five: str, why: str) -> None:
    assert best_five(cards.split()) == tuple(five.split()), why


def test_a_wheel_is_the_lowest_straight_and_nothing_wraps_around() -> None:
    wheel, six = (
        strength_of(["Ac", "2d", "3h", "4s", "5c"]),
        strength_of(["2d", "3h", "4s", "5c", "6c"]),
    )
    assert category_of(wheel) is Category.STRAIGHT
    assert wheel == six - 1
    assert category_of(strength_of(["Qc", "Kd", "Ah", "2s", "3c"])) is Category.HIGH_CARD


def test_every_rank_has_four_cards() -> None:
    assert [card[0] for card in CARDS] == [rank for rank in RANKS for _ in "cdhs"]
