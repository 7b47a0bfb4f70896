"""`cutcard-audit certify`: from a dealer's generator to a bundle that a laboratory can sign.

The run that the bundle rests on is kept in a folder beside it, so that what was stopped goes on
there. The bundle is written under another name and is there whole or not at all.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit_cli import __version__, say
from audit_cli.given import given_key
from audit_cli.inputs import UsageError, reason, shown
from audit_cli.rng.certify import evidence
from audit_cli.rng.certify.assemble import assemble
from audit_cli.rng.certify.builds import build_twice, not_built
from audit_cli.rng.certify.manifest import MANIFEST
from audit_cli.rng.certify.materials import checkout, gather_materials
from audit_cli.rng.certify.matrix import count_statuses
from audit_cli.rng.certify.measured import gather_measured, write_known_answers
from audit_cli.rng.certify.origins import collected, tell_origin
from audit_cli.rng.certify.replay import find_games, replay_games
from audit_cli.rng.certify.rulings import Status
from audit_cli.rng.certify.selftest import CLEAN, CLEAN_QUICK, make_sensitivity
from audit_cli.rng.certify.suites import Suites, SuitesError, gather_suites
from audit_cli.rng.certify.writing import json_bytes, moment
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.file_hash import hash_file
from audit_cli.rng.flaws.named import read_flaws
from audit_cli.rng.fresh import DealerDiffersError
from audit_cli.rng.hands_file import HandsFileError
from audit_cli.rng.remote import RemoteError
from audit_cli.rng.running.asked import Asked, read_asked, read_workers
from audit_cli.rng.running.finished import Means, finish_run
from audit_cli.rng.running.folder import KEY, PLAN, locked
from audit_cli.rng.running.judging import DamagedError
from audit_cli.rng.running.origin import OriginError
from audit_cli.rng.running.planning import plan_run
from audit_cli.rng.running.pool import ClusterError, Pool, WorkersDiedError
from audit_cli.rng.signing import SigningError, SigningKey, read_key, sign
from audit_cli.rng.sources import NotDerivedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from audit_cli.note import VerifierKey
    from audit_cli.rng.certify.matrix import Row
    from audit_cli.rng.running.finished import Finished

FAILED: Final = 1
UNREADABLE: Final = 3

_PRESET: Final = "cert"
_ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A command line that was read and makes sense."""

    out: Path
    run: Path
    sign_key: Path | None
    asked: Asked = field(repr=False)
    means: Means = field(repr=False)
    flaws: tuple[int, ...]
    clean: int
    games: tuple[Path, ...]
    games_key: VerifierKey | None
    builds: bool
    made: str


def run(options: argparse.Namespace) -> int:
    """Make a bundle, and return the exit status; UsageError for what the command line has wrong."""
    wanted = _read(options)
    try:
        with locked(wanted.run):
            return _make(wanted, options)
    except (NotDerivedError, DealerDiffersError) as error:
        say.error(str(error), "these hands are not dealt by the rules: keep the file as it is")
        return FAILED
    except (
        HandsFileError,
        RemoteError,
        OriginError,
        DamagedError,
        WorkersDiedError,
        ClusterError,
        SigningError,
        SuitesError,
        LookupError,
        SyntaxError,
    ) as error:
        say.error(str(error), _going_on(wanted))
        return UNREADABLE
    except BrokenPipeError:
        raise
    except OSError as error:
        name = shown(str(error.filename or wanted.out))
        say.error(f"{name}: {reason(error)}", _going_on(wanted))
        return UNREADABLE
    except KeyboardInterrupt:
        say.note(f"stopped: {_going_on(wanted)}")
        raise


