"""What one check of the code found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOLD = 3


@dataclass(frozen=True, slots=True)
class Check:
    """One check by name, of the audit's own code or of one engine (`subject`).

    `cases` is how many things were compared, `failures` says what differed, in the first few.
    """

    name: str
    title: str
    subject: str
    cases: int
    failed: int
    failures: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether nothing differed, and something was compared."""
        return self.cases > 0 and not self.failed


def make_check(name: str, title: str, subject: str, cases: int, found: Iterable[str]) -> Check:
    """Return a check with the first few of its failures in words."""
    failures = tuple(found)
    return Check(name, title, subject, cases, len(failures), failures[:_TOLD])


def answers(name: str) -> dict[str, Any]:
    """Return the content of a file of known answers that the package holds."""
    content: dict[str, Any] = json.loads(
        files("audit_cli.rng.code").joinpath("answers", name).read_bytes()
    )
    return content
