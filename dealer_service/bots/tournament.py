"""House players in a tournament: each plays from its first seat to its place, as anybody may.

They are clients of the public calls, with links of their own chains, and see their own cards alone;
what they share is one verified tournament log. A house player without chips buys again where that
gives it ten big blinds of the level that stands or more, and as often as it may; else it says at
once that it does not. It takes the add-on where a chip of it costs no more than one of the buy-in.
It agrees to no deal and does not enter again. Whom the clock made sit out, because the dealer could
not be reached, it brings back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, Final

from dealer_service.bots.choosing import Chance
from dealer_service.bots.house import draw_chance
from dealer_service.bots.level import Level
from dealer_service.bots.strategies import STRATEGIES
from dealer_service.client import (
    BreakBegan,
    CallRefusedError,
    CaughtUp,
    Contest,
    Dealer,
    HandOver,
    MayRebuy,
    MyTurn,
    Refused,
    SeatGiven,
    TableChanged,
    TournamentEvent,
    TournamentFollower,
    TournamentView,
    WentOut,
)

_FEWEST_BIG_BLINDS: Final = 10
_NO_MORE: Final = frozenset({"TOURNAMENT_FULL", "REGISTRATION_CLOSED"})


@unique
class Ending(StrEnum):
    """How a tournament ended for a house player."""

    PLACED = "it was placed"
    TAKEN_OVER = "a person has its seat"
    WITHDRAWN = "it withdrew"
    CLOSED = "the tournament closed"
    REFUSED = "it refused the dealer"
    FAILED = "the dealer took no call"


_OUT: Final = {"taken_over": Ending.TAKEN_OVER, "withdrawn": Ending.WITHDRAWN}
"""What leaves a player without a place."""


@dataclass(frozen=True, slots=True)
class Finish:
    """What became of a house player: hands played, refused acts, tables, place and prize.

    `place` is 0 where it has none; `tied` says how many share it.
    """

    player: str
    level: Level
    hands: int
    tables: int
    refused_acts: int
    place: int
    tied: int
    prize: int
    ending: Ending
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Habits:
    """How a house player plays a tournament: its level, and how often it may buy again.

    `rebuys` None is as often as the tournament lets it.
    """

    level: Level = Level.INTERMEDIATE
    rebuys: int | None = None


class TournamentPlayer:
    """Plays one contest to its end."""

    def __init__(
        self,
        contest: Contest,
        habits: Habits,
        chance: Chance,
        *,
        ponder: Callable[[], Awaitable[None]] | None = None,
        hear: Callable[[TournamentEvent], None] | None = None,
    ) -> None:
        """Take the contest over; `ponder` is awaited before each act, `hear` is told each event."""
        self.contest = contest
        self._habits = habits
        self._chance = chance
        self._ponder = ponder
        self._hear = hear
        self._hands = self._tables = self._rebuys = self._refused_acts = 0
        self._errands: set[asyncio.Task[None]] = set()

    async def run(self) -> Finish:
        """Play to the end, and say what became of it."""
        ending, detail = Ending.CLOSED, ""
        try:
            async for event in self.contest:
                if self._hear is not None:
                    self._hear(event)
                if isinstance(event, Refused):
                    detail = f"{event.reason}: {event.detail}; the evidence is beside its record"
                    ending = Ending.REFUSED
                elif isinstance(event, WentOut):
                    ending = _OUT.get(event.how, ending)
                else:
                    await self._take(event)
        except CallRefusedError as error:
            ending, detail = Ending.FAILED, str(error)
        finally:
            for errand in self._errands:
                errand.cancel()
            await asyncio.gather(*self._errands, return_exceptions=True)
        me = self.contest.me
        place, tied, prize = (me.place, me.tied, me.prize) if me is not None else (0, 1, 0)
        if place and ending is Ending.CLOSED:
            ending = Ending.PLACED
        return Finish(
            self.contest.player,
            self._habits.level,
            self._hands,
            self._tables,
            self._refused_acts,
            place,
            tied,
            prize,
            ending,
            detail,
        )

    async def _take(self, event: TournamentEvent) -> None:
        match event:
            case MyTurn(view=view) if view.game == self.contest.game:
                await self._act(event)
            case HandOver(stacks=stacks, view=view):
                self._hands += view.seat in stacks
            case SeatGiven():
                self._tables += 1
            case CaughtUp() if self.contest.is_away:
                self._send(self.contest.come_back())
            case TableChanged(kind="sat_out", player=self.contest.player):
                self._send(self.contest.come_back())
            case MayRebuy():
                self._send(self._buy_again())
            case BreakBegan(level=level) if self._wants_add_on(level):
                self._send(self.contest.add_on())
            case _:
                pass

    async def _act(self, turn: MyTurn) -> None:
        if self._ponder is not None:
            await self._ponder()
        choice = STRATEGIES[self._habits.level](turn.decision, turn.view, self._chance)
        try:
            await self.contest.act(choice.act, choice.to, decision=turn.decision)
        except CallRefusedError:
            # The clock was faster, or the dealer away: it acts in our place, as for anybody.
            self._refused_acts += 1

    async def _buy_again(self) -> None:
        most = self._habits.rebuys
        if wants_rebuy(self.contest.view) and (most is None or self._rebuys < most):
            await self.contest.rebuy()
            self._rebuys += 1
        else:
            await self.contest.decline_rebuy()

    def _wants_add_on(self, level: int) -> bool:
        me, view = self.contest.me, self.contest.view
        return me is not None and me.sits and wants_add_on(view, level)

    def _send(self, work: Coroutine[Any, Any, object]) -> None:
        errand = asyncio.create_task(_quietly(work))
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)


async def enter_players(  # noqa: PLR0913 - what players enter with
    dealers: Sequence[Dealer],
    tournament: str,
    directory: Path,
    habits: Habits,
    *,
    levels: Sequence[Level] = (),
    seed: int | None = None,
    ponder: Callable[[], Awaitable[None]] | None = None,
    follower: TournamentFollower | None = None,
) -> list[TournamentPlayer]:
    """Enter one house player for each connection, in its order; CallRefusedError, FileError.

    Who is in already goes on; where others were quicker, and no more are let in, those before are
    all. They share one follower of the tournament: the one that is given, or one of the first
    connection's. `levels` are dealt out in turn, where there are any, in place of the habits' own.
    Their records and chains are in `directory`.
    """
    if follower is None:
        follower = await dealers[0].follow_tournament(tournament, directory)
    players: list[TournamentPlayer] = []
    for number, dealer in enumerate(dealers):
        try:
            contest = await dealer.enter(tournament, directory=directory, follower=follower)
        except CallRefusedError as error:
            if error.refusal.reason in _NO_MORE:
                break
            raise
        own = replace(habits, level=levels[number % len(levels)]) if levels else habits
        chance = draw_chance(seed, dealer.player)
        players.append(TournamentPlayer(contest, own, chance, ponder=ponder))
    return players


async def play_tournament(players: Sequence[TournamentPlayer]) -> list[Finish]:
    """Play every contest to its end."""
    running = [asyncio.ensure_future(player.run()) for player in players]
    try:
        return list(await asyncio.gather(*running))
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def wants_rebuy(view: TournamentView) -> bool:
    """Say whether a rebuy is worth it: ten big blinds of the level that stands, or more."""
    rule = view.structure.get("rebuy")
    return rule is not None and rule["chips"] >= _FEWEST_BIG_BLINDS * view.blinds["big_blind"]


def wants_add_on(view: TournamentView, level: int) -> bool:
    """Say whether the break behind a level has an add-on, as cheap by the chip as the buy-in."""
    rule, structure = view.structure.get("add_on"), view.structure
    if rule is None or level != structure["late"]["levels"]:
        return False
    return bool(rule["cost"] * structure["stack"] <= structure["buy_in"] * rule["chips"])


async def _quietly(work: Coroutine[Any, Any, object]) -> None:
    try:
        await work
    except CallRefusedError:
        # Too late, or the dealer away: the tournament goes on by its rules.
        return
