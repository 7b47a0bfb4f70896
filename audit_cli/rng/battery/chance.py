"""Tail probabilities of the distributions that statistics are held against.

Statistics of discrete counts take a `place` in (0, 1): the chance of exactly what was seen is split
there, which makes p exactly uniform where nothing is wrong. With None all of it counts, on either
side: an upper tail's p errs upwards where it is small and downwards where it is large, so that
neither what is too bad nor what is too good is made to seem less likely than it is.
"""

from __future__ import annotations

from math import expm1, log1p, sqrt
from typing import TYPE_CHECKING, Final

from scipy import special

if TYPE_CHECKING:
    from collections.abc import Sequence

#: With more degrees of freedom than these no single table of counts has a chance that tells.
_FEW: Final = 6


def chi_square_upper(statistic: float, df: float) -> float:
    """Return the chance of a chi-square as large or larger."""
    return float(special.chdtrc(df, statistic))


def chi_square_of_few(statistic: float, expected: Sequence[float]) -> float:
    """Return the chance of a chi-square as large or larger, for counts in few cells.

    Counts that meet what is expected of them exactly have a chance, while a chi-square of zero has
    none. Each possible table of counts fills a box around itself, so those as near as this lie in
    the ball whose radius is larger by half the box's diagonal.
    """
    df = len(expected) - 1
    upper = chi_square_upper(statistic, df)
    if df > _FEW:
        return upper
    largest = max(expected)
    diagonal = sqrt(sum(1 / one for one in expected) - 1 / largest + df * df / largest)
    return min(upper, max(0.5, chi_square_upper((sqrt(statistic) + diagonal / 2) ** 2, df)))


def normal_two_sided(z: float) -> float:
    """Return the chance of a normal deviate as far from zero, or farther."""
    return float(2 * special.ndtr(-abs(z)))


def lattice_two_sided(distance: float, deviation: float, place: float | None = None) -> float:
    """Return the two-sided p of a whole number that lies `distance` off the mean of a normal."""
    if place is None:
        return normal_two_sided(distance / deviation)
    low = float(special.ndtr((distance - 0.5) / deviation))
    high = float(special.ndtr((-distance - 0.5) / deviation))
    here = max(0.0, 1 - low - high)
    return min(1.0, 2 * min(low + place * here, high + (1 - place) * here))


def poisson_two_sided(seen: int, mean: float, place: float | None = None) -> float:
    """Return the two-sided p of a count that is Poisson's."""
    if not mean:
        return 1.0 if not seen else 0.0
    at_most, above = (
        float(special.gammaincc(seen + 1, mean)),
        float(special.gammainc(seen + 1, mean)),
    )
    below, at_least = (
        (float(special.gammaincc(seen, mean)), float(special.gammainc(seen, mean)))
        if seen
        else (0.0, 1.0)
    )
    return _fold(below, at_most, above, at_least, place)


def binomial_two_sided(seen: int, trials: int, chance: float, place: float | None = None) -> float:
    """Return the two-sided p of the successes among independent trials."""
    return _fold(
        at_most(seen - 1, trials, chance),
        at_most(seen, trials, chance),
        at_least(seen + 1, trials, chance),
        at_least(seen, trials, chance),
        place,
    )


def at_most(seen: int, trials: int, chance: float) -> float:
    """Return the chance of so many successes or fewer."""
    if seen < 0:
        return 0.0
    if seen >= trials:
        return 1.0
    return float(special.betaincc(seen + 1, trials - seen, chance))


def at_least(seen: int, trials: int, chance: float) -> float:
    """Return the chance of so many successes or more."""
    if seen <= 0:
        return 1.0
    if seen > trials:
        return 0.0
    return float(special.betainc(seen, trials - seen + 1, chance))


def binomial_distance(seen: int, trials: int, chance: float, place: float | None = None) -> float:
    """Return the chance of successes as unlikely or more so, for use as an upper tail."""
    p = binomial_two_sided(seen, trials, chance, place)
    if place is not None or p <= 0.5:
        return p
    below, above = at_most(seen - 1, trials, chance), at_least(seen + 1, trials, chance)
    return max(0.5, 2 * min(below, above))


def smallest_of(p: float, among: int) -> float:
    """Return the chance that the smallest of independent p-values is `p` or smaller (Sidak)."""
    return -expm1(among * log1p(-p)) if p < 1 else 1.0


def extreme_cell(  # noqa: PLR0913, PLR0917  (the law of the cells, and what was seen)
    lowest: int, highest: int, trials: int, chance: float, cells: int, place: float | None = None
) -> float:
    """Return the chance that the most unlikely of so many binomial cells is as unlikely as seen.

    A cell's unlikeliness is its smaller tail. Cells are taken as independent; those of a deck
    depend on each other by a fiftieth at most, which moves this less than a hundredth of itself.
    """
    low, high = at_most(lowest, trials, chance), at_least(highest, trials, chance)
    if low <= high:
        here = low - at_most(lowest - 1, trials, chance)
        whole = low + _other_tail(low, trials, chance, upper=True)
    else:
        here = high - at_least(highest + 1, trials, chance)
        whole = high + _other_tail(high, trials, chance, upper=False)
    whole = min(1.0, whole)
    most = smallest_of(whole, cells)
    least = smallest_of(max(0.0, whole - here), cells)
    if place is None:
        return most if most <= 0.5 else max(0.5, least)
    return least + place * (most - least)


def _other_tail(tail: float, trials: int, chance: float, *, upper: bool) -> float:
    """Return the largest tail of the other side that is no larger than `tail`."""
    near, far = round(trials * chance), trials + 1 if upper else -1
    law = at_least if upper else at_most
    if law(near, trials, chance) <= tail:
        return law(near, trials, chance)
    while abs(far - near) > 1:
        middle = (near + far) // 2
        if law(middle, trials, chance) <= tail:
            far = middle
        else:
            near = middle
    return law(far, trials, chance)


def _fold(
    below: float, at_most_seen: float, above: float, at_least_seen: float, place: float | None
) -> float:
    """Return twice the smaller tail, the chance of what was seen split at `place`."""
    if place is None:
        return min(1.0, 2 * min(at_most_seen, at_least_seen))
    low = below + place * (at_most_seen - below)
    high = above + (1 - place) * (at_least_seen - above)
    return min(1.0, 2 * min(low, high))
