"""What all p-values of a run say together, by the rule that its plan fixed.

The family is every two-sided p-value of the first level and every p-value of the second. Holm's
rule keeps the chance of any false alarm at the plan's alpha, whatever depends on what. A p-value
that nothing but a fault explains fails the run at once; what else is rejected is tested once more
on the fresh hands of the confirmation. Exact checks are no part of the family: one that does not
hold fails the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from audit_cli.rng.outcome import Outcome, Tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from audit_cli.rng.plan import Plan
    from audit_cli.rng.second_level import Uniformity


class Decision(StrEnum):
    """How a run ends, or that it goes on."""

    PASS = "pass"  # noqa: S105  (no password)
    FAIL = "fail"
    CONFIRM = "confirm"  # suspects wait for the confirmation run


class Layer(StrEnum):
    """Which level a p-value is of."""

    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True)
class Judged:
    """One p-value of a family. `adjusted` is Holm's: rejected at alpha where it is below."""

    test: str
    layer: Layer
    p: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the confirmation's hands gave: all outcomes, of which only the suspects are judged."""

    outcomes: tuple[Outcome, ...]
    second: tuple[Uniformity, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision with everything it rests on.

    `failed_checks` are the exact checks that did not hold. `certain` are the family's members at or
    below the plan's `certain`; `suspects` the other ones that were rejected. `confirmed` is the
    family of the confirmation, empty without one.
    """

    decision: Decision
    family: tuple[Judged, ...]
    failed_checks: tuple[str, ...]
    certain: tuple[Judged, ...]
    suspects: tuple[Judged, ...]
    confirmed: tuple[Judged, ...]
    why: str


class FamilyError(Exception):
    """The outcomes are not those of the plan: a p-value is missing, or was not announced."""


def decide(
    plan: Plan,
    outcomes: Sequence[Outcome],
    second: Sequence[Uniformity],
    confirmation: Confirmation | None = None,
) -> Verdict:
    """Return the verdict on a run.

    Without a confirmation it may be CONFIRM: then the plan's `confirmation` run is made and its
    outcomes are given in a second call. FamilyError where the p-values are not the plan's.
    """
    _check_names("tests", plan.tests, [one.test for one in outcomes if one.tail is not Tail.EXACT])
    _check_names("second-level tests", plan.second, [one.test for one in second])
    family = judge_family(
        [(one.test, Layer.FIRST, one.two_sided) for one in outcomes if one.tail is not Tail.EXACT]
        + [(one.test, Layer.SECOND, one.p) for one in second]
    )
    failed = tuple(one.test for one in outcomes if one.tail is Tail.EXACT and not one.p)
    certain = tuple(one for one in family if one.p <= plan.certain)
    suspects = tuple(one for one in family if one.adjusted <= plan.alpha and one.p > plan.certain)
    if failed:
        words = f"exact checks that did not hold: {', '.join(failed)}"
        return Verdict(Decision.FAIL, family, failed, certain, suspects, (), words)
    if certain:
        words = f"beyond chance: {_list(certain)}"
        return Verdict(Decision.FAIL, family, failed, certain, suspects, (), words)
    if not suspects:
        words = f"none of {len(family)} p-values is rejected at {plan.alpha} together"
        return Verdict(Decision.PASS, family, failed, certain, suspects, (), words)
    if confirmation is None:
        words = f"to be tested again on fresh hands: {_list(suspects)}"
        return Verdict(Decision.CONFIRM, family, failed, certain, suspects, (), words)
    confirmed = _confirm(suspects, confirmation)
    again = [one for one in confirmed if one.adjusted <= plan.alpha]
    if again:
        words = f"rejected, and again on fresh hands: {_list(again)}"
        return Verdict(Decision.FAIL, family, failed, certain, suspects, confirmed, words)
    words = f"not confirmed on fresh hands: {_list(suspects)}"
    return Verdict(Decision.PASS, family, failed, certain, suspects, confirmed, words)


def judge_family(members: Sequence[tuple[str, Layer, float]]) -> tuple[Judged, ...]:
    """Return p-values with Holm's adjustment (Holm 1979), in the order that they came in."""
    adjusted = [0.0] * len(members)
    largest = 0.0
    by_p = sorted(range(len(members)), key=lambda index: members[index][2])
    for rank, index in enumerate(by_p):
        largest = max(largest, min(1.0, (len(members) - rank) * members[index][2]))
        adjusted[index] = largest
    return tuple(
        Judged(test, layer, p, value)
        for (test, layer, p), value in zip(members, adjusted, strict=True)
    )


def _confirm(suspects: Iterable[Judged], confirmation: Confirmation) -> tuple[Judged, ...]:
    first = {one.test: one.two_sided for one in confirmation.outcomes}
    second = {one.test: one.p for one in confirmation.second}
    by_layer = {Layer.FIRST: first, Layer.SECOND: second}
    members = []
    for one in suspects:
        if one.test not in by_layer[one.layer]:
            message = f"the confirmation lacks {one.test} ({one.layer} level)"
            raise FamilyError(message)
        members.append((one.test, one.layer, by_layer[one.layer][one.test]))
    return judge_family(members)


def _check_names(what: str, planned: Sequence[str], found: Sequence[str]) -> None:
    missing = sorted(set(planned) - set(found))
    if missing:
        message = f"{what} of the plan that are missing: {', '.join(missing)}"
        raise FamilyError(message)
    foreign = sorted(set(found) - set(planned))
    if foreign:
        message = f"{what} that the plan does not name: {', '.join(foreign)}"
        raise FamilyError(message)
    if len(found) != len(planned):
        message = f"{what} that were given twice"
        raise FamilyError(message)


def _list(members: Sequence[Judged]) -> str:
    return ", ".join(
        f"{one.test}{' (second level)' if one.layer is Layer.SECOND else ''} p = {one.p:.3g}"
        for one in members
    )
