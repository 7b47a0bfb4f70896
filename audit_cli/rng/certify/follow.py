"""Works a bundle's results out again from what they rest on, as far as the bundle holds it.

The verdict follows from the p-values that are listed, Holm's rule and the plan; the p-values of
decks and draws from the counts; those of raw bits from each sequence's. Printed figures have six
digits, so that what is worked out from them is right to nearly as many.
"""

from __future__ import annotations

import json
from math import isclose
from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.battery.duplicates import DECK, FIVE, SECRET, count_pairs, judge_duplicates
from audit_cli.rng.battery.judge import judge
from audit_cli.rng.certify import evidence
from audit_cli.rng.certify.data import read_counts
from audit_cli.rng.outcome import Cell, Level, Outcome, Tail
from audit_cli.rng.raw.judge import judge_raw
from audit_cli.rng.raw.sequence import SequenceResult
from audit_cli.rng.results import write_battery
from audit_cli.rng.second_level import Uniformity, measure_uniformity
from audit_cli.rng.verdict import Confirmation, FamilyError, decide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from audit_cli.rng.certify.findings import Findings
    from audit_cli.rng.plan import Plan

_CLOSE: Final = 2e-5
# A p-value near 1 is printed to a millionth.
_MILLIONTHS: Final = 2.5e-6
# A distance that is right to 1e-6 gives p right to four digits where it is small enough to matter.
_P_OF_DISTANCE: Final = 1e-3
_SIX_DIGITS: Final = 10**6
_APART: Final = {"tests", "second_level", "confirmation"}
_FROM_P: Final = "does not follow from the p-values"


def check_verdict(plan: Plan, battery: Mapping[str, Any], found: Findings) -> None:
    """Work out both levels' judging and the verdict again from the p-values that are listed."""
    before = len(found.faults)
    outcomes = [_judged(one, found) for one in battery["tests"]]
    second = [_uniformity(one, found) for one in battery["second_level"]]
    more = battery["confirmation"]
    confirmation = None
    if more is not None:
        confirmation = Confirmation(
            tuple(_judged(one, found) for one in more["tests"]),
            tuple(_uniformity(one, found) for one in more["second_level"]),
        )
    try:
        verdict = decide(plan, outcomes, second, confirmation)
    except FamilyError as error:
        found.faults.append(f"{evidence.BATTERY}: {error}")
        return
    secrets = [bytes.fromhex(secret) for secret in battery["secrets"]]
    text = write_battery(plan, outcomes, second, verdict, confirmation, secrets=secrets)
    again = json.loads(text)
    for name in dict.fromkeys((*again, *battery)):
        if name not in _APART and not _close(again.get(name), battery.get(name)):
            found.faults.append(f"{evidence.BATTERY}: {name} {_FROM_P} and the plan")
    _compare_holm(again, battery, found)
    if more is not None:
        _compare_holm(again["confirmation"], more, found)
        if not _close(again["confirmation"]["judged"], more["judged"]):
            found.faults.append(f"{evidence.BATTERY}: the confirmation {_FROM_P}")
    if len(found.faults) == before:
        number = len(outcomes) + len(second)
        found.checked.append(f"the verdict follows from the {number} p-values that are listed")


def _compare_holm(again: Mapping[str, Any], given: Mapping[str, Any], found: Findings) -> None:
    for part, level in (("tests", ""), ("second_level", " (second level)")):
        for one, other in zip(again[part], given[part], strict=True):
            if not _close(one["holm"], other["holm"]):
                test = other["test"]
                found.faults.append(f"{evidence.BATTERY}: {test}{level}: holm {_FROM_P}")


def check_counts(bundle: Path, name: str, tests: list[Mapping[str, Any]], found: Findings) -> None:
    """Judge the counts again, and compare every test that they carry."""
    if not (bundle / name).is_file():
        found.faults.append(f"{name} is missing from the bundle")
        return
    _follow(judge(read_counts((bundle / name).read_bytes())), tests, name, found)


def check_duplicates(tests: list[Mapping[str, Any]], found: Findings) -> None:
    """Judge the equal decks that are listed again."""
    listed = {one["test"]: one for one in tests}
    five, deck, secret = (listed.get(name) for name in (FIVE, DECK, SECRET))
    if five is None or deck is None:
        found.faults.append(f"{evidence.BATTERY}: {DECK if deck is None else FIVE} is missing")
        return
    pairs = count_pairs(five["samples"], five["statistic"])
    equal = None if secret is None else round(secret["statistic"])
    again = judge_duplicates(five["samples"], pairs, round(deck["statistic"]), equal)
    _follow(again, tests, "the pairs that are listed", found)


