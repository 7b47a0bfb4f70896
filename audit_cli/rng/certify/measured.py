"""The parts of a bundle that a finished run gives: plan, results, counts, and where the data is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify import evidence
from audit_cli.rng.certify.data import list_chunks, write_counts, write_index
from audit_cli.rng.certify.materials import write_outcomes
from audit_cli.rng.code.judge import judge_code
from audit_cli.rng.engines.choose import every_engine
from audit_cli.rng.outcome import Level
from audit_cli.rng.plan import Kind
from audit_cli.rng.running.folder import PLAN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from audit_cli.rng.running.finished import Finished

#: What of a run's folder goes into a bundle as it is.
_RESULTS: Final = {
    evidence.PLAN: PLAN,
    evidence.BATTERY: "results/battery.json",
    evidence.RAW: "results/raw.json",
}


def gather_measured(folder: Path, finished: Finished, about: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files of a finished run in `folder`; `about` says more of where hands are from.

    OSError where one can not be read.
    """
    plan = finished.planned.plan
    found = {
        place: (folder / name).read_bytes()
        for place, name in _RESULTS.items()
        if (folder / name).is_file()
    }
    found[evidence.COUNTS] = write_counts(finished.findings.counts)
    chunks = list_chunks(plan.run, finished.findings.decks)
    again = finished.confirmation
    confirmed = None
    if again is not None:
        # A file's hands go on behind those of the run; a secret's begin anew.
        start = plan.run.hands if plan.source.kind in {Kind.HANDS, Kind.DECKS} else 0
        confirmed = list_chunks(plan.confirmation, again.decks, start)
        if again.counts:
            found[evidence.CONFIRMATION_COUNTS] = write_counts(again.counts)
    found[evidence.INDEX] = write_index(
        plan.source.kind.value,
        chunks,
        confirmed,
        finished.secrets if plan.source.kind is Kind.LAB else (),
        {**about, "unconfirmed": finished.unconfirmed},
    )
    return found


def write_known_answers(finished: Finished) -> bytes:
    """Return `kat/outcomes.json`: what the run found holding the code to what it has to give."""
    code = [one for one in finished.findings.outcomes if one.level is Level.CODE]
    return write_outcomes(code, [each.name for each in every_engine()])


def make_known_answers() -> bytes:
    """Hold the code to what it has to give, without a run: `kat/outcomes.json` once more."""
    engines = every_engine()
    return write_outcomes(judge_code(engines), [each.name for each in engines])
