"""Omaha hands, high and low, against every combination ranked by a classifier of its own."""

from itertools import combinations
from random import Random

import pytest

from dealer_service.rules.cards import CARDS
from dealer_service.rules.entry import Awarded, Half
from dealer_service.rules.judging import name_high, name_low_of, rank_hands
from dealer_service.rules.low import low_using
from dealer_service.rules.names import name_low
from dealer_service.rules.payout import award_pots
from dealer_service.rules.pots import Pot
from dealer_service.rules.ranking import category_of, pick_using, strength_of, strength_using

ORDER = "23456789TJQKA"
DEALS = 400


def plain_high(five: tuple[str, ...]) -> tuple[int, list[int]]:
    """Rank five cards by counting, as a book on the game tells it."""
    ranks = sorted((ORDER.index(card[0]) + 2 for card in five), reverse=True)
    by_count = sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    shape = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    flush = len({card[1] for card in five}) == 1
    run = shape == [1] * 5 and ranks[0] - ranks[4] == 4
    if ranks == [14, 5, 4, 3, 2]:
        run, by_count = True, [5, 4, 3, 2, 1]
    if run and flush:
        return 8, by_count
    for kind, wanted in ((7, [4, 1]), (6, [3, 2])):
        if shape == wanted:
            return kind, by_count
    if flush:
        return 5, by_count
    if run:
        return 4, by_count
    kinds = {(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    return kinds.get(tuple(shape), 0), by_count


def plain_low(five: tuple[str, ...]) -> list[int] | None:
    """Give the ranks of a low from the top, aces as one; None if it is none of eight or better."""
    ranks = sorted(1 if card[0] == "A" else ORDER.index(card[0]) + 2 for card in five)
    if len(set(ranks)) < 5 or ranks[-1] > 8:
        return None
    return ranks[::-1]


def all_fives(hole: list[str], board: list[str]) -> list[tuple[str, ...]]:
    return [(*mine, *shared) for mine in combinations(hole, 2) for shared in combinations(board, 3)]


def deal(rng: Random, each: int) -> tuple[list[str], list[str]]:
    """Deal hole cards and a board; every other time of few ranks or suits, so that much happens."""
    cards = list(CARDS)
    narrow = rng.choice([None, "cd", "A2345678", "A2345", "TJQKA"])
    if narrow == "cd":
        cards = [card for card in cards if card[1] in narrow]
    elif narrow is not None:
        cards = [card for card in cards if card[0] in narrow]
    rng.shuffle(cards)
    return cards[:each], cards[each : each + 5]


@pytest.mark.parametrize("each", [4, 5, 6])
def test_the_best_five_use_exactly_two_hole_cards(each: int) -> None:
    rng = Random(each)
    ranked: dict[int, tuple[int, list[int]]] = {}
    for _ in range(DEALS):
        hole, board = deal(rng, each)
        best = max(plain_high(five) for five in all_fives(hole, board))
        strength = strength_using(hole, board, 2)
        assert ranked.setdefault(strength, best) == best
        assert category_of(strength) == best[0]
    in_order = [ranked[strength] for strength in sorted(ranked)]
    assert in_order == sorted(in_order)
    assert len({str(best) for best in in_order}) == len(in_order)
    assert {category for category, _ in in_order} >= set(range(1, 9))


@pytest.mark.parametrize("each", [4, 5, 6])
def test_the_lowest_five_use_exactly_two_hole_cards(each: int) -> None:
    rng = Random(each)
    ranked: dict[int, list[int]] = {}
    none = 0
    for _ in range(2 * DEALS):
        hole, board = deal(rng, each)
        lows = [one for five in all_fives(hole, board) if (one := plain_low(five)) is not None]
        low = low_using(hole, board, 2)
        if low is None:
            assert lows == []
            none += 1
        else:
            assert ranked.setdefault(low, min(lows)) == min(lows)
    in_order = [ranked[low] for low in sorted(ranked)]
    assert in_order == sorted(in_order)
    assert none > 0
    assert len(in_order) > 20


@pytest.mark.parametrize("each", [4, 5, 6])
def test_the_five_cards_make_the_hand_and_come_first_of_those_that_do(each: int) -> None:
    rng = Random(100 + each)
    for _ in range(DEALS // 2):
        hole, board = deal(rng, each)
        strength = strength_using(hole, board, 2)
        five = pick_using(hole, board, 2, strength)
        assert strength_of(five) == strength
        assert len(set(five) & set(hole)) == 2
        same = [one for one in all_fives(hole, board) if strength_of(one) == strength]
        numbers = [CARDS.index(card) for card in five]
        assert all(
            numbers <= [CARDS.index(card) for card in arranged]
            for one in same
            for arranged in [pick_using(one[:2], one[2:], 2, strength)]
        )
        low = low_using(hole, board, 2)
        if low is not None:
            name, low_five = name_low_of(hole, board, low)
            assert len(set(low_five) & set(hole)) == 2
            top_down = plain_low(low_five)
            assert top_down is not None
            assert [1 if c[0] == "A" else ORDER.index(c[0]) + 2 for c in low_five] == top_down
            assert name.startswith("Low, ")


def test_names_of_omaha_hands() -> None:
    board = ["8s", "6d", "3c", "Kh", "Ks"]
    hole = ["Ah", "4c", "Kd", "8h"]
    high = strength_using(hole, board, 2)
    name, five = name_high(hole, board, high, omaha=True)
    assert (name, five) == ("Full house, kings full of eights", ("Kd", "Kh", "Ks", "8h", "8s"))
    low = low_using(hole, board, 2)
    assert low is not None
    name, five = name_low_of(hole, board, low)
    assert (name, five) == ("Low, eight six four three ace", ("8s", "6d", "4c", "3c", "Ah"))
    assert name_low(("5c", "4c", "3c", "2c", "Ac")) == "Low, five four three two ace"


TRAPS = [
    ("As Ks Qs Js", "Ts 9s 2d 3c 4h", "high card", "four suited hole cards make no flush of two"),
    ("Ac Ad Ah As", "Kc Qd 9h 8s 2c", "pair", "four aces in the hand are a pair"),
    ("Ah Kd 2c 3c", "5h 6h 7h 9h Jh", "high card", "one suited hole card makes no flush"),
    ("9c 9d 2s 3s", "4c 4d 4h 4s Kd", "full house", "the board's four of a kind can not be played"),
]
KINDS = {"high card": 0, "pair": 1, "full house": 6}


@pytest.mark.parametrize(("hole", "board", "kind", "why"), TRAPS, ids=[row[3] for row in TRAPS])
def test_the_traps_of_two_hole_cards(hole: str, board: str, kind: str, why: str) -> None:
    strength = strength_using(hole.split(), board.split(), 2)
    assert category_of(strength) == KINDS[kind], why


LOWS = [
    ("Ac 2d Kh Ks", "3h 4s 8c Qd Qs", True, "two low cards in the hand and three on the board"),
    ("Ac Kd Kh Ks", "2h 3h 4s 8c 5d", False, "one low card in the hand is none"),
    ("Ac 2d 3h 4s", "5h 6s Qc Qd Ks", False, "two low ranks on the board are none"),
    ("Ac 2d Kh Ks", "Ah 2s 8c 4d Qs", False, "counterfeited: the pairs leave no five ranks"),
    ("Ac 2d 3h Ks", "Ah 2s 8c 4d 5s", True, "a third low card saves a counterfeited hand"),
    ("Ac 9d Kh Ks", "2h 3h 4s 8c 5d", False, "a nine is no low card"),
]


@pytest.mark.parametrize(("hole", "board", "is_low", "why"), LOWS, ids=[row[3] for row in LOWS])
def test_eight_or_better(hole: str, board: str, *, is_low: bool, why: str) -> None:
    assert (low_using(hole.split(), board.split(), 2) is not None) is is_low, why


BOARD = ("3h", "4s", "8c", "Qd", "Qs")


def award(pot: int, hands: dict[int, str], *boards: tuple[str, ...]) -> list[Awarded]:
    holes = {seat: tuple(cards.split()) for seat, cards in hands.items()}
    pots = (Pot(pot, tuple(hands)),)
    boards = boards or (BOARD,)
    ranked = [rank_hands(holes, board, omaha=True, hi_lo=True) for board in boards]
    return [*award_pots(pots, holes, boards, ranked, 1, (0,), omaha=True)]


def won(awards: list[Awarded]) -> list[tuple[Half | None, int, dict[int, int]]]:
    return [(one.half, one.board, {w.seat: w.amount for w in one.winners}) for one in awards]


def test_high_and_low_are_halved_and_the_odd_chip_is_high() -> None:
    awards = award(75, {1: "Ac 2d Kh Ks", 2: "Qc Qh Jh Jd"})
    assert won(awards) == [(Half.HIGH, 1, {2: 38}), (Half.LOW, 1, {1: 37})]


def test_a_quartered_low_gives_its_odd_chip_left_of_the_button() -> None:
    awards = award(75, {6: "Ac 2d Kh Ks", 1: "Ad 2c 9h 9s", 3: "Qc Qh Jh Jd"})
    assert won(awards) == [(Half.HIGH, 1, {3: 38}), (Half.LOW, 1, {6: 19, 1: 18})]


def test_one_hand_may_win_both_halves() -> None:
    awards = award(10, {1: "Ac 2d Qc Qh", 2: "Kc Kd Jh Jd"})
    assert won(awards) == [(Half.HIGH, 1, {1: 5}), (Half.LOW, 1, {1: 5})]


def test_high_takes_all_where_no_hand_has_a_low() -> None:
    awards = award(75, {1: "Ac Kd Kh Ks", 2: "Qc Qh Jh Jd"})
    assert won(awards) == [(None, 1, {2: 75})]


def test_two_boards_come_before_halves_and_the_odd_chip_is_of_board_one() -> None:
    high_only = ("9h", "Ts", "Jc", "Qd", "Qs")
    awards = award(75, {1: "Ac 2d Kh Ks", 2: "Qc Qh 7h 7d"}, BOARD, high_only)
    assert won(awards) == [
        (Half.HIGH, 1, {2: 19}),
        (Half.LOW, 1, {1: 19}),
        (None, 2, {2: 37}),
    ]


def test_only_omaha_hands_are_ranked_for_a_low() -> None:
    hands = {1: ("Ac", "2d")}
    assert rank_hands(hands, BOARD, omaha=False, hi_lo=False).lows == {}
