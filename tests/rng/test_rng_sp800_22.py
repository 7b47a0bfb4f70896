"""Every worked example of NIST SP 800-22 Rev. 1a, and its table of four numbers' expansions.

Printed p-values are reproduced to 1e-6; where the document's own figures are wrong (`status` "not
reproduced"), those recomputed from its input are. The examples take the document's constants.
"""

from __future__ import annotations

import hashlib
import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from audit_cli.rng.raw import (
    complexity,
    counts,
    excursions,
    patterns,
    rank,
    spectral,
    templates,
)
from audit_cli.rng.raw.sequence import SERIES, TEMPLATES, measure_sequence
from tests.support.expansions import bits_of, expand
from tests.support.known_answers import known_answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from audit_cli.rng.raw.figure import Figure

KAT = known_answers("sp800_22.json")
NAMES = ("pi", "e", "sqrt2", "sqrt3")
# Section 2.4.4: chances of the document for blocks of 10,000 bits.
PRINTED_LONGEST_RUN = (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727)


def bits_of_example(example: dict[str, Any]) -> NDArray[np.uint8]:
    if "bits" in example:
        return np.array([int(bit) for bit in example["bits"]], np.uint8)
    return bits_of(example["sequence"])[: example["n"]]


def simple(figure: Figure, **names: int) -> dict[str, Any]:
    """Name a figure's statistic, p-value and counts as the file does."""
    return {"p_value": figure.p} | {
        name: figure.statistic if place < 0 else figure.counts[place]
        for name, place in names.items()
    }


def frequency(bits: NDArray[np.uint8], _: dict[str, Any]) -> dict[str, Any]:
    return simple(counts.frequency(bits), S_n=0, s_obs=-1)


