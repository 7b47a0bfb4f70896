"""What a selftest found: the flaws that were looked for, and the alarms of clean runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from audit_cli.rng.flaws.clean import HANDS, CleanRun, most_alarms, run_clean
from audit_cli.rng.flaws.search import CaseResult, find, hands_of
from audit_cli.rng.results import significant
from audit_cli.rng.running.bar import watched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.rng.running.pool import Workers

FORMAT: Final = "cutcard-selftest/1"


@dataclass(frozen=True, slots=True)
class SelfTest:
    """All that a selftest did, the same wherever it is done."""

    seed: bytes
    cases: tuple[CaseResult, ...]
    clean: tuple[CleanRun, ...]

    @property
    def alarms(self) -> tuple[CleanRun, ...]:
        """The clean runs whose verdict was not a pass."""
        return tuple(run for run in self.clean if run.alarm)

    @property
    def most(self) -> int:
        """How many alarms would be no more than chance."""
        return most_alarms(len(self.clean))

    @property
    def good(self) -> bool:
        """Whether every flaw was found, and nothing but flaws."""
        return all(case.good for case in self.cases) and len(self.alarms) <= self.most

    def to_json(self) -> dict[str, object]:
        """Return what JSON can hold, numbers at six significant digits."""
        return {
            "format": FORMAT,
            "seed": self.seed.hex(),
            "good": self.good,
            "cases": [_case(one) for one in self.cases],
            "clean": {
                "runs": len(self.clean),
                "decks": HANDS,
                "most_alarms": self.most,
                "alarms": [{"run": one.run, "why": one.why} for one in self.alarms],
            },
        }


def run_selftest(
    numbers: Sequence[int], clean: int, seed: bytes, engine: str, workers: Workers
) -> SelfTest:
    """Look for the cases with these numbers in the bank, and judge so many clean runs.

    Raises what the workers raise.
    """
    with watched("looking for flaws", hands_of(numbers) or None) as bar:
        cases = find(numbers, seed, workers, bar)
    with watched("judging clean runs", clean * HANDS or None) as bar:
        runs = run_clean(clean, seed, engine, workers, bar)
    return SelfTest(seed, tuple(cases), runs)


def _case(one: CaseResult) -> dict[str, object]:
    return {
        "flaw": one.name,
        "planted": one.words,
        "amount": one.amount,
        "good": one.good,
        "tests": [
            {
                "test": seen.sight.test,
                "stated": significant(seen.sight.stated),
                "most": significant(seen.sight.most),
                "p": significant(seen.p),
                "found": seen.found,
            }
            for seen in one.seen
        ],
        "alarms": [{"test": test, "p": significant(p)} for test, p in one.alarms],
    }
