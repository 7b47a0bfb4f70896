"""Frequencies of all patterns of m bits: SP 800-22 sections 2.9, 2.11 and 2.12."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import chdtrc

from audit_cli.rng.raw.figure import Bits, Figure, windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LOG_2: Final = math.log(2)


@dataclass(frozen=True, slots=True)
class Maurer:
    """Word length, words that only begin, and mean and variance of the log of a gap (2.9)."""

    length: int
    begin: int
    mean: float
    variance: float

    def printed_deviation(self, words: int) -> float:
        """Return the document's standard deviation of f_n, with Maurer's approximate factor."""
        length = self.length
        factor = 0.7 - 0.8 / length + (4 + 32 / length) * math.pow(words, -3 / length) / 15
        return factor * math.sqrt(self.variance / words)

    def deviation(self, words: int) -> float:
        """Return it with the factor of Coron and Naccache (1998), given there for seven bits."""
        squared = 0.3631815 + 0.3813210 * 2**self.length / words
        return math.sqrt(squared * self.variance / words)


#: Section 2.9.7 for 904,960 bits up to 2,068,480, as the worked examples take it at 1,000,000.
SEVEN_BITS: Final = Maurer(7, 1280, 6.1962507, 3.125)


def universal(bits: Bits, maurer: Maurer = SEVEN_BITS, deviation: float | None = None) -> Figure:
    """2.9: the mean log of the gaps between equal words; counts are (gaps, sum of logs)."""
    length = maurer.length
    words = len(bits) // length
    weights = 1 << np.arange(length - 1, -1, -1)
    symbols = (bits[: words * length].reshape(words, length) @ weights.astype(np.uint8)).astype(
        np.uint8
    )
    order = np.argsort(symbols, kind="stable")
    sorted_symbols = symbols[order]
    gaps = np.diff(order, prepend=0)
    # A word that was not seen before counts from before the first one.
    fresh = np.ones(words, np.bool_)
    fresh[1:] = sorted_symbols[1:] != sorted_symbols[:-1]
    gaps[fresh] = order[fresh] + 1
    counted = np.bincount(gaps[order >= maurer.begin])
    lengths = np.flatnonzero(counted)
    total = math.fsum(counted[lengths] * np.log2(lengths))
    tested = words - maurer.begin
    if deviation is None:
        deviation = maurer.deviation(tested)
    statistic = (total / tested - maurer.mean) / deviation
    return Figure(statistic, math.erfc(abs(statistic) / math.sqrt(2)), (tested, total))


def pattern_counts(bits: Bits, length: int) -> NDArray[np.int64]:
    """Count all patterns of `length` bits (0 to 16) round the end, shape (2^length,)."""
    if length == 0:
        return np.array([len(bits)], np.int64)
    return np.bincount(windows(bits, length), minlength=1 << length).astype(np.int64)


def shorter(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the counts of patterns one bit shorter: round the end they are sums."""
    sums: NDArray[np.int64] = counts.reshape(-1, 2).sum(axis=1)
    return sums


def _psi_squared(counts: NDArray[np.int64]) -> float:
    total = int(counts.sum())
    return int(np.sum(counts * counts)) * len(counts) / total - total


def serial(counts: NDArray[np.int64]) -> tuple[Figure, Figure]:
    """2.11: both differences of psi^2, from `pattern_counts`; counts are psi^2 of m, m-1, m-2.

    ValueError for patterns shorter than two bits.
    """
    length = len(counts).bit_length() - 1
    if length < 2:
        message = "the serial test compares patterns of two bits or more"
        raise ValueError(message)
    one_less = shorter(counts)
    psi = (_psi_squared(counts), _psi_squared(one_less), 0.0)
    if length > 2:
        psi = (*psi[:2], _psi_squared(shorter(one_less)))
    first = psi[0] - psi[1]
    second = psi[0] - 2 * psi[1] + psi[2]
    return (
        Figure(first, float(chdtrc(2.0 ** (length - 1), first)), psi),
        Figure(second, float(chdtrc(2.0 ** (length - 2), second)), psi),
    )


def _phi(counts: NDArray[np.int64]) -> float:
    total = int(counts.sum())
    present = counts[counts > 0].astype(np.float64)
    return math.fsum(present * np.log(present / total)) / total


def approximate_entropy(counts: NDArray[np.int64], *, corrected: bool = True) -> Figure:
    """2.12: from `pattern_counts` of m + 1 bits; counts are (phi of m, phi of m + 1, ApEn).

    The statistic is twice a log-likelihood ratio, whose mean is above that of its chi-squared by a
    part of 2^m / 2n: `corrected` divides by it (Bartlett 1937), the document does not.
    """
    total = int(counts.sum())
    cells = len(counts) // 2
    phi, phi_longer = _phi(shorter(counts)), _phi(counts)
    entropy = phi - phi_longer
    chi_squared = 2 * total * (_LOG_2 - entropy)
    judged = chi_squared / (1 + cells / (2 * total)) if corrected else chi_squared
    return Figure(chi_squared, float(chdtrc(cells, judged)), (phi, phi_longer, entropy))