def block_frequency(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    return simple(counts.block_frequency(bits, params["M"]), chi_squared=-1)


def runs(bits: NDArray[np.uint8], _: dict[str, Any]) -> dict[str, Any]:
    figure = counts.runs(bits)
    assert figure is not None
    return {
        "p_value": figure.p,
        "V_n": figure.counts[1],
        "pi": figure.counts[0] / len(bits),
    }


def longest_run(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    figure = counts.longest_run(bits, tuple(params["pi"]))
    return simple(figure, chi_squared=-1) | {"nu": list(figure.counts)}


def matrix_rank(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    chances = params.get("pi") or rank.large_matrices()
    figure = rank.binary_matrix_rank(bits, params["M"], tuple(chances))
    return simple(figure, chi_squared=-1) | {
        "N": sum(figure.counts),
        "F": list(figure.counts),
    }


def transform(bits: NDArray[np.uint8], _: dict[str, Any]) -> dict[str, Any]:
    figure = spectral.spectral(bits, spectral.PRINTED_VARIANCE)
    n = len(bits)
    return simple(figure, d=-1, N_1=0) | {"N_0": 0.95 * n / 2, "T": math.sqrt(n * math.log(20))}


def non_overlapping(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    (figure,) = templates.non_overlapping_templates(bits, (params["B"],), params["N"])
    return simple(figure, chi_squared=-1) | {"W": list(figure.counts)}


def overlapping(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    length = len(params["B"])
    figure = templates.overlapping_template(bits, length, params["M"], tuple(params["pi"]))
    return simple(figure, chi_squared=-1) | {"nu": list(figure.counts)}


def universal(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    maurer = patterns.Maurer(params["L"], params["Q"], params["expected_value"], params["variance"])
    figure = patterns.universal(bits, maurer, math.sqrt(params["variance"]))
    printed = patterns.universal(bits, maurer, maurer.printed_deviation(params["K"]))
    return simple(figure, sum=1) | {
        "f_n": figure.counts[1] / params["K"],
        "p_value_with_sigma_formula": printed.p,
    }


def linear(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    if params["N"] == 1:
        found = complexity.block_complexities(bits[None, :])
        (deviation,) = complexity.deviations(found, len(bits))
        mean = complexity.expected_complexity(len(bits))
        return {"L": found[0], "mu": mean, "T": deviation}
    figure = complexity.linear_complexity(bits, params["M"], tuple(params["pi"]))
    return simple(figure, chi_squared=-1) | {"nu": list(figure.counts)}


def serial(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    counted = patterns.pattern_counts(bits, params["m"])
    first, second = patterns.serial(counted)
    return {
        "counts_1": patterns.shorter(counted).tolist(),
        "counts_2": counted.tolist(),
        "psi2": list(first.counts),
        "del1": first.statistic,
        "del2": second.statistic,
        "p_value1": first.p,
        "p_value2": second.p,
    }


def entropy(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    counted = patterns.pattern_counts(bits, params["m"] + 1)
    figure = patterns.approximate_entropy(counted, corrected=False)
    return simple(figure, chi_squared=-1, ApEn=2) | {"phi": list(figure.counts[:2])}


def cumulative(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    forward, reverse = counts.cumulative_sums(excursions.walk_of(bits))
    return simple(forward if params["mode"] == "forward" else reverse, z=-1)


def excursion(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    seen = excursions.visits(excursions.walk_of(bits))
    chances = tuple(params["pi"]) if "pi" in params else None
    figure = excursions.random_excursions(seen, params["x"], chances)
    exact = excursions.random_excursions(seen, params["x"])
    return simple(figure, chi_squared=-1) | {
        "J": seen.cycles,
        "nu": list(figure.counts),
        "chi_squared_exact_pi": exact.statistic,
        "p_value_exact_pi": exact.p,
    }


def variant(bits: NDArray[np.uint8], params: dict[str, Any]) -> dict[str, Any]:
    seen = excursions.visits(excursions.walk_of(bits))
    if "x" not in params:
        return {"J": seen.cycles}
    figure = excursions.random_excursions_variant(seen, params["x"])
    return simple(figure, xi=0) | {"J": seen.cycles}


TESTS: dict[str, Callable[[Any, dict[str, Any]], dict[str, Any]]] = {
    "frequency": frequency,
    "block_frequency": block_frequency,
    "runs": runs,
    "longest_run_of_ones": longest_run,
    "binary_matrix_rank": matrix_rank,
    "discrete_fourier_transform": transform,
    "non_overlapping_template": non_overlapping,
    "overlapping_template": overlapping,
    "universal": universal,
    "linear_complexity": linear,
    "serial": serial,
    "approximate_entropy": entropy,
    "cumulative_sums": cumulative,
    "random_excursions": excursion,
    "random_excursions_variant": variant,
}


def test_the_fifteen_tests_have_188_series() -> None:
    assert len(SERIES) == 15
    assert sum(map(len, SERIES.values())) == 188
    assert {example["test"] for example in KAT["examples"]} == set(TESTS)
    assert len(TEMPLATES) == 148


@pytest.mark.parametrize("name", NAMES)
def test_the_expansions_are_those_of_the_document(name: str) -> None:
    told = KAT["sequences"][name]
    assert hashlib.sha256(expand(name)).hexdigest() == told["sha256_of_125000_bytes_msb_first"]
    assert bits_of(name).sum() == told["ones"]


@pytest.mark.parametrize(
    "example", KAT["examples"], ids=lambda one: f"{one['section']} {one['params'].get('x', '')}"
)
def test_a_worked_example_is_reproduced(example: dict[str, Any]) -> None:
    found = TESTS[example["test"]](bits_of_example(example), example["params"])
    wrong = set(example.get("printed_but_wrong", ()))
    compared = 0
    for name, value in example["recomputed"].items():
        if name in found:
            assert found[name] == pytest.approx(value, rel=1e-8, abs=2e-10), name
            compared += 1
    for name, value in example["printed"].items():
        if name in found and name not in wrong:
            assert found[name] == pytest.approx(value, abs=1.01e-6, rel=1e-6), name
            compared += 1
    assert compared >= 2


@cache
def seen_in(name: str) -> excursions.Visits:
    return excursions.visits(excursions.walk_of(bits_of(name)))


def test_every_state_of_2_15_8_is_reproduced() -> None:
    (table,) = (one["per_state"] for one in KAT["examples"] if "per_state" in one)
    seen = seen_in("e")
    assert len(table) == len(excursions.VARIANT_STATES)
    for x, visited, printed, recomputed in table:
        figure = excursions.random_excursions_variant(seen, x)
        assert figure.counts == (visited,)
        assert figure.p == pytest.approx(printed, abs=1e-6)
        assert figure.p == pytest.approx(recomputed, rel=1e-9)


def appendix_b(test: str, params: dict[str, Any], name: str) -> float:
    bits = bits_of(name)
    if test in {"frequency", "block_frequency", "runs", "discrete_fourier_transform"}:
        p: float = TESTS[test](bits, params)["p_value"]
        return p
    if test.startswith("cumulative_sums_"):
        return float(cumulative(bits, {"mode": test.rpartition("_")[2]})["p_value"])
    if test.startswith("random_excursions"):
        judge = (
            excursions.random_excursions_variant
            if test.endswith("variant")
            else excursions.random_excursions
        )
        return judge(seen_in(name), params["x"]).p
    return {
        "longest_run_of_ones": lambda: counts.longest_run(bits, PRINTED_LONGEST_RUN),
        "binary_matrix_rank": lambda: rank.binary_matrix_rank(bits),
        "non_overlapping_template": lambda: templates.non_overlapping_templates(
            bits, (params.get("B", ""),)
        )[0],
        "overlapping_template": lambda: templates.overlapping_template(
            bits, 9, 1032, templates.asymptotic_chances(1032, 9)
        ),
        "universal": lambda: patterns.universal(
            bits, deviation=patterns.SEVEN_BITS.printed_deviation(1_000_000 // 7 - 1280)
        ),
        "approximate_entropy": lambda: patterns.approximate_entropy(
            patterns.pattern_counts(bits, 11), corrected=False
        ),
        "linear_complexity": lambda: complexity.linear_complexity(
            bits, 500, complexity.PRINTED_CHANCES
        ),
        "serial": lambda: patterns.serial(patterns.pattern_counts(bits, 16))[0],
    }[test]().p


@pytest.mark.parametrize(
    "row", KAT["appendix_b"], ids=lambda row: f"{row['test']} {row['params'].get('which', '')}"
)
def test_the_table_of_appendix_b_is_reproduced(row: dict[str, Any]) -> None:
    for name in NAMES:
        p = appendix_b(row["test"], row["params"], name)
        assert p == pytest.approx(row["printed"][name], abs=1.01e-6), name
        assert p == pytest.approx(row["recomputed"][name], rel=1e-8), name


@pytest.mark.parametrize("name", NAMES)
def test_further_figures_of_the_four_numbers_are_reproduced(name: str) -> None:
    told = KAT["recomputed_only"][name]
    bits, seen = bits_of(name), seen_in(name)
    assert seen.cycles == told["J"]
    for x, p in told["random_excursions_p"].items():
        assert excursions.random_excursions(seen, int(x)).p == pytest.approx(p, rel=1e-8)
    for x, p in told["random_excursions_variant_p"].items():
        assert excursions.random_excursions_variant(seen, int(x)).p == pytest.approx(p, rel=1e-8)
    second = patterns.serial(patterns.pattern_counts(bits, 16))[1]
    assert second.p == pytest.approx(told["serial_m16_p_value2"], rel=1e-8)
    # What the sequences of a run are measured with: exact chances where the document's are not.
    assert templates.overlapping_template(bits).p == pytest.approx(
        told["overlapping_template_corrected_pi_p"], rel=1e-4
    )
    six_digits = (0.010417, *complexity.PRINTED_CHANCES[1:])
    rounded = complexity.linear_complexity(bits, 500, six_digits).p
    assert rounded == pytest.approx(told["linear_complexity_M500_pi0_0.010417_p"], rel=1e-8)
    assert complexity.linear_complexity(bits).p == pytest.approx(rounded, rel=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_a_sequence_is_measured_by_the_same_tests(name: str) -> None:
    measured = measure_sequence(np.frombuffer(expand(name), np.uint8))
    by_name = dict(
        zip((each for names in SERIES.values() for each in names), measured.p, strict=True)
    )
    rows = {row["test"]: row["recomputed"][name] for row in KAT["appendix_b"]}
    same = {
        "frequency": "frequency",
        "block frequency": "block_frequency",
        "runs": "runs",
        "template 000000001": "non_overlapping_template",
        "serial 1": "serial",
        "cumulative sums forward": "cumulative_sums_forward",
        "cumulative sums reverse": "cumulative_sums_reverse",
        "excursions +1": "random_excursions",
    }
    for series, test in same.items():
        assert by_name[series] == pytest.approx(rows[test], rel=1e-5), series
    assert measured.cycles == KAT["recomputed_only"][name]["J"]
