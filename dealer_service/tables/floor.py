"""All games of a dealer: the tables that run, and where to find the others.

A game has a table from when it opens until it is revealed; what is over is read from the store.
Where the store is shared, a game that is not over may have its table at another dealer: whoever
asks here is told where.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Protocol

from dealer_service.fairness.refusal import FairnessError
from dealer_service.rules.entry import CloseReason, RuleSet, VoidReason
from dealer_service.rules.table_state import Phase, TableState, seat_of
from dealer_service.store.api import (
    UNFINISHED,
    AlreadyAnswered,
    Answer,
    Append,
    LogAppend,
    LogState,
    Movement,
    RequestIdReused,
    SignedAt,
    Store,
    unfinished_heads,
)
from dealer_service.tables.afar import Afar, Followed
from dealer_service.tables.beginning import open_game, open_successor
from dealer_service.tables.dealing import Dealing
from dealer_service.tables.facts import Meta
from dealer_service.tables.house import House
from dealer_service.tables.log import Unit
from dealer_service.tables.recovery import Recovered, read_state, recover
from dealer_service.tables.refused import Refused, ServiceReason, archived, lost, refused, stopping
from dealer_service.tables.requests import Request, Requests, find_answer, reused
from dealer_service.tables.table import Decide, Encode, Table
from dealer_service.tables.written import Written, fault_of, refusal_of, store_failed

ENDED: Final = 64
"""The states of so many games that are over are kept: folding one reads its whole log."""

_DEALER: Final = "dealer"
"""The scope of requests that are of no game yet."""


class Others(Protocol):
    """What a dealer among others knows of the games that have no table here."""

    async def whereabouts(self, game: str) -> Refused:
        """Say where a game that is not over is dealt, as a refusal."""
        ...

    def mislaid(self, game: str) -> None:
        """Take note of a game of this dealer's own that has lost its table."""
        ...


