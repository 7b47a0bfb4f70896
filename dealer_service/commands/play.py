"""`cutcard-dealer play`: seats a person in the terminal, or a script."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from dealer_service.client import Dealer, Seat
from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained, player_token
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.lines import read_lines
from dealer_service.commands.loops import on_signals, run_loop
from dealer_service.commands.orders import HELP
from dealer_service.commands.places import AtTable
from dealer_service.commands.sitting import Sitting
from dealer_service.commands.telling import Paint, plain


def run(options: argparse.Namespace) -> int:
    """Sit down, play until the seat is left, and say where the record is."""
    return run_loop(_play(options))


async def _play(options: argparse.Namespace) -> int:
    colour = not options.no_color and "NO_COLOR" not in os.environ and sys.stdout.isatty()
    paint = Paint(colour)
    async with connect(options, player_token(options)) as dealer:
        with explained():
            seat = await _sit(dealer, options)
        interactive = sys.stdin.isatty()
        sitting = Sitting(AtTable(seat), paint, say.out, interactive=interactive)
        say.out(f"you are {dealer.player}; your record is {seat.record_path}")
        if interactive:
            for line in HELP:
                say.out(line)
        await run_sitting(sitting)
    record = seat.record_path
    game = sitting.refused.game if sitting.refused is not None else ""
    return tell_end(sitting, record, record.with_name(f"{game}.{seat.player}.evidence"))


async def _sit(dealer: Dealer, options: argparse.Namespace) -> Seat:
    rules = await dealer.rules(options.game)
    usual = min(100 * rules["big_blind"], rules["buy_in_max"])
    return await dealer.sit(
        options.game,
        stack=options.stack or max(rules["buy_in_min"], usual),
        seat=options.seat,
        directory=options.records,
    )


async def run_sitting(sitting: Sitting) -> None:
    """Run to the end; the first signal leaves the seat, the second goes away from it."""
    running = asyncio.create_task(sitting.run())
    asked = False

    def interrupt() -> None:
        nonlocal asked
        if asked:
            running.cancel()
        else:
            asked = True
            sitting.interrupt()

    on_signals(interrupt)
    read_lines(sys.stdin.fileno(), sitting.type)
    try:
        await running
    except asyncio.CancelledError:
        message = "gone without waiting: the dealer folds for a player who has left"
        raise Failure(message, status=Exit.INTERRUPTED) from None


def tell_end(sitting: Sitting, record: Path, evidence: Path) -> int:
    """Say how it ended; the seat may have gone on from game to game: the last record is told."""
    if sitting.refused is not None:
        refused = sitting.refused
        say.error(
            f"the dealer broke the protocol ({refused.reason}): {plain(refused.detail)}",
            f"nothing more was sent; what was seen is in {evidence}",
        )
        return Exit.FAILED
    if sitting.failed is not None:
        say.error(
            f"the dealer takes no call: {plain(str(sitting.failed))}",
            "your seat is still yours: play again with the same --records to go on in it",
        )
        return Exit.FAILED
    say.note(
        "when the game is closed: `cutcard-dealer fetch` gets its file, and "
        f"`cutcard-audit verify FILE --key KEY --mine {record}` checks it"
    )
    return Exit.DONE
