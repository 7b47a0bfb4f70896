"""B0: every check of the code on every engine, as exact outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.rng.hands import Engine
    from audit_cli.rng.outcome import Outcome


def judge_code(engines: Sequence[Engine]) -> tuple[Outcome, ...]:
    """Check the code and the engines given: p is 1 where it held, 0 where it did not."""
    return ()
