"""`cutcard-audit bundle reproduce`: derive and count again, and compare byte for byte.

What a bundle holds is checked first, as `bundle verify` does: what is not as it was signed is not
worth repeating. Suites of others and replayed games are not repeated: neither the programs nor the
game files are in a bundle.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit_cli import say
from audit_cli.inputs import UsageError, reason, shown
from audit_cli.rng.certify import evidence
from audit_cli.rng.certify.check import check_bundle
from audit_cli.rng.certify.measured import (
    gather_measured,
    make_known_answers,
    write_known_answers,
)
from audit_cli.rng.certify.selftest import make_sensitivity, same_cases
from audit_cli.rng.certify.vectors import make_vectors
from audit_cli.rng.certify.verify_command import open_bundle
from audit_cli.rng.code_hash import hash_code
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.file_hash import hash_file
from audit_cli.rng.hands_file import HandsFileError, sidecar
from audit_cli.rng.plan import Kind, Plan, read_plan
from audit_cli.rng.running.asked import read_workers
from audit_cli.rng.running.finished import Means, finish_run
from audit_cli.rng.running.folder import HANDS, PLAN, locked
from audit_cli.rng.running.judging import DamagedError
from audit_cli.rng.running.origin import Origin, OriginError
from audit_cli.rng.running.planning import Planned
from audit_cli.rng.running.pool import ClusterError, Pool, WorkersDiedError
from audit_cli.rng.signing import read_text
from audit_cli.rng.sources import NotDerivedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

OTHER = 1
UNREADABLE = 3

_SECRET_BYTES: Final = 32
_MADE_FROM_PLAN: Final = (
    evidence.BATTERY,
    evidence.RAW,
    evidence.COUNTS,
    evidence.CONFIRMATION_COUNTS,
)


@dataclass(slots=True)
class _Repeated:
    """What came of it: names of files that came out the same, other, or were not repeated."""

    same: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)

    def compare(self, name: str, before: object, now: object) -> None:
        (self.same if before == now else self.other).append(name)


def run(options: argparse.Namespace) -> int:
    """Repeat, print, and return the exit status; UsageError for what the command line has wrong."""
    bundle = open_bundle(options.bundle)
    means = Means(options.engine, read_workers(options))
    try:
        found = check_bundle(bundle)
        if found.faults:
            say.error(
                f"{shown(options.bundle)} is not as it was signed: {found.faults[0]}",
                f"`{say.NAME} bundle verify {shown(options.bundle)}` names all of it",
            )
            return OTHER
        with _workplace(options.out) as folder, locked(folder):
            repeated = _repeat(bundle, folder, means, options.hands)
    except (NotDerivedError, HandsFileError, OriginError, DamagedError) as error:
        say.error(str(error))
        return UNREADABLE
    except (WorkersDiedError, ClusterError) as error:
        say.error(str(error))
        return UNREADABLE
    except BrokenPipeError:
        raise
    except OSError as error:
        say.error(f"{shown(str(error.filename or bundle))}: {reason(error)}")
        return UNREADABLE
    say.out(_as_json(repeated) if options.json else _in_words(repeated))
    return OTHER if repeated.other else 0


@contextmanager
def _workplace(out: str | None) -> Iterator[Path]:
    """Give a folder to work in: a new one that is kept, or one that is gone afterwards."""
    if out is None:
        with tempfile.TemporaryDirectory(prefix="cutcard-") as folder:
            yield Path(folder)
        return
    path = Path(out)
    if path.exists():
        message = f"{shown(out)} is there already"
        raise UsageError(message)
    try:
        path.mkdir()
    except OSError as error:
        message = f"can not make {shown(out)}: {reason(error)}"
        raise UsageError(message) from None
    yield path


def _repeat(bundle: Path, folder: Path, means: Means, hands: str | None) -> _Repeated:
    repeated = _Repeated()
    plan = read_plan(read_text((bundle / evidence.PLAN).read_bytes()))
    if plan.code != hash_code():
        say.warning("the bundle was made by another version of this program: figures may differ")
    index = evidence.read_object(bundle, evidence.INDEX) or {}
    origin = _origin(plan, index, folder, hands)
    if isinstance(origin, str):
        for name in (*_MADE_FROM_PLAN, evidence.INDEX):
            if (bundle / name).exists():
                repeated.left[name] = origin
        known = make_known_answers()
    else:
        known = _repeat_run(bundle, folder, plan, origin, index, means, repeated)
    _repeat_code(bundle, known, repeated)
    _repeat_flaws(bundle, means, repeated)
    for name in (evidence.EXTERNAL, evidence.REPLAY):
        if (bundle / name).exists():
            repeated.left[name] = "what it was made from is not in the bundle"
    return repeated


def _origin(plan: Plan, index: dict[str, Any], folder: Path, hands: str | None) -> Origin | str:
    """Return where the hands are, or why they are not to be had."""
    kind = plan.source.kind
    if kind is Kind.LAB:
        if hands is not None:
            message = "--hands: the hands of this bundle follow from its laboratory's secret"
            raise UsageError(message)
        told = [index["run"]["secret"], (index["confirmation"] or {}).get("secret")]
        # A secret that was not told was not used either.
        secrets = [bytes.fromhex(each) if each else bytes(_SECRET_BYTES) for each in told]
        return Origin(tuple(secrets))
    if hands is None:
        return "its hands follow from no secret; --hands FILE counts a copy of them"
    if kind in {Kind.SYSTEM, Kind.DEALER} and index["confirmation"] is not None:
        return "the hands of its confirmation were collected apart"
    path = Path(hands)
    if not path.is_file():
        message = f"--hands {shown(hands)}: no such file"
        raise UsageError(message)
    wanted = plan.source.sha256 or index["collected"].get("sha256")
    if hash_file(path) != wanted:
        message = f"--hands {shown(hands)} is not the file of this bundle: its SHA-256 differs"
        raise UsageError(message)
    if kind in {Kind.SYSTEM, Kind.DEALER}:
        (folder / HANDS).symlink_to(path.resolve())
        sidecar(folder / HANDS).write_text(f"{wanted}  {HANDS}\n", encoding="utf-8")
    return Origin(path=str(path.resolve()))


def _repeat_run(  # noqa: PLR0913, PLR0917  (all that a run is repeated from)
    bundle: Path,
    folder: Path,
    plan: Plan,
    origin: Origin,
    index: dict[str, Any],
    means: Means,
    repeated: _Repeated,
) -> bytes:
    """Carry the plan out again; `kat/outcomes.json` as it came out with it."""
    shutil.copyfile(bundle / evidence.PLAN, folder / PLAN)
    planned = Planned(plan, "", origin, fresh=False)
    finished = finish_run(folder, planned, means)
    made = gather_measured(folder, finished, {})
    for name in _MADE_FROM_PLAN:
        before = (bundle / name).read_bytes() if (bundle / name).exists() else None
        if before is not None or name in made:
            repeated.compare(name, before, made.get(name))
    now = json.loads(made[evidence.INDEX])
    for part in ("run", "confirmation"):
        if index[part] is not None or now[part] is not None:
            chunks = f"the decks of {part} ({evidence.INDEX})"
            repeated.compare(chunks, index[part], now[part])
    return write_known_answers(finished)


def _repeat_code(bundle: Path, known: bytes, repeated: _Repeated) -> None:
    """Compare how the code was held to its answers; which engines there are is each machine's."""
    before = evidence.read_object(bundle, evidence.CODE)
    if before is not None:
        now = json.loads(known)
        repeated.compare(evidence.CODE, before["tests"], now["tests"])
    vectors = bundle / evidence.VECTORS
    if vectors.exists():
        repeated.compare(evidence.VECTORS, vectors.read_bytes(), make_vectors())


