"""The demo's second act: whole tournaments of house players of all levels, at full speed.

Blinds rise fast and stacks are short, so that in a few hands an event shows all that there is to
prove of it: seats and buttons drawn, players moved, tables broken, chips raced, the bubble played
hand for hand, a final table drawn anew, places and prizes.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cutcard.v1 import tournament_entry_pb2
from dealer_service.access.roles import Role
from dealer_service.bots.level import Level
from dealer_service.bots.tournament import (
    Ending,
    Finish,
    Habits,
    enter_players,
    play_tournament,
)
from dealer_service.client import Dealer, TournamentFollower
from dealer_service.client.shapes import Entry
from dealer_service.client.tournament_following import News
from dealer_service.commands.demo_stage import Connect, Played, Progress
from dealer_service.commands.failure import Failure
from dealer_service.commands.tournament_telling import ordinal

_LEVELS: Final = (
    (50, 100, 25),
    (100, 200, 25),
    (150, 300, 25),
    (200, 400, 100),
    (400, 800, 100),
    (700, 1_400, 100),
    (1_000, 2_000, 500),
    (2_000, 4_000, 500),
    (4_000, 8_000, 1_000),
    (8_000, 16_000, 1_000),
    (16_000, 32_000, 1_000),
    (32_000, 64_000, 1_000),
)
_ANTES_FROM: Final = 3
_BUY_IN: Final = 100
_SHOWN: Final = 9
"""As many places are told."""


@dataclass(frozen=True, slots=True)
class EventPlan:
    """A tournament of the demo: its name, size, chips, and how many hands a level lasts."""

    title: str
    players: int
    seats: int
    stack: int
    hands: int


SIT_AND_GO: Final = EventPlan("Sit & Go", 6, 6, 3_000, 3)


def multi_table(players: int) -> EventPlan:
    """Plan a tournament of tables of nine."""
    return EventPlan("tournament", players, 9, 2_000, 4)


async def play_event(  # noqa: PLR0913 - what an event is played with
    folder: Path,
    connect: Connect,
    key: str,
    *,
    plan: EventPlan,
    seed: int | None,
    progress: Progress,
) -> Played:
    """Play a tournament to its winner and fetch its file with those of its tables behind it.

    Failure where a player does not last.
    """
    started = time.monotonic()
    operator = connect("demo", Role.OPERATOR)
    guests = [connect(f"house-{n}", Role.HOUSE) for n in range(1, plan.players + 1)]
    tournament = (await operator.tournaments.open(_structure(plan))).tournament
    directory = folder / "players"
    follower = await operator.follow_tournament(tournament, directory)
    moves = 0

    def hear(news: News) -> None:
        nonlocal moves
        if isinstance(news, Entry):
            moves += news.kind == "moved"
            view = follower.view
            tables = len(view.open_tables)
            progress.show(
                f"{plan.title}: {view.players_in} of {plan.players} players are in, at {tables} "
                f"{_tables(tables)}, level {view.level}"
            )

    follower.watch(hear)
    players = await enter_players(
        guests,
        tournament,
        directory,
        Habits(),
        levels=tuple(Level),
        seed=seed,
        follower=follower,
    )
    finishes = await play_tournament(players)
    for finish in finishes:
        if finish.ending is not Ending.PLACED:
            message = f"{finish.player} did not play to its place: {finish.ending} {finish.detail}"
            raise Failure(message)
    file = folder / f"{tournament}.jsonl"
    await _fetch(operator, follower, file)
    seconds = time.monotonic() - started
    finishes.sort(key=lambda one: (one.place, one.player))
    hands = sum(table.hand for table in follower.view.tables.values())
    tables = len(follower.view.tables)
    moved = f", {moves} moves" if moves else ""
    title = (
        f"a {plan.title} of {plan.players} house players: {hands} hands at {tables} "
        f"{_tables(tables)}{moved}, {seconds:.1f} s"
    )
    told = (title, "", *_results(finishes), "", "now the audit of the whole event:")
    records = sorted(directory.glob(f"*.{finishes[0].player}.record"))
    games = {table.game for table in follower.view.tables.values()}
    own = tuple(record for record in records if record.name.partition(".")[0] in games)
    return Played("event", told, file, key, own)


def _structure(plan: EventPlan) -> tournament_entry_pb2.Structure:
    structure = tournament_entry_pb2.Structure(
        name=f"Demo {plan.title}",
        players_max=plan.players,
        stack=plan.stack,
        level_by="hands",
        buy_in=_BUY_IN,
        hand_for_hand=1,
    )
    if plan.players > plan.seats:
        structure.redraw.append(1)
    rules = structure.rules
    rules.seats = plan.seats
    # Nobody is away here, so that no clock should run out on a slow machine.
    rules.turn_ms = rules.link_ms = 60_000
    for number, (small, big, unit) in enumerate(_LEVELS, 1):
        level = structure.levels.add(
            small_blind=small, big_blind=big, chip_unit=unit, length=plan.hands
        )
        if number >= _ANTES_FROM:
            level.ante.kind, level.ante.amount = "big_blind", big
    return structure


async def _fetch(operator: Dealer, follower: TournamentFollower, file: Path) -> None:
    """Write the tournament's file, and its tables' behind it."""
    await operator.download(follower.tournament, file)
    beside = file.with_suffix(".table")
    with file.open("ab") as whole:
        for _, table in sorted(follower.view.tables.items()):
            await operator.download(table.game, beside)
            whole.write(beside.read_bytes())
    beside.unlink()


def _results(finishes: Sequence[Finish]) -> list[str]:
    shown = [one for one in finishes if one.prize] or list(finishes)
    names = max(len(one.player) for one in shown)
    return [
        f"  {ordinal(one.place):>5}  {one.player:<{names}}  {one.level:<12}  {one.prize:>6,}"
        for one in shown[:_SHOWN]
    ]


def _tables(number: int) -> str:
    return "table" if number == 1 else "tables"
