"""`cutcard-audit rng selftest`: does the battery find what it should, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from audit_cli import say
from audit_cli.inputs import UsageError
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.flaws.bank import SEED
from audit_cli.rng.flaws.clean import HANDS
from audit_cli.rng.flaws.named import read_flaws
from audit_cli.rng.flaws.selftest import SelfTest, run_selftest
from audit_cli.rng.running.asked import read_workers
from audit_cli.rng.running.pool import Pool, WorkersDiedError

if TYPE_CHECKING:
    import argparse

    from audit_cli.rng.flaws.search import CaseResult, Seen

FAILED: Final = 1
STOPPED: Final = 3

_HEAD: Final[tuple[str, ...]] = ("", "planted", "amount", "test", "stated", "found", "")
_MOST_CLEAN: Final = 1_000_000


def run(options: argparse.Namespace) -> int:
    """Plant, look, judge, print, and return the exit status; UsageError for a wrong command."""
    numbers = read_flaws(options.flaws, quick=options.quick)
    if not 0 <= options.clean <= _MOST_CLEAN:
        message = f"--clean {options.clean}: give a number of runs, 0 for none"
        raise UsageError(message)
    processes = read_workers(options)
    if not numbers and not options.clean:
        message = "no flaw and no clean run is asked for"
        raise UsageError(message, "leave --flaws none or --clean 0 out")
    try:
        with Pool(processes) as workers:
            found = run_selftest(numbers, options.clean, SEED, engine("auto").name, workers)
    except WorkersDiedError as error:
        say.error(f"the selftest stops: {error}", "was memory short?")
        return STOPPED
    say.out(json.dumps(found.to_json()) + "\n" if options.json else _table(found))
    return 0 if found.good else FAILED


def _table(found: SelfTest) -> str:
    lines = []
    if found.cases:
        rows = [_HEAD]
        for case in found.cases:
            rows += _rows(case)
        lines += _aligned(rows)
        missed = sum(not case.good for case in found.cases)
        lines.append(
            f"{missed} of {len(found.cases)} not as they should be"
            if missed
            else f"all {len(found.cases)} as they should be"
        )
    if found.clean:
        alarms = len(found.alarms)
        lines.append(
            f"{alarms} alarm{'' if alarms == 1 else 's'} in {len(found.clean)} clean runs of "
            f"{HANDS:,} decks, before any confirmation (at most {found.most} are chance)"
        )
        lines += [f"  run {one.run}: {one.why}" for one in found.alarms]
    return "\n".join(lines) + "\n"


def _rows(case: CaseResult) -> list[tuple[str, ...]]:
    if not case.seen:
        alarms = ", ".join(f"{test} {p:.2g}" for test, p in case.alarms)
        outcome = ("nothing", alarms or "nothing", "ok" if case.good else "ALARM")
        return [(case.name, case.words, case.amount, "all", *outcome)]
    rows = [(*_sight(seen), "ok" if seen.found else "MISSED") for seen in case.seen]
    heads = [(case.name, case.words, case.amount), *([("", "", "")] * (len(rows) - 1))]
    return [head + row for head, row in zip(heads, rows, strict=True)]


def _sight(seen: Seen) -> tuple[str, str, str]:
    sight = seen.sight
    if not sight.stated:
        return sight.test, "certain", "yes" if seen.found else "no"
    stated = "0" if sight.stated <= 1e-300 else f"{sight.stated:.2g}"
    return sight.test, f"p {stated}", f"p {seen.p:.2g}"


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
