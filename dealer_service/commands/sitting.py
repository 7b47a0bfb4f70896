"""A person in a seat: what happens is told, what is typed is done, and leaving is clean.

At a terminal every line is an order at once. A script's lines are kept until it is the player's
turn, so that a file of acts plays in its own order; at its end, or without chips, the player
leaves.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, cast

from dealer_service.client import (
    Acted,
    CallRefusedError,
    CaughtUp,
    Decision,
    Disconnected,
    Event,
    GameClosed,
    HandOver,
    HandVoided,
    MyTurn,
    Refused,
    SeatGiven,
    TableChanged,
    TableView,
    TournamentEvent,
)
from dealer_service.commands.orders import (
    HELP,
    Add,
    Ahead,
    Misread,
    Play,
    Prefer,
    Wish,
    read_order,
)
from dealer_service.commands.places import Place
from dealer_service.commands.telling import Paint, Teller, ask, plain, show_table
from dealer_service.commands.tournament_telling import tell_tournament


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that was typed; None is the end of the input."""

    line: str | None


@dataclass(frozen=True, slots=True)
class Ended:
    """The seat's events are over, by an error if there is one."""

    error: CallRefusedError | None


class Sitting:
    """One person's time in a seat; `run` ends when the seat is left, or the game over."""

    def __init__(
        self, place: Place, paint: Paint, say: Callable[[str], None], *, interactive: bool
    ) -> None:
        self.refused: Refused | None = None
        self.failed: CallRefusedError | None = None
        self._seat = place
        self._paint = paint
        self._say = say
        self._interactive = interactive
        self._teller = Teller(paint)
        self._inbox: asyncio.Queue[TournamentEvent | Typed | Ended] = asyncio.Queue()
        self._is_live = False
        self._turn: Decision | None = None
        self._kept: deque[Typed] = deque()
        self._leaving = False
        self._errands: set[asyncio.Task[None]] = set()
        self._interrupting: asyncio.Task[None] | None = None

    def type(self, line: str | None) -> None:
        """Take a line that was typed, None at the end of the input."""
        self._inbox.put_nowait(Typed(line))

    def interrupt(self) -> None:
        """Leave the seat now, whatever was typed."""
        self._interrupting = self._errand(self._leave())

    async def run(self) -> None:
        """Tell and do, until the seat's events end."""
        pump = asyncio.create_task(self._pump())
        try:
            while True:
                item = await self._inbox.get()
                if isinstance(item, Ended):
                    self.failed = item.error
                    # The log may tell of the leaving before the call that asked for it ends.
                    if self._interrupting is not None:
                        await self._interrupting
                    return
                if isinstance(item, Typed):
                    self._kept.append(item)
                else:
                    self._hear(item)
                while self._kept and (self._interactive or self._turn is not None):
                    await self._obey(self._kept.popleft())
        finally:
            for task in (pump, *self._errands):
                task.cancel()
            await asyncio.gather(pump, *self._errands, return_exceptions=True)

    async def _pump(self) -> None:
        error = None
        try:
            async for event in self._seat:
                self._inbox.put_nowait(event)
        except CallRefusedError as refused:
            error = refused
        self._inbox.put_nowait(Ended(error))

    def _hear(self, event: TournamentEvent) -> None:
        # What was before this person came is learnt and not told; the table says it shorter.
        of_all = tell_tournament(event)
        for line in of_all or ():
            self._say(self._paint.bold(line))
        lines = [] if of_all is not None else self._teller.tell(cast("Event", event))
        if isinstance(event, CaughtUp):
            self._is_live = True
            lines = show_table(event.view, self._paint)
        if self._is_live or isinstance(event, Refused | Disconnected):
            for line in lines:
                self._say(line)
        self._note(event)

    def _note(self, event: TournamentEvent) -> None:
        """Note whose turn it is, and how the seat stands."""
        match event:
            case GameClosed():
                self._is_live = False
            case SeatGiven():
                self._turn = None
            case MyTurn(decision=decision) if not self._leaving:
                self._turn = decision
            case Acted(hand=hand, turn=turn) if (hand, turn) == self._turn_number:
                self._turn = None
            case HandOver(view=view):
                self._turn = None
                self._mind_chips(view)
            case HandVoided():
                self._turn = None
            case TableChanged(kind="sat_out", view=view, seat=seat):
                if self._is_live and seat == view.seat:
                    self._say("  you sit out: i brings you back")
            case Refused():
                self.refused = event
            case _:
                pass

    def _mind_chips(self, view: TableView) -> None:
        """Let a script leave whose player has no chips: no turn of its own would come any more."""
        me = view.me
        is_broke = me is not None and me.stack == 0 and self._seat.ends_without_chips
        if is_broke and self._is_live and not self._interactive:
            self._interrupting = self._errand(self._leave())

    @property
    def _turn_number(self) -> tuple[int, int]:
        return (self._turn.hand, self._turn.turn) if self._turn is not None else (0, 0)

    async def _obey(self, typed: Typed) -> None:
        if typed.line is None:
            await self._leave()
            return
        if not typed.line.strip():
            return
        match read_order(typed.line, self._turn):
            case Misread(message):
                self._say(f"  {message}")
            case Play(act, to):
                turn = self._turn
                if await self._try(self._seat.act(act, to, decision=turn)):
                    self._turn = None
                elif self._turn is not None:
                    self._tell_again(self._turn)
            case Add(amount):
                # Chips wait for the hand's end, and the hand may wait for this person.
                self._say("  chips come when the hand is over")
                self._errand(self._add(amount))
            case Ahead() | Prefer() as order:
                await self._settle_ahead(order)
            case wish:
                await self._grant(wish)

    async def _settle_ahead(self, order: Ahead | Prefer) -> None:
        match order:
            case Ahead(act):
                if await self._try(self._seat.pre_select(act)):
                    self._say(f"  for your next turn: {act.replace('_', ' ')}")
            case Prefer(choices):
                if await self._try(self._seat.prefer(*choices)):
                    self._say(f"  you prefer {', '.join(choices) or 'nothing'} from now on")

    async def _grant(self, wish: Wish) -> None:
        match wish:
            case Wish.LEAVE:
                await self._leave()
            case Wish.SIT_OUT:
                if await self._try(self._seat.sit_out()):
                    self._say("  you sit out from the next hand on")
            case Wish.COME_BACK:
                await self._try(self._seat.come_back())
            case Wish.SHOW:
                await self._try(self._seat.show())
            case Wish.TABLE:
                for line in show_table(self._seat.view, self._paint):
                    self._say(line)
            case Wish.HELP:
                for line in HELP:
                    self._say(f"  {line}")

    async def _leave(self) -> None:
        if self._leaving:
            return
        self._leaving = True
        self._turn = None
        try:
            self._say(await self._seat.leave())
        except CallRefusedError as error:
            self._leaving = False
            self._say(f"  {plain(str(error))}")
            if error.refusal.code in {"UNAVAILABLE", "DEADLINE_EXCEEDED"}:
                self._inbox.put_nowait(Ended(error))
            elif error.refusal.reason == "NOT_SEATED":
                self._inbox.put_nowait(Ended(None))

    async def _add(self, amount: int) -> None:
        try:
            stack = await self._seat.add_chips(amount)
        except CallRefusedError as error:
            self._say(f"  {plain(error.refusal.message)}")
        else:
            self._say(f"  you have {stack:,} chips now")

    def _errand(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)
        return task

    def _tell_again(self, turn: Decision) -> None:
        for line in ask(turn, self._seat.view, self._paint):
            self._say(line)

    async def _try(self, work: Coroutine[Any, Any, None]) -> bool:
        try:
            await work
        except CallRefusedError as error:
            self._say(f"  {plain(error.refusal.message)}")
            return False
        return True
