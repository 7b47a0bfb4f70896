"""`cutcard-dealer play`: seats a person in the terminal, or a script."""

import argparse
import asyncio
import os
import sys

from dealer_service.client import Dealer, Seat
from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained, player_token
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.lines import read_lines
from dealer_service.commands.loops import on_signals, run_loop
from dealer_service.commands.orders import HELP
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
        sitting = Sitting(seat, paint, say.out, interactive=interactive)
        say.out(f"you are {dealer.player}; your record is {seat.record_path}")
        if interactive:
            for line in HELP:
                say.out(line)
        await _run(sitting)
    return _tell_end(sitting, seat)


async def _sit(dealer: Dealer, options: argparse.Namespace) -> Seat:
    rules = await dealer.rules(options.game)
    usual = min(100 * rules["big_blind"], rules["buy_in_max"])
    return await dealer.sit(
        options.game,
        stack=options.stack or max(rules["buy_in_min"], usual),
        seat=options.seat,
        directory=options.records,
    )


async def _run(sitting: Sitting) -> None:
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


def _tell_end(sitting: Sitting, seat: Seat) -> int:
    # The seat may have gone on from game to game: the last one's record is told.
    record = seat.record_path
    if sitting.refused is not None:
        refused = sitting.refused
        evidence = record.with_name(f"{refused.game}.{seat.player}.evidence")
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