def check_raw(bundle: Path, tests: list[Mapping[str, Any]], found: Findings) -> None:
    """Judge the sequences of raw bits again, where the run had any."""
    raw = evidence.read_object(bundle, evidence.RAW)
    if raw is not None:
        sequences = [SequenceResult.from_json(one) for one in raw["sequences"]]
        _follow(judge_raw(sequences), tests, evidence.RAW, found)
    elif any(one["test"].startswith("SP800-22") for one in tests):
        found.faults.append(f"{evidence.RAW} is missing from the bundle")


def _follow(
    outcomes: Sequence[Outcome], tests: list[Mapping[str, Any]], name: str, found: Findings
) -> None:
    """Compare outcomes that were worked out from a file with those that are listed."""
    listed = {one["test"]: one for one in tests}
    before = len(found.faults)
    missing = [one.test for one in outcomes if one.test not in listed]
    found.faults += [f"{evidence.BATTERY}: {test} is missing" for test in missing]
    wanted = [_told(one) for one in outcomes if one.test in listed]
    given = [{key: listed[one["test"]][key] for key in one} for one in wanted]
    _compare_tests(wanted, given, f"does not follow from {name}", found)
    if len(found.faults) == before:
        found.checked.append(f"{len(wanted)} tests follow from {name}")


def _compare_tests(
    wanted: list[dict[str, Any]], given: list[dict[str, Any]], words: str, found: Findings
) -> None:
    for one, other in zip(wanted, given, strict=True):
        bad = [name for name in one if not _close(one[name], other.get(name))]
        if bad:
            found.faults.append(f"{evidence.BATTERY}: {other['test']}: {', '.join(bad)} {words}")


def _close(one: Any, other: Any) -> bool:  # noqa: ANN401  (any JSON)
    """Whether two JSON values are equal, numbers to six digits."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int) and isinstance(other, int) and max(one, other) < _SIX_DIGITS:
        return one == other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=_CLOSE, abs_tol=1e-300)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[name], other[name]) for name in one)
    return bool(one == other)


def _told(one: Outcome) -> dict[str, Any]:
    return {
        "test": one.test,
        "title": one.title,
        "level": one.level.value,
        "covers": list(one.covers),
        "samples": one.samples,
        "statistic": one.statistic,
        "df": one.df,
        "null": one.null,
        "tail": one.tail.value,
        "p": one.p,
        "detectable": one.detectable,
        "cells": [[cell.label, cell.observed, cell.expected] for cell in one.cells],
    }


def _judged(value: Mapping[str, Any], found: Findings) -> Outcome:
    """Return a listed outcome as the family has it: by its two-sided p, held against its p."""
    tail, p = Tail(value["tail"]), value["p"]
    listed = value["two_sided"]
    if tail is Tail.EXACT:
        # Its statistic is how many did not hold.
        right = listed is None and p == (0 if value["statistic"] else 1)
    else:
        expected = min(1.0, 2 * min(p, 1 - p)) if tail is Tail.UPPER else p
        right = isclose(expected, listed, rel_tol=_CLOSE, abs_tol=0 if p < 0.5 else _MILLIONTHS)
        tail, p = Tail.TWO_SIDED, listed
    if not right:
        found.faults.append(f"{evidence.BATTERY}: {value['test']}: two_sided {_FROM_P}")
    return Outcome(
        test=value["test"],
        title=value["title"],
        level=Level(value["level"]),
        covers=tuple(value["covers"]),
        samples=value["samples"],
        statistic=value["statistic"],
        df=value["df"],
        null=value["null"],
        tail=tail,
        p=p,
        detectable=value["detectable"],
        cells=tuple(Cell(*cell) for cell in value["cells"]),
    )


def _uniformity(value: Mapping[str, Any], found: Findings) -> Uniformity:
    """Return a second-level result; its distance is measured again from the values listed."""
    again = measure_uniformity(value["test"], value["values"])
    # Six digits of each value, so that the distance is right to about as many.
    if abs(again.statistic - value["statistic"]) > 2e-6:
        words = "the distance from uniform does not follow from the values"
        found.faults.append(f"{evidence.BATTERY}: {value['test']} (second level): {words}")
    if not isclose(again.p, value["p"], rel_tol=_P_OF_DISTANCE, abs_tol=_P_OF_DISTANCE / 10):
        words = "p does not follow from the values"
        found.faults.append(f"{evidence.BATTERY}: {value['test']} (second level): {words}")
    return Uniformity(value["test"], value["statistic"], value["p"], tuple(value["values"]))
