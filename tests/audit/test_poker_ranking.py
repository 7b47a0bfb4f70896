"""The audit's own ranking: cases by hand, and the dealer's on hands of every kind."""

from itertools import combinations
from random import Random
from typing import Any

import pytest

from audit_cli.derive import CARD_NUMBERS, CARDS
from audit_cli.poker.ranking import best_five, measure, name_hand
from dealer_service.rules import names, ranking
from tests.support.rule_cases import CASES

EVALS = [case for case in CASES if case["kind"] == "eval" and case.get("game") != "plo"]
CATEGORIES = (
    "high_card",
    "one_pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
)


def cards(text: str) -> list[int]:
    return [CARD_NUMBERS[card] for card in text.split()]


@pytest.mark.parametrize("case", EVALS, ids=[case["id"] for case in EVALS])
def test_hands_of_the_rule_cases_rank_as_they_say(case: dict[str, Any]) -> None:
    board = cards(case["board"])
    held = {name: [*cards(hole), *board] for name, hole in case["hands"].items()}
    strengths = {name: measure(seven) for name, seven in held.items()}
    ranked = sorted(set(strengths.values()), reverse=True)
    order = [sorted(n for n, s in strengths.items() if s == strength) for strength in ranked]
    expect = case["expect"]
    if "order" in expect:
        assert order == [sorted(group) for group in expect["order"]]
    for name, category in expect.get("category", {}).items():
        assert CATEGORIES[strengths[name][0]] == category
    for name, high in expect.get("high", {}).items():
        assert strengths[name][1] + 2 == high
    for name, five in expect.get("best_five", {}).items():
        assert set(best_five(held[name], strengths[name])) == set(cards(five))


@pytest.mark.parametrize(
    ("hand", "name", "five"),
    [
        ("As Ks Qs Js Ts 2c 2d", "Royal flush", "As Ks Qs Js Ts"),
        ("5h 4h 3h 2h Ah Kd Kc", "Straight flush, five high", "5h 4h 3h 2h Ah"),
        ("9c 9d 9h 9s Kd Kc 2h", "Four nines", "9c 9d 9h 9s Kc"),
        ("Qc Qd Qh 4s 4d 4c 2h", "Full house, queens full of fours", "Qc Qd Qh 4c 4d"),
        ("As 9s 7s 4s 2s Kd Kc", "Flush, ace high", "As 9s 7s 4s 2s"),
        ("Tc 9d 8h 7s 6d 6c 2h", "Straight, ten high", "Tc 9d 8h 7s 6c"),
        ("Ac 2d 3h 4s 5d Kd Qc", "Straight, five high", "5d 4s 3h 2d Ac"),
        ("6c 6d 6h As Kd 3c 2h", "Three sixes", "6c 6d 6h As Kd"),
        ("Jc Jd 3h 3s Ad 2c 2h", "Two pair, jacks and threes", "Jc Jd 3h 3s Ad"),
        ("Ac Ad Kh Qs 9d 3c 2h", "Pair of aces", "Ac Ad Kh Qs 9d"),
        ("Kc Qd Th 8s 6d 4c 2h", "King high", "Kc Qd Th 8s 6d"),
    ],
)
def test_a_hand_has_its_name_and_its_best_five_in_order(hand: str, name: str, five: str) -> None:
    seven = cards(hand)
    assert name_hand(measure(seven)) == name
    assert best_five(seven, measure(seven)) == tuple(cards(five))
    assert best_five(seven[::-1], measure(seven)) == tuple(cards(five))


def test_a_card_that_came_twice_counts_as_two() -> None:
    """No honest log holds such a hand; the audit has to follow a dishonest one all the same."""
    seven = cards("Qd Td 2c Td Qd Kh 8s")
    assert name_hand(measure(seven)) == "Two pair, queens and tens"
    assert best_five(seven, measure(seven)) == tuple(cards("Qd Qd Td Td Kh"))


def test_the_best_five_of_seven_is_the_best_of_all_fives() -> None:
    random = Random(1)
    for _ in range(300):
        seven = random.sample(range(52), 7)
        assert measure(seven) == max(measure(five) for five in combinations(seven, 5))


def test_two_evaluators_made_apart_order_hands_alike() -> None:
    random = Random(2)
    hands = [random.sample(range(52), 7) for _ in range(3_000)]
    # Few random hands are rare ones: decks of two suits and of few ranks make them.
    for pool in ([c for c in range(52) if c & 3 < 2], [c for c in range(52) if c >> 2 < 4]):
        hands += [random.sample(pool, 7) for _ in range(1_000)]
    hands.sort(key=measure)
    theirs = [ranking.strength_of([CARDS[card] for card in hand]) for hand in hands]
    assert theirs == sorted(theirs) or theirs == sorted(theirs, reverse=True)
    for at, hand in enumerate(hands[1:]):
        same = measure(hand) == measure(hands[at])
        assert same == (theirs[at] == theirs[at + 1]), (hand, hands[at])
    assert {measure(hand)[0] for hand in hands} == set(range(9))


def test_two_evaluators_made_apart_choose_and_name_the_same_five() -> None:
    random = Random(3)
    for _ in range(1_000):
        seven = random.sample(range(52), 7)
        shown = [CARDS[card] for card in seven]
        five = ranking.best_five(shown)
        assert tuple(CARDS[card] for card in best_five(seven, measure(seven))) == five
        category = ranking.category_of(ranking.strength_of(shown))
        assert name_hand(measure(seven)) == names.name_hand(five, category)


def test_no_card_is_lost_between_numbers_and_names() -> None:
    assert [CARD_NUMBERS[card] for card in CARDS] == list(range(52))
