"""The second level: are the p-values of a test over the run's blocks as uniform as they should be.

Kolmogorov and Smirnov's test, with its exact distribution for so few values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.stats import kstwo

from audit_cli.rng.battery.judge import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

#: What the second level adds to the families that the first answers for.
COVERS = ("PA.ks",)


@dataclass(frozen=True, slots=True)
class Uniformity:
    """The p-values of one test over all blocks: their largest distance from uniform, and its p."""

    test: str
    statistic: float
    p: float
    values: tuple[float, ...]


def measure_uniformity(test: str, values: Sequence[float]) -> Uniformity:
    """Return how far p-values are from uniform (at least one)."""
    n = len(values)
    ordered = sorted(values)
    distance = max(max((k + 1) / n - value, value - k / n) for k, value in enumerate(ordered))
    return Uniformity(test, distance, float(kstwo.sf(distance, n)), tuple(values))


def judge_blocks(
    blocks: Iterable[Mapping[str, NDArray[np.int64]]],
) -> tuple[Uniformity, ...]:
    """Return the uniformity of each test over the counts of the blocks, in the order of tests."""
    found: dict[str, list[float]] = {}
    for counts in blocks:
        for outcome in judge(counts, blocks=True):
            found.setdefault(outcome.test, []).append(outcome.p)
    return tuple(measure_uniformity(test, values) for test, values in found.items())
