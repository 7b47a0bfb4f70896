"""One sequence of a million bits: the 188 p-values of SP 800-22's fifteen tests.

Sequences are measured apart from each other, so that a pool may take them in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from audit_cli.rng.raw import (
    complexity,
    counts,
    excursions,
    patterns,
    rank,
    spectral,
    templates,
)
from audit_cli.rng.raw.fips import FipsBlocks, fips_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SEQUENCE_BITS: Final = 1_000_000
SEQUENCE_BYTES: Final = SEQUENCE_BITS // 8
#: Hands whose streams, joined in order, hold one sequence; what is left of the last one is dropped.
SEQUENCE_HANDS: Final = 123

TEMPLATES: Final = templates.aperiodic_templates(9)

#: Test of the document -> the names of its p-values, in the order of `SequenceResult.p`.
SERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "2.1": ("frequency",),
    "2.2": ("block frequency",),
    "2.3": ("runs",),
    "2.4": ("longest run",),
    "2.5": ("matrix rank",),
    "2.6": ("spectral",),
    "2.7": tuple(f"template {template}" for template in TEMPLATES),
    "2.8": ("overlapping template",),
    "2.9": ("universal",),
    "2.10": ("linear complexity",),
    "2.11": ("serial 1", "serial 2"),
    "2.12": ("approximate entropy",),
    "2.13": ("cumulative sums forward", "cumulative sums reverse"),
    "2.14": tuple(f"excursions {x:+d}" for x in excursions.STATES),
    "2.15": tuple(f"excursions variant {x:+d}" for x in excursions.VARIANT_STATES),
}


@dataclass(frozen=True, slots=True)
class SequenceResult:
    """The p-values of one sequence by `SERIES`, to six digits, None where a test does not apply.

    `cycles` is J of section 2.14, `fips` the blocks of FIPS 140-2 in it.
    """

    p: tuple[float | None, ...] = field(repr=False)
    cycles: int
    fips: FipsBlocks

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "p": list(self.p),
            "cycles": self.cycles,
            "fips_blocks": self.fips.blocks,
            "fips_failed": list(self.fips.failed),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SequenceResult:
        """Return what `to_json` was given. KeyError or TypeError for anything else."""
        monobit, poker, runs, long_run = value["fips_failed"]
        fips = FipsBlocks(int(value["fips_blocks"]), (monobit, poker, runs, long_run))
        p = tuple(None if each is None else float(each) for each in value["p"])
        return cls(p, int(value["cycles"]), fips)


def rounded(p: float) -> float:
    """Round to six significant digits, so that the last bits of a machine's sums do not show."""
    return float(f"{p:.6g}")


def measure_sequence(data: NDArray[np.uint8]) -> SequenceResult:
    """Measure the first 125,000 bytes of `data` (any shape), each from its high bit down.

    ValueError where fewer are there.
    """
    flat = data.reshape(-1)
    if len(flat) < SEQUENCE_BYTES:
        message = f"a sequence is {SEQUENCE_BYTES:,} bytes, not {len(flat):,}"
        raise ValueError(message)
    bits = np.unpackbits(flat[:SEQUENCE_BYTES])
    walk = excursions.walk_of(bits)
    seen = excursions.visits(walk)
    sixteen = patterns.pattern_counts(bits, 16)
    eleven = sixteen.reshape(1 << 11, -1).sum(axis=1)
    forward, reverse = counts.cumulative_sums(walk)
    first, second = patterns.serial(sixteen)
    run_figure = counts.runs(bits)
    figures: list[float | None] = [
        counts.frequency(bits).p,
        counts.block_frequency(bits).p,
        run_figure.p if run_figure else None,
        counts.longest_run(bits).p,
        rank.binary_matrix_rank(bits).p,
        spectral.spectral(bits).p,
        *(each.p for each in templates.non_overlapping_templates(bits, TEMPLATES)),
        templates.overlapping_template(bits).p,
        patterns.universal(bits).p,
        complexity.linear_complexity(bits).p,
        first.p,
        second.p,
        patterns.approximate_entropy(eleven).p,
        forward.p,
        reverse.p,
        *_excursions(seen),
    ]
    p = tuple(None if each is None else rounded(each) for each in figures)
    return SequenceResult(p, seen.cycles, fips_blocks(bits))


def _excursions(seen: excursions.Visits) -> list[float | None]:
    if seen.cycles < excursions.MIN_CYCLES:
        return [None] * (len(excursions.STATES) + len(excursions.VARIANT_STATES))
    return [
        *(excursions.random_excursions(seen, x).p for x in excursions.STATES),
        *(excursions.exact_variant(seen, x).p for x in excursions.VARIANT_STATES),
    ]
