"""Which deviation so much data shows: at alpha 1e-4 for one test, with power 0.99.

A deviation shows when the statistic's noncentrality reaches what its law asks for; that grows with
the number of decks and with the square of the deviation.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Final

from scipy import special

ALPHA: Final = 1e-4
POWER: Final = 0.99

_BISECTIONS: Final = 60


@cache
def noncentrality(df: float) -> float:
    """Return what a chi-square of `df` needs to be seen."""
    bound = special.chdtri(df, ALPHA)
    low, high = 0.0, 100 + 40 * sqrt(df)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if special.chndtr(bound, df, middle) > 1 - POWER:
            low = middle
        else:
            high = middle
    return high


@cache
def shift(among: int = 1) -> float:
    """Return by how many deviations a normal must be off, on either side, among so many."""
    return float(special.ndtri(POWER) - special.ndtri(ALPHA / among / 2))


def percent(share: float) -> str:
    """Return a share in per cent at two significant digits."""
    return f"{float(f'{100 * share:.2g}'):.10g} %"


def cells_off(decks: float, df: float, *, weight: float = 1.0) -> str:
    """Return words for the relative error of all cells, as a root mean square.

    A relative error d of every cell has noncentrality decks x weight x d^2, where `weight` is the
    expected sum of one deck's cells by the statistic's own scale.
    """
    return f"cells off by {percent(sqrt(noncentrality(df) / (decks * weight)))} (root mean square)"
