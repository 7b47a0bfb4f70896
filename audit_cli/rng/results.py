"""`battery.json`: everything that a run found, as text that is the same wherever it is worked out.

Counts are whole numbers; statistics and p-values are printed to six significant digits. It names
neither a time, nor a machine, nor an engine.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from audit_cli.rng.outcome import Tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from audit_cli.rng.outcome import Outcome
    from audit_cli.rng.plan import Plan
    from audit_cli.rng.second_level import Uniformity
    from audit_cli.rng.verdict import Confirmation, Judged, Verdict

FORMAT: Final = "cutcard-battery/1"


def write_battery(  # noqa: PLR0913  (each is a part of what is told)
    plan: Plan,
    outcomes: Sequence[Outcome],
    second: Sequence[Uniformity],
    verdict: Verdict,
    confirmation: Confirmation | None = None,
    *,
    secrets: Sequence[bytes] = (),
) -> str:
    """Return the text of `battery.json`, with a newline at its end.

    `secrets` are the laboratory's, in the order of the plan's commitments: the run's, then the
    confirmation's where it was made. They are told, so that anyone can derive the hands again.
    """
    value = {
        "format": FORMAT,
        "plan": plan.id,
        "preset": plan.preset,
        "hands": plan.run.hands,
        "blocks": plan.run.blocks,
        "code": plan.code,
        "secrets": [secret.hex() for secret in secrets],
        "decision": verdict.decision.value,
        "why": verdict.why,
        "failed_checks": list(verdict.failed_checks),
        "certain": [_judged(one) for one in verdict.certain],
        "suspects": [_judged(one) for one in verdict.suspects],
        "tests": _first(outcomes, verdict.family),
        "second_level": _second(second, verdict.family),
        "confirmation": None
        if confirmation is None
        else {
            "hands": plan.confirmation.hands,
            "judged": [_judged(one) for one in verdict.confirmed],
            "tests": _first(confirmation.outcomes, verdict.confirmed),
            "second_level": _second(confirmation.second, verdict.confirmed),
        },
    }
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


def significant(value: float) -> float | int:
    """Return a number at six significant digits, a whole one as an integer."""
    short = float(f"{value:.6g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short


def _first(outcomes: Iterable[Outcome], family: Iterable[Judged]) -> list[dict[str, object]]:
    adjusted = {one.test: one.adjusted for one in family if one.layer.value == "first"}
    return [_outcome(one, adjusted.get(one.test)) for one in outcomes]


def _outcome(one: Outcome, adjusted: float | None) -> dict[str, object]:
    return {
        "test": one.test,
        "title": one.title,
        "level": one.level.value,
        "covers": list(one.covers),
        "samples": one.samples,
        "statistic": significant(one.statistic),
        "df": None if one.df is None else significant(one.df),
        "null": one.null,
        "tail": one.tail.value,
        "p": significant(one.p),
        "two_sided": None if one.tail is Tail.EXACT else significant(one.two_sided),
        "holm": None if adjusted is None else significant(adjusted),
        "detectable": one.detectable,
        "cells": [
            [cell.label, significant(cell.observed), significant(cell.expected)]
            for cell in one.cells
        ],
    }


def _second(found: Iterable[Uniformity], family: Iterable[Judged]) -> list[dict[str, object]]:
    adjusted = {one.test: one.adjusted for one in family if one.layer.value == "second"}
    return [
        {
            "test": one.test,
            "statistic": significant(one.statistic),
            "p": significant(one.p),
            "holm": significant(adjusted[one.test]) if one.test in adjusted else None,
            "values": [significant(value) for value in one.values],
        }
        for one in found
    ]


def _judged(one: Judged) -> dict[str, object]:
    return {
        "test": one.test,
        "level": one.layer.value,
        "p": significant(one.p),
        "holm": significant(one.adjusted),
    }