class Floor:
    """Every table of the dealer; `others` and `afar` are None where it has its store to itself."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.others: Others | None = None
        self.afar: Afar | None = None
        self.is_away = False
        self.requests = Requests(_DEALER, self._look_up)
        self._tables: dict[str, Table] = {}
        self._ended: dict[str, TableState] = {}
        self._refusal: Exception | None = None

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that run."""
        return tuple(self._tables.values())

    def running(self, game: str) -> Table | None:
        """Give a game's table; None when there is no such game or it is over."""
        return self._tables.get(game)

    async def change(  # noqa: PLR0913 - what a change is made of
        self,
        game: str,
        request: Request,
        decide: Callable[[Table], Decide],
        encode: Encode,
        *,
        reference: str = "",
        waits: Callable[[TableState], bool] = lambda _: False,
    ) -> bytes:
        """Make a change at a game's table, as `Table.change` says.

        A request that was answered while the game ran has its answer when it is over, too.
        """
        table = self._tables.get(game)
        if table is None:
            known = await find_answer(game, request, self._look_up)
            if known is not None:
                return known
            table = await self.table(game)
        return await table.change(request, decide(table), encode, reference=reference, waits=waits)

    async def table(self, game: str) -> Table:
        """Give the table of a game that runs; Refused where there is none."""
        table = self._tables.get(game)
        if table is not None:
            return table
        head = await self.house.head(game)
        table = self._tables.get(game)
        if table is not None:
            return table
        if head.facts.state is LogState.LOST:
            raise lost(head.signed_size)
        if head.facts.state in {LogState.REVEALED, LogState.ARCHIVED}:
            raise refused(ServiceReason.GAME_OVER, "the game has closed and is revealed")
        if self.others is not None:
            raise await self.others.whereabouts(game)
        # It is in the store, and in a moment it is here.
        message = "the game is just opening: call again in a moment"
        raise refused(ServiceReason.GAME_OPENING, message)

    async def watched(self, game: str, player: str) -> Table | Followed:
        """Give what to watch of a game that runs: its table, or what the store has of it.

        A player with a seat is sent to the dealer that has the game. Refused as by `table`.
        """
        table = self._tables.get(game)
        if table is not None or self.afar is None:
            return table or await self.table(game)
        followed = await self.afar.follow(game)
        if player and seat_of(followed.standing.state, player) is not None:
            return await self.table(game)
        return followed

    async def state(self, game: str) -> tuple[TableState, int]:
        """Give the durable state of any game and the size of its log."""
        table = self._tables.get(game)
        if table is not None:
            return table.standing.state, table.standing.size
        head = await self.house.head(game)
        if head.facts.state is LogState.ARCHIVED:
            raise archived()
        runs = self.others is not None and head.facts.state in UNFINISHED
        if head.facts.state is LogState.LOST or runs:
            table = await self.table(game)
            return table.standing.state, table.standing.size
        state = self._ended.get(game)
        if state is None:
            state = await self.house.read(lambda store: read_state(store, head))
        if state.phase is Phase.REVEALED:
            self._ended[game] = state
            if len(self._ended) > ENDED:
                del self._ended[next(iter(self._ended))]
        return state, head.next_index

    async def open_game(
        self,
        request: Request,
        rules: RuleSet,
        reference: str,
        encode: Callable[[str, RuleSet, int], bytes],
    ) -> bytes:
        """Open a game under valid rules, once; `encode(game, rules, size)` gives the answer."""
        known = await self.requests.repeated(request)
        if known is not None:
            return known
        if self._refusal is not None:
            raise self._refusal
        answer = self.requests.begin(request)
        try:
            dealing, unit = open_game(self.house, rules, Meta(reference))
            body = encode(dealing.state.opened.game, rules, dealing.log.size)
            stored = Answer(_DEALER, request.caller, request.request_id, request.digest, body)
            last = unit.signed[-1]
            table = self._table(dealing, (last.note, last.size))
            append = Append((dealing.finish(unit),), tuple(unit.movements), stored)
            written = self.house.committer.submit(append)
        except Exception as fault:  # noqa: BLE001 - whatever it was, the request is not left open
            self.requests.forget(request)
            answer.set_exception(self._judge(fault))
        else:
            written.add_done_callback(partial(self._opened, table, request, answer, body))
        return await asyncio.shield(answer)

    def recover(self, store: Store, *, closes: bool = False) -> None:
        """Take over every game of the store that is not over; with `closes` only to close it."""
        for head in unfinished_heads(store):
            recovered = recover(self.house, store, head.log, closes=closes)
            if recovered is not None:
                self.place(recovered)
        self.remember(store)

    def remember(self, store: Store) -> None:
        """Note which requests of no game yet were answered."""
        for caller, request_id in store.answered(_DEALER):
            self.requests.note(caller, request_id)

    def place(self, recovered: Recovered) -> Table:
        """Give a game that was recovered its table, which is still to be started."""
        table = self._table(recovered.dealing, recovered.checkpoint)
        for caller, request_id in recovered.answered:
            table.requests.note(caller, request_id)
        self._tables[table.game] = table
        return table

    def remove(self, table: Table) -> None:
        """Have this table no longer."""
        if self._tables.get(table.game) is table:
            del self._tables[table.game]

    def let_go(self) -> tuple[str, ...]:
        """Let go of every table, because others may have the games; gives the games.

        None comes until `come_back`.
        """
        self.is_away = True
        tables = self.tables
        for table in tables:
            self.remove(table)
            table.let_go()
        return tuple(table.game for table in tables)

    def come_back(self) -> None:
        """Have tables again."""
        self.is_away = False

    def open_no_more(self) -> None:
        """Open no further games."""
        self._refusal = stopping()

    async def close_restored(self, signed: Mapping[str, SignedAt]) -> None:
        """After an accepted restore: void each open hand and close every game.

        Before its deck a hand is void by the operator, after it by a fault of the dealer. `signed`
        is what the journal knows; a checkpoint that the store lacks is signed again first.
        """
        for table in self.tables:
            dealing = table.dealing
            last = signed.get(table.game)
            if last is not None and last.size > table.standing.checkpoint_size:
                unit = dealing.begin_unit()
                dealing.log.sign(unit, last.size)
                table.submit(unit)
            if dealing.state.phase is Phase.LINKS:
                table.submit(dealing.void_hand(VoidReason.OPERATOR, restoring=True))
            elif dealing.state.phase is Phase.PLAYING:
                table.submit(dealing.void_hand(VoidReason.DEALER_FAULT))
            if dealing.state.closed is None:
                table.submit(dealing.close(CloseReason.RESTORED, None, lambda _: None))
            else:
                unit = dealing.begin_unit()
                dealing.play_on(unit)
                table.submit(unit)
            await table.stop()

    def start(self) -> None:
        """Let every table that was taken over go on."""
        for table in self.tables:
            table.start(restarted=True)

    async def stop(self) -> None:
        """Decide nothing more at any table, and return when all that was decided is durable."""
        self._refusal = stopping()
        self.house.chips.end()
        await self.house.delays.end(stopping())
        if self.afar is not None:
            await self.afar.end(stopping())
        await asyncio.gather(*(table.stop() for table in self.tables))

    def _table(self, dealing: Dealing, checkpoint: tuple[str, int]) -> Table:
        return Table(
            dealing,
            go_on=self._go_on,
            follow=self._follow,
            over=self.remove,
            lost=self._lose,
            checkpoint=checkpoint,
        )

    def _judge(self, fault: Exception) -> Exception:
        """Say what a caller is told of a fault before anything was written."""
        if isinstance(fault, FairnessError):
            message = "the source of randomness fails, and no game opens without: call again later"
            return refused(ServiceReason.RANDOMNESS_FAILED, message)
        return refusal_of(fault) or fault

    def _opened(
        self,
        table: Table,
        request: Request,
        answer: "asyncio.Future[bytes]",
        body: bytes,
        written: Written,
    ) -> None:
        told = written.result() if not written.cancelled() and not written.exception() else None
        if isinstance(told, AlreadyAnswered):
            # Another dealer, or this one before it started again, opened the game.
            self.requests.answered(request)
            if not answer.done():
                answer.set_result(told.body)
            return
        if isinstance(told, RequestIdReused):
            self.requests.forget(request)
            if not answer.done():
                answer.set_exception(reused())
            return
        if fault_of(written) is not None:
            self.requests.forget(request)
            if not answer.done():
                answer.set_exception(store_failed())
            return
        self._follow(table)
        self.requests.answered(request)
        if not answer.done():
            answer.set_result(body)

    def _go_on(self, table: Table, unit: Unit) -> tuple[Table, LogAppend, list[Movement]]:
        dealing, first = open_successor(table.dealing, unit)
        last = first.signed[-1]
        successor = self._table(dealing, (last.note, last.size))
        return successor, dealing.finish(first), first.movements

    def _follow(self, table: Table) -> None:
        if self.is_away and self.others is not None:
            self.others.mislaid(table.game)
            return
        self._tables[table.game] = table
        table.start()

    def _lose(self, table: Table) -> None:
        """Let go of a table whose game another dealer seems to have."""
        self.house.metrics.fencings.inc()
        self.remove(table)
        if self.others is not None:
            self.others.mislaid(table.game)

    async def _look_up(self, scope: str, caller: str, request_id: str) -> Answer | None:
        return await self.house.read(lambda store: store.answer(scope, caller, request_id))
