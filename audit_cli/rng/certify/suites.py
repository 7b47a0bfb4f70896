"""The suites of others for a bundle: run once on the run's own hands, and kept as they spoke."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING, Final

from audit_cli.inputs import UsageError
from audit_cli.rng.certify.writing import files_of
from audit_cli.rng.plan import Kind
from audit_cli.rng.running.folder import HANDS

if TYPE_CHECKING:
    from pathlib import Path

    from audit_cli.rng.running.finished import Finished

FOLDER: Final = "external"
_RESULTS: Final = "results.json"
_PLACE: Final = "results/external"


def gather_suites(folder: Path, finished: Finished, engine: str, workers: int) -> dict[str, bytes]:
    """Run what is on this machine, unless it was run for this run before; all that was kept.

    UsageError where the data are decks alone, which no suite reads.
    """
    out = folder / FOLDER
    if not (out / _RESULTS).is_file():
        command = importlib.import_module("audit_cli.rng.external.command")
        command.run(_options(folder, finished, engine, workers))
    return {f"{_PLACE}/{name}": path.read_bytes() for name, path in files_of(out).items()}


def _options(folder: Path, finished: Finished, engine: str, workers: int) -> argparse.Namespace:
    """Return the command line of `rng external` on the same hands."""
    kind = finished.planned.plan.source.kind
    if kind is Kind.DECKS:
        message = "--external: the suites of others read raw bits, which decks alone have not"
        raise UsageError(message)
    secret = finished.secrets[0].hex() if kind is Kind.LAB else None
    collected = str(folder / HANDS) if kind in {Kind.SYSTEM, Kind.DEALER} else None
    return argparse.Namespace(
        secret=secret,
        system=False,
        dealer=None,
        ca=None,
        token=None,
        insecure=False,
        hands=finished.planned.origin.path or collected,
        suites=None,
        bytes=None,
        out=str(folder / FOLDER),
        json=False,
        engine=engine,
        workers=workers,
    )
