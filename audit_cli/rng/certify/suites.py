"""The suites of others for a bundle: run once on the run's own hands, and kept as they spoke.

They are not repeated: what a run's folder has of them is used again. Where a try was stopped, its
words are kept beside those of the next one, and go into the bundle as well.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

from audit_cli import say
from audit_cli.inputs import UsageError, shown
from audit_cli.rng.certify.writing import files_of
from audit_cli.rng.external import command
from audit_cli.rng.plan import Kind
from audit_cli.rng.running.folder import HANDS

if TYPE_CHECKING:
    from pathlib import Path

    from audit_cli.rng.running.finished import Finished

FOLDER: Final = "external"
_PLACE: Final = "results/external"


class SuitesError(Exception):
    """The suites of others said nothing that could be kept."""


@dataclass(frozen=True, slots=True)
class Suites:
    """Which suites (None for all that are found), and how much those read that never end."""

    names: str | None
    size: int | None


def gather_suites(folder: Path, finished: Finished, wanted: Suites) -> dict[str, bytes]:
    """Run the suites, unless they were run for this run before; all that was kept.

    UsageError where there is none, or where the data are decks alone, which no suite reads.
    """
    stopped: list[Path] = []
    for number in count(1):
        out = folder / (FOLDER if number == 1 else f"{FOLDER}-{number}")
        if (out / command.RESULTS).is_file():
            break
        if not out.exists() or not any(out.iterdir()):
            command.run(_options(folder, out, finished, wanted))
            break
        say.warning(f"the suites in {shown(str(out))} were stopped: what they said is kept")
        stopped.append(out)
    if not (out / command.RESULTS).is_file():
        message = "the suites of others said nothing"
        raise SuitesError(message)
    found = {f"{_PLACE}/{name}": path.read_bytes() for name, path in files_of(out).items()}
    for number, old in enumerate(stopped, 1):
        for name, path in files_of(old).items():
            found[f"{_PLACE}/stopped-{number}/{name}"] = path.read_bytes()
    return found


def _options(folder: Path, out: Path, finished: Finished, wanted: Suites) -> argparse.Namespace:
    """Return the command line of `rng external` on the same hands."""
    kind = finished.planned.plan.source.kind
    if kind is Kind.DECKS:
        message = "--external: the suites of others read raw bits, which decks alone have not"
        raise UsageError(message)
    collected = str(folder / HANDS) if kind in {Kind.SYSTEM, Kind.DEALER} else None
    return argparse.Namespace(
        secret=finished.secrets[0].hex() if kind is Kind.LAB else None,
        system=False,
        dealer=None,
        ca=None,
        token=None,
        insecure=False,
        hands=finished.planned.origin.path or collected,
        suites=wanted.names,
        bytes=wanted.size,
        out=str(out),
        json=False,
    )
