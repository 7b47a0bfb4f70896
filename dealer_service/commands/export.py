"""`cutcard-dealer export`: writes the files of all that is over, for keeping and for audits.

These are games, tables of tournaments among them, and tournaments.

It asks a running dealer, as an auditor may, so it is the same for every store, and needs neither
the dealer's keys nor its store. Files that are there already are left as they are: what is over
never changes again.
"""

import argparse
from collections.abc import AsyncIterator
from pathlib import Path

from dealer_service.access.roles import Role
from dealer_service.client import CallRefusedError, Dealer
from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained, token_for
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.loops import run_loop


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
                async for name in _finished(dealer):
                    path = folder / f"{name}.jsonl"
                    if path.exists():
                        there += 1
                    elif await _fetch(dealer, name, path):
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


async def _finished(dealer: Dealer) -> AsyncIterator[str]:
    for state in ("revealed", "archived"):
        async for game in dealer.operator.list_games(state):
            yield game.game
    for state in ("closed", "archived"):
        async for tournament in dealer.tournaments.list(state):
            yield tournament.tournament


async def _fetch(dealer: Dealer, game: str, path: Path) -> bool:
    """Write a game's file; False where this dealer has it no longer."""
    try:
        await dealer.download(game, path)
    except CallRefusedError as error:
        if error.refusal.reason != "GAME_ARCHIVED":
            raise
        return False
    return True
