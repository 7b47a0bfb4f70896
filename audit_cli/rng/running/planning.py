"""The plan of a run's folder: written and signed before any data, or held against what is asked."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit_cli.inputs import UsageError, shown
from audit_cli.rng.code_hash import hash_code
from audit_cli.rng.file_hash import hash_file
from audit_cli.rng.lab import commit_lab, confirm_lab
from audit_cli.rng.plan import (
    Kind,
    Plan,
    PlanError,
    Source,
    make_plan,
    read_plan,
)
from audit_cli.rng.raw.judge import raw_tests
from audit_cli.rng.running.folder import (
    CONFIRMATION,
    COUNTS,
    HANDS,
    KEY,
    PLAN,
    RAW,
    RESULTS,
    VERIFIER,
)
from audit_cli.rng.running.origin import Origin, OriginError, keep_origin, read_origin
from audit_cli.rng.signing import (
    SigningError,
    SigningKey,
    make_key,
    open_signed,
    read_key,
    sign,
    write_key,
)
from audit_cli.rng.sources import open_decks, open_hands
from audit_cli.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from audit_cli.rng.running.asked import Asked

#: What signs a plan for which no key is named, is called so.
LABORATORY: Final = "laboratory"
_SECRET_BYTES: Final = 32
#: What a folder has only after its plan.
_LATER: Final = (HANDS, COUNTS, RAW, CONFIRMATION, RESULTS)
_OPTIONS: Final = {
    Kind.LAB: "--secret, or nothing",
    Kind.SYSTEM: "--system",
    Kind.DEALER: "--dealer",
    Kind.HANDS: "--hands",
    Kind.DECKS: "--decks",
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A signed plan, the vkey of its signer, and where its hands are from.

    `fresh` tells that it was just made.
    """

    plan: Plan
    signer: str
    origin: Origin = field(repr=False)
    fresh: bool


def plan_run(
    folder: Path,
    asked: Asked,
    sign_key: Path | None,
    entropy: Callable[[int], bytes] = os.urandom,
) -> Planned:
    """Return the folder's plan, made where there is none.

    UsageError where the plan that is there is another than asked for, or where none can be made;
    OriginError where what belongs to it is damaged; OSError where it can not be written.
    """
    path = folder / PLAN
    if path.exists():
        return _go_on(folder, asked, sign_key)
    _check_empty(folder)
    source, origin = _choose(asked, entropy)
    raw = () if source.kind is Kind.DECKS else raw_tests()
    try:
        plan = make_plan(source, preset=asked.preset or "quick", hands=_hands(asked), raw=raw)
    except PlanError as error:
        raise UsageError(str(error)) from None
    _check_enough(plan, asked)
    key = _find_key(folder, sign_key, entropy)
    # The plan comes last: once it is there, all that it commits to is.
    keep_origin(folder, origin)
    write_whole(folder / VERIFIER, f"{key.verifier.text}\n".encode())
    write_whole(path, sign(plan.text, key).encode())
    return Planned(plan, key.verifier.text, origin, fresh=True)


def _check_empty(folder: Path) -> None:
    """Refuse to plan where there are hands or results: they may be known, or tell a failed run."""
    there = [name for name in _LATER if (folder / name).exists()]
    if there:
        message = f"{shown(str(folder))} has {', '.join(there)} of a run whose plan is not there"
        raise UsageError(message, "a plan comes before its hands: name another folder by --run")


def _choose(asked: Asked, entropy: Callable[[int], bytes]) -> tuple[Source, Origin]:
    """Return what a new plan says of its source, and what the folder remembers of it."""
    kind = asked.kind or Kind.LAB
    if kind is Kind.LAB:
        secrets = (entropy(_SECRET_BYTES), entropy(_SECRET_BYTES))
        if asked.secret is not None:
            # One secret repeats the whole run: the confirmation's follows from it.
            secrets = (asked.secret, confirm_lab(asked.secret))
        commitments = [commit_lab(secret).hex() for secret in secrets]
        return Source(kind, *commitments), Origin(secrets)
    if kind in {Kind.SYSTEM, Kind.DEALER} or asked.file is None:
        return Source(kind), Origin()
    path = Path(asked.file)
    return Source(kind, sha256=hash_file(path)), Origin(path=str(path.resolve()))


def _hands(asked: Asked) -> int | None:
    """Return how many decks are asked for by number: all of a file, where nothing else is said."""
    if asked.hands is not None or asked.preset is not None or asked.file is None:
        return asked.hands
    return _count(asked)


def _count(asked: Asked) -> int:
    assert asked.file is not None
    return (open_hands if asked.kind is Kind.HANDS else open_decks)(asked.file).count


def _check_enough(plan: Plan, asked: Asked) -> None:
    if asked.file is not None and (there := _count(asked)) < plan.run.hands:
        message = f"{shown(asked.file)} has {there:,} hands, not {plan.run.hands:,}"
        raise UsageError(message, "--count says how many to test")


def _find_key(folder: Path, sign_key: Path | None, entropy: Callable[[int], bytes]) -> SigningKey:
    """Return the key that is named, made where it is not there; without one, a new one here."""
    if sign_key is not None and sign_key.exists():
        return _read_key(sign_key)
    key = make_key(LABORATORY, entropy(_SECRET_BYTES))
    if sign_key is None:
        write_whole(folder / KEY, f"{key.text}\n".encode(), 0o600)
        return key
    try:
        write_key(sign_key, key)
    except SigningError as error:
        raise UsageError(str(error), error.hint) from None
    return key


def _read_key(path: Path) -> SigningKey:
    try:
        return read_key(path)
    except SigningError as error:
        raise UsageError(str(error), error.hint) from None


def _go_on(folder: Path, asked: Asked, sign_key: Path | None) -> Planned:
    place = shown(str(folder))
    try:
        verifier = (folder / VERIFIER).read_text(encoding="utf-8").removesuffix("\n")
        plan = read_plan(open_signed((folder / PLAN).read_bytes(), verifier))
    except (OSError, ValueError, SigningError, PlanError) as error:
        message = f"the plan in {place} is not what was signed: {error}"
        raise OriginError(message) from None
    origin = read_origin(folder, plan)
    differences = list(_differ(plan, asked))
    if sign_key is not None and _read_key(sign_key).verifier.text != verifier:
        differences.append("it is signed by another key than --sign-key")
    if differences:
        message = f"the run in {place} was planned otherwise: {'; '.join(differences)}"
        raise UsageError(message, "leave these options out to go on, or name another folder")
    if plan.code != hash_code():
        message = f"the run in {place} was planned for another version of this program"
        raise UsageError(message, "go on with that version, or begin anew in another folder")
    return Planned(plan, verifier, origin, fresh=False)


def _differ(plan: Plan, asked: Asked) -> Iterator[str]:
    """Say in what a plan is another than what is asked for."""
    run, source = plan.run, plan.source
    if asked.preset is not None and asked.preset != plan.preset:
        yield f"its preset is {plan.preset}, not {asked.preset}"
    if (
        asked.hands is not None
        and not run.hands <= asked.hands < run.hands + run.blocks * run.chunks_per_block
    ):
        yield f"it is of {run.hands:,} decks, not {asked.hands:,}"
    if asked.kind is None:
        return
    if asked.kind is not source.kind:
        yield f"its hands are of another source ({_OPTIONS[source.kind]})"
    elif asked.secret is not None and commit_lab(asked.secret).hex() != source.commitment:
        yield "its secret is another than that of --secret"
    elif asked.file is not None and hash_file(Path(asked.file)) != source.sha256:
        yield f"{shown(asked.file)} is not the file that it names by its SHA-256"
