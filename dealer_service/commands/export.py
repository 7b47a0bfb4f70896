"""`cutcard-dealer export`: writes the files of all that is over, for keeping and for audits.

These are games and tournaments. A tournament has one file: that of its own log, and behind it those
of its tables, which have none of their own.

It asks a running dealer, as an auditor may, so it is the same for every store, and needs neither
the dealer's keys nor its store. Files that are there already are left as they are: what is over
never changes again.
"""

import argparse
import json
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from dealer_service.access.roles import Role
from dealer_service.client import CallRefusedError, Dealer
from dealer_service.client.disk import on_disk
from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained, token_for
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.loops import run_loop
from dealer_service.durable import sync_folder


def run(options: argparse.Namespace) -> int:
    """Write each file, whole or not at all, and print its path; 1 where some can not be had."""
    folder: Path = options.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder} can not be made: {error.strerror}"
        raise Failure(message) from None
    return run_loop(_export(options, folder))


async def _export(options: argparse.Namespace, folder: Path) -> int:
    missing = written = there = 0
    async with connect(options, token_for(options, Role.AUDITOR)) as dealer:
        with explained():
            try:
                async for name, is_tournament in _finished(dealer):
                    path = folder / f"{name}.jsonl"
                    fetch = _fetch_tournament if is_tournament else _fetch
                    if path.exists():
                        there += 1
                    elif await fetch(dealer, name, path):
                        say.out(str(path))
                        written += 1
                    else:
                        missing += 1
            except OSError as error:
                message = f"{error.filename or folder} can not be written: {error.strerror}"
                raise Failure(message) from None
    say.note(f"{written} files written, {there} were there")
    if missing:
        say.warning(
            f"{missing} games are archived, and their files are not at this dealer: look in the "
            "directory that its --archive names, or at the other nodes"
        )
        return Exit.FAILED
    return Exit.DONE


async def _finished(dealer: Dealer) -> AsyncIterator[tuple[str, bool]]:
    """Give each game and tournament that gets a file, and whether it is a tournament.

    Tables of a tournament whose own log was lost are all that is left of it.
    """
    lost = {one.tournament async for one in dealer.tournaments.list("lost")}
    for state in ("revealed", "archived"):
        async for game in dealer.operator.list_games(state):
            if not game.tournament or game.tournament in lost:
                yield game.game, False
    for state in ("closed", "archived"):
        async for one in dealer.tournaments.list(state):
            yield one.tournament, True


async def _fetch(dealer: Dealer, game: str, path: Path) -> bool:
    """Write a game's file; False where this dealer has it no longer."""
    try:
        await dealer.download(game, path)
    except CallRefusedError as error:
        if error.refusal.reason != "GAME_ARCHIVED":
            raise
        return False
    return True


async def _fetch_tournament(dealer: Dealer, tournament: str, path: Path) -> bool:
    """Write a tournament's file with those of its tables behind it; False as in `_fetch`."""
    with TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as name:
        beside = Path(name)
        parts = [beside / tournament]
        if not await _fetch(dealer, tournament, parts[0]):
            return False
        for game in await on_disk(_tables_in, parts[0]):
            parts.append(beside / game)
            if not await _fetch(dealer, game, parts[-1]):
                return False
        await on_disk(_join, parts, path)
    return True


def _tables_in(path: Path) -> list[str]:
    """Give the games of the tables that a tournament's file tells of, in their order."""
    with path.open("rb") as file:
        entries = (json.loads(line) for line in file)
        return [entry["table_opened"]["game"] for entry in entries if "table_opened" in entry]


def _join(parts: Sequence[Path], path: Path) -> None:
    """Put files end to end into one, which is there whole or not at all; OSError."""
    joined = parts[0].with_name("joined")
    with joined.open("wb") as file:
        for part in parts:
            with part.open("rb") as one:
                shutil.copyfileobj(one, file)
        file.flush()
        os.fsync(file.fileno())
    joined.replace(path)
    sync_folder(path.parent)
