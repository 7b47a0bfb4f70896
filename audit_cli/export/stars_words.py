"""Hands in the words of PokerStars: "a full house, Queens full of Fours".

A low is its ranks from the top; where a game shares between high and low, both are told:
"HI: a pair of Aces; LO: 8,6,4,3,A".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.poker.ranking import (
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HIGH_CARD,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIR,
    Strength,
)
from audit_cli.told.made import made_hand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.told.hand import Hand

_RANKS = (
    *("Deuce", "Three", "Four", "Five", "Six", "Seven"),
    *("Eight", "Nine", "Ten", "Jack", "Queen", "King", "Ace"),
)
_ORDER = "23456789TJQKA"
_ACE = 12
_FLOP = 3
_LOW_PIPS = {1: "A"}


def describe(hand: Hand, holes: Sequence[str], board: Sequence[str]) -> str:
    """Return what hole cards make of a board, of which less than a flop counts for nothing."""
    if len(board) < _FLOP:
        return _before_flop(hand, holes)
    made = made_hand(hand, holes, board)
    high = describe_high(made.high)
    if not hand.rules.game.hi_lo:
        return high
    if made.low is None:
        return f"HI: {high}"
    low = ",".join(_LOW_PIPS.get(-pip, str(-pip)) for pip in made.low)
    return f"HI: {high}; LO: {low}"


def _before_flop(hand: Hand, holes: Sequence[str]) -> str:
    ranks = sorted((_ORDER.index(card[0]) for card in holes), reverse=True)
    pairs = [rank for rank in ranks if ranks.count(rank) > 1]
    high = f"a pair of {_plural(pairs[0])}" if pairs else f"high card {_RANKS[ranks[0]]}"
    return f"HI: {high}" if hand.rules.game.hi_lo else high


def describe_high(strength: Strength) -> str:
    """Return the words for a high hand."""
    category, first = strength[:2]
    one = _RANKS[first]
    many = _plural(first)
    if category == STRAIGHT_FLUSH and first == _ACE:
        return "a Royal Flush"
    words = {
        STRAIGHT_FLUSH: f"a straight flush, {_bottom(first)} to {one}",
        FOUR: f"four of a kind, {many}",
        FULL_HOUSE: f"a full house, {many} full of {_plural(strength[-1])}",
        FLUSH: f"a flush, {one} high",
        STRAIGHT: f"a straight, {_bottom(first)} to {one}",
        THREE: f"three of a kind, {many}",
        TWO_PAIR: f"two pair, {many} and {_plural(strength[min(2, len(strength) - 1)])}",
        PAIR: f"a pair of {many}",
        HIGH_CARD: f"high card {one}",
    }
    return words[category]


def _plural(rank: int) -> str:
    word = _RANKS[rank]
    return f"{word}es" if word == "Six" else f"{word}s"


def _bottom(top: int) -> str:
    """Return the lowest rank of a straight; below the five that is the ace."""
    return _RANKS[top - 4] if top > 3 else _RANKS[_ACE]
