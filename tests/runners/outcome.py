"""What running one case gave, and the report over a file."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case, how it went, and the first difference or the reason why it was skipped."""

    name: str
    verdict: Verdict
    why: str = ""


def report(outcomes: Iterable[Outcome]) -> int:
    """Print what failed and what was skipped, and the counts; give the exit status."""
    counts = dict.fromkeys(Verdict, 0)
    for outcome in outcomes:
        counts[outcome.verdict] += 1
        if outcome.verdict is not Verdict.PASSED:
            sys.stdout.write(f"{outcome.verdict} {outcome.name}: {outcome.why}\n")
    sys.stdout.write(", ".join(f"{count} {verdict}" for verdict, count in counts.items()) + "\n")
    return 1 if counts[Verdict.FAILED] else 0


def refuse_file(message: str) -> int:
    """Say that a file can not be run, and give the exit status for it."""
    sys.stderr.write(message + "\n")
    return 2
