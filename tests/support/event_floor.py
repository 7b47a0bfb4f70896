"""A dealer's floor without a wire: a store, a clock that the test moves, and a tournament on it.

`Evening` plays a tournament through the service: players register by requests, act at their tables
in turn by a plain policy of seeded chance, and the clock goes on to the next thing that is set when
nobody is to act. `restarted` is the same store under a new process, nothing of the old one left.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import TypeVar

from audit_cli.report.finding import Report
from dealer_service.rules import play
from dealer_service.rules.entry import Entry
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_state import TableState
from dealer_service.rules.tournament import entering
from dealer_service.rules.tournament.entry import (
    Level,
    PayoutKind,
    PayoutRule,
    Structure,
    TournamentEntry,
)
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.rules.tournament.structure import USUAL
from dealer_service.store.api import Append, Appended, AppendResult, Store
from dealer_service.store.commit import StoreFailed
from dealer_service.store.memory import MemoryStore
from dealer_service.store.sealing import sealer
from dealer_service.tables.archive import Archive
from dealer_service.tables.floor import Floor
from dealer_service.tables.house import House
from dealer_service.tables.lines import decode
from dealer_service.tables.refused import Refused
from dealer_service.tables.requests import Request, digest_of
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.changes import Decide
from dealer_service.tables.tournament.lines import decode as decode_tournament
from dealer_service.tables.tournament.tournament import Tournament
from dealer_service.transcript.note import NoteSigner, note_signer
from tests.support.audits import judge
from tests.support.service import ManualClock
from tests.support.tournament_play import Habits, choose

T = TypeVar("T")

ORIGIN = "dealer.example.com"
SIGNER: NoteSigner = note_signer(ORIGIN, bytes(range(32)))
SEAL = bytes(range(32, 64))

FREEZE_OUT: Structure = replace(
    USUAL,
    players_max=3,
    rules=replace(USUAL.rules, seats=3),
    payout=PayoutRule(PayoutKind.WINNER),
    buy_in=1_000,
    fee=100,
)
"""Three at one table, and the winner takes all."""

CROWD: Structure = replace(
    FREEZE_OUT,
    players_max=10,
    rules=replace(USUAL.rules, seats=4),
    levels=(
        Level(10, 20, 5, 3_000, 0),
        Level(25, 50, 25, 3_000, 2_000),
        Level(100, 200, 100, 3_000, 0),
        Level(500, 1_000, 500, 3_000, 0),
    ),
    redraw=(1,),
)
"""Ten at tables of four: tables break, players move, chips are raced, and the last table is new."""


class Clock(ManualClock):
    """A clock that can also go on to the next call that is set."""

    def skip(self) -> bool:
        """Go on to the next call; say whether there was one."""
        waiting = [at for at, _, timer in self._calls if timer.is_wanted]
        if not waiting:
            return False
        self.advance(max(0, min(waiting) - self.now()))
        return True


@dataclass
class Committer:
    """Writes units on the loop itself, one after another, until it fails or is cut off.

    `fails(count, append)` is asked before each unit is written: "before" fails without writing it,
    "after" with it written and nobody told.
    """

    store: Store
    fails: Callable[[int, Append], str] = lambda _count, _append: ""
    written: list[Append] = field(default_factory=list)
    failed: bool = False
    _queue: list[tuple[Append, "asyncio.Future[AppendResult]"]] = field(default_factory=list)

    @property
    def is_idle(self) -> bool:
        return not self._queue

    def submit(self, append: Append) -> "asyncio.Future[AppendResult]":
        if self.failed:
            message = "the store failed"
            raise StoreFailed(message)
        loop = asyncio.get_running_loop()
        promise: asyncio.Future[AppendResult] = loop.create_future()
        if not self._queue:
            loop.call_soon(self._write)
        self._queue.append((append, promise))
        return promise

    def _write(self) -> None:
        queue, self._queue = self._queue, []
        for append, promise in queue:
            how = "before" if self.failed else self.fails(len(self.written) + 1, append)
            if how != "before":
                (result,) = self.store.append_all([append])
                assert isinstance(result, Appended), result
                self.written.append(append)
            if how:
                self.failed = True
                promise.set_exception(StoreFailed("the store failed"))
                # Nobody may wait for it any more.
                promise.exception()
            else:
                promise.set_result(result)


class Evening:
    """One process of a dealer, with one tournament."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock | None = None,
        seed: int = 1,
        fails: Callable[[int, Append], str] = lambda _count, _append: "",
    ) -> None:
        self.store, self.clock = store, clock or Clock()
        self.random, self._chance = Random(seed), Random(seed)
        self.habits = Habits(all_in=0.3)
        self.committer = Committer(store, fails)
        self.has_chance = True
        self.halted: list[tuple[str, BaseException]] = []
        self.house = House(
            origin=ORIGIN,
            clock=self.clock,
            entropy=self._draw,
            signer=SIGNER,
            sealer=sealer(ORIGIN, SEAL, os.urandom),
            committer=self.committer,
            read=self._read,
            halted=lambda game, fault: self.halted.append((game, fault)),
            unhealthy=lambda _: None,
            healthy=lambda: None,
        )
        self.floor = Floor(self.house)
        self.id = ""
        self._requests = 0

    def _draw(self, count: int) -> bytes:
        return self._chance.randbytes(count) if self.has_chance else b""

    async def _read(self, call: Callable[[Store], T]) -> T:
        return call(self.store)

    def restarted(self, store: Store) -> "Evening":
        """Give a new process on what the old one left in the store."""
        again = Evening(store, clock=self.clock, seed=self.random.randrange(2**32))
        again.habits, again.id = self.habits, self.id
        again._requests = self._requests
        again.floor.recover(store)
        again.floor.start()
        return again

    async def finish(self, *players: str) -> "Evening":
        """Play to the end, in a new process each time the store fails; gives the last one.

        Players ask again for what they were not told of.
        """
        evening = self
        while True:
            with suppress(Refused):
                if not evening.is_over:
                    await evening.register(*players)
                await evening.play()
            if not evening.committer.failed:
                return evening
            store = evening.store
            evening = evening.restarted(
                store.reopened() if isinstance(store, MemoryStore) else store
            )

    @property
    def tournament(self) -> Tournament:
        tournament = self.floor.running_tournament(self.id)
        assert tournament is not None
        return tournament

    @property
    def is_over(self) -> bool:
        return self.floor.running_tournament(self.id) is None

    async def open(self, structure: Structure = FREEZE_OUT) -> str:
        """Open the tournament."""

        def answer(tournament: str, _structure: Structure, _size: int) -> bytes:
            return tournament.encode()

        body = await self.floor.open_tournament(self.request("Open"), structure, "ref", answer)
        self.id = body.decode()
        return self.id

    def request(self, method: str, caller: str = "operator", number: int = 0) -> Request:
        self._requests += 1
        name = f"r{number or self._requests}"
        return Request(caller, name, digest_of(method, name.encode()))

    async def change(
        self,
        decide: Callable[[Tournament], Decide],
        *,
        caller: str = "operator",
        waits: Callable[[Refusal], bool] = lambda _: False,
        request: Request | None = None,
    ) -> bytes:
        """Make a change of the tournament; the answer is the names of its entries."""
        return await self.floor.change_tournament(
            self.id, request or self.request("Change", caller), decide, names_of, waits=waits
        )

    async def register(self, *players: str, anchors: bool = False, house: bool = False) -> None:
        """Let players enter."""
        for player in players:
            decide = partial(
                entering.register,
                player=player,
                anchors=anchors,
                house=house,
                accepts_reveal="all_cards",
            )
            asked = self.request("Register", player, 1)
            await self.change(given(decide), request=asked, waits=entering.waits_for_hand)

    async def settled(self) -> None:
        """Return when all that was decided is durable and nothing more is due at this moment."""
        quiet = 0
        while quiet < 5:
            await asyncio.sleep(0)
            quiet = quiet + 1 if self.committer.is_idle else 0

    def deciding(self) -> Iterator[tuple[Table, str]]:
        """Give the tables of the tournament at which a player is to act, with that player."""
        for table in self.floor.tables:
            now = table.standing.decision
            if now is not None:
                yield table, table.standing.state.seats[now.seat].player

    async def act(self, table: Table, player: str) -> None:
        """Let a player act by chance."""
        now = table.standing.decision
        assert now is not None
        did, to = choose(self.random, self.habits, now)

        def decide(state: TableState, _at: int) -> tuple[Entry, ...] | Refusal:
            return play.act(state, player, now.hand, now.turn, did, to=to)

        await self.floor.change(
            table.game,
            self.request("Act", player),
            lambda _: decide,
            lambda _entries, _state, _size: b"",
        )

    async def step(self) -> bool:
        """Let everybody act who is to, or else time go on; False when nothing would ever come."""
        await self.settled()
        acting = list(self.deciding())
        for table, player in acting:
            await self.act(table, player)
        return bool(acting) or self.clock.skip()

    async def play(self, until: Callable[[], bool] = lambda: False) -> None:
        """Play until the tournament is over, or what was asked for has come."""
        await self.settled()
        while not self.is_over and not self.committer.failed and not until():
            assert await self.step(), "nothing is due and nothing will happen"
            await self.settled()
            assert not self.halted or self.committer.failed, self.halted

    # What the store has.

    def told(self) -> list[tuple[int, TournamentEntry]]:
        """Give the tournament's log as it is on disk."""
        return [decode_tournament(line) for line in self.store.every_line(self.id)]

    def games(self) -> dict[int, list[tuple[int, Entry]]]:
        """Give the logs of its tables as they are on disk, by number."""
        heads = self.store.group(self.id)[1:]
        logs = [[decode(line) for line in self.store.every_line(head.log)] for head in heads]
        return dict(enumerate(logs, 1))


def given(decide: Decide) -> Callable[[Tournament], Decide]:
    """Decide a change by the rules alone."""
    return lambda _: decide


async def audit(evening: Evening) -> Report:
    """Audit the tournament's log and those of its tables, as the files tell them."""
    content = b""
    for head in evening.store.group(evening.id):
        async for part in Archive(evening.house).game_file(head.log):
            content += part
    return judge(content, key=str(SIGNER.verifier))


def names_of(entries: tuple[TournamentEntry, ...], _state: TournamentState, _size: int) -> bytes:
    """Answer with the kinds of the entries that a change made."""
    return " ".join(type(entry).__name__ for entry in entries).encode()
