"""`cutcard-dealer fetch`: writes a game's file, and proofs, for `cutcard-audit` to check."""

import argparse
from pathlib import Path

from dealer_service.client import Dealer
from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained, player_token
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.loops import run_loop
from dealer_service.commands.proving import fetch_proofs


def run(options: argparse.Namespace) -> int:
    """Write the file, whole or not at all, and print its path; then proofs, where asked for.

    1 where the dealer's log lacks some of what the file tells.
    """
    return run_loop(_fetch(options))


async def _fetch(options: argparse.Namespace) -> int:
    path: Path = options.output or Path(f"{options.game}.jsonl")
    async with connect(options, player_token(options)) as dealer:
        with explained():
            try:
                await dealer.download(options.game, path)
                say.out(str(path))
                if options.log_proofs is not None:
                    return await _prove(dealer, options.game, path, options.log_proofs)
            except OSError as error:
                message = f"{error.filename or path} can not be written: {error.strerror}"
                raise Failure(message) from None
    return Exit.DONE


async def _prove(dealer: Dealer, game: str, path: Path, folder: Path) -> int:
    proofs = await fetch_proofs(dealer, game, path, folder)
    for each in proofs.written:
        say.out(str(each))
    if proofs.missing:
        say.warning(
            f"the dealer's log lacks {proofs.missing} of what the file tells: a game that was "
            "open before the dealer published a log has none of its beginning there"
        )
        return Exit.FAILED
    return Exit.DONE
