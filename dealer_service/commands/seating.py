"""`cutcard-dealer bots --game`: fills a table with house players, that is open or a new one."""

import argparse
import asyncio
from contextlib import AsyncExitStack
from itertools import islice

from cutcard.v1 import entry_pb2
from dealer_service.bots.house import play_all, seat_players
from dealer_service.bots.player import Ending, HousePlayer, Manner, Stay
from dealer_service.client import CallRefusedError, Dealer
from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.house_options import levels_of, operators, players, pondering
from dealer_service.commands.loops import on_signals

NEW = "new"
_USUAL_SEATS = 6
_MOST_TOKENS = 1000
_PAUSE = 3  # times as long as a house player thinks


async def fill_table(options: argparse.Namespace) -> int:
    """Seat house players and let them play to the end, or until a signal; the exit status."""
    async with AsyncExitStack() as stack:
        with explained():
            seated = await _seat(options, stack)
        if not seated:
            say.note("the table is full: no house player sat down")
            return Exit.DONE
        stays = await _play_until_told(seated)
    return _tell(stays)


async def _play_until_told(seated: list[HousePlayer]) -> list[Stay]:
    """Play to the end; the first signal lets all leave, the second does not wait for it."""
    playing = asyncio.ensure_future(play_all(seated))
    leaving: list[asyncio.Task[None]] = []

    def interrupt() -> None:
        if leaving:
            playing.cancel()
        else:
            leaving.append(asyncio.create_task(_leave(seated)))

    on_signals(interrupt)
    try:
        return await playing
    except asyncio.CancelledError:
        message = "gone without waiting: the dealer plays on for those that have left"
        raise Failure(message, status=Exit.INTERRUPTED) from None
    finally:
        for each in leaving:
            each.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)


async def _seat(options: argparse.Namespace, stack: AsyncExitStack) -> list[HousePlayer]:
    tokens = list(islice(players(options), _MOST_TOKENS))
    game: str = options.game
    if game == NEW:
        opening = operators(options)
        if not opening:
            message = f"--tokens {options.tokens} has no operator's token, which opens a game"
            raise Failure(message, "name a game that is open by --game ID", status=Exit.USAGE)
        operator = await stack.enter_async_context(connect(options, opening[0].source))
        game = await _open_game(operator, options)
        say.out(game)
    asking = tokens[0]
    first = await stack.enter_async_context(connect(options, asking.source))
    rules = await first.rules(game)
    table = await first.table(game)
    taken = {seat.player for seat in table.seats}
    # Who sat here before goes on in its seat; so they come first.
    tokens.sort(key=lambda token: token.name not in taken)
    own = [token.name in taken for token in tokens].count(True)
    free = rules["seats"] - len(table.seats) + own
    wanted = min(options.seats or free, free, len(tokens))
    if wanted == 0:
        return []
    if options.seats and wanted < options.seats:
        say.warning(f"{wanted} of {options.seats} house players can sit at this table")
    dealers = [
        first
        if token is asking
        else await stack.enter_async_context(connect(options, token.source))
        for token in tokens[:wanted]
    ]
    fair_stack = max(rules["buy_in_min"], min(100 * rules["big_blind"], rules["buy_in_max"]))
    manner = Manner(options.stack or fair_stack, options.rebuys, options.hands)
    return await seat_players(
        dealers,
        game,
        options.records,
        manner,
        levels=levels_of(options.level),
        seed=options.seed,
        ponder=pondering(options),
    )


async def _open_game(operator: Dealer, options: argparse.Namespace) -> str:
    small, big = options.blinds
    seats = max(options.seats or 0, _USUAL_SEATS)
    # Where players take their time, so does the table, for everybody to see what was shown.
    pause = round(_PAUSE * 1000 * options.pace)
    rules = entry_pb2.RuleSet(
        seats=seats,
        small_blind=small,
        big_blind=big,
        pause_ms=pause,
        watch_delay_ms=1000 * options.watch_delay,
    )
    return (await operator.operator.open_game(rules)).game


async def _leave(seated: list[HousePlayer]) -> None:
    for player in seated:
        try:
            await player.leave()
        except CallRefusedError as error:
            say.warning(f"{player.seat.player} could not leave: {error}")


def _tell(stays: list[Stay]) -> int:
    for stay in stays:
        why = f": {stay.detail}" if stay.detail else ""
        say.note(f"{stay.player} played {stay.hands} hands; {stay.ending}{why}")
    bad = {Ending.REFUSED, Ending.FAILED}
    return Exit.FAILED if any(stay.ending in bad for stay in stays) else Exit.DONE
