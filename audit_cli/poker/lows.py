"""Lows, eight or better: five different ranks of eight or less, aces low (protocol 9.7).

A strength is a tuple that compares as lows do, the better the greater: the ranks from the top
down, each less than nothing by its pips, an ace as one. Straights and flushes do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.poker.ranking import Strength

_EIGHT = 8
_ACE = 12
_PIPS = ("", "ace", "two", "three", "four", "five", "six", "seven", "eight")


def _pips(card: int) -> int:
    rank = card >> 2
    return 1 if rank == _ACE else rank + 2


def low_of(five: Sequence[int]) -> Strength | None:
    """Return the strength of five cards as a low, or None where they are none."""
    ranks = {_pips(card) for card in five}
    if len(ranks) < 5 or max(ranks) > _EIGHT:
        return None
    return tuple(-rank for rank in sorted(ranks, reverse=True))


def low_cards(five: Sequence[int]) -> tuple[int, ...]:
    """Order the cards of a low from the top down."""
    return tuple(sorted(five, key=_pips, reverse=True))


def name_low(strength: Strength) -> str:
    """Return the name that people give a low: "Low, eight six four three ace"."""
    return f"Low, {' '.join(_PIPS[-rank] for rank in strength)}"
