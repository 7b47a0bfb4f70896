"""What the sums do between two zeros: SP 800-22 sections 2.14 and 2.15."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import bdtrc, chdtrc, gammaln
from scipy.stats import binom

from audit_cli.rng.raw.figure import Figure, pearson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from audit_cli.rng.raw.figure import Bits

STATES: Final = (-4, -3, -2, -1, 1, 2, 3, 4)
VARIANT_STATES: Final = (-9, -8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9)
#: Fewer cycles than this are not judged (2.14.7).
MIN_CYCLES: Final = 500

_CLASSES: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """`cycles` J, the last unfinished one included; state x was visited `totals[x]` times.

    `classes[x]` counts the cycles with 0, 1, ..., 5 or more visits to x.
    """

    cycles: int
    totals: dict[int, int] = field(repr=False)
    classes: dict[int, tuple[int, ...]] = field(repr=False)


def walk_of(bits: Bits) -> NDArray[np.int32]:
    """Return the sums S_1 ... S_n of the bits as -1 and +1."""
    return np.cumsum(bits.astype(np.int8) * np.int8(2) - np.int8(1), dtype=np.int32)


def visits(walk: NDArray[np.int32]) -> Visits:
    """Count cycles, and in them the visits to each state from -9 to 9."""
    zeros = np.flatnonzero(walk == 0)
    cycles = len(zeros) + int(walk[-1] != 0)
    near = np.flatnonzero(np.abs(walk) <= VARIANT_STATES[-1])
    states = walk[near]
    where = np.searchsorted(zeros, near)
    totals = {x: int(np.count_nonzero(states == x)) for x in VARIANT_STATES}
    classes = {}
    for x in STATES:
        by_cycle = np.bincount(where[states == x], minlength=cycles)
        found = np.bincount(np.minimum(by_cycle, _CLASSES), minlength=_CLASSES + 1)
        classes[x] = tuple(found.tolist())
    return Visits(cycles, totals, classes)


def visit_chances(x: int) -> tuple[float, ...]:
    """Return the chances of 0, 1, ..., 5 or more visits to x in one cycle (3.14)."""
    reach = 1 / (2 * abs(x))
    stay = 1 - reach
    some = tuple(reach * reach * stay ** (k - 1) for k in range(1, _CLASSES))
    return (stay, *some, reach * stay ** (_CLASSES - 1))


def random_excursions(seen: Visits, x: int, chances: tuple[float, ...] | None = None) -> Figure:
    """2.14: cycles by their visits to x; counts are the six classes'."""
    observed = seen.classes[x]
    chi_squared = pearson(observed, seen.cycles * np.array(chances or visit_chances(x)))
    return Figure(chi_squared, float(chdtrc(_CLASSES, chi_squared)), observed)


def random_excursions_variant(seen: Visits, x: int) -> Figure:
    """2.15 as the document has it: visits to x, taken as normal; counts are (visits,)."""
    total = seen.totals[x]
    statistic = abs(total - seen.cycles) / math.sqrt(2 * seen.cycles * (4 * abs(x) - 2))
    return Figure(statistic, math.erfc(statistic), (total,))


def exact_variant(seen: Visits, x: int) -> Figure:
    """2.15 with the exact distribution of the visits to x in J cycles, two-sided by the mid-p.

    A cycle reaches x with chance 1/2|x|, and after each visit leaves it for good with the same
    chance: a binomial number of geometric numbers, which is far from normal for the outer states.
    """
    total, cycles = seen.totals[x], seen.cycles
    reach = 1 / (2 * abs(x))
    middle, spread = cycles * reach, 14 * math.sqrt(cycles * reach) + 20
    first, last = max(1, int(middle - spread)), min(cycles, int(middle + spread))
    reaching = np.arange(first, last + 1)
    weights = binom.pmf(reaching, cycles, reach)
    never = float((1 - reach) ** cycles)
    # b geometric numbers are at most v where v trials have b successes or more.
    at_most = float(weights @ _successes(reaching, total, reach)) + never
    below = float(weights @ _successes(reaching, total - 1, reach)) + never * (total > 0)
    middle_p = (at_most + below) / 2
    statistic = (total - cycles) / math.sqrt(cycles * (4 * abs(x) - 2))
    return Figure(statistic, min(1.0, 2 * min(middle_p, 1 - middle_p)), (total,))


def _successes(at_least: NDArray[np.int64], trials: int, chance: float) -> NDArray[np.float64]:
    if trials <= 0:
        return np.zeros(len(at_least))
    found: NDArray[np.float64] = np.where(
        at_least > trials, 0.0, bdtrc(np.minimum(at_least, trials) - 1.0, trials, chance)
    )
    return found


@lru_cache
def chance_of_few_cycles(n: int, least: int = MIN_CYCLES) -> float:
    """Return the exact chance of fewer than `least` cycles in `n` bits. ValueError for odd `n`.

    The sums of 2k bits are 0 for r times with chance C(2k - r, k) / 2^(2k - r), and for the r-th
    time at the very end with r / (2k - r) of that (Feller, volume I, III.7); a last cycle that
    does not end in 0 is one more.
    """
    if n % 2:
        message = f"the walk's length is even, not {n:,}"
        raise ValueError(message)
    returns = np.arange(least)
    chances = np.exp(
        gammaln(n - returns + 1.0)
        - gammaln(n // 2 + 1.0)
        - gammaln(n // 2 - returns + 1.0)
        - (n - returns) * math.log(2)
    )
    last = least - 1
    return float(chances[:-1].sum() + chances[-1] * last / (n - last))
