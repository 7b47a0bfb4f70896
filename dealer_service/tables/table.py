"""One table: everything that happens in a game goes through here, one thing after another.

What is asked is decided at once, on the state as it will be when all that was decided before is
durable; the lines go to the store in that order, and answers, streams and signatures leave when
the store has them. So a table never waits for the disk, and nobody is told what could still be
lost. A fault halts the table and nothing more leaves it; starting again derives what is true.
Where the store is shared, a table that another dealer may have is let go of in the same way.

The table acts by itself where the rules force it: it opens hands, fixes decks, lets clocks run
out, ends hands, and closes a game that is at its end for one that goes on. A tournament's table has
a host in its place that opens its hands and closes its game, and that is told of each hand's end
before it leaves: what both logs tell of it is one unit.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from dealer_service.fairness.commitment import next_link
from dealer_service.rules import ahead, entropy, opening, play
from dealer_service.rules.ahead import PreAct
from dealer_service.rules.entry import CloseReason, Entry, VoidReason
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import MAX_FREE_VOIDS, Phase, TableState
from dealer_service.store.api import Answer, LogAppend, Movement
from dealer_service.tables.clock import Timer  # noqa: TC001 - it annotates attributes alone
from dealer_service.tables.course import Course
from dealer_service.tables.cover import Cover
from dealer_service.tables.dealing import Dealing
from dealer_service.tables.delayed import move_watchers
from dealer_service.tables.house import House
from dealer_service.tables.log import Unit
from dealer_service.tables.log_wait import LogWait
from dealer_service.tables.part import Host, Part, Then, send
from dealer_service.tables.refused import Refused, ServiceReason, moving, refused, stopping
from dealer_service.tables.requests import Pending, Request, Requests
from dealer_service.tables.round_wait import RoundWait
from dealer_service.tables.standing import Standing, tell_decision
from dealer_service.tables.watchers import Audience, Batch
from dealer_service.tables.written import (
    Overtaken,
    Written,
    fault_of,
    refusal_of,
    store_failed,
)

LATE_MS: Final = 1_000
"""A unit that a shared store took so long for was written over an outage."""

MOST_WAITING: Final = 256
"""So many changes may wait for the end of a hand, whoever asks for them."""

Decide = Callable[[TableState, int], tuple[Entry, ...] | Refusal]
"""decide(state, at): the entries of the time `at` that a change makes, or why it is refused."""
Encode = Callable[[tuple[Entry, ...], TableState, int], bytes]
"""encode(entries, the state behind them, the log's size): the answer's bytes."""


@dataclass(frozen=True, slots=True)
class _Deferred:
    """A change that waits for the end of the open hand."""

    run: Callable[[], None]
    answer: Pending = field(repr=False)


class Table:
    """A game that runs: `dealing` is what is decided, `standing` what is durable."""

    def __init__(  # noqa: PLR0913 - what a table is made of
        self,
        dealing: Dealing,
        *,
        go_on: Callable[["Table", Unit], tuple["Table", LogAppend, list[Movement]]],
        follow: Callable[["Table"], None],
        over: Callable[["Table"], None],
        lost: Callable[["Table"], None] = lambda _: None,
        checkpoint: tuple[str, int] = ("", 0),
        host: Host | None = None,
    ) -> None:
        """Make a table of its parts; `start` sets it going.

        `go_on(table, unit)` opens the game that goes on from the one that `unit` closes, and
        `follow(successor)` is called when that is durable; `over(table)` when the game is revealed.
        `lost(table)` is called when the store says that another dealer has the game. `checkpoint`
        is the last note and its size. `host` is the tournament whose table it is.
        """
        self.host = host
        self.game = dealing.state.opened.game
        self.dealing = dealing
        self.house = dealing.house
        self.audience = Audience(dealing.house.backlogs)
        self.requests = Requests(self.game, partial(_look_up, self.house))
        self._go_on = go_on
        self._follow = follow
        self._over = over
        self._lost = lost
        self._rests: asyncio.Future[None] | None = None
        self._last_at = 0
        self._is_late = False
        self._checkpoint = checkpoint
        self._link_waiters: list[asyncio.Future[None]] = []
        self._deferred: deque[_Deferred] = deque()
        self._course = Course(dealing)
        self._timer: Timer | None = None
        self._timer_at = 0
        self._cover = Cover(self.house.clock, partial(self._guarded, self._sign_now))
        self._log_wait = LogWait(
            self.house, self.game, found=self._deck_published, failed=self.halt
        )
        self._round_wait = RoundWait(self.house.rounds, partial(self._guarded, self._advance))
        self._refusal: Refused | None = None
        self._fault: BaseException | None = None
        self._last_write: Written | None = None
        self.standing = self._stand()

    # What is asked of a table.

    async def change(
        self,
        request: Request,
        decide: Decide,
        encode: Encode,
        *,
        reference: str = "",
        waits: Callable[[TableState], bool] = lambda _: False,
    ) -> bytes:
        """Make a change once, and give the answer's bytes when it is durable.

        `waits` says whether the change has to wait for the end of the open hand. Raises Refused.
        """
        known = await self.requests.repeated(request)
        if known is not None:
            return known
        self.require_running()
        wait = waits(self.dealing.state)
        if wait and len(self._deferred) >= MOST_WAITING:
            message = f"{MOST_WAITING} changes wait for the hand's end already: ask when it is over"
            raise refused(ServiceReason.TOO_MANY_WAITING, message, {"waiting": MOST_WAITING})
        answer = self.requests.begin(request)
        run = partial(self._change, request, answer, decide, encode, reference)
        if wait:
            self._deferred.append(_Deferred(run, answer))
        else:
            self._guarded(run, answer)
            self._guarded(self._advance)
        return await answer

    async def give_link(self, player: str, number: int, link: str) -> None:
        """Take a player's link for the open hand; done when the line that holds it is durable."""
        self.require_running()
        dealing = self.dealing
        seat = entropy.accept_link(
            dealing.state,
            player,
            number,
            link,
            dealing.links,
            next_link=self.next_link,
            past=dealing.values,
        )
        if isinstance(seat, Refusal):
            raise Refused(seat)
        if dealing.state.phase is not Phase.LINKS:
            await self._require_settled()
            return
        if self.standing.state.hand != number:
            # The opening's checkpoint has not left yet, so no honest client has seen it.
            message = f"hand {number} is not published yet: wait for its checkpoint"
            raise Refused(Refusal(TableReason.HAND_NOT_OPEN, message, {"hand": number}))
        if seat not in dealing.links:
            dealing.links[seat] = link
            dealing.values.hold(link)
        logged: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._link_waiters.append(logged)
        self._guarded(self._advance)
        await logged

    def choose_ahead(self, player: str, number: int, act: PreAct | None) -> None:
        """Take note of what a player wants to do in its next turn, None to take it back."""
        self.require_running()
        if act is None:
            self.dealing.chosen.pop(player, None)
            return
        chosen = ahead.choose_ahead(self.dealing.state, player, number, act)
        if isinstance(chosen, Refusal):
            raise Refused(chosen)
        self.dealing.chosen[player] = chosen

    def chosen_by(self, player: str) -> PreAct | None:
        """Give the act that a player chose ahead, as long as it would be done."""
        chosen = self.dealing.chosen.get(player)
        if chosen is None or not ahead.is_binding(self.dealing.state, chosen):
            return None
        return chosen.act

    def next_link(self, player: str, link: str) -> str:
        """Give the value after a link in a player's chain of this game, both in hex."""
        after = next_link(self.house.origin, self.dealing.game, player, bytes.fromhex(link))
        return after.hex()

    @property
    def number(self) -> int:
        """The table's number in its tournament; 0 where it is of none."""
        table = self.dealing.state.rules.tournament
        return 0 if table is None else table.table

    @property
    def is_halted(self) -> bool:
        """Whether a fault of the dealer stopped it."""
        return self._fault is not None

    @property
    def is_between_hands(self) -> bool:
        """Whether it runs, and neither a hand is open nor a change waits for the end of one."""
        return self._refusal is None and self.dealing.state.open is None and not self._deferred

    @property
    def may_open(self) -> bool:
        """Whether its host may open a hand: none is open, and nothing comes first."""
        return self.is_between_hands and self._rests is None

    @property
    def awaits_log(self) -> bool:
        """Whether cards wait until their deck stands in the dealer's log."""
        return self._log_wait.is_waiting

    def require_running(self) -> None:
        """Raise Refused where the table takes nothing more."""
        if self._refusal is not None:
            raise self._refusal

    # How it runs.

    def start(self, *, restarted: bool = False) -> None:
        """Let the table go on by itself.

        After a restart the clock that runs begins anew: nobody pays for the dealer's absence.
        """
        if restarted:
            self._course.begin_anew()
            self.standing = self._stand()
            self.house.recovered(self.game)
        self._guarded(self._advance)
        self._guarded(self._mind_log)
        self._cover.mind(self.dealing.log)

    def come_to_rest(self) -> "asyncio.Future[None]":
        """Open no more hands; what is given is done when none is open, or the table has ended."""
        if self._rests is None:
            self._rests = asyncio.get_running_loop().create_future()
            self._guarded(self._advance)
            self._tell_rest()
        return self._rests

    def let_go(self) -> None:
        """Stop because another dealer may have the game: nothing more is decided or told.

        What was sent to the store already is written before another dealer has the log, or not at
        all; a caller that repeats its request hears which.
        """
        refusal = moving()
        self._end(refusal)
        self.requests.abandon(refusal)
        self.audience.end()

    def randomness_failed(self) -> None:
        """End a hand whose deck is not committed, as long as the game has such a void left."""
        if self._refusal is None:
            self._guarded(self._void_for_health)
            self._guarded(self._advance)

    def randomness_is_back(self) -> None:
        """Go on at once with what waits for the source of randomness."""
        if self._refusal is None:
            self._course.draw_now()
            self._guarded(self._advance)

    async def stop(self, why: Refused | None = None) -> None:
        """Decide nothing more, and return when all that was decided is durable and signed."""
        if self._refusal is None:
            self._guarded(self._sign_now)
        self._end(why or stopping())
        await self._settled()
        self.audience.end()

    def submit(
        self,
        unit: Unit,
        answer: Answer | None = None,
        *others: LogAppend,
        then: Then | None = None,
    ) -> Written:
        """Send a unit to the store; whoever watches or waits is told when it is durable."""
        if unit.ends and self.host is not None:
            return self.host.end_hand(self.number, unit, answer, then)
        return send(self.house.committer, [self.prepare(unit, then)], answer, *others)

    def prepare(self, unit: Unit, then: Then | None = None) -> Part:
        """Finish a unit that is sent in this moment, alone or with others."""
        dealing = self.dealing
        self._cover.take_along(dealing.log, unit)
        change = dealing.finish(unit)
        if unit.signed:
            self._checkpoint = (unit.signed[-1].note, unit.signed[-1].size)
        standing = self._stand()
        waiters: list[asyncio.Future[None]] = []
        if dealing.state.phase is not Phase.LINKS:
            waiters, self._link_waiters = self._link_waiters, waiters
        done = partial(self._written, unit, standing, waiters, then)
        return Part(change, unit.movements, partial(self._sent, unit, done))

    def go_on(self) -> None:
        """Do what is due, after the host has changed something here."""
        if self._refusal is None:
            self._guarded(self._advance)

    def _sent(self, unit: Unit, done: Callable[[Written], None], written: Written) -> None:
        self._last_write = written
        self._last_at = unit.at
        written.add_done_callback(done)
        self._cover.mind(self.dealing.log, signed=bool(unit.signed))
        self._mind_log()

    def halt(self, fault: BaseException) -> None:
        """Stop for good after a fault: nothing more is decided, signed or told."""
        if self._fault is not None:
            return
        self._fault = fault
        message = "the table is halted by a fault of the dealer: call again when it has restarted"
        self._end(refused(ServiceReason.TABLE_HALTED, message))
        self.audience.end()
        if self.host is not None:
            self.host.table_halted(self.number, fault)
        else:
            self.house.halted(self.game, fault)

    def _change(
        self,
        request: Request,
        answer: Pending,
        decide: Decide,
        encode: Encode,
        reference: str,
    ) -> None:
        dealing = self.dealing
        unit = dealing.begin_unit()
        try:
            entries = decide(dealing.state, unit.at)
        except Exception as fault:  # noqa: BLE001 - deciding changes nothing, so only this one fails
            self.requests.forget(request)
            answer.set_exception(fault)
            return
        if isinstance(entries, Refusal):
            self.requests.forget(request)
            answer.set_exception(Refused(entries))
            return
        dealing.make(unit, entries, reference)
        body = encode(entries, dealing.state, dealing.log.size)
        stored = Answer(self.game, request.caller, request.request_id, request.digest, body)
        self._course.take_due(unit, hold=self._holds())
        self.submit(unit, stored, then=partial(self._answered, request, answer, body))

    def _answered(
        self,
        request: Request,
        answer: Pending,
        body: bytes,
        fault: BaseException | None,
    ) -> None:
        if fault is None:
            self.requests.answered(request)
            if not answer.done():
                answer.set_result(body)
            return
        self.requests.forget(request)
        if not answer.done():
            answer.set_exception(self._told_of(fault))

    def _told_of(self, fault: BaseException) -> Refused:
        """Say what a caller hears of a unit that was not written."""
        is_overtaken = self.house.is_shared and isinstance(fault, Overtaken)
        return moving() if is_overtaken else store_failed()

    def _written(
        self,
        unit: Unit,
        standing: Standing,
        waiters: list["asyncio.Future[None]"],
        then: Then | None,
        written: Written,
    ) -> None:
        fault = fault_of(written)
        if fault is None:
            self._published(unit, standing, waiters)
            if self.house.is_shared:
                self._mind_outage(unit, is_last=written is self._last_write)
        else:
            _let_go(waiters, self._told_of(fault))
            if self.house.is_shared and isinstance(fault, Overtaken):
                self.let_go()
                self._lost(self)
                if self.host is not None:
                    self.host.table_lost()
            else:
                self.halt(fault)
        if then is not None:
            then(fault)

    def _published(
        self, unit: Unit, standing: Standing, waiters: list["asyncio.Future[None]"]
    ) -> None:
        before, self.standing = self.standing, standing
        self._count(unit)
        if len(self.audience):
            self._tell(unit, standing)
        if standing.state.rules.watch_delay_ms:
            move_watchers(self.house.delays, self.audience, before.state, standing.state)
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        if unit.movements:
            self.house.chips.tell()
        if standing.state.phase is Phase.REVEALED:
            # A clock that is still set would keep the table for as long as it has to run.
            self._stop_clocks()
            self.audience.end()
            self._over(self)
            self.house.revealed(self.game)

    def _tell(self, unit: Unit, standing: Standing) -> None:
        if unit.lines:
            tell_decision(unit, standing)
        for player, message in unit.told:
            if isinstance(message, Batch):
                self.audience.tell_all(message)
            else:
                self.audience.tell_player(player, message)

    def _count(self, unit: Unit) -> None:
        metrics = self.house.metrics
        for act, by in unit.acts:
            metrics.acted(act, by)
        for end in unit.ends:
            metrics.hand_ended(end)

    def _advance(self) -> None:
        """Do all that is due now, and set the clock for what is due later."""
        while self._refusal is None and self._step():
            pass
        self._round_wait.mind(self._course.wanted_round() if self._refusal is None else None)
        self._set_clock()
        if self._rests is not None:
            self._tell_rest()
        if self.host is not None and self.dealing.state.open is None:
            self.host.mind()

    def _step(self) -> bool:
        """Do one thing that is due, if there is one."""
        dealing = self.dealing
        state = dealing.state
        if state.open is None and self._deferred:
            waiting = self._deferred.popleft()
            self._guarded(waiting.run, waiting.answer)
            return True
        if state.play is not None and state.play.pending is not None:
            return False
        unit = dealing.begin_unit()
        self._course.take_due(unit, hold=self._holds())
        if unit.lines:
            self.submit(unit)
            return True
        if self._rests is not None or self.host is not None:
            return False
        reason = self._course.closes(unit.at) if state.phase is Phase.WAITING else None
        if reason is not None:
            self._course.draw(unit.at, partial(self._close_and_go_on, reason))
        return False

    def _holds(self) -> bool:
        """Say whether no hand opens here: something comes first, or it is the host's to open."""
        return bool(self._deferred) or self._rests is not None or self.host is not None

    def _tell_rest(self) -> None:
        if self._rests is None or self._rests.done():
            return
        is_open = self.dealing.state.open is not None or self._deferred
        if self._refusal is not None or not is_open:
            self._rests.set_result(None)

    def _close_and_go_on(self, reason: CloseReason) -> None:
        next_game = self.house.draw_game()
        made: list[tuple[Table, LogAppend]] = []

        def open_successor(unit: Unit) -> None:
            successor, opens, carried = self._go_on(self, unit)
            unit.movements += carried
            made.append((successor, opens))

        unit = self.dealing.close(reason, next_game, open_successor)
        successor, opens = made[0]
        self.submit(unit, None, opens, then=partial(self._succeeded, successor))

    def _succeeded(self, successor: "Table", fault: BaseException | None) -> None:
        if fault is None:
            self._follow(successor)

    # Clocks.

    def _set_clock(self) -> None:
        at = self._course.due() if self._refusal is None else None
        if at is None:
            return
        if self._timer is not None:
            # One that rings too early costs less than one set anew by every act: it is set again.
            if self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer_at = at
        self._timer = self.house.clock.call_at(at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self.house.is_shared and self._awaits_store():
            # Nobody could hear of the turn; its clock begins anew when the store is there.
            self._is_late = True
            return
        at = self._course.due()
        if at is not None and self.house.clock.now() >= at:
            self._guarded(self._run_out)
        self._guarded(self._advance)

    def _awaits_store(self) -> bool:
        is_written = self._last_write is None or self._last_write.done()
        return not is_written and self.house.clock.now() - self._last_at > LATE_MS

    def _mind_outage(self, unit: Unit, *, is_last: bool) -> None:
        """Let the clock begin anew where the store was away while it ran, as after a restart."""
        if self.house.clock.now() - unit.at > LATE_MS:
            self._is_late = True
        if not self._is_late or not is_last or self._refusal is not None:
            return
        self._is_late = False
        self._course.begin_anew()
        self.standing = self._stand()
        if self.standing.decision is not None:
            anew = Batch(self.standing.size)
            anew.decision, anew.deadline = self.standing.decision, self.standing.deadline
            self.audience.tell_all(anew)
        self._guarded(self._advance)

    def _run_out(self) -> None:
        dealing = self.dealing
        if dealing.state.phase is Phase.LINKS:
            is_missing = opening.links_missing(dealing.state, dealing.links)
            reason = VoidReason.LINK_MISSING if is_missing else VoidReason.NO_BEACON
            self.submit(dealing.void_hand(reason))
        elif play.turn_deadline(dealing.state) is not None and not self._course.awaits_absent(
            self.audience.has
        ):
            self.submit(dealing.act_by_clock())

    def _void_for_health(self) -> None:
        state = self.dealing.state
        if state.phase is Phase.LINKS and state.voids < MAX_FREE_VOIDS:
            self.submit(self.dealing.void_hand(VoidReason.HEALTH))

    def _mind_log(self) -> None:
        """Wait for the deck's line in the dealer's log, where no card is dealt before that."""
        published, dealing = self.house.published, self.dealing
        if dealing.holds_cards and published is not None and self._refusal is None:
            self._log_wait.begin(published, dealing.state.hand)

    def _deck_published(self, hand: int) -> None:
        self._guarded(partial(self._deal_cards, hand))
        self._guarded(self._advance)

    def _deal_cards(self, hand: int) -> None:
        dealing = self.dealing
        if self._refusal is None and dealing.holds_cards and dealing.state.hand == hand:
            unit = dealing.begin_unit()
            dealing.deal_cards(unit)
            self.submit(unit)

    def _sign_now(self) -> None:
        if not self.dealing.log.is_covered:
            unit = self.dealing.begin_unit()
            self.dealing.log.sign(unit)
            self.submit(unit)

    # The rest.

    def _stand(self) -> Standing:
        dealing = self.dealing
        openings, grace = dealing.openings, self._course.grace
        return Standing(dealing.state, dealing.log.size, *self._checkpoint, openings, grace)

    def _guarded(self, act: Callable[[], None], answer: Pending | None = None) -> None:
        """Run a part of the table; what goes wrong in it halts the table, and nothing else."""
        try:
            act()
        except Exception as fault:  # noqa: BLE001 - a halted table is told, whatever it was
            self.halt(fault)
            if answer is not None and not answer.done():
                answer.set_exception(refusal_of(fault) or self._refusal or store_failed())

    def _stop_clocks(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._cover.stop()
        self._log_wait.stop()
        self._round_wait.stop()

    def _end(self, refusal: Refused) -> None:
        if self._refusal is None:
            self._refusal = refusal
        self._stop_clocks()
        self._tell_rest()
        waiters, self._link_waiters = self._link_waiters, []
        _let_go(waiters, refusal)
        while self._deferred:
            answer = self._deferred.popleft().answer
            if not answer.done():
                answer.set_exception(refusal)

    async def _settled(self) -> None:
        while self._last_write is not None and not self._last_write.done():
            await asyncio.wait([self._last_write])

    async def _require_settled(self) -> None:
        """Wait until all that was decided is durable; Refused where that fails."""
        await self._settled()
        if self._last_write is not None and fault_of(self._last_write) is not None:
            raise store_failed()


async def _look_up(house: House, scope: str, caller: str, request_id: str) -> Answer | None:
    return await house.read(lambda store: store.answer(scope, caller, request_id))


def _let_go(waiters: list["asyncio.Future[None]"], refusal: Refused) -> None:
    for waiter in waiters:
        if not waiter.done():
            waiter.set_exception(refusal)
