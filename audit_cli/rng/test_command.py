"""`cutcard-audit rng test`: plan, count, judge, and say it.

The plan is written and signed before a hand is derived or collected. A run that stopped, at any
point, goes on where it was when it is given its folder again.
"""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit_cli import say
from audit_cli.inputs import reason, shown
from audit_cli.rng.fresh import DealerDiffersError
from audit_cli.rng.hands_file import HandsFileError
from audit_cli.rng.remote import RemoteError
from audit_cli.rng.running.asked import read_asked, read_workers
from audit_cli.rng.running.finished import Means, finish_run
from audit_cli.rng.running.folder import locked
from audit_cli.rng.running.judging import DamagedError
from audit_cli.rng.running.origin import OriginError
from audit_cli.rng.running.planning import plan_run
from audit_cli.rng.running.pool import ClusterError, WorkersDiedError
from audit_cli.rng.running.words import tell_plan, tell_result
from audit_cli.rng.sources import NotDerivedError

if TYPE_CHECKING:
    import argparse

    from audit_cli.rng.running.asked import Asked
    from audit_cli.rng.running.finished import Finished
    from audit_cli.rng.running.planning import Planned

FAILED = 1
UNREADABLE = 3


def run(options: argparse.Namespace) -> int:
    """Test, and return the exit status. UsageError for what the command line has wrong."""
    asked = read_asked(options)
    workers = read_workers(options)
    folder = Path(options.folder) if options.folder else Path(_new_name(asked))
    try:
        with locked(folder):
            return _test(folder, asked, workers, options)
    except (NotDerivedError, DealerDiffersError) as error:
        say.error(str(error), "these hands are not dealt by the rules: keep the file as it is")
        return FAILED
    except (HandsFileError, RemoteError, OriginError, DamagedError) as error:
        say.error(str(error))
        return UNREADABLE
    except (WorkersDiedError, ClusterError) as error:
        say.error(str(error), _going_on(folder))
        return UNREADABLE
    except BrokenPipeError:
        raise
    except OSError as error:
        say.error(f"{shown(str(error.filename or folder))}: {reason(error)}", _going_on(folder))
        return UNREADABLE
    except KeyboardInterrupt:
        say.note(f"stopped: {_going_on(folder)}")
        raise


def _test(folder: Path, asked: Asked, workers: int, options: argparse.Namespace) -> int:
    sign_key = Path(options.sign_key) if options.sign_key else None
    planned = plan_run(folder, asked, sign_key)
    if options.plan_only:
        say.out(_json(_plan_json(folder, planned)) if options.json else tell_plan(folder, planned))
        return 0
    if not options.json:
        say.out(tell_plan(folder, planned) + "\n")
    means = Means(options.engine, workers, options.scheduler, asked.place)
    finished = finish_run(folder, planned, means)
    if options.json:
        say.out(_json(_result_json(folder, finished)))
    else:
        say.out(tell_result(folder, finished))
    return 0 if finished.passed else FAILED


def _new_name(asked: Asked) -> str:
    return f"rng-{asked.preset or 'test'}-{secrets.token_hex(4)}"


def _going_on(folder: Path) -> str:
    return f"`cutcard-audit rng test --run {shown(str(folder))}` goes on where this stopped"


def _plan_json(folder: Path, planned: Planned) -> dict[str, Any]:
    return {
        "run": str(folder),
        "plan": planned.plan.id,
        "signer": planned.signer,
        "planned": json.loads(planned.plan.text),
    }


def _result_json(folder: Path, finished: Finished) -> dict[str, Any]:
    return {
        **_plan_json(folder, finished.planned),
        "passed": finished.passed,
        "unconfirmed": finished.unconfirmed,
        "battery": json.loads(finished.battery),
    }


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value) + "\n"
