"""Carries a plan out, to the end: hands, counts, judgement, a confirmation if need be, results."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from audit_cli import say
from audit_cli.inputs import UsageError
from audit_cli.rng.outcome import Level
from audit_cli.rng.plan import CONFIRMATION_FACTOR
from audit_cli.rng.results import write_battery
from audit_cli.rng.running.counting import count
from audit_cli.rng.running.folder import CONFIRMATION, RESULTS, Shelf
from audit_cli.rng.running.judging import judge_kept
from audit_cli.rng.running.layout import Parts, cut
from audit_cli.rng.running.origin import NoHandsError, find_hands
from audit_cli.rng.running.pool import Pool
from audit_cli.rng.running.raw_results import write_raw
from audit_cli.rng.verdict import Confirmation, Decision, decide
from audit_cli.writing import write_whole

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from audit_cli.rng.remote import Where
    from audit_cli.rng.running.judging import Findings
    from audit_cli.rng.running.origin import Found
    from audit_cli.rng.running.planning import Planned
    from audit_cli.rng.running.pool import Workers
    from audit_cli.rng.verdict import Verdict

BATTERY: Final = "battery.json"
RAW: Final = "raw.json"


@dataclass(frozen=True, slots=True)
class Means:
    """With what a run is carried out: none of it shows in a figure."""

    engine: str
    workers: int
    scheduler: str | None = None
    place: Where | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """A run with its verdict.

    `secrets` are those that were used, and are told. `battery` is the text of battery.json.
    `unconfirmed` says why suspects could not be tested once more, where that was so.
    """

    planned: Planned
    findings: Findings
    confirmation: Findings | None
    verdict: Verdict
    secrets: tuple[bytes, ...] = field(repr=False)
    battery: str = field(repr=False)
    unconfirmed: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return self.verdict.decision is Decision.PASS


@dataclass(frozen=True, slots=True)
class _Runner:
    """What both runs of a plan are carried out with."""

    folder: Path
    planned: Planned
    means: Means
    pool: Pool

    def find(self, *, confirm: bool) -> Found:
        plan, origin = self.planned.plan, self.planned.origin
        return find_hands(self.folder, plan, origin, self.means.place, confirm=confirm)

    def judge(self, parts: Parts, found: Found, *, confirm: bool) -> Findings:
        """Count what is not counted yet, and judge all of it."""
        folder = self.folder / CONFIRMATION if confirm else self.folder
        shelf = Shelf(folder, self.planned.plan.id)
        with self._workers(found) as workers:
            words = "confirming" if confirm else "counting"
            count(shelf, parts, self.means.engine, workers, words)
        return judge_kept(shelf, parts, self.pool, code=not confirm)

    def _workers(self, found: Found) -> AbstractContextManager[Workers]:
        if self.means.scheduler is None:
            return nullcontext(self.pool)
        try:
            from audit_cli.rng.running.cluster import Demands, connected  # noqa: PLC0415
        except ModuleNotFoundError as missing:
            message = f"a cluster is called with {missing.name}, which is not installed"
            raise UsageError(message, "install the extra: pip install 'cutcard[dask]'") from None
        return connected(self.means.scheduler, Demands(self.planned.plan.code, found.files))


def finish_run(folder: Path, planned: Planned, means: Means) -> Finished:
    """Do what is left to do of a plan, and write its results.

    Raises UsageError, OriginError, DamagedError, OSError, what `collect` raises, and what the
    workers and `chunks.work` raise.
    """
    plan = planned.plan
    unconfirmed = ""
    again: Findings | None = None
    confirmed: Confirmation | None = None
    with Pool(means.workers) as pool:
        runner = _Runner(folder, planned, means, pool)
        found = runner.find(confirm=False)
        parts = cut(found.source, plan.run, plan.sequences, found.start)
        first = runner.judge(parts, found, confirm=False)
        verdict = decide(plan, first.outcomes, first.second)
        if verdict.decision is Decision.CONFIRM:
            say.note(f"{verdict.why} ({plan.confirmation.hands:,} decks)")
            try:
                fresh = runner.find(confirm=True)
            except NoHandsError as error:
                unconfirmed = str(error)
            else:
                parts = _suspected(planned, fresh, verdict, first)
                again = runner.judge(parts, fresh, confirm=True)
                confirmed = Confirmation(again.outcomes, again.second)
                verdict = decide(plan, first.outcomes, first.second, confirmed)
    secrets = planned.origin.secrets[: 1 if again is None else 2]
    battery = write_battery(plan, first.outcomes, first.second, verdict, confirmed, secrets=secrets)
    (folder / RESULTS).mkdir(exist_ok=True)
    if first.sequences:
        write_whole(folder / RESULTS / RAW, write_raw(plan.id, first.sequences))
    write_whole(folder / RESULTS / BATTERY, battery.encode())
    return Finished(planned, first, again, verdict, secrets, battery, unconfirmed)


def _suspected(planned: Planned, fresh: Found, verdict: Verdict, first: Findings) -> Parts:
    """Return the parts of a confirmation that its suspects need: decks, raw bits, or both."""
    plan = planned.plan
    sequences = CONFIRMATION_FACTOR * plan.sequences
    whole = cut(fresh.source, plan.confirmation, sequences, fresh.start)
    raw = {one.test for one in first.outcomes if one.level is Level.RAW}
    suspects = {one.test for one in verdict.suspects}
    return Parts(
        whole.source,
        whole.blocks if suspects - raw else (),
        whole.bits if suspects & raw else (),
    )
