"""`cutcard-dealer bots --tournament`: fills a tournament with house players, who play it out."""

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import islice

from dealer_service.bots.tournament import (
    Ending,
    Finish,
    Habits,
    TournamentPlayer,
    enter_players,
    play_tournament,
)
from dealer_service.client import CallRefusedError, Dealer, TournamentView
from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.house_options import Token, levels_of, players, pondering
from dealer_service.commands.loops import on_signals
from dealer_service.commands.open_files import raise_limit
from dealer_service.commands.tournament_telling import ordinal


async def fill(options: argparse.Namespace) -> int:
    """Enter house players into a tournament and let them play to its end; the exit status."""
    # Each keeps a record, a chain and a journal of its table open.
    raise_limit()
    async with AsyncExitStack() as stack:
        with explained():
            dealers, entered = await _enter(options, stack)
            if not entered:
                say.note("the tournament takes nobody any more: no house player entered")
                return Exit.DONE
            finishes = await _play_until_told(options.tournament, dealers, entered)
    return _tell(finishes)


async def _enter(
    options: argparse.Namespace, stack: AsyncExitStack
) -> tuple[list[Dealer], list[TournamentPlayer]]:
    tokens = players(options)
    first = next(tokens)
    dealer = await stack.enter_async_context(connect(options, first.source))
    follower = await dealer.follow_tournament(options.tournament, options.records)
    view = await follower.until_caught_up()
    chosen = _choose(view, [first, *islice(tokens, _names(view))], options.players)
    dealers = [
        dealer
        if token is first
        else await stack.enter_async_context(connect(options, token.source))
        for _, token in chosen
    ]
    if options.players and len(chosen) < options.players:
        say.warning(f"{len(chosen)} of {options.players} house players can enter")
    levels = levels_of(options.level)
    entered = await enter_players(
        dealers,
        options.tournament,
        options.records,
        Habits(rebuys=options.rebuys),
        levels=[levels[number % len(levels)] for number, _ in chosen],
        seed=options.seed,
        ponder=pondering(options),
        follower=follower,
    )
    return dealers, entered


def _names(view: TournamentView) -> int:
    """Give how many names there may be to look through: who was ever in, and as many as may be."""
    return len(view.players) + int(view.structure["players_max"])


def _choose(
    view: TournamentView, tokens: Sequence[Token], wanted: int | None
) -> list[tuple[int, Token]]:
    """Give who plays, with the place in the list: who is in goes on, and others fill the rest."""
    if view.closed_because:
        return []
    known = view.players
    inside = [each for each in enumerate(tokens) if (me := known.get(each[1].name)) and me.is_in]
    outside = [each for each in enumerate(tokens) if each[1].name not in known]
    free = view.structure["players_max"] - view.players_in
    if view.registration_closed:
        free = 0
    if wanted:
        free = min(free, wanted - len(inside))
    return [*inside, *outside[: max(0, free)]]


async def _play_until_told(
    tournament: str, dealers: Sequence[Dealer], entered: Sequence[TournamentPlayer]
) -> list[Finish]:
    """Play to the end; a signal takes registrations back before the start, and else goes away."""
    playing = asyncio.ensure_future(play_tournament(entered))
    withdrawing: list[asyncio.Task[None]] = []

    def interrupt() -> None:
        if withdrawing or entered[0].contest.view.started:
            playing.cancel()
        else:
            withdrawing.append(asyncio.create_task(_withdraw(tournament, dealers[: len(entered)])))

    on_signals(interrupt)
    say.note(f"{len(entered)} house players entered")
    try:
        return await playing
    except asyncio.CancelledError:
        message = "gone: the dealer deals the house players in, and folds for them"
        hint = "the same command again lets them play on"
        raise Failure(message, hint, status=Exit.INTERRUPTED) from None
    finally:
        for each in withdrawing:
            each.cancel()
        await asyncio.gather(*withdrawing, return_exceptions=True)


async def _withdraw(tournament: str, dealers: Sequence[Dealer]) -> None:
    for dealer in dealers:
        try:
            await dealer.tournaments.withdraw(tournament)
        except CallRefusedError as error:
            say.warning(f"{dealer.player} could not withdraw: {error}")


def _tell(finishes: Sequence[Finish]) -> int:
    for one in sorted(finishes, key=lambda one: (one.place or len(finishes), one.player)):
        how: str = one.ending
        if one.place:
            how = f"{ordinal(one.place)}, prize {one.prize:,}"
        why = f": {one.detail}" if one.detail else ""
        say.note(f"{one.player}, {one.level}, played {one.hands} hands; {how}{why}")
    bad = {Ending.REFUSED, Ending.FAILED}
    return Exit.FAILED if any(one.ending in bad for one in finishes) else Exit.DONE
