"""What hole cards are worth, before the flop and with a board: rules of thumb, and no proof.

Before the flop by Bill Chen's formula. With a board by the kind of hand that two cards make of it,
and by what they could still become; what lies on the board for everybody counts for nothing. More
than two cards are worth what the best two of them are.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

RANKS: Final = "23456789TJQKA"

_HIGH: Final = {"A": 10.0, "K": 8.0, "Q": 7.0, "J": 6.0}
_GAPS: Final = (0.0, 1.0, 2.0, 4.0)
_WIDE_GAP: Final = 5.0
# Kinds of hands, from the lowest, and how often each is good against one other hand.
_NOTHING, _PAIR, _TWO_PAIR, _THREE, _STRAIGHT, _FLUSH, _FULL, _FOUR = range(8)
_GOOD: Final = {
    _TWO_PAIR: 0.80,
    _THREE: 0.88,
    _STRAIGHT: 0.91,
    _FLUSH: 0.94,
    _FULL: 0.97,
    _FOUR: 0.99,
}
_FLUSH_DRAW: Final = 0.09  # for each card to come
_STRAIGHT_DRAW: Final = 0.08


def score_hole_cards(cards: Sequence[str]) -> float:
    """Give Chen's points, unrounded: from -1.5 for seven-two to 20 for a pair of aces."""
    return max(_score_two(two) for two in combinations(cards, 2))


def rate_hand(cards: Sequence[str], board: Sequence[str]) -> float:
    """Guess how often hole cards with this board beat one other hand, from 0 to 1."""
    return max(_rate_two(two, board) for two in combinations(cards, 2))


def _score_two(cards: Sequence[str]) -> float:
    high, low = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    points = _HIGH.get(RANKS[high], (high + 2) / 2)
    if high == low:
        return max(5.0, 2 * points)
    if cards[0][1] == cards[1][1]:
        points += 2
    gap = high - low - 1
    points -= _GAPS[gap] if gap < len(_GAPS) else _WIDE_GAP
    if gap <= 1 and high < RANKS.index("Q"):
        points += 1
    return points


def _rate_two(cards: Sequence[str], board: Sequence[str]) -> float:
    made = _kind([*cards, *board])
    if made <= _kind(board):
        base = _rate_high_cards(cards, board)
    elif made == _PAIR or (made == _TWO_PAIR and _kind(board) == _PAIR):
        base = _rate_pair(cards, board)
    else:
        base = _GOOD[made]
    draws = 0.0
    if made < _STRAIGHT:
        draws += _FLUSH_DRAW * _draws_flush(cards, board)
        draws += _STRAIGHT_DRAW * _draws_straight(cards, board)
    return min(0.99, base + draws * (5 - len(board)))


def _kind(cards: Sequence[str]) -> int:
    """Give the kind of the best five; a straight flush counts as four of a kind."""
    counts = sorted((*Counter(card[0] for card in cards).values(), 0, 0), reverse=True)
    suits = Counter(card[1] for card in cards)
    kinds = {
        _FOUR: counts[0] == 4 or any(_straight_in_suit(cards, suit) for suit in suits),
        _FULL: counts[0] == 3 and counts[1] >= 2,
        _FLUSH: max(suits.values(), default=0) >= 5,
        _STRAIGHT: bool(_runs(_ranks(cards), 5)),
        _THREE: counts[0] == 3,
        _TWO_PAIR: counts[1] == 2,
        _PAIR: counts[0] == 2,
    }
    return next((kind for kind, made in kinds.items() if made), _NOTHING)


def _ranks(cards: Iterable[str]) -> frozenset[int]:
    """Give the ranks, 2 as 0 to the ace as 12, and the ace once more as -1."""
    ranks = {RANKS.index(card[0]) for card in cards}
    return frozenset(ranks | {-1}) if 12 in ranks else frozenset(ranks)


def _runs(ranks: frozenset[int], needed: int) -> list[int]:
    """Give where five ranks in a row begin of which `needed` are there."""
    return [low for low in range(-1, 9) if len(ranks & set(range(low, low + 5))) >= needed]


def _straight_in_suit(cards: Iterable[str], suit: str) -> bool:
    return bool(_runs(_ranks(card for card in cards if card[1] == suit), 5))


def _rate_high_cards(cards: Sequence[str], board: Sequence[str]) -> float:
    top = max(RANKS.index(card[0]) for card in board)
    over = sum(RANKS.index(card[0]) > top for card in cards)
    return 0.15 + 0.08 * over


def _rate_pair(cards: Sequence[str], board: Sequence[str]) -> float:
    on_board = sorted({RANKS.index(card[0]) for card in board}, reverse=True)
    first, second = (RANKS.index(card[0]) for card in cards)
    if first == second:
        above = sum(rank > first for rank in on_board)
        return max(0.40, 0.75 - 0.12 * above)
    paired = next(rank for rank in on_board if rank in {first, second})
    return max(0.40, 0.66 - 0.11 * on_board.index(paired))


def _draws_flush(cards: Sequence[str], board: Sequence[str]) -> bool:
    suits = Counter(card[1] for card in (*cards, *board))
    return any(
        count == 4 and any(card[1] == suit for card in cards) for suit, count in suits.items()
    )


def _draws_straight(cards: Sequence[str], board: Sequence[str]) -> bool:
    """Whether two ranks or more would make a straight that the board alone does not wait for."""
    everyone = _runs(_ranks(board), 4)
    return len(_runs(_ranks([*cards, *board]), 4)) - len(everyone) >= 2
