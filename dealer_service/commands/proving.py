"""Proofs from the dealer's log of all that a game's file tells, each in a file of its own.

What the log must say follows from the game's lines: a line of it that says anything else is no
fault of a moment, and is kept as evidence.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dealer_service.client import CallRefusedError, Dealer, LogProof, LogProofError
from dealer_service.client.disk import on_disk
from dealer_service.client.refusing import ProtocolBreach
from dealer_service.client.stages import stages_of
from dealer_service.commands.failure import Failure
from dealer_service.durable import sync_folder
from dealer_service.transcript.noted import OF_A_HAND, Noted, write_noted

PATIENCE_SECONDS: Final = 5.0
"""So long altogether is waited for lines that have just come and are not published yet."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """The files that were written, and how many lines the dealer's log does not have."""

    written: Sequence[Path]
    missing: int


async def fetch_proofs(dealer: Dealer, game: str, file: Path, folder: Path) -> Proofs:
    """Write a proof to `folder` for each stage that the game's file tells.

    CallRefusedError, OSError; Failure where what the log says is not what the file does.
    """
    try:
        told = tuple(stages_of(game, await on_disk(_lines, file)))
    except ProtocolBreach as breach:
        message = f"{file} is not what a dealer writes: {breach.detail}"
        raise Failure(message) from None
    until = time.monotonic() + PATIENCE_SECONDS
    written, missing = [], 0
    for noted in told:
        path = folder / _name(game, noted)
        wait = max(0.0, until - time.monotonic())
        try:
            proved = await dealer.log_proof(game, noted.stage, noted.hand, wait=wait)
        except LogProofError as error:
            await on_disk(_write, path, error.text)
            message = f"{error.detail}: this is evidence against the dealer, kept in {path}"
            raise Failure(message) from None
        except CallRefusedError as error:
            if error.refusal.reason != "NOT_PUBLISHED":
                raise
            missing += 1
            continue
        await on_disk(_write, path, proved.text)
        _require_same(proved, noted, path)
        written.append(path)
    return Proofs(written, missing)


def _require_same(proved: LogProof, noted: Noted, path: Path) -> None:
    if proved.line == write_noted(noted):
        return
    message = (
        f"the dealer's log has another line for {noted.stage} than the game's file: this is "
        f"evidence against the dealer. Keep {path} and the file"
    )
    raise Failure(message)


def _lines(file: Path) -> list[bytes]:
    """Read the transcript's lines of a game's file."""
    _, *lines = file.read_bytes().splitlines()
    return [line for line in lines if not line.startswith(b'{"checkpoint":')]


def _name(game: str, noted: Noted) -> str:
    hand = f".{noted.hand}" if noted.stage in OF_A_HAND else ""
    return f"{game}{hand}.{noted.stage}.tlog-proof"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
    sync_folder(path.parent)
