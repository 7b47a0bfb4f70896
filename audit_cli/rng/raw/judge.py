"""B1: what many sequences say together, and the lanes of the first hands.

Each of the 188 series of p-values is judged twice: by how many of its sequences fall below 0.01,
which is binomial, and by how far all of them are from uniform (Kolmogorov-Smirnov, exact). A test
of several series answers with its most remarkable one, times their number (Bonferroni): the series
of one test are not independent of each other, and this holds however they depend. NIST's own bands
(SP 800-22 4.2) are no part of the family; `nist_rows` gives them to a reader.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import chdtrc
from scipy.stats import binom, kstest

from audit_cli.rng.outcome import Cell, Level, Outcome, Tail
from audit_cli.rng.raw.complexity import complexity_tail, jumps_p
from audit_cli.rng.raw.excursions import chance_of_few_cycles
from audit_cli.rng.raw.lanes import LANES, LONG_BITS, MATRIX_SIDE
from audit_cli.rng.raw.rank import deficiency_tail
from audit_cli.rng.raw.sequence import SEQUENCE_BITS, SERIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from audit_cli.rng.raw.lanes import LanesResult
    from audit_cli.rng.raw.sequence import SequenceResult

#: The level of a single p-value (SP 800-22 4.2.1).
ALPHA: Final = 0.01

_TITLES: Final[Mapping[str, str]] = {
    "2.1": "frequency",
    "2.2": "frequency within a block",
    "2.3": "runs",
    "2.4": "longest run of ones in a block",
    "2.5": "binary matrix rank",
    "2.6": "discrete Fourier transform",
    "2.7": "non-overlapping template matching",
    "2.8": "overlapping template matching",
    "2.9": "Maurer's universal statistical",
    "2.10": "linear complexity",
    "2.11": "serial",
    "2.12": "approximate entropy",
    "2.13": "cumulative sums",
    "2.14": "random excursions",
    "2.15": "random excursions variant",
}
_COVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "2.1": ("PA.equidistribution",),
    "2.2": ("PA.subsequences",),
    "2.3": ("GLI.runs", "PA.runs"),
    "2.4": ("GLI.runs", "PA.runs"),
    "2.6": ("NIGC.spectral",),
    "2.7": ("GLI.overlaps", "PA.overlaps"),
    "2.8": ("GLI.overlaps", "PA.overlaps"),
    "2.11": ("GLI.serial", "PA.serial"),
}
_CYCLES: Final = "SP800-22.2.14.cycles"
_LANE_TESTS: Final = ("GF2.complexity", "GF2.jumps", "GF2.rank")


@dataclass(frozen=True, slots=True)
class NistRow:
    """One series as NIST's final analysis report has it (4.2): for a reader, not for the verdict.

    `passed` of `sequences` p-values are 0.01 or more, `least` to `most` of them is the band of
    4.2.1. `uniformity` is P_T of 4.2.2 (at least 0.0001 is asked for), None for fewer than 55.
    """

    section: str
    series: str
    sequences: int
    passed: int
    least: int
    most: int
    uniformity: float | None


def raw_tests(*, lanes: bool = True) -> tuple[str, ...]:
    """Return the names of all outcomes that `judge_raw` gives, whatever the data are."""
    shares = tuple(_name(section, kind) for section in SERIES for kind in ("share", "uniform"))
    return (*shares, _CYCLES, *(_LANE_TESTS if lanes else ()))


def judge_raw(
    sequences: Sequence[SequenceResult], lanes: LanesResult | None = None
) -> tuple[Outcome, ...]:
    """Judge all sequences of a run, in any order, and its lanes if they were measured.

    Every p-value is two-sided and of the family. ValueError without a sequence.
    """
    if not sequences:
        message = "there is no sequence to judge"
        raise ValueError(message)
    by_section = _series(sequences)
    outcomes = []
    for section, series in by_section.items():
        outcomes += [_share(section, series), _uniform(section, series)]
    outcomes.append(_cycles(sequences))
    if lanes is not None:
        outcomes += judge_lanes(lanes)
    return tuple(outcomes)


def nist_rows(sequences: Sequence[SequenceResult]) -> tuple[NistRow, ...]:
    """Return the pass shares and P_T of all 188 series."""
    rows = []
    for section, series in _series(sequences).items():
        for name, p in zip(SERIES[section], series, strict=True):
            number = len(p)
            half = 3 * math.sqrt(ALPHA * (1 - ALPHA) * number)
            least = max(0, math.ceil((1 - ALPHA) * number - half))
            most = min(number, math.floor((1 - ALPHA) * number + half))
            uniformity = None
            if number >= 55:
                bins = _bins(p)
                uniformity = float(chdtrc(9, np.sum((bins - number / 10) ** 2) * 10 / number))
            passed = int(np.count_nonzero(p >= ALPHA))
            rows.append(NistRow(section, name, number, passed, least, most, uniformity))
    return tuple(rows)


def _name(section: str, kind: str) -> str:
    return f"SP800-22.{section}.{kind}"


def _series(sequences: Sequence[SequenceResult]) -> dict[str, list[NDArray[np.float64]]]:
    """Return the p-values of each series, without those of sequences it does not apply to."""
    columns = iter(zip(*(one.p for one in sequences), strict=True))
    return {
        section: [np.array([p for p in next(columns) if p is not None], np.float64) for _ in names]
        for section, names in SERIES.items()
    }


def _bins(p: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.bincount(np.minimum((p * 10).astype(np.int64), 9), minlength=10)


def _two_sided(successes: int, trials: int, chance: float) -> float:
    upper = float(binom.sf(successes - 1, trials, chance))
    lower = float(binom.cdf(successes, trials, chance))
    return min(1.0, 2 * min(upper, lower))


def _share(section: str, series: list[NDArray[np.float64]]) -> Outcome:
    failed = [int(np.count_nonzero(p < ALPHA)) for p in series]
    each = [_two_sided(f, len(p), ALPHA) for f, p in zip(failed, series, strict=True)]
    worst = min(range(len(each)), key=each.__getitem__)
    expected = ALPHA * sum(len(p) for p in series)
    samples = max(len(p) for p in series)
    return Outcome(
        test=_name(section, "share"),
        title=f"{_TITLES[section]}: sequences with p < {ALPHA}",
        level=Level.RAW,
        covers=_COVERS.get(section, ()),
        samples=samples,
        statistic=float(failed[worst]),
        df=None,
        null=f"binomial({len(series[worst])}, {ALPHA}){_times(len(series))}",
        tail=Tail.TWO_SIDED,
        p=min(1.0, len(each) * each[worst]),
        detectable=_share_words(samples, len(series)),
        cells=(Cell(f"p < {ALPHA}", float(sum(failed)), expected),),
    )


def _uniform(section: str, series: list[NDArray[np.float64]]) -> Outcome:
    found = [kstest(p, "uniform", method="exact") if len(p) else None for p in series]
    each = [float(one.pvalue) if one else 1.0 for one in found]
    worst = min(range(len(each)), key=each.__getitem__)
    distance = found[worst]
    total = sum(len(p) for p in series)
    bins = np.sum([_bins(p) for p in series], axis=0)
    return Outcome(
        test=_name(section, "uniform"),
        title=f"{_TITLES[section]}: p-values against uniform",
        level=Level.RAW,
        covers=("PA.ks",),
        samples=max(len(p) for p in series),
        statistic=float(distance.statistic) if distance else 0.0,
        df=None,
        null=f"Kolmogorov-Smirnov({len(series[worst])}), exact{_times(len(series))}",
        tail=Tail.TWO_SIDED,
        p=min(1.0, len(each) * each[worst]),
        cells=tuple(
            Cell(f"{k / 10:.1f}-{(k + 1) / 10:.1f}", float(count), total / 10)
            for k, count in enumerate(bins.tolist())
        ),
    )


def _cycles(sequences: Sequence[SequenceResult]) -> Outcome:
    few = sum(one.p[-1] is None for one in sequences)
    chance = chance_of_few_cycles(SEQUENCE_BITS)
    return Outcome(
        test=_CYCLES,
        title="random excursions: sequences with fewer than 500 cycles",
        level=Level.RAW,
        covers=(),
        samples=len(sequences),
        statistic=float(few),
        df=None,
        null=f"binomial({len(sequences)}, {chance:.6f})",
        tail=Tail.TWO_SIDED,
        p=_two_sided(few, len(sequences), chance),
        cells=(Cell("fewer than 500 cycles", float(few), chance * len(sequences)),),
    )


def judge_lanes(lanes: LanesResult) -> list[Outcome]:
    """Judge the lanes of raw bits alone, without sequences."""
    profiles = lanes.profiles
    complexities = [complexity_tail(one.length, one.complexity) for one in profiles]
    jumps = [jumps_p(one.length, one.jumps) for one in profiles]
    least = min(range(len(LANES)), key=complexities.__getitem__)
    odd = min(range(len(LANES)), key=jumps.__getitem__)
    longest = LONG_BITS // 2 - 20
    return [
        Outcome(
            test=_LANE_TESTS[0],
            title=f"linear complexity of lanes of one bit: {LANES[least].name}",
            level=Level.RAW,
            covers=(),
            samples=len(LANES),
            statistic=float(profiles[least].complexity),
            df=None,
            null=f"Rueppel's exact distribution for {profiles[least].length:,} bits"
            + _times(len(LANES)),
            tail=Tail.TWO_SIDED,
            p=min(1.0, len(LANES) * complexities[least]),
            detectable=f"one bit of a word that a linear state of up to {longest:,} bits makes",
            cells=tuple(
                Cell(lane.name, float(one.complexity), one.length / 2)
                for lane, one in zip(LANES, profiles, strict=True)
            ),
        ),
        Outcome(
            test=_LANE_TESTS[1],
            title=f"rises of the linear complexity profile: {LANES[odd].name}",
            level=Level.RAW,
            covers=(),
            samples=len(LANES),
            statistic=float(profiles[odd].jumps),
            df=None,
            null=f"sums of geometric(1/2) rises, exact, for {profiles[odd].length:,} bits"
            + _times(len(LANES)),
            tail=Tail.TWO_SIDED,
            p=min(1.0, len(LANES) * jumps[odd]),
            cells=tuple(
                Cell(lane.name, float(one.jumps), one.length / 4)
                for lane, one in zip(LANES, profiles, strict=True)
            ),
        ),
        Outcome(
            test=_LANE_TESTS[2],
            title=f"rank of {MATRIX_SIDE:,} x {MATRIX_SIDE:,} bits: how much it lacks",
            level=Level.RAW,
            covers=(),
            samples=1,
            statistic=float(lanes.deficiency),
            df=None,
            null="exact",
            tail=Tail.TWO_SIDED,
            p=deficiency_tail(MATRIX_SIDE, lanes.deficiency),
            detectable=f"a linear state of up to {MATRIX_SIDE - 4:,} bits, whatever it makes",
        ),
    ]


def _times(series: int) -> str:
    return f", the least of {series} times {series}" if series > 1 else ""


@lru_cache
def _share_words(sequences: int, series: int) -> str:
    """Return which rate of p < 0.01 in one series is found at alpha 1e-4 with power 0.99."""
    # The smallest count whose two-sided p-value, times the number of series, is 1e-4 or less.
    counts = np.arange(sequences + 1)
    remarkable = np.asarray(2 * series * binom.sf(counts - 1, sequences, ALPHA)) <= 1e-4
    if not remarkable.any():
        return ""
    least = int(counts[remarkable][0])
    rates = np.arange(1, 1001) / 1000
    enough = np.asarray(binom.sf(least - 1, sequences, rates)) >= 0.99
    if not enough.any():
        return ""
    return f"p < {ALPHA} in {rates[enough][0]:.1%} of the sequences instead of {ALPHA:.0%}"
