"""The demo's first act: a cash game of house players, closed after so many hands."""

import asyncio
import time
from pathlib import Path

from cutcard.v1 import entry_pb2
from dealer_service.access.roles import Role
from dealer_service.bots.house import play_all, seat_players
from dealer_service.bots.player import Ending, Manner
from dealer_service.client import Event, GameClosed, HandOver, HandStarted
from dealer_service.commands.demo_stage import Connect, Played, Progress
from dealer_service.commands.failure import Failure

_BLINDS = (50, 100)
_STACK = 10_000


async def play_game(  # noqa: PLR0913 - what a game is played with
    folder: Path,
    connect: Connect,
    key: str,
    *,
    hands: int,
    seats: int,
    seed: int | None,
    progress: Progress,
) -> Played:
    """Play `hands` hands and fetch the game's file; Failure where a player does not last."""
    started = time.monotonic()
    operator = connect("demo", Role.OPERATOR)
    guests = [connect(f"house-{number}", Role.HOUSE) for number in range(1, seats + 1)]
    small, big = _BLINDS
    rules = entry_pb2.RuleSet(
        seats=seats,
        small_blind=small,
        big_blind=big,
        max_hands=hands,
        # Nobody is away here, so that no clock should run out on a slow machine.
        turn_ms=60_000,
        link_ms=60_000,
    )
    game = (await operator.operator.open_game(rules)).game
    await operator.operator.pause(game)
    closing: list[asyncio.Task[int]] = []

    def hear(event: Event) -> None:
        match event:
            case HandStarted(hand=hand) if hand == hands and not closing:
                # A close is carried out when the hand that is open has ended.
                closing.append(asyncio.create_task(operator.operator.close(game)))
            case GameClosed(next=following) if following:
                # The last hand was over before the close came: the game went on by its rules.
                closing.append(asyncio.create_task(operator.operator.close(following)))
            case HandOver(hand=hand):
                progress.show(f"dealing: {hand} of {hands} hands")
            case _:
                pass

    players = await seat_players(
        guests, game, folder / "players", Manner(_STACK), seed=seed, hear=hear
    )
    record = players[0].seat.record_path
    stays = await play_all(players, begin=lambda: operator.operator.resume(game))
    await asyncio.gather(*closing, return_exceptions=True)
    for stay in stays:
        if stay.ending is not Ending.CLOSED:
            message = f"{stay.player} did not play to the end: {stay.ending} {stay.detail}"
            raise Failure(message)
    file = folder / f"{game}.jsonl"
    await operator.download(game, file)
    seconds = time.monotonic() - started
    told = (f"{hands} hands, {seats} house players, {seconds:.1f} s; now the audit:",)
    return Played("game", told, file, key, (record,))