def _repeat_flaws(bundle: Path, means: Means, repeated: _Repeated) -> None:
    path = bundle / evidence.SENSITIVITY
    made = evidence.read_object(bundle, evidence.SENSITIVITY)
    if made is None:
        return
    chosen = same_cases(made)
    if chosen is None:
        repeated.left[evidence.SENSITIVITY] = "this version's flaw bank is another"
        return
    with Pool(means.workers) as pool:
        now = make_sensitivity(*chosen, engine(means.engine).name, pool)
    repeated.compare(evidence.SENSITIVITY, path.read_bytes(), now)


def _as_json(repeated: _Repeated) -> str:
    value = {
        "left": repeated.left,
        "other": repeated.other,
        "same": repeated.same,
        "reproduced": not repeated.other,
    }
    return json.dumps(value, sort_keys=True) + "\n"


def _in_words(repeated: _Repeated) -> str:
    lines = [f"same   {name}" for name in repeated.same]
    lines += [f"OTHER  {name}" for name in repeated.other]
    lines += [f"not repeated  {name}: {why}" for name, why in repeated.left.items()]
    if repeated.other:
        lines += ["", f"{len(repeated.other)} came out otherwise"]
    else:
        lines += ["", f"all {len(repeated.same)} that were repeated came out the same"]
    return "\n".join(lines) + "\n"
