"""The families of tests that laboratories and regulators name, and which of them a run answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: GLI-11 and GLI-19 3.2.2, 58 Pa. Code 810.5(c), and the spectral test of 25 CFR 547.14.
FAMILIES: Final[Mapping[str, str]] = {
    "GLI.total": "total distribution, chi-square",
    "GLI.overlaps": "overlaps",
    "GLI.coupon": "coupon collector's",
    "GLI.runs": "runs",
    "GLI.interplay": "interplay correlation",
    "GLI.serial": "serial correlation",
    "GLI.duplicates": "duplicates",
    "PA.chi-square": "chi-square",
    "PA.equidistribution": "equidistribution (frequency)",
    "PA.gap": "gap",
    "PA.overlaps": "overlaps",
    "PA.poker": "poker",
    "PA.coupon": "coupon collector's",
    "PA.permutation": "permutation",
    "PA.ks": "Kolmogorov-Smirnov",
    "PA.adjacency": "adjacency criterion",
    "PA.order": "order statistic",
    "PA.runs": "runs",
    "PA.interplay": "interplay correlation",
    "PA.serial": "serial correlation",
    "PA.subsequences": "tests on subsequences",
    "PA.poisson": "Poisson distribution",
    "NIGC.spectral": "spectral",
}


def missing(covered: Iterable[str]) -> tuple[str, ...]:
    """Return the named families that none of the `covers` keys answers for."""
    return tuple(sorted(set(FAMILIES) - set(covered)))
