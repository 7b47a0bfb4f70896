"""What a person is told of a run: plan, each level, the smallest p-values, the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from audit_cli.inputs import shown
from audit_cli.rng.battery.families import FAMILIES, missing
from audit_cli.rng.outcome import Level, Tail
from audit_cli.rng.plan import Kind
from audit_cli.rng.second_level import COVERS
from audit_cli.rng.verdict import Decision, Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from audit_cli.rng.outcome import Outcome
    from audit_cli.rng.running.finished import Finished
    from audit_cli.rng.running.planning import Planned
    from audit_cli.rng.verdict import Judged, Verdict

_SMALLEST: Final = 5
_NAMES: Final = {
    Level.CODE: "code",
    Level.RAW: "raw bits",
    Level.SCALED: "scaled draws",
    Level.DECK: "decks",
    Level.GAME: "games",
}
_SOURCES: Final = {
    Kind.LAB: "of a laboratory's secret, which the results tell",
    Kind.SYSTEM: "of secrets of the operating system, collected for this run",
    Kind.DEALER: "of a dealer, collected for this run and derived again",
    Kind.HANDS: "of a file that was there before the plan, derived again",
    Kind.DECKS: "of a file that was there before the plan, as they are",
}
_ENDS: Final = {
    Decision.PASS: "passed",
    Decision.FAIL: "failed",
    Decision.CONFIRM: "not passed",
}


def tell_plan(folder: Path, planned: Planned) -> str:
    """Return what is planned, in three lines."""
    plan = planned.plan
    # NAME+ID, without the key itself.
    signer = "+".join(planned.signer.split("+", 2)[:2])
    return (
        f"plan {plan.id[:16]}… in {shown(str(folder))}, signed by {signer}\n"
        f"  {plan.run.hands:,} decks in {plan.run.blocks} blocks, "
        f"{_SOURCES[plan.source.kind]}\n"
        f"  {len(plan.tests)} tests, {len(plan.second)} of them over the blocks, too; "
        f"false alarms: 1 run of {1 / plan.alpha:.0f}\n"
    )


def tell_result(folder: Path, finished: Finished) -> str:
    """Return what was found, and where it is."""
    verdict = finished.verdict
    lines = [*_levels(finished), "", *_smallest(verdict, finished.findings.outcomes)]
    if verdict.confirmed:
        hands = finished.planned.plan.confirmation.hands
        lines += ["", f"again, on {hands:,} fresh decks:"]
        lines += [_row(one, {}) for one in verdict.confirmed]
    lines += ["", *_families(finished.findings.outcomes)]
    lines += ["  a single swapped deck is for `cutcard-audit verify` to find: no statistic can", ""]
    if finished.unconfirmed:
        lines.append(f"{finished.unconfirmed}: they stand as they are")
    status = 0 if finished.passed else 1
    lines.append(f"{_ENDS[verdict.decision]}: {verdict.why} (exit status {status})")
    lines.append(f"every figure is in {shown(str(folder / 'results'))}")
    return "\n".join(lines) + "\n"


def _levels(finished: Finished) -> Iterator[str]:
    """Yield a line for each level that was looked at."""
    for level in Level:
        outcomes = [one for one in finished.findings.outcomes if one.level is level]
        name = f"{level.value} {_NAMES[level]}"
        exact = [one for one in outcomes if one.tail is Tail.EXACT]
        if exact:
            broken = [one.test for one in exact if not one.p]
            held = f"{len(exact) - len(broken)} of {len(exact)} exact checks hold"
            yield f"{name:16} {held}{': not ' + ', '.join(broken) if broken else ''}"
            name = ""
        judged = [one for one in outcomes if one.tail is not Tail.EXACT]
        if judged:
            least = min(judged, key=lambda one: one.two_sided)
            words = f"smallest p {least.two_sided:.3g} ({least.test}: {least.title})"
            yield f"{name:16} {_tests(len(judged))}, {words}"
    second = finished.findings.second
    if second:
        least_one = min(second, key=lambda one: one.p)
        words = f"smallest p {least_one.p:.3g} ({least_one.test})"
        yield f"{'over the blocks':16} {_tests(len(second))}, {words}"


def _smallest(verdict: Verdict, outcomes: Iterable[Outcome]) -> Iterator[str]:
    titles = {one.test: one.title for one in outcomes}
    ordered = sorted(verdict.family, key=lambda one: one.p)[:_SMALLEST]
    yield f"the smallest of {len(verdict.family)} p-values, with what Holm's rule makes of each:"
    for one in ordered:
        yield _row(one, titles)


def _row(one: Judged, titles: dict[str, str]) -> str:
    title = titles.get(one.test, "")
    if one.layer is Layer.SECOND:
        title = f"{title} (over the blocks)" if title else "over the blocks"
    return f"  {one.p:<9.3g} {one.adjusted:<9.3g} {one.test:<12} {title}".rstrip()


def _families(outcomes: Iterable[Outcome]) -> Iterator[str]:
    lacking = missing({key for one in outcomes for key in one.covers} | set(COVERS))
    answered = len(FAMILIES) - len(lacking)
    words = f"{answered} of {len(FAMILIES)} families of tests that laboratories name are in it"
    yield words + (f": not {', '.join(lacking)}" if lacking else "")


def _tests(number: int) -> str:
    return f"{number} test{'' if number == 1 else 's'}"
