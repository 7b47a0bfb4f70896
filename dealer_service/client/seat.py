"""A seat, and a place to watch from: async iterators of what happens, and what a player may do.

A seat lasts through all games that go on from one another. Each change is noted on disk before
it is sent, and after a refusal nothing is sent any more.
"""

import asyncio
from collections.abc import AsyncIterator, Collection
from enum import StrEnum, unique
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from cutcard.v1 import play_pb2
from dealer_service.client.acting import Act, Acting, PreAct
from dealer_service.client.calls import Caller
from dealer_service.client.disk import on_disk
from dealer_service.client.errors import CallRefusedError
from dealer_service.client.events import ChoicesNotSet, Event
from dealer_service.client.files import GameFiles
from dealer_service.client.following import HAND_SECONDS, Following, Successor
from dealer_service.client.log_proof import LogProof
from dealer_service.client.message import Decision
from dealer_service.client.refusing import Refused
from dealer_service.client.sent import ChipsSent, LeaveSent
from dealer_service.client.verifier import Watched
from dealer_service.client.view import TableView
from dealer_service.transcript.noted import Stage

Heard = TypeVar("Heard")


@unique
class Choice(StrEnum):
    """A standing choice: to chop the blinds, run a hand twice, show a losing hand, straddle."""

    CHOP = "chop"
    RUNS = "runs"
    SHOW = "show"
    STRADDLE = "straddle"


class Events(Generic[Heard]):
    """The events of one or several followed logs, in one line."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Heard | BaseException | None] = asyncio.Queue()
        self._ended = False

    def put(self, event: Heard | BaseException | None) -> None:
        """Add an event, the error that ended the game, or the end."""
        self._queue.put_nowait(event)

    async def next(self) -> Heard:
        """Wait for the next; StopAsyncIteration at the end."""
        if self._ended:
            raise StopAsyncIteration
        event = await self._queue.get()
        if event is None or isinstance(event, BaseException):
            self._ended = True
            raise StopAsyncIteration if event is None else event
        return event


class Spectator:
    """A game watched without a seat: an async iterator of events.

    With a `directory` it writes there what a refusal rests on.
    """

    def __init__(self, caller: Caller, watched: Watched, directory: Path | None = None) -> None:
        self.game = watched.game
        self._events: Events[Event] = Events()
        evidence = None if directory is None else directory / f"{watched.game}.evidence"
        self._following = Following(caller, watched, self._events.put, evidence=evidence)
        self._task = asyncio.create_task(self._run())

    @property
    def view(self) -> TableView:
        """The table as it stands."""
        return self._following.viewer.table()

    @property
    def refused(self) -> Refused | None:
        """Why the game was refused, if it was."""
        return self._following.refused

    async def log_proof(self, stage: Stage, hand: int = 0, *, wait: float = 0.0) -> LogProof:
        """Have it proved that the dealer's log tells of a stage as it came here.

        A line that is still to come is asked for again for `wait` seconds. CallRefusedError where
        the log has no such line, and where the game was refused for the one that it has.
        """
        return await self._following.log_proof(hand, stage, wait)

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        return await self._events.next()

    async def close(self) -> None:
        """Stop watching."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            await self._following.run()
        except Exception as error:  # noqa: BLE001 - handed to who iterates
            self._events.put(error)
        finally:
            self._events.put(None)


