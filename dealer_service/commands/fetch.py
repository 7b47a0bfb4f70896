"""`cutcard-dealer fetch`: writes a game's file, for `cutcard-audit` to check."""

import argparse
from pathlib import Path

from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained, player_token
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.loops import run_loop


def run(options: argparse.Namespace) -> int:
    """Write the file, whole or not at all, and print its path."""
    return run_loop(_fetch(options))


async def _fetch(options: argparse.Namespace) -> int:
    path: Path = options.output or Path(f"{options.game}.jsonl")
    async with connect(options, player_token(options)) as dealer:
        with explained():
            try:
                await dealer.download(options.game, path)
            except OSError as error:
                message = f"{path} can not be written: {error.strerror}"
                raise Failure(message) from None
    say.out(str(path))
    return Exit.DONE