def _read(options: argparse.Namespace) -> _Wanted:
    out = Path(options.out)
    if out.exists() or out.is_symlink():
        message = f"{shown(options.out)} is there already"
        raise UsageError(message, "a bundle's folder is a new one")
    if not out.absolute().parent.is_dir():
        message = f"{shown(str(out.parent))} is no folder"
        raise UsageError(message)
    workers = read_workers(options)
    games_key = options.games_key
    folder = Path(options.folder) if options.folder else out.with_name(f"{out.name}.run")
    asked = read_asked(options)
    if not (folder / PLAN).exists() and not (asked.preset or asked.hands or asked.file):
        asked = replace(asked, preset=_PRESET)
    return _Wanted(
        out=out,
        run=folder,
        sign_key=Path(options.sign_key) if options.sign_key else None,
        asked=asked,
        means=Means(options.engine, workers, None, asked.place),
        flaws=read_flaws(options.flaws, quick=options.quick),
        clean=CLEAN_QUICK if options.quick else CLEAN,
        games=tuple(find_games(map(Path, options.games))),
        games_key=None if games_key is None else given_key(games_key, "--games-key"),
        builds=not options.skip_builds,
        made=moment(os.environ, time.time),
    )


def _make(wanted: _Wanted, options: argparse.Namespace) -> int:
    planned = plan_run(wanted.run, wanted.asked, wanted.sign_key)
    key = _find_key(wanted, planned.signer)
    origin = tell_origin(wanted.run, planned, wanted.asked.place)
    finished = finish_run(wanted.run, planned, wanted.means)
    using = engine(options.engine).name
    about = {**origin, "collected": collected(wanted.run)}
    files = gather_measured(wanted.run, finished, about)
    files[evidence.CODE] = write_known_answers(finished)
    if wanted.flaws:
        with Pool(wanted.means.workers) as pool:
            files[evidence.SENSITIVITY] = make_sensitivity(wanted.flaws, wanted.clean, using, pool)
    if options.external:
        names = None if options.external == _ALL else str(options.external)
        files |= gather_suites(wanted.run, finished, Suites(names, options.bytes))
    if wanted.games:
        replayed = replay_games(wanted.games, wanted.games_key)
        files[evidence.REPLAY] = json_bytes(replayed)
    builds = build_twice(checkout()) if wanted.builds else not_built("it was not asked for")
    files |= gather_materials(sys.path, wanted.made, using, builds)
    rows = _write(wanted.out, files, wanted.made, key)
    say.out(_in_words(wanted, finished, key, rows))
    failed = not finished.passed or any(row.status is Status.FAIL for row in rows)
    return FAILED if failed else 0


def _find_key(wanted: _Wanted, signer: str) -> SigningKey:
    """Return the key that signed the plan: the laboratory's, or the one in the run's folder."""
    path = wanted.sign_key or wanted.run / KEY
    if not path.exists():
        message = f"the plan of the run is signed by {signer}, whose private part is not with it"
        raise UsageError(message, "--sign-key names the key that signed it")
    key = read_key(path)
    if key.verifier.text != signer:
        message = "the plan of the run is signed by another key than the bundle would be"
        raise SigningError(message, "name that key by --sign-key")
    return key


def _write(out: Path, files: dict[str, bytes], made: str, key: SigningKey) -> tuple[Row, ...]:
    """Write the bundle beside its place, and move it there."""
    part = out.with_name(f".{out.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        rows = assemble(
            part,
            files,
            made=made,
            program=__version__,
            key=key.verifier.text,
            sign=lambda text: sign(text, key),
        )
        part.rename(out)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return rows


def _going_on(wanted: _Wanted) -> str:
    return f"the same command goes on with the run in {shown(str(wanted.run))}"


def _in_words(wanted: _Wanted, finished: Finished, key: SigningKey, rows: Sequence[Row]) -> str:
    verdict = finished.verdict
    lines = [f"the battery: {verdict.decision.value}: {verdict.why}", ""]
    for status in (Status.FAIL, Status.NOT_SHOWN):
        lines += [
            f"{row.requirement.id} {status.value}: {row.why}"
            for row in rows
            if row.status is status
        ]
    told = ", ".join(f"{number} {name}" for name, number in count_statuses(rows).items() if number)
    root = hash_file(wanted.out / MANIFEST)
    lines += [
        f"{len(rows)} requirements: {told}",
        "",
        f"bundle {shown(str(wanted.out))}",
        f"root   {root}",
        f"key    {key.verifier.text}",
    ]
    if wanted.sign_key is None:
        lines.append(f"       (its private part: {shown(str(wanted.run / KEY))})")
    return "\n".join(lines) + "\n"
