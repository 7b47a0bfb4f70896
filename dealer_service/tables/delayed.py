"""Watchers who are told later: one audience a game, while there is one (PROTOCOL.md section 5).

It is fed from the store, from where it stands on, when the next line is old enough: so it needs
nothing of the table, goes on when the game is over or another node deals it, and holds no line
longer than it takes to tell it. Nothing that is logged from now on can be told before the delay
has passed from now: that is how long it sleeps where it has told all that there is.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import Phase, TableState
from dealer_service.store.api import LogHead, LogState, Store
from dealer_service.tables.lines import decode, read_time
from dealer_service.tables.past import COVERED_MS, DelayRule, Past, Pasts, signed_until
from dealer_service.tables.refused import Refused, lost
from dealer_service.tables.replay import PAGE, Replay
from dealer_service.tables.watchers import Audience, Batch

if TYPE_CHECKING:
    from dealer_service.tables.house import House


@dataclass(frozen=True, slots=True)
class _Told:
    """How far an audience was told: the past behind it, and its newest checkpoint with its size."""

    past: Past
    note: str = ""
    noted: int = 0


@dataclass(frozen=True, slots=True)
class _Step:
    """What is to be told now, what was told then, and when to look again.

    `why` is why nothing comes after it, of a game that does not go on to its reveal.
    """

    batches: Sequence[Batch]
    told: _Told
    wake: int
    why: Refused | None = None


class Delayed:
    """One game's watchers who are told later; `run` until they have gone or the game is over."""

    def __init__(self, house: "House", game: str, rule: DelayRule, past: Past) -> None:
        self.audience = Audience(house.backlogs)
        self.users = 0
        self.fault: Exception | None = None
        self._house = house
        self._game = game
        self._rule = rule
        self._replay = Replay(house, game)
        # What there is of a past is told by a replay; only its checkpoint is still looked for.
        self._told = _Told(past)

    @property
    def size(self) -> int:
        """How many lines were told."""
        return self._told.past.size

    @property
    def signed(self) -> int:
        """The size up to which checkpoints may be told."""
        return self._told.past.signed

    def as_it_stands(self) -> Batch:
        """Give the checkpoint of all lines that were told, if there is one, and the turn."""
        told = self._told
        note = told.note if told.noted == told.past.size else ""
        return _with_turn(Batch(told.past.size, checkpoint=note), told.past)

    async def run(self) -> None:
        """Tell what has come of age, and sleep until the next line has."""
        try:
            while True:
                step = await self._house.read(partial(self._look, now=self._house.clock.now()))
                self._told = step.told
                for batch in step.batches:
                    self.audience.tell_all(batch)
                if step.why is not None:
                    self.fault = step.why
                    break
                past = step.told.past
                if _is_over(past) and step.told.noted == past.size:
                    break
                await self._sleep(step.wake)
        except Exception as fault:  # noqa: BLE001 - handed to who watches
            self.fault = fault
        finally:
            self.audience.end()

    def _look(self, store: Store, *, now: int) -> _Step:
        told, rule = self._told, self._rule
        past, before = told.past, now - rule.ms
        lines = store.lines(self._game, past.size, PAGE + 1)
        times = [read_time(line) for line in lines]
        count = sum(time <= before for time in times[:PAGE])
        if past.size == 0 and count == 0 and rule.opens_at_once:
            count = len(lines[:1])
        size, state = past.size + count, past.state
        for line in lines[:count]:
            state = evolve(state, *decode(line))
        now_past = Past(size, signed_until(state, size, before), state)
        batches = []
        if told.noted < past.size <= now_past.signed:
            batches += self._replay.late(store, size=past.size)
        batches += self._replay.page(store, start=past.size, end=size, signed=now_past.signed)
        noted = [batch for batch in batches if batch.checkpoint]
        then = replace(told, past=now_past)
        if noted:
            then = _Told(now_past, noted[-1].checkpoint, noted[-1].end)
        if count:
            _with_turn(batches[-1], now_past)
        young = times[count] if count < len(times) else None
        why = None
        if count == len(lines) and now_past.signed == size:
            why = _fault_of(store.head(self._game))
        return _Step(batches, then, self._wake_at(then, young, now), why)

    def _wake_at(self, told: _Told, young: int | None, now: int) -> int:
        delay, past = self._rule.ms, told.past
        wake = now + delay if young is None else max(now, young + delay)
        if told.noted < past.size and past.state is not None:
            covered = past.state.at + COVERED_MS + delay
            wake = min(wake, covered if past.signed < past.size else now + COVERED_MS)
        return wake

    async def _sleep(self, until: int) -> None:
        sleeping: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not sleeping.done():
                sleeping.set_result(None)

        timer = self._house.clock.call_at(until, wake)
        try:
            await sleeping
        finally:
            timer.cancel()


class Delays:
    """All games that somebody is told of later."""

    def __init__(self) -> None:
        self.pasts = Pasts()
        self._refusal: Exception | None = None
        self._open: dict[str, Delayed] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def audiences(self) -> Sequence[Audience]:
        """Who is told later, game by game."""
        return [delayed.audience for delayed in self._open.values()]

    async def open(self, house: "House", game: str, rule: DelayRule) -> Delayed:
        """Give a game's audience, for one more; `leave` it again. Refused NO_SUCH_GAME."""
        past = await self.pasts.past(house, game, rule)
        if self._refusal is not None:
            raise self._refusal
        delayed = self._open.get(game)
        if delayed is None:
            delayed = self._open[game] = Delayed(house, game, rule, past)
            self._tasks[game] = asyncio.create_task(delayed.run())
        delayed.users += 1
        return delayed

    def leave(self, game: str, delayed: Delayed) -> None:
        """Be one less; the last one lets the audience go."""
        delayed.users -= 1
        if delayed.users == 0 and self._open.get(game) is delayed:
            del self._open[game]
            self._tasks.pop(game).cancel()

    def move(self, game: str, player: str) -> None:
        """Let a player's streams of a game go on at once: it has sat down."""
        delayed = self._open.get(game)
        if delayed is not None:
            delayed.audience.move(player)

    async def end(self, refusal: Exception) -> None:
        """Tell all that the dealer stops."""
        self._refusal = refusal
        tasks = list(self._tasks.values())
        for delayed in self._open.values():
            delayed.fault = refusal
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def move_watchers(delays: Delays, audience: Audience, before: TableState, now: TableState) -> None:
    """Let the streams of who has sat down go on at once, and of who has left later."""
    held = {seat.player for seat in before.seats.values()}
    holds = {seat.player for seat in now.seats.values()}
    for player in held - holds:
        audience.move(player)
    for player in holds - held:
        delays.move(now.opened.game, player)


def _with_turn(batch: Batch, past: Past) -> Batch:
    decision = past.decision
    if decision is not None:
        batch.decision, batch.deadline = decision, decision.deadline
    return batch


def _fault_of(head: LogHead | None) -> Refused | None:
    """Say why a log that was told to its last line gets no further ones."""
    if head is None or head.facts.state is not LogState.LOST:
        return None
    return lost(head.signed_size)


def _is_over(past: Past) -> bool:
    return past.state is not None and past.state.phase is Phase.REVEALED
