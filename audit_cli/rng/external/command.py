"""`cutcard-audit rng external`: each suite that is here reads the generator once, is quoted."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit_cli import say
from audit_cli.derive import STREAM_BYTES
from audit_cli.inputs import UsageError, reason, shown
from audit_cli.rng.dump.command import opened_origin
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.external.runs import (
    Program,
    SuiteError,
    SuiteRun,
    find_programs,
    fitted_size,
    run_suite,
)
from audit_cli.rng.external.suites import NAMES, SUITES
from audit_cli.rng.fresh import DealerDiffersError
from audit_cli.rng.hands_file import HandsFileError
from audit_cli.rng.remote import RemoteError
from audit_cli.rng.running.bar import watched
from audit_cli.rng.sources import NotDerivedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.rng.dump.origins import Origin
    from audit_cli.rng.hands import Engine

FORMAT: Final = "cutcard-external/1"
RESULTS: Final = "results.json"
NOT_RUN = 3


def run(options: argparse.Namespace) -> int:
    """Run the suites, and return the exit status. UsageError for a wrong command line."""
    programs = _chosen(options.suites)
    folder = _new_folder(options.out)
    per_hand = argparse.Namespace(**vars(options) | {"stream": "per-hand", "skip": 0})
    try:
        with opened_origin(per_hand) as origin:
            about, failed = run_suites(programs, origin, engine("auto"), options.bytes, folder)
    except (DealerDiffersError, NotDerivedError, RemoteError, HandsFileError) as error:
        say.error(str(error))
        return NOT_RUN
    if options.json:
        say.out(json.dumps(about) + "\n")
    else:
        for one in about["suites"]:
            version = f" {one['version']}" if one["version"] else ""
            say.out(f"{one['suite']}{version}, {one['bytes']:,} bytes: {one['said']}\n")
    for words in failed:
        say.error(words)
    return NOT_RUN if failed else 0


def run_suites(
    programs: Sequence[Program],
    origin: Origin,
    used: Engine,
    size: int | None,
    folder: Path,
) -> tuple[dict[str, Any], list[str]]:
    """Run each program once on the streams of an origin, and write `results.json` in `folder`.

    Returns what was written, and what could not be run in words. Errors of the origin are raised.
    """
    has = None if origin.has is None else origin.has * STREAM_BYTES
    about: dict[str, Any] = {"format": FORMAT, "origin": origin.told(), "suites": []}
    failed = []
    for program in programs:
        try:
            about["suites"].append(
                _run_one(
                    program, origin, used, fitted_size(program.suite, size, has), folder
                ).to_json()
            )
        except SuiteError as error:
            failed.append(str(error))
    about["not_run"] = failed
    text = json.dumps(about, indent=1, sort_keys=True) + "\n"
    (folder / RESULTS).write_text(text, encoding="ascii")
    return about, failed


def _run_one(
    program: Program, origin: Origin, used: Engine, size: int | None, folder: Path
) -> SuiteRun:
    hands = None if size is None else -(-size // STREAM_BYTES)
    if hands is None:
        hands = origin.has
    with watched(program.suite.name, size, "bytes") as bar:
        return run_suite(program, lambda: origin.streams(used, 0, hands), size, folder, bar)


def _chosen(asked: str | None) -> tuple[Program, ...]:
    """Return the programs to run. UsageError for a name that is none, or is not here."""
    names = NAMES if asked is None else tuple(asked.split(","))
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        message = f"there is no suite {shown(unknown[0])}"
        raise UsageError(message, f"there are {', '.join(NAMES)}")
    found = {program.suite.name: program for program in find_programs()}
    here = ", ".join(found) or "none"
    if asked is None and not found:
        programs = ", ".join(name for suite in SUITES for name in suite.programs)
        message = "no suite of others is on this machine"
        raise UsageError(message, f"the path is searched for {programs}")
    missing = [name for name in names if name not in found]
    if asked is not None and missing:
        message = f"{missing[0]} is not on this machine"
        raise UsageError(message, f"suites that are here: {here}")
    return tuple(found[name] for name in dict.fromkeys(names) if name in found)


def _new_folder(name: str) -> Path:
    """Make the folder for the results. UsageError where something is in it: a run is made once."""
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            message = f"{shown(name)} is not empty, and what a suite said there is not repeated"
            raise UsageError(message, "name a new folder")
    except OSError as error:
        message = f"can not make {shown(name)}: {reason(error)}"
        raise UsageError(message) from None
    return folder