class Seat:
    """A seat, through all games that go on from one another: an async iterator of events.

    It ends when the player has left, the last game is revealed, or a game was refused.
    """

    def __init__(
        self,
        caller: Caller,
        watched: Watched,
        files: GameFiles,
        directory: Path,
        *,
        links: bool,
    ) -> None:
        self._caller = caller
        self._key, self._player = watched.key, watched.player or ""
        self._directory, self._links = directory, links
        self._events: Events[Event] = Events()
        self._acting = Acting(caller, lambda: self._current)
        self._current = self._follow(watched, files)
        self._games: dict[asyncio.Task[None], Following] = {}
        self._carrying: set[asyncio.Task[None]] = set()
        self._task = asyncio.create_task(self._run())

    def _follow(self, watched: Watched, files: GameFiles) -> Following:
        events = self._events.put
        return Following(self._caller, watched, events, files, links=self._links)

    @property
    def game(self) -> str:
        """The game that is played now."""
        return self._current.game

    @property
    def player(self) -> str:
        """The player's name."""
        return self._player

    @property
    def number(self) -> int:
        """The seat's number; 0 before it is in the log and after it was left."""
        own = self._current.own
        return (own.seat or 0) if own else 0

    @property
    def view(self) -> TableView:
        """The table as it stands."""
        return self._current.viewer.table()

    @property
    def decision(self) -> Decision | None:
        """The turn that stands, whosever it is."""
        return self._current.viewer.decision

    @property
    def refused(self) -> Refused | None:
        """Why the game was refused, if it was."""
        followings = (self._current, *self._games.values())
        return next((each.refused for each in followings if each.refused), None)

    @property
    def record_path(self) -> Path:
        """The player's record of the game that is played now."""
        assert self._current.files is not None
        return self._current.files.record.path

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        return await self._events.next()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop following without leaving the seat; sitting down again goes on in it."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def log_proof(self, stage: Stage, hand: int = 0, *, wait: float = 0.0) -> LogProof:
        """Have it proved that the dealer's log tells of a stage of this game as it came here.

        A line that is still to come is asked for again for `wait` seconds. CallRefusedError where
        the log has no such line, and where the game was refused for the one that it has.
        """
        return await self._current.log_proof(hand, stage, wait)

    async def act(self, act: Act, to: int = 0, *, decision: Decision | None = None) -> None:
        """Act on the turn that stands, or on the one given; `to` is a bet's or raise's total.

        CallRefusedError when it is not the player's turn any more or the act is not legal.
        """
        await self._acting.act(act, to, decision=decision)

    async def pre_select(self, act: PreAct, hand: int | None = None) -> None:
        """Choose an act for the player's next turn, or take it back by `none`.

        It is done at once in the turn if street and bet to match are still the same, else it is
        forgotten. CallRefusedError when no turn of the player's is to come, or it has come.
        """
        await self._acting.pre_select(act, hand)

    async def prefer(self, *choices: Choice) -> None:
        """Set all standing choices; they go along into games that go on from this one."""
        await self._acting.prefer(choices)

    async def show(self, hand: int | None = None) -> None:
        """Show all hole cards when the pots are paid and before the hand ends."""
        await self._acting.show(hand)

    async def sit_out(self) -> None:
        """Be dealt in no more from the next hand on."""
        await self._acting.sit_out()

    async def come_back(self) -> None:
        """Be dealt in again from the next hand on."""
        await self._acting.come_back()

    async def add_chips(self, amount: int, *, reference: str = "") -> int:
        """Add chips, in the middle of a hand when it has ended, and give the stack."""
        following, request_id = self._current, self._request_id()
        await following.note(ChipsSent(request_id, amount, reference))
        request = play_pb2.AddChipsRequest(
            request_id=request_id, game=following.game, amount=amount, reference=reference
        )
        answer = await self._caller.call(lambda at: at.play.AddChips, request, total=HAND_SECONDS)
        return answer.stack

    async def leave(self, *, reference: str = "") -> int | None:
        """Give the seat up and get the chips that left; None when they leave with the hand."""
        following, request_id = self._current, self._request_id()
        await following.note(LeaveSent(request_id, reference))
        request = play_pb2.LeaveSeatRequest(
            request_id=request_id, game=following.game, reference=reference
        )
        answer = await self._caller.call(lambda at: at.play.LeaveSeat, request)
        return answer.stack if answer.HasField("stack") else None

    def _request_id(self) -> str:
        return self._caller.surroundings.request_id()

    async def _run(self) -> None:
        """Follow the game, and each that goes on from it as soon as it is named."""
        try:
            self._start()
            while self._games:
                await self._wait()
                if await self._settle():
                    return
                successor = self._current.successor
                if successor is not None and successor.game != self._current.game:
                    before = self._current.own
                    self._current = await self._go_on(successor)
                    self._start()
                    if before is not None and before.choices:
                        self._carry(before.choices)
        except Exception as error:  # noqa: BLE001 - handed to who iterates
            self._events.put(error)
        finally:
            tasks = (*self._games, *self._carrying)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for following in {self._current, *self._games.values()}:
                await following.let_go()
            self._events.put(None)

    def _carry(self, choices: Collection[str]) -> None:
        """Set the choices of the game before anew, while the new one is followed."""
        task = asyncio.create_task(self._prefer_again(self._current, choices))
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)

    async def _prefer_again(self, following: Following, choices: Collection[str]) -> None:
        try:
            await self._acting.prefer(choices, following)
        except CallRefusedError as error:
            self._events.put(ChoicesNotSet(str(error)))

    def _start(self) -> None:
        self._games[asyncio.create_task(self._current.run())] = self._current

    async def _wait(self) -> None:
        """Wait until the game that is played now closes, or a game is over."""
        closing = asyncio.create_task(self._current.closed.wait())
        waited: set[asyncio.Task[Any]] = set(self._games)
        if not self._current.closed.is_set():
            waited.add(closing)
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            closing.cancel()

    async def _settle(self) -> bool:
        """Let games go that are over; True when the seat is over with one of them."""
        for task in [task for task in self._games if task.done()]:
            following = self._games.pop(task)
            task.result()
            over = following.refused is not None or following.left
            if over:
                return True
            if following is not self._current:
                await following.let_go()
        return False

    async def _go_on(self, successor: Successor) -> Following:
        around = self._caller.surroundings
        joined, slept = around.monotonic(), around.slept()
        self._caller.routes.go_on(self._current.game, successor.game)
        request = play_pb2.GetTableRequest(game=successor.game)
        table = await self._caller.call(lambda at: at.play.GetTable, request)
        files = await on_disk(
            GameFiles,
            self._directory,
            self._key,
            successor.game,
            self._player,
            undo=GameFiles.close,
        )
        watched = Watched(
            successor.game, self._key, self._player, joined, table.size, successor.before, slept
        )
        return self._follow(watched, files)
