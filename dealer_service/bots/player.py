"""A house player in one seat: plays, tops its stack up or leaves when broke, and comes back.

Links, reconnecting and following the game into the next one are the client's, as for anybody. A
house player whose stack has fallen below a quarter of what it sat down with adds chips up to that
again, as often as it may; when it has no chips left and may add none, it leaves. Whom the clock
made sit out, because the dealer could not be reached, it brings back. Where a person comes to a
full table and has its seat, it is done.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Any, Final

from dealer_service.bots.choosing import Chance
from dealer_service.bots.level import Level
from dealer_service.bots.strategies import STRATEGIES
from dealer_service.client import (
    CallRefusedError,
    CaughtUp,
    Decision,
    Event,
    GameClosed,
    HandOver,
    MyTurn,
    Refused,
    Seat,
    TableChanged,
    TableView,
)

_LOW: Final = 4
_UNREACHED: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED"})


@dataclass(frozen=True, slots=True)
class Manner:
    """How a house player stays: with which stack, how often it tops up, and for how many hands.

    `rebuys` None is without end; `hands` 0 is until the game closes. Hands of the table count,
    dealt in or not, so that who sat down together leaves together, and none waits alone.
    """

    stack: int
    rebuys: int | None = None
    hands: int = 0
    level: Level = Level.INTERMEDIATE


@unique
class Ending(StrEnum):
    """Why a house player is no longer in its seat."""

    CLOSED = "the game closed"
    LEFT = "it left"
    TAKEN_OVER = "a person has its seat"
    REMOVED = "the operator removed it"
    REFUSED = "it refused the dealer"
    FAILED = "the dealer took no call"


@dataclass(frozen=True, slots=True)
class Stay:
    """What became of a house player: hands played, acts that were refused, and why it ended."""

    player: str
    hands: int
    refused_acts: int
    ending: Ending
    detail: str = ""


class HousePlayer:
    """Plays one seat until it is left or the game is over."""

    def __init__(
        self,
        seat: Seat,
        manner: Manner,
        chance: Chance,
        *,
        ponder: Callable[[], Awaitable[None]] | None = None,
        hear: Callable[[Event], None] | None = None,
    ) -> None:
        """Take the seat over; `ponder` is awaited before each act, `hear` is told each event."""
        self.seat = seat
        self.caught_up = asyncio.Event()
        """Set when all that there was has been told, so that no turn is missed from here on."""
        self._manner = manner
        self._chance = chance
        self._ponder = ponder
        self._hear = hear
        self._hands = 0
        self._seen = 0
        self._rebuys = 0
        self._refused_acts = 0
        self._leaving = False
        self._removed_from = 0
        self._taken_over = False
        self._is_live = False
        self._topping_up = False
        self._errands: set[asyncio.Task[None]] = set()

    async def run(self) -> Stay:
        """Play to the end, and say what became of it."""
        ending, detail = Ending.CLOSED, ""
        try:
            async for event in self.seat:
                if self._hear is not None:
                    self._hear(event)
                if isinstance(event, Refused):
                    detail = f"{event.reason}: {event.detail}; the evidence is beside its record"
                    ending = Ending.REFUSED
                elif isinstance(event, CaughtUp | GameClosed):
                    self._turn_page(event)
                elif self._is_live:
                    await self._take(event)
        except CallRefusedError as error:
            ending, detail = Ending.FAILED, str(error)
        finally:
            self.caught_up.set()
            for errand in self._errands:
                errand.cancel()
            await asyncio.gather(*self._errands, return_exceptions=True)
        if ending is Ending.CLOSED:
            ending = self._how_it_went()
        return Stay(self.seat.player, self._hands, self._refused_acts, ending, detail)

    def _how_it_went(self) -> Ending:
        if self._removed_from:
            return Ending.TAKEN_OVER if self._taken_over else Ending.REMOVED
        return Ending.LEFT if self._leaving else Ending.CLOSED

    async def leave(self) -> None:
        """Give the seat up; `run` ends when the hand that is open has."""
        if self._leaving or self._removed_from:
            return
        self._leaving = True
        try:
            await self.seat.leave()
        except CallRefusedError:
            self._leaving = False
            raise

    def _turn_page(self, event: CaughtUp | GameClosed) -> None:
        """Begin where the past ends: what it tells of was minded in its time, or is now."""
        self._is_live = isinstance(event, CaughtUp)
        self.caught_up.set()
        if isinstance(event, GameClosed):
            self._leaving = self._leaving and bool(event.next)
            return
        me = event.view.me
        if me is not None and me.state == "sitting_out":
            self._send(self.seat.come_back())
        if me is not None and not event.view.street:
            self._mind_stack(event.view)

    async def _take(self, event: Event) -> None:
        match event:
            case MyTurn(decision, view):
                await self._act(decision, view)
            case HandOver(stacks=stacks, view=view):
                self._seen += 1
                self._hands += view.seat in stacks
                self._mind_stack(view)
            case TableChanged(kind="sat_out", seat=seat) if seat == self.seat.number:
                self._send(self.seat.come_back())
            case TableChanged(kind="player_removed", player=self.seat.player, seat=seat):
                self._removed_from = seat
            case TableChanged(kind="seat_taken", seat=seat) if seat == self._removed_from:
                # It comes in the same unit; of a seat that the operator cleared no more is heard.
                self._taken_over = True
            case _:
                pass

    async def _act(self, decision: Decision, view: TableView) -> None:
        if self._leaving or self._removed_from:
            return
        if self._ponder is not None:
            await self._ponder()
        choice = STRATEGIES[self._manner.level](decision, view, self._chance)
        try:
            await self.seat.act(choice.act, choice.to, decision=decision)
        except CallRefusedError:
            # The clock was faster, or the dealer away: it acts in our place, as for anybody.
            self._refused_acts += 1

    def _mind_stack(self, view: TableView) -> None:
        manner = self._manner
        stack = view.me.stack if view.me is not None else 0
        if self._leaving or self._removed_from:
            return
        if manner.hands and self._seen >= manner.hands:
            self._send(self._leave_for_good())
        elif manner.rebuys is not None and self._rebuys >= manner.rebuys:
            if stack == 0:
                self._send(self._leave_for_good())
        elif stack < manner.stack // _LOW and not self._topping_up:
            self._topping_up = True
            self._send(self._top_up(manner.stack - stack))

    async def _leave_for_good(self) -> None:
        """Leave, however long the dealer can not be reached: no hand may come to ask again."""
        while True:
            try:
                await self.leave()
            except CallRefusedError as error:
                if error.refusal.code not in _UNREACHED:
                    raise
            else:
                return

    async def _top_up(self, amount: int) -> None:
        # Chips are added between hands, so the call may take as long as the hand that is open.
        try:
            await self.seat.add_chips(amount)
            self._rebuys += 1
        finally:
            self._topping_up = False

    def _send(self, work: Coroutine[Any, Any, None]) -> None:
        errand = asyncio.create_task(_quietly(work))
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except CallRefusedError:
        # Refused because the game has moved on; the next hand's end asks again.
        return
