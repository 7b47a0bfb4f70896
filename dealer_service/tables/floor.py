"""All games and tournaments of a dealer: what runs, and where to find the others.

A game has a table from when it opens until it is revealed; what is over is read from the store.
Where the store is shared, a game that is not over may have its table at another dealer: whoever
asks here is told where.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from dealer_service.rules.entry import CloseReason, RuleSet
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_state import Phase, TableState, seat_of
from dealer_service.rules.tournament.entry import Structure
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.store.api import (
    UNFINISHED,
    Answer,
    LogAppend,
    LogHead,
    LogState,
    Movement,
    SignedAt,
    Store,
    unfinished_units,
)
from dealer_service.tables.afar import Afar, Followed
from dealer_service.tables.beginning import open_game, open_successor
from dealer_service.tables.dealing import Dealing
from dealer_service.tables.facts import Meta
from dealer_service.tables.founding import Founding, Opening
from dealer_service.tables.house import House
from dealer_service.tables.log import Unit
from dealer_service.tables.part import Host
from dealer_service.tables.recovery import Recovered, read_state, recover
from dealer_service.tables.refused import archived, no_such_game, stopping
from dealer_service.tables.requests import Request, Requests, find_answer
from dealer_service.tables.table import Decide, Encode, Table
from dealer_service.tables.tournament.changes import Decide as DecideTournament
from dealer_service.tables.tournament.changes import Encode as EncodeTournament
from dealer_service.tables.tournament.hall import Hall
from dealer_service.tables.tournament.recovery import (
    RecoveredTournament,
    recover_strays,
    recover_tournament,
)
from dealer_service.tables.tournament.restoring import (
    close_tournament,
    sign_again,
    void_open_hand,
)
from dealer_service.tables.tournament.tournament import Tournament
from dealer_service.tables.whereabouts import Others, not_here

ENDED: Final = 64
"""The states of so many games that are over are kept: folding one reads its whole log."""

_DEALER: Final = "dealer"
"""The scope of requests that are of no game yet."""


class Floor:
    """Every table of the dealer; `others` and `afar` are None where it has its store to itself."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.others: Others | None = None
        self.afar: Afar | None = None
        self.is_away = False
        self.founding = Founding(house, Requests(_DEALER, self._look_up))
        self.hall = Hall(self)
        self._tables: dict[str, Table] = {}
        self._ended: dict[str, TableState] = {}

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that run."""
        return tuple(self._tables.values())

    @property
    def tournaments(self) -> tuple[Tournament, ...]:
        """The tournaments that run; their tables are among `tables`."""
        return self.hall.tournaments

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
        head = await self.head(game)
        table = self._tables.get(game)
        if table is not None:
            return table
        raise await not_here(head, self.others, "game", "the game has closed and is revealed")

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

    async def head(self, game: str) -> LogHead:
        """Give a game's head; Refused NO_SUCH_GAME for an unknown one, and for a tournament's."""
        head = await self.house.head(game)
        if head.is_tournament:
            raise no_such_game()
        return head

    async def state(self, game: str) -> tuple[TableState, int]:
        """Give the durable state of any game and the size of its log."""
        table = self._tables.get(game)
        if table is not None:
            return table.standing.state, table.standing.size
        head = await self.head(game)
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
        begin = partial(self._begin_game, rules, reference, encode)
        return await self.founding.once(request, begin)

    async def open_tournament(
        self,
        request: Request,
        structure: Structure,
        reference: str,
        encode: Callable[[str, Structure, int], bytes],
    ) -> bytes:
        """Open a tournament under a valid structure, once.

        `encode(tournament, structure, size)` gives the answer.
        """
        begin = partial(self._begin_tournament, structure, reference, encode)
        return await self.founding.once(request, begin)

    async def change_tournament(  # noqa: PLR0913 - what a change is made of
        self,
        tournament: str,
        request: Request,
        decide: Callable[[Tournament], DecideTournament],
        encode: EncodeTournament,
        *,
        reference: str = "",
        waits: Callable[[Refusal], bool] = lambda _: False,
    ) -> bytes:
        """Make a change of a tournament, as `Tournament.change` says.

        A request that was answered while it ran has its answer when it is over, too.
        """
        running = self.hall.running(tournament)
        if running is None:
            known = await find_answer(tournament, request, self._look_up)
            if known is not None:
                return known
            running = await self.hall.find(tournament)
        decided = decide(running)
        return await running.change(request, decided, encode, reference=reference, waits=waits)

    async def tournament(self, tournament: str) -> Tournament:
        """Give a tournament that runs; Refused where there is none."""
        return await self.hall.find(tournament)

    async def tournament_state(self, tournament: str) -> tuple[TournamentState, int]:
        """Give the durable state of any tournament and the size of its log."""
        return await self.hall.state(tournament)

    def running_tournament(self, tournament: str) -> Tournament | None:
        """Give a tournament that runs; None when there is no such or it is over."""
        return self.hall.running(tournament)

    def place_tournament(self, recovered: RecoveredTournament) -> Tournament:
        """Have a tournament that was recovered, with its tables; it is still to be started."""
        return self.hall.place(recovered)

    def remove_tournament(self, tournament: Tournament) -> None:
        """Have this tournament and its tables no longer."""
        self.hall.remove(tournament)

    def recover(self, store: Store, *, closes: bool = False) -> None:
        """Take over every game of the store that is not over; with `closes` only to close it."""
        for name in unfinished_units(store):
            head = store.head(name)
            if head is not None and head.is_tournament:
                whole = recover_tournament(self.house, store, name, closes=closes)
                if whole is not None:
                    self.place_tournament(whole)
                continue
            recovered = recover(self.house, store, name, closes=closes)
            if recovered is not None:
                self.place(recovered)
        self.remember(store)

    def remember(self, store: Store) -> None:
        """Note which requests of no game yet were answered."""
        for caller, request_id in store.answered(_DEALER):
            self.founding.requests.note(caller, request_id)

    def place(self, recovered: Recovered) -> Table:
        """Give a game that was recovered its table, which is still to be started."""
        return self._place(self._table(recovered.dealing, recovered.checkpoint), recovered)

    def adopt(self, recovered: Recovered, host: Host) -> Table:
        """Give a recovered table of a tournament its table, which is still to be started."""
        return self._place(self.new_table(recovered.dealing, host, recovered.checkpoint), recovered)

    def _place(self, table: Table, recovered: Recovered) -> Table:
        for caller, request_id in recovered.answered:
            table.requests.note(caller, request_id)
        self._tables[table.game] = table
        return table

    def remove(self, table: Table) -> None:
        """Have this table no longer."""
        if self._tables.get(table.game) is table:
            del self._tables[table.game]

    def let_go(self) -> tuple[str, ...]:
        """Let go of all that runs, because others may have it; gives the games and tournaments.

        None comes until `come_back`.
        """
        self.is_away = True
        alone = [table for table in self.tables if table.host is None]
        for table in alone:
            self.remove(table)
            table.let_go()
        tournaments = self.tournaments
        for tournament in tournaments:
            tournament.let_go()
            self.hall.remove(tournament)
        return (*(table.game for table in alone), *(one.game for one in tournaments))

    def come_back(self) -> None:
        """Have tables again."""
        self.is_away = False

    def open_no_more(self) -> None:
        """Open no further games."""
        self.founding.refusal = stopping()

    async def close_restored(self, signed: Mapping[str, SignedAt]) -> None:
        """After an accepted restore: void each open hand, close every game and tournament.

        Before its deck a hand is void by the operator, after it by a fault of the dealer. `signed`
        is what the journal knows; a checkpoint that the store lacks is signed again first.
        """
        for tournament in self.tournaments:
            await close_tournament(tournament, signed)
        strays = partial(recover_strays, self.house, signed=signed)
        for recovered in await self.house.read(lambda store: strays(store=store)):
            self.place(recovered)
        for table in self.tables:
            if table.host is not None:
                continue
            dealing = table.dealing
            sign_again(table, signed)
            void_open_hand(table)
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
            if table.host is None:
                table.start(restarted=True)
        for tournament in self.tournaments:
            tournament.start(restarted=True)

    async def stop(self) -> None:
        """Decide nothing more at any table, and return when all that was decided is durable."""
        self.founding.refusal = stopping()
        self.house.chips.end()
        await self.house.delays.end(stopping())
        if self.afar is not None:
            await self.afar.end(stopping())
        alone = (table.stop() for table in self.tables if table.host is None)
        await asyncio.gather(*alone, *(one.stop() for one in self.tournaments))

    def _table(self, dealing: Dealing, checkpoint: tuple[str, int]) -> Table:
        return Table(
            dealing,
            go_on=self._go_on,
            follow=self._follow,
            over=self.remove,
            lost=self._lose,
            checkpoint=checkpoint,
        )

    def new_table(
        self, dealing: Dealing, host: Host, checkpoint: tuple[str, int] = ("", 0)
    ) -> Table:
        """Make a table of a tournament, which goes on in no game and is lost with it."""
        return Table(
            dealing,
            go_on=self._go_on,
            follow=self._follow,
            over=self.remove,
            lost=self.remove,
            checkpoint=checkpoint,
            host=host,
        )

    def serve(self, table: Table) -> None:
        """Have a table from now on, and let it go on."""
        self._follow(table)

    def _begin_game(
        self, rules: RuleSet, reference: str, encode: Callable[[str, RuleSet, int], bytes]
    ) -> Opening:
        dealing, unit = open_game(self.house, rules, Meta(reference))
        last = unit.signed[-1]
        table = self._table(dealing, (last.note, last.size))
        body = encode(table.game, rules, dealing.log.size)
        return dealing.finish(unit), body, partial(self._follow, table)

    def _begin_tournament(
        self,
        structure: Structure,
        reference: str,
        encode: Callable[[str, Structure, int], bytes],
    ) -> Opening:
        tournament, change = self.hall.open(structure, reference)
        body = encode(tournament.game, structure, tournament.conduct.log.size)
        return change, body, partial(self.hall.follow, tournament)

    def _go_on(self, table: Table, unit: Unit) -> tuple[Table, LogAppend, list[Movement]]:
        dealing, first = open_successor(table.dealing, unit)
        last = first.signed[-1]
        successor = self._table(dealing, (last.note, last.size))
        return successor, dealing.finish(first), first.movements

    def _follow(self, table: Table) -> None:
        if self.is_away and self.others is not None:
            self.others.mislaid(table.host.game if table.host is not None else table.game)
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
