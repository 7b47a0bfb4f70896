"""B0: every check of the code on every engine, as exact outcomes.

Outcomes name no engine unless one failed, so that they are the same whichever are installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.rng.code.crafted import check_engine, check_small_words
from audit_cli.rng.code.known import check_known_answers, check_vectors
from audit_cli.rng.outcome import Level, Outcome, Tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.rng.code.check import Check
    from audit_cli.rng.hands import Engine


def check_code(engines: Sequence[Engine]) -> tuple[Check, ...]:
    """Return every check: those of the audit's own code, then those of each engine in turn."""
    own = (*check_known_answers(), check_small_words())
    return own + tuple(
        check for engine in engines for check in (*check_vectors(engine), *check_engine(engine))
    )


def judge_code(engines: Sequence[Engine]) -> tuple[Outcome, ...]:
    """Return one outcome for each name of a check: p is 1 where it held everywhere, 0 otherwise.

    `samples` is what was compared for one engine, `statistic` how many of these differed in all.
    """
    by_name: dict[str, list[Check]] = {}
    for check in check_code(engines):
        by_name.setdefault(check.name, []).append(check)
    return tuple(_outcome(checks) for checks in by_name.values())


def _outcome(checks: list[Check]) -> Outcome:
    first = checks[0]
    failed = [check for check in checks if not check.held]
    words = "; ".join(f"{check.subject}: {', '.join(check.failures)}" for check in failed)
    return Outcome(
        test=first.name,
        title=f"{first.title} ({words})" if words else first.title,
        level=Level.CODE,
        covers=(),
        samples=first.cases,
        statistic=float(sum(check.failed for check in checks)),
        df=None,
        null="nothing differs",
        tail=Tail.EXACT,
        p=0.0 if failed else 1.0,
        detectable="any difference in what was compared",
    )
