"""What a run's folder remembers of where its hands come from, and finds them again by.

The plan commits to secrets and names files by their SHA-256 alone; secrets and paths are here, in a
file for its owner's eyes, written before the plan is.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit_cli.inputs import UsageError, shown
from audit_cli.rng.collect_command import collect
from audit_cli.rng.file_hash import hash_file
from audit_cli.rng.hands_file import sidecar
from audit_cli.rng.lab import commit_lab
from audit_cli.rng.plan import CONFIRMATION_FACTOR, Kind
from audit_cli.rng.running.folder import CONFIRMATION, HANDS, ORIGIN
from audit_cli.rng.sources import Lab, open_decks, open_hands
from audit_cli.writing import write_whole

if TYPE_CHECKING:
    from audit_cli.rng.plan import Plan
    from audit_cli.rng.remote import Where
    from audit_cli.rng.sources import Source

_PRIVATE: Final = 0o600
_SIDECAR: Final = re.compile(rf"([0-9a-f]{{64}})  {HANDS}\n")


class OriginError(Exception):
    """The hands of a run are not to be had any more; the text says why."""


class NoHandsError(Exception):
    """There are no fresh hands for a confirmation."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The laboratory's two secrets, or the path of a file; neither where hands are collected."""

    secrets: tuple[bytes, ...] = field(default=(), repr=False)
    path: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Hands that are there, from `start` on; `files` are those that workers have to see."""

    source: Source
    start: int = 0
    files: tuple[tuple[str, str], ...] = ()


def keep_origin(folder: Path, origin: Origin) -> None:
    """Write what is to be remembered. OSError where that can not be done."""
    value = {"path": origin.path, "secrets": [secret.hex() for secret in origin.secrets]}
    write_whole(folder / ORIGIN, json.dumps(value, sort_keys=True).encode() + b"\n", _PRIVATE)


def read_origin(folder: Path, plan: Plan) -> Origin:
    """Return what a folder remembers. OriginError where it is not what the plan commits to."""
    try:
        value = json.loads((folder / ORIGIN).read_bytes())
        secrets = tuple(bytes.fromhex(secret) for secret in value["secrets"])
        origin = Origin(secrets, str(value["path"]))
    except (OSError, ValueError, KeyError, TypeError):
        message = f"{shown(str(folder / ORIGIN))} is missing or damaged: the run can not go on"
        raise OriginError(message) from None
    committed = [plan.source.commitment, plan.source.confirmation]
    if plan.source.kind is Kind.LAB and [commit_lab(each).hex() for each in secrets] != committed:
        message = f"the plan does not commit to the secrets of {shown(str(folder / ORIGIN))}"
        raise OriginError(message)
    return origin


def find_hands(
    folder: Path, plan: Plan, origin: Origin, place: Where | None, *, confirm: bool = False
) -> Found:
    """Return where the run's hands are, or the confirmation's; collect them where that is to do.

    OriginError where they are not what the plan names, NoHandsError where a file has too few for a
    confirmation, UsageError where the dealer is not named, and what `collect` and `open_hands`
    raise.
    """
    kind = plan.source.kind
    if kind is Kind.LAB:
        return Found(Lab(origin.secrets[1 if confirm else 0]))
    if kind in {Kind.HANDS, Kind.DECKS}:
        return _find_in_file(plan, origin.path, confirm=confirm)
    if confirm:
        folder /= CONFIRMATION
        folder.mkdir(exist_ok=True)
    path = folder / HANDS
    if _told(path) is None:
        if kind is Kind.DEALER and place is None:
            message = "there are hands of the dealer still to collect"
            raise UsageError(message, "say where it is: --dealer HOST:PORT, --token FILE")
        collect(path, (plan.confirmation if confirm else plan.run).hands, place)
    source = open_hands(str(path))
    found = hash_file(path)
    if _told(path) != found:
        message = f"{shown(str(path))} is not what was collected"
        raise OriginError(message)
    return Found(source, files=((str(path.resolve()), found),))


def _told(path: Path) -> str | None:
    """Return the SHA-256 that stands beside a collection; None where it is not finished."""
    try:
        line = sidecar(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = _SIDECAR.fullmatch(line)
    return found[1] if found else None


def _find_in_file(plan: Plan, path: str, *, confirm: bool) -> Found:
    source = (open_hands if plan.source.kind is Kind.HANDS else open_decks)(path)
    if hash_file(Path(path)) != plan.source.sha256:
        message = f"{shown(path)} is not the file that was planned: its SHA-256 differs"
        raise OriginError(message)
    start = plan.run.hands if confirm else 0
    if confirm and source.count < (1 + CONFIRMATION_FACTOR) * plan.run.hands:
        message = (
            f"{shown(path)} has no {plan.confirmation.hands:,} further hands to test suspects on"
        )
        raise NoHandsError(message)
    return Found(source, start, ((path, plan.source.sha256),))
