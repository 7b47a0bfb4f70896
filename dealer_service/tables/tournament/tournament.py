"""One tournament: everything that happens in it goes through here, one thing after another.

It decides on the state as it will be when all that was decided before is durable, as a table does,
and what it decides at its tables leaves in one unit with its own log. So there is never half of a
move, of a payout or of a hand's end. A fault at one table halts the whole tournament; starting
again derives what is true.

It acts by itself where the rules force it (PROTOCOL.md 14.8): it starts, begins levels and breaks,
seats, moves, breaks and balances tables, opens every hand, places and pays, and closes its tables.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Final

from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament.directing import cancel
from dealer_service.rules.tournament.entry import Share
from dealer_service.rules.tournament.state import Phase
from dealer_service.rules.tournament.structure import table_rules
from dealer_service.store.api import Answer
from dealer_service.tables.beginning import open_table
from dealer_service.tables.clock import Timer  # noqa: TC001 - it annotates attributes alone
from dealer_service.tables.cover import Cover
from dealer_service.tables.dealing import Dealing
from dealer_service.tables.log import Unit
from dealer_service.tables.part import Part, Then, send
from dealer_service.tables.refused import Refused, ServiceReason, moving, refused, stopping
from dealer_service.tables.requests import Pending, Request, Requests
from dealer_service.tables.table import LATE_MS, Table
from dealer_service.tables.tournament.changes import Change, Changes, Decide, Encode
from dealer_service.tables.tournament.conduct import Conduct
from dealer_service.tables.tournament.course import ALL, TournamentCourse
from dealer_service.tables.tournament.joint import Joint
from dealer_service.tables.tournament.proposals import Proposal, Proposals
from dealer_service.tables.tournament.standing import TournamentStanding
from dealer_service.tables.watchers import Audience, Batch
from dealer_service.tables.written import Overtaken, Written, fault_of, refusal_of, store_failed

MOST_PENDING: Final = 8
"""So many units may be on their way to the store; what is due then waits for one to arrive."""

NewTable = Callable[[Dealing, "Tournament"], Table]
"""new_table(dealing, host): a table of the floor's, which is not served yet."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What a tournament needs of the floor that its tables stand on.

    `new_table` makes a table, `serve` is called with one that has come to be durable; `over` when
    the tournament has ended, `lost` when another dealer seems to have it.
    """

    new_table: NewTable
    serve: Callable[[Table], None]
    over: Callable[["Tournament"], None]
    lost: Callable[["Tournament"], None]


class Tournament:
    """A tournament that runs: `conduct` is what is decided, `standing` what is durable."""

    def __init__(
        self, conduct: Conduct, floor: Floor, checkpoint: tuple[str, int] = ("", 0)
    ) -> None:
        """Make a tournament of its parts; `checkpoint` is the last note and its size."""
        self.game = conduct.state.opened.tournament
        self.conduct = conduct
        self.house = conduct.house
        self.audience = Audience(conduct.house.backlogs)
        self.requests = Requests(self.game, self._look_up)
        self._floor = floor
        self._tables: dict[int, Table] = {}
        self._checkpoint = checkpoint
        self._course = TournamentCourse(conduct, self._tables)
        self._proposals = Proposals()
        self._changes = Changes(conduct, self.requests, self.begin, self._write)
        self._touched: set[int] = set()
        self._pending = 0
        self._is_started = False
        self._is_stopping = False
        self._leaves = stopping()
        self._rests: asyncio.Future[None] | None = None
        self._timer: Timer | None = None
        self._timer_at = 0
        self._wakes: asyncio.Handle | None = None
        self._cover = Cover(self.house.clock, partial(self._guarded, self._sign_now))
        self._refusal: Refused | None = None
        self._fault: BaseException | None = None
        self._last_write: Written | None = None
        self._last_at = 0
        self.standing = self._stand()

    # What is asked of a tournament.

    @property
    def id(self) -> str:
        """Its id, which stands for a game's."""
        return self.game

    @property
    def reference(self) -> str:
        """The operator's own reference."""
        return self.conduct.reference

    @property
    def tables(self) -> Mapping[int, Table]:
        """Its tables that are not closed, by number; those that broke are among them."""
        return self._tables

    @property
    def deal(self) -> Proposal | None:
        """The deal that is proposed."""
        return self._proposals.standing(self.conduct.state)

    @property
    def is_halted(self) -> bool:
        """Whether a fault of the dealer stopped it."""
        return self._fault is not None

    @property
    def is_between_hands(self) -> bool:
        """Whether it runs, and no hand is open at any of its tables, nor anything waits for one."""
        if self._refusal is not None or self._changes.tables:
            return False
        return all(table.is_between_hands for table in self._tables.values())

    def require_running(self) -> None:
        """Raise Refused where it takes nothing more."""
        if self._refusal is not None:
            raise self._refusal
        if self._is_stopping:
            raise self._leaves

    async def change(
        self,
        request: Request,
        decide: Decide,
        encode: Encode,
        *,
        reference: str = "",
        waits: Callable[[Refusal], bool] = lambda _: False,
    ) -> bytes:
        """Make a change once, and give the answer's bytes when it is durable.

        Where `waits` says so of its refusal, it is decided again at the end of a hand. Raises
        Refused.
        """
        known = await self.requests.repeated(request)
        if known is not None:
            return known
        self.require_running()
        answer = self.requests.begin(request)
        change = Change(request, answer, decide, encode, reference, waits)
        self._guarded(partial(self._changes.make, change), answer)
        self._guarded(self._advance)
        return await answer

    def proposing(self, player: str, shares: tuple[Share, ...], left: int) -> Decide:
        """Give what proposes a deal; `player` is empty for the operator."""
        return lambda state, at: self._proposals.propose(state, at, player, shares, left)

    def agreeing(self, player: str, shares: tuple[Share, ...], left: int) -> Decide:
        """Give what agrees to the deal that is proposed, and makes it where everybody has."""
        return lambda state, at: self._proposals.agree(state, at, player, shares, left)

    def cancelling(self) -> Decide:
        """Give what cancels the tournament."""
        return lambda state, at: cancel(state, at, self.conduct.draws.show())

    # How it runs.

    def adopt(self, number: int, table: Table) -> None:
        """Have a table that was recovered with it; it is started with the tournament."""
        self._tables[number] = table

    def start(self, *, restarted: bool = False) -> None:
        """Let it and its tables go on by themselves; after a restart clocks begin anew."""
        self._is_started = True
        if restarted:
            self._course.begin_anew()
            self.house.recovered(self.game)
            for table in tuple(self._tables.values()):
                table.start(restarted=True)
        self._guarded(self._advance)
        self._cover.mind(self.conduct.log)

    def come_to_rest(self) -> "asyncio.Future[None]":
        """Open no more hands; what is given is done when none is open, or it has ended."""
        if self._rests is None:
            self._rests = asyncio.get_running_loop().create_future()
            self._tell_rest()
        return self._rests

    def let_go(self) -> None:
        """Stop because another dealer may have it, with its tables: nothing more is decided."""
        self._is_stopping = True
        refusal = moving()
        self._end(refusal)
        self.requests.abandon(refusal)
        self.audience.end()
        for table in self._tables.values():
            table.let_go()

    async def stop(self, why: Refused | None = None) -> None:
        """Decide nothing more, and return when all that was decided is durable and signed."""
        self._is_stopping = True
        self._leaves = why or stopping()
        self._stop_timer()
        await asyncio.gather(*(table.stop(why) for table in tuple(self._tables.values())))
        if self._refusal is None:
            self._guarded(self._sign_now)
        self._end(self._leaves)
        while self._last_write is not None and not self._last_write.done():
            await asyncio.wait([self._last_write])
        self.audience.end()

    def halt(self, fault: BaseException) -> None:
        """Stop for good after a fault, with all tables: nothing more is decided or told."""
        if self._fault is not None:
            return
        self._fault = fault
        message = "the tournament is halted by a fault of the dealer: call again after a restart"
        self._end(refused(ServiceReason.TABLE_HALTED, message))
        self.audience.end()
        for table in self._tables.values():
            table.halt(fault)
        self.house.halted(self.game, fault)

    def randomness_is_back(self) -> None:
        """Go on at once with what waits for the source of randomness."""
        self._course.draw_now()
        self.mind()

    def begin(self) -> Joint:
        """Begin a unit of now, with whatever of the tables belongs to it."""
        return self._begin(self.conduct.now())

    def submit(self, joint: Joint, answer: Answer | None = None, then: Then | None = None) -> None:
        """Send a unit to the store, all of it at once; whoever watches is told when it is there."""
        unit, log = joint.own, self.conduct.log
        self._cover.take_along(log, unit)
        change = self.conduct.finish(unit)
        if unit.signed:
            self._checkpoint = (unit.signed[-1].note, unit.signed[-1].size)
        standing = self._stand()
        self._touched |= joint.units.keys()
        self._pending += 1
        done = partial(self._written, unit, standing, then)
        own = Part(change, unit.movements, partial(self._sent, unit, done))
        send(self.house.committer, joint.parts(own), answer)

    # What its tables tell.

    def end_hand(self, table: int, unit: Unit, answer: Answer | None, then: Then | None) -> Written:
        """Write the unit of a table in which its hand ended, with what follows from that.

        What is due then comes with it, but for hands: what waited for the hand comes before them.
        """
        joint = self._begin(unit.at)
        joint.end_hand(table, unit, then)
        self._take_due(joint, starts=False)
        self.submit(joint, answer)
        self.mind()
        assert self._last_write is not None
        return self._last_write

    def mind(self) -> None:
        """Look soon for what is due; in a moment of its own, so that nothing is half done."""
        if self._wakes is None and self._may_act():
            loop = asyncio.get_running_loop()
            self._wakes = loop.call_soon(self._woken, context=Context())

    def table_halted(self, table: int, fault: BaseException) -> None:
        """Stop everything: a fault of the dealer stopped a table."""
        if self._fault is None:
            fault.add_note(f"at table {table}, game {self.conduct.state.tables[table].game}")
        self.halt(fault)

    def table_lost(self) -> None:
        """Let go of everything: another dealer seems to have a table."""
        self._lose()

    # What it does by itself.

    def _woken(self) -> None:
        self._wakes = None
        self._guarded(self._go_on)

    def _go_on(self) -> None:
        self._try_again()
        self._advance()

    def _try_again(self) -> None:
        """Decide again what waits for the end of a hand, at tables where none is open."""
        for change in self._changes.take_waiting():
            self._guarded(partial(self._changes.make, change), change.answer)

    def _advance(self) -> None:
        """Do what is due now, a unit in a turn of the loop; set the clock for what is due later."""
        if self._may_act() and self._pending < MOST_PENDING:
            joint = self.begin()
            self._take_due(joint, starts=True)
            if joint.own.lines:
                self.submit(joint)
                # There may be more, as tables are many: whatever else waits has its turn first.
                self.mind()
        touched, self._touched = self._touched, set()
        for number in touched:
            if (table := self._tables.get(number)) is not None:
                table.go_on()
        self._set_clock()
        self._tell_rest()

    def _may_act(self) -> bool:
        runs = self._refusal is None and not self._is_stopping and self._is_started
        return runs and not self._awaits_store()

    def _awaits_store(self) -> bool:
        """Say whether a shared store is away: nobody hears of what was decided meanwhile."""
        if not self.house.is_shared or self._last_write is None or self._last_write.done():
            return False
        return self.house.clock.now() - self._last_at > LATE_MS

    def _take_due(self, joint: Joint, *, starts: bool) -> None:
        if self._may_act():
            self._course.take_due(joint, self._held_back(), starts=starts)

    def _held_back(self) -> frozenset[int]:
        """Give the tables at which something comes before the next hand."""
        held_back = self._changes.tables
        return held_back if self._rests is None else held_back | {ALL}

    def _set_clock(self) -> None:
        if not self._may_act() or self._pending >= MOST_PENDING:
            return
        at = self._course.due_at(self._held_back())
        if at is None:
            return
        at = max(at, self.house.clock.now() + 1)
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer_at = at
        self._timer = self.house.clock.call_at(at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._guarded(self._go_on)

    def _tell_rest(self) -> None:
        if self._rests is None or self._rests.done():
            return
        if self._refusal is not None or self.is_between_hands:
            self._rests.set_result(None)

    # Units.

    def _write(self, joint: Joint, answer: Answer, then: Then) -> None:
        self._take_due(joint, starts=False)
        self.submit(joint, answer, then)

    def _begin(self, at: int) -> Joint:
        return Joint(self.conduct, self._tables, self._open_table, at)

    def _open_table(self, number: int, game: str, at: int) -> tuple[Table, Unit]:
        rules = table_rules(self.conduct.state.structure, self.game, number)
        epoch = self.conduct.log.epoch
        dealing, unit = open_table(self.house, game, rules, at=at, epoch=epoch)
        table = self._tables[number] = self._floor.new_table(dealing, self)
        return table, unit

    def _sent(self, unit: Unit, done: Callable[[Written], None], written: Written) -> None:
        self._last_write = written
        self._last_at = unit.at
        written.add_done_callback(done)
        self._cover.mind(self.conduct.log, signed=bool(unit.signed))

    def _written(
        self, unit: Unit, standing: TournamentStanding, then: Then | None, written: Written
    ) -> None:
        self._pending -= 1
        fault = fault_of(written)
        if fault is None:
            self._published(unit, standing)
            if self.house.is_shared and self.house.clock.now() - unit.at > LATE_MS:
                # Whoever was seated hears of it now, and can anchor from now on.
                self._course.begin_anew()
                self.mind()
        elif self.house.is_shared and isinstance(fault, Overtaken):
            self._lose()
        else:
            self.halt(fault)
        if then is not None:
            then(fault)
        if self._pending == MOST_PENDING - 1:
            # What was due when too many were on their way is looked for again.
            self.mind()

    def _published(self, unit: Unit, standing: TournamentStanding) -> None:
        before, self.standing = self.standing.state, standing
        for _, message in unit.told:
            if isinstance(message, Batch):
                self.audience.tell_all(message)
        if unit.movements:
            self.house.chips.tell()
        for number in standing.state.tables.keys() - before.tables.keys():
            table = self._tables.get(number)
            if table is not None and self._refusal is None:
                self._floor.serve(table)
        for number, told in standing.state.tables.items():
            if told.closed:
                self._tables.pop(number, None)
        if standing.state.phase is Phase.CLOSED:
            self._stop_clocks()
            self.audience.end()
            self._floor.over(self)
            self.house.revealed(self.game)

    def _sign_now(self) -> None:
        if not self.conduct.log.is_covered:
            joint = self.begin()
            self.conduct.log.sign(joint.own)
            self.submit(joint)

    # The rest.

    def _stand(self) -> TournamentStanding:
        return TournamentStanding(self.conduct.state, self.conduct.log.size, *self._checkpoint)

    def _guarded(self, act: Callable[[], None], answer: Pending | None = None) -> None:
        """Run a part of the tournament; what goes wrong in it halts it, and nothing else."""
        try:
            act()
        except Exception as fault:  # noqa: BLE001 - a halted one is told, whatever it was
            self.halt(fault)
            if answer is not None and not answer.done():
                answer.set_exception(refusal_of(fault) or self._refusal or store_failed())

    def _lose(self) -> None:
        if self._fault is None and not self._is_stopping:
            self.let_go()
            self._floor.lost(self)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if self._wakes is not None:
            self._wakes.cancel()
        self._wakes = None

    def _stop_clocks(self) -> None:
        self._stop_timer()
        self._cover.stop()

    def _end(self, refusal: Refused) -> None:
        if self._refusal is None:
            self._refusal = refusal
        self._stop_clocks()
        self._tell_rest()
        self._changes.end(refusal)

    async def _look_up(self, scope: str, caller: str, request_id: str) -> Answer | None:
        return await self.house.read(lambda store: store.answer(scope, caller, request_id))
