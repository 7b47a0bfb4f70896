"""Which hand wins: the best five of seven cards, their order and their name (protocol 9.7).

A strength is a tuple that compares as hands do: the category (0 high card to 8 straight flush),
then the ranks that decide, 0 (two) to 12 (ace). Suits never break a tie. Ranks are counted and
suits are bit masks; there are no tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Strength = tuple[int, ...]

STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH, STRAIGHT, THREE, TWO_PAIR, PAIR, HIGH_CARD = range(
    8, -1, -1
)

_RANKS = (
    *("two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "jack", "queen", "king", "ace"),
)
_PLURALS = tuple(f"{rank}es" if rank == "six" else f"{rank}s" for rank in _RANKS)
_ACE = 12
_FIVE = 3


def _straight_top(ranks: int) -> int:
    """Return the top rank of the best straight in a mask of ranks, or -1."""
    # The ace stands below the two as well, so every rank moves up by one bit.
    run = ranks << 1 | ranks >> _ACE
    run &= run >> 1 & run >> 2 & run >> 3 & run >> 4
    return run.bit_length() + 2 if run else -1


def _top_ranks(ranks: int, count: int) -> tuple[int, ...]:
    """Return the `count` highest ranks of a mask, high to low."""
    found: list[int] = []
    while len(found) < count:
        top = ranks.bit_length() - 1
        found.append(top)
        ranks ^= 1 << top
    return tuple(found)


def measure(cards: Sequence[int]) -> Strength:  # noqa: C901, PLR0911 - a return a category
    """Return the strength of the best five of five to seven different cards."""
    suits = [0, 0, 0, 0]
    ones = twos = threes = fours = 0
    for card in cards:
        rank = 1 << (card >> 2)
        suits[card & 3] |= rank
        fours |= threes & rank
        threes |= twos & rank
        twos |= ones & rank
        ones |= rank
    # Four of a kind and a full house cannot stand beside five of a suit among seven cards.
    for suit in suits:
        if suit.bit_count() >= 5:
            top = _straight_top(suit)
            return (STRAIGHT_FLUSH, top) if top >= 0 else (FLUSH, *_top_ranks(suit, 5))
    if fours:
        rank = fours.bit_length() - 1
        return (FOUR, rank, (ones ^ fours).bit_length() - 1)
    if threes:
        rank = threes.bit_length() - 1
        pairs = twos ^ 1 << rank
        if pairs:
            return (FULL_HOUSE, rank, pairs.bit_length() - 1)
    top = _straight_top(ones)
    if top >= 0:
        return (STRAIGHT, top)
    if threes:
        return (THREE, rank, *_top_ranks(ones ^ threes, 2))
    if twos:
        high = twos.bit_length() - 1
        lower = twos ^ 1 << high
        if lower:
            low = lower.bit_length() - 1
            return (TWO_PAIR, high, low, (ones ^ 1 << high ^ 1 << low).bit_length() - 1)
        return (PAIR, high, *_top_ranks(ones ^ twos, 3))
    return (HIGH_CARD, *_top_ranks(ones, 5))


def name_hand(strength: Strength) -> str:
    """Return the name that people give a hand: "Full house, queens full of fours"."""
    category, first = strength[:2]
    if category == STRAIGHT_FLUSH:
        return "Royal flush" if first == _ACE else f"Straight flush, {_RANKS[first]} high"
    if category == FULL_HOUSE:
        return f"Full house, {_PLURALS[first]} full of {_PLURALS[strength[2]]}"
    if category == TWO_PAIR:
        return f"Two pair, {_PLURALS[first]} and {_PLURALS[strength[2]]}"
    if category == HIGH_CARD:
        return f"{_RANKS[first].capitalize()} high"
    words = {
        FOUR: f"Four {_PLURALS[first]}",
        FLUSH: f"Flush, {_RANKS[first]} high",
        STRAIGHT: f"Straight, {_RANKS[first]} high",
        THREE: f"Three {_PLURALS[first]}",
        PAIR: f"Pair of {_PLURALS[first]}",
    }
    return words[category]


def best_five(cards: Sequence[int], strength: Strength) -> tuple[int, ...]:
    """Return the five cards of `strength` among `cards`, in the order of protocol 9.7."""
    category = strength[0]
    ordered = sorted(cards)
    if category in (STRAIGHT_FLUSH, FLUSH):
        suit = next(s for s in range(4) if sum(card & 3 == s for card in ordered) >= 5)
        ordered = [card for card in ordered if card & 3 == suit]
    if category in (STRAIGHT_FLUSH, STRAIGHT):
        top = strength[1]
        wanted = [top, top - 1, top - 2, top - 3, _ACE if top == _FIVE else top - 4]
    else:
        wanted = [
            rank
            for rank, size in zip(strength[1:], _SIZES[category], strict=True)
            for _ in range(size)
        ]
    # Taken out where they stand: in a dishonest log one card may have come twice.
    return tuple(
        ordered.pop(next(at for at, card in enumerate(ordered) if card >> 2 == rank))
        for rank in wanted
    )


# How many cards of each deciding rank a hand holds.
_SIZES = {
    FOUR: (4, 1),
    FULL_HOUSE: (3, 2),
    FLUSH: (1, 1, 1, 1, 1),
    THREE: (3, 1, 1),
    TWO_PAIR: (2, 2, 1),
    PAIR: (2, 1, 1, 1),
    HIGH_CARD: (1, 1, 1, 1, 1),
}
