"""A player in a tournament, through all of its tables: an async iterator of what happens.

The tournament's log says where it sits; there it plays as at any table, with a record and chains of
that game. When it is moved, it plays on at the other table at once. It ends when the player is out
for good, the tournament is over, or it or a table was refused.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from cutcard.v1 import play_pb2
from dealer_service.client.acting import Act, Acting, PreAct
from dealer_service.client.calls import Caller
from dealer_service.client.disk import on_disk
from dealer_service.client.errors import CallRefusedError, Refusal
from dealer_service.client.events import CaughtUp, Event, HandStarted
from dealer_service.client.files import GameFiles
from dealer_service.client.following import Following
from dealer_service.client.message import Decision
from dealer_service.client.refusing import ProtocolBreach, Reason, Refused
from dealer_service.client.seat import Choice, Events
from dealer_service.client.shapes import Entry
from dealer_service.client.tournament_events import (
    Bought,
    BreakBegan,
    LevelBegan,
    MayRebuy,
    RegistrationClosed,
    SeatGiven,
    TournamentChanged,
    TournamentClosed,
    TournamentEvent,
    WasPlaced,
    WentOut,
)
from dealer_service.client.tournament_following import News, TournamentFollower
from dealer_service.client.tournament_hands import TableHands
from dealer_service.client.tournament_view import Contestant, Standing, TournamentView
from dealer_service.client.tournaments import Deal, Tournaments
from dealer_service.client.verifier import Watched
from dealer_service.client.view import TableView
from dealer_service.transcript.note import NoteKey

_LAST_SECONDS: Final = 10.0
"""A table that the player has left is heard to the end of its hand for so long."""


class Contest:
    """One player in one tournament."""

    def __init__(
        self,
        caller: Caller,
        follower: TournamentFollower,
        key: NoteKey,
        directory: Path,
        *,
        since: int = 0,
    ) -> None:
        """Begin to play; `since` is the size of the log with the player's registration."""
        self.tournament = follower.tournament
        self.player = caller.bearer.name
        self._caller, self._key, self._directory = caller, key, directory
        self._follower = follower
        self._calls = Tournaments(caller)
        self._acting = Acting(caller, self._need_table)
        self._events: Events[TournamentEvent] = Events()
        self._since = since
        self.last_game = ""
        """The game of the table that was played at last."""
        self._current: Following | None = None
        # How often the log gave it a seat, and how often when the current table was sat down at.
        self._seatings = self._seated_at = 0
        self._games: dict[asyncio.Task[None], Following] = {}
        self._refused: Refused | None = None
        self._ended = False
        self._news = asyncio.Event()
        self._errands: set[asyncio.Task[None]] = set()
        self._task = asyncio.create_task(self._run())

    @property
    def view(self) -> TournamentView:
        """The tournament as it stands."""
        return self._follower.view

    @property
    def me(self) -> Contestant | None:
        """How the player stands; None before its registration is in the log."""
        return self.view.players.get(self.player)

    @property
    def game(self) -> str:
        """The game of the table that is played at now; empty without one."""
        return self._current.game if self._current else ""

    @property
    def number(self) -> int:
        """The seat's number at that table; 0 without one."""
        own = self._current.own if self._current else None
        return (own.seat or 0) if own else 0

    @property
    def table(self) -> TableView | None:
        """The table as it stands."""
        return self._current.viewer.table() if self._current else None

    @property
    def decision(self) -> Decision | None:
        """The turn that stands at the table, whosever it is."""
        return self._current.viewer.decision if self._current else None

    @property
    def is_away(self) -> bool:
        """Whether the dealer acts for the player, until it comes back."""
        own = self._current.own if self._current else None
        return own is not None and own.is_away

    @property
    def refused(self) -> Refused | None:
        """Why the tournament or a table was refused, if one was."""
        return self._refused

    def __aiter__(self) -> AsyncIterator[TournamentEvent]:
        return self

    async def __anext__(self) -> TournamentEvent:
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
        """Stop following without giving anything up; entering it again goes on."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    # At the table.

    async def act(self, act: Act, to: int = 0, *, decision: Decision | None = None) -> None:
        """Act on the turn that stands, or on the one given; `to` is a bet's or raise's total.

        CallRefusedError when it is not the player's turn any more or the act is not legal.
        """
        await self._acting.act(act, to, decision=decision)

    async def pre_select(self, act: PreAct, hand: int | None = None) -> None:
        """Choose an act for the player's next turn, or take it back by `none`."""
        await self._acting.pre_select(act, hand)

    async def prefer(self, *choices: Choice) -> None:
        """Set all standing choices at this table."""
        await self._acting.prefer(choices)

    async def show(self, hand: int | None = None) -> None:
        """Show all hole cards when the pots are paid and before the hand ends."""
        await self._acting.show(hand)

    async def sit_out(self) -> None:
        """Be away from the next hand on: dealt in, and folded in turn."""
        await self._acting.sit_out()

    async def come_back(self) -> None:
        """Play oneself again from the next hand on."""
        await self._acting.come_back()

    # In the tournament.

    async def rebuy(self, *, reference: str = "") -> int:
        """Buy chips again, when the hand has ended, and give the stack."""
        return await self._calls.rebuy(self.tournament, reference=reference)

    async def decline_rebuy(self) -> None:
        """Buy none, having no chips: the player is out."""
        await self._calls.decline_rebuy(self.tournament)

    async def add_on(self, *, reference: str = "") -> int:
        """Buy the add-on in its break, and give the stack."""
        return await self._calls.add_on(self.tournament, reference=reference)

    async def reenter(self, *, reference: str = "") -> None:
        """Enter again, after busting, as long as registration is open."""
        me = self.me
        anchors = me is not None and me.anchors
        await self._calls.register(self.tournament, anchors=anchors, reference=reference)

    async def propose_deal(self, shares: Mapping[str, int], left: int = 0) -> Deal:
        """Propose how the last players share what is still to be won, and agree to it."""
        return await self._calls.propose_deal(self.tournament, shares, left)

    async def agree_to_deal(self, deal: Deal) -> bool:
        """Agree to a deal as it was read; True when that made it."""
        return await self._calls.agree_to_deal(self.tournament, deal)

    # How it goes on.

    def _need_table(self) -> Following:
        if self._current is None:
            message = "the player has no table"
            raise CallRefusedError(Refusal("FAILED_PRECONDITION", "NOT_SEATED", message, {}))
        return self._current

    async def _run(self) -> None:
        try:
            await self._follower.until_caught_up()
            self._follower.join(self.player, self._hear)
            self._tell_standing()
            while not self._ended:
                self._news.clear()
                await self._settle()
                if not self._ended:
                    await self._news.wait()
            await self._hear_out()
        except Exception as error:  # noqa: BLE001 - handed to who iterates
            self._events.put(error)
        finally:
            self._follower.leave(self.player)
            tasks = (*self._games, *self._errands)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for following in self._games.values():
                await following.let_go()
            self._events.put(None)

    def _hear(self, news: News) -> None:
        """Hear of the tournament: of this player, or of all."""
        match news:
            case Entry():
                self._tell(news)
            case Refused():
                self._refused = news
                self._events.put(news)
                self._ended = True
            case CallRefusedError():
                self._events.put(news)
                self._ended = True
            case None:
                self._ended = True
        if self._is_out_for_good():
            self._ended = True
        self._news.set()

    def _is_out_for_good(self) -> bool:
        """Say whether nothing more is to come of the player: it is out, and placed or never is."""
        me = self.me
        if me is None or self.view.size < self._since:
            return False
        return not me.is_in and (me.gone or bool(me.place))

    async def _settle(self) -> None:
        """Play at the table where the player sits now, and let go of those that are over."""
        for task in [task for task in self._games if task.done()]:
            following = self._games.pop(task)
            await following.let_go()
            if not task.cancelled():
                task.result()
            if following.refused is not None:
                self._refused, self._ended = following.refused, True
        game = self.view.game_of(self.player)
        if self._ended or (game == self.game and self._plays_on()):
            return
        if game and game == self.game and self._seatings == self._seated_at:
            # Its table was quicker to tell that it left than the tournament is.
            return
        if any(following.game == game for following in self._games.values()):
            # It is back where it was before, and what it did there is still heard to its end.
            return
        left, self._current = self._current, None
        if left is not None and self._plays(left):
            self._start(self._retire(left))
        if game:
            self._seated_at, self.last_game = self._seatings, game
            self._current = await self._sit(game)

    def _plays_on(self) -> bool:
        return self._current is None or self._plays(self._current)

    def _plays(self, following: Following) -> bool:
        return following in self._games.values()

    async def _retire(self, left: Following) -> None:
        """Hear a table that was left to the end of the line that says so, and no longer."""
        for task in [task for task, one in self._games.items() if one is left]:
            await asyncio.wait([task], timeout=_LAST_SECONDS)
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def _sit(self, game: str) -> Following:
        around = self._caller.surroundings
        joined, slept = around.monotonic(), around.slept()
        request = play_pb2.GetTableRequest(game=game)
        table = await self._caller.call(lambda at: at.play.GetTable, request)
        files = await on_disk(
            GameFiles, self._directory, self._key, game, self.player, undo=GameFiles.close
        )
        me = self.me
        anchors = me is not None and me.anchors
        watched = Watched(
            game, self._key, self.player, joined, table.size, slept=slept, anchors=anchors
        )
        hear = partial(self._hear_table, game)
        also = TableHands(self._number_of(game), self.view).take
        following = Following(self._caller, watched, hear, files, links=anchors, also=also)
        task = asyncio.create_task(following.run())
        task.add_done_callback(lambda _: self._news.set())
        self._games[task] = following
        return following

    async def _hear_out(self) -> None:
        """Hear the table to the end of the hand that the player went out in."""
        if self._games and self._refused is None:
            await asyncio.wait(self._games, timeout=_LAST_SECONDS)

    # What is told.

    def _hear_table(self, game: str, event: Event) -> None:
        self._events.put(event)
        if isinstance(event, CaughtUp | HandStarted):
            why = self._misfit(event.view)
            if why:
                breach = ProtocolBreach(Reason.LINE, why)
                following = next(one for one in self._games.values() if one.game == game)
                self._start(following.refuse(breach))

    def _number_of(self, game: str) -> int:
        """Give the number of the table that a game is; 0 where it is none."""
        return next((one.table for one in self.view.tables.values() if one.game == game), 0)

    def _misfit(self, table: TableView) -> str:
        """Say what of a table is not as the tournament's log has it; empty where all is."""
        view, number = self.view, self._number_of(table.game)
        if table.rules.get("tournament") != {"tournament": self.tournament, "table": number}:
            return f"the game {table.game} says that it is another table"
        levels = view.structure["levels"]
        if table.level > len(levels):
            return f"a hand is of level {table.level}, and there are {len(levels)}"
        if table.level:
            level = levels[table.level - 1]
            names = ("small_blind", "big_blind", "chip_unit", "ante")
            if any(level.get(name) != table.rules.get(name) for name in names):
                return f"a hand is not played by level {table.level} of the structure"
        return ""

    def _tell_standing(self) -> None:
        """Tell where the player is, on joining in the middle."""
        me = self.me
        if self.view.started and not self.view.closed_because:
            self._events.put(self._level(self.view.level))
        if me is not None and me.sits:
            game = self.view.game_of(self.player)
            self._events.put(SeatGiven(me.table, me.seat, me.stack, game))
            if me.standing is Standing.DECIDING:
                self._events.put(MayRebuy(self.view.structure["rebuy"]["decide_ms"]))
        if self._is_out_for_good():
            self._ended = True

    def _tell(self, entry: Entry) -> None:
        body = entry.body
        match entry.kind:
            case "level_begun":
                self._events.put(self._level(body["level"]))
            case "break_begun":
                length = self.view.structure["levels"][body["level"] - 1]["break_ms"]
                self._events.put(BreakBegan(body["level"], length))
            case "registration_closed":
                prizes = tuple(body["prizes"])
                self._events.put(RegistrationClosed(body["players"], body["pool"], prizes))
            case "tournament_closed":
                self._events.put(TournamentClosed(body["reason"]))
                self._ended = True
            case "hand_finished":
                self._events.put(MayRebuy(self.view.structure["rebuy"]["decide_ms"]))
            case _ if self.player in {body.get("player"), body.get("house_player")}:
                self._tell_own(entry)
            case kind:
                self._events.put(TournamentChanged(kind))

    def _tell_own(self, entry: Entry) -> None:
        body = entry.body
        match entry.kind:
            case "seated" | "moved":
                self._events.put(self._seat_given(entry, body.get("why", "")))
            case "taken_over" if body["player"] == self.player:
                self._events.put(self._seat_given(entry, ""))
            case "taken_over" | "withdrawn" | "busted" | "disqualified":
                self._events.put(WentOut(entry.kind))
            case "rebought" | "added_on":
                me = self.me
                self._events.put(Bought(body["chips"], me.stack if me else 0))
            case "placed":
                self._events.put(WasPlaced(body["place"], body["tied"], body["prize"]))
            case kind:
                self._events.put(TournamentChanged(kind))

    def _seat_given(self, entry: Entry, why: str) -> SeatGiven:
        body = entry.body
        self._seatings += 1
        game = self.view.tables[body["table"]].game
        return SeatGiven(body["table"], body["seat"], body["stack"], game, why)

    def _level(self, number: int) -> LevelBegan:
        level = self.view.structure["levels"][number - 1]
        ante = level.get("ante", {"amount": 0})["amount"]
        return LevelBegan(number, level["small_blind"], level["big_blind"], ante)
