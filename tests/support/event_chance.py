"""A random tournament through the service: what players and the operator ask for is chance, too.

One seed is one evening: its structure, who comes late, buys, sits out or is disqualified, and after
which unit the store fails, more than once, so that another process goes on.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random

from dealer_service.rules import seating
from dealer_service.rules.entry import Entry
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_state import TableState, seat_of
from dealer_service.rules.tournament import directing, entering
from dealer_service.rules.tournament.entry import StartKind, StartRule
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.store.api import Append
from dealer_service.store.memory import MemoryStore
from dealer_service.tables.refused import Refused
from tests.support.event_floor import Evening, given
from tests.support.random_tournaments import random_habits, random_structure

STEPS = 20_000
"""No evening takes so many turns and waits."""


class Chance:
    """One evening by chance, through as many processes as it takes."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        # One that starts at a time would start before anybody has come.
        full = StartRule(StartKind.FULL)
        self.structure = replace(random_structure(self.dice), start=full)
        self.habits = replace(random_habits(self.dice), all_in=0.3, cancels=0)
        self.processes = 1
        store = MemoryStore()
        self.evening = Evening(store, seed=seed, fails=self._fails())
        self.evening.habits = self.habits
        self.names = [f"p{number:02}" for number in range(self.structure.players_max)]
        self.late = [f"late{number}" for number in range(self.habits.late)]

    async def run(self) -> Evening:
        """Play to the end; gives the last process."""
        with suppress(Refused):
            await self.evening.open(self.structure)
        if self.evening.committer.failed:
            return self.evening
        for _ in range(STEPS):
            if self.evening.committer.failed:
                self._restart()
            if self.evening.is_over:
                break
            with suppress(Refused):
                await self._turn()
        assert self.evening.is_over
        assert not self.evening.halted or self.evening.committer.failed
        return self.evening

    async def _turn(self) -> None:
        evening = self.evening
        state = evening.tournament.standing.state
        if not state.has_started:
            await self._register(self.names)
        if not evening.is_over:
            await self._ask(evening.tournament.standing.state)
        await evening.settled()
        if not evening.is_over and not evening.committer.failed:
            assert await evening.step() or evening.is_over, "nothing will ever come"

    async def _register(self, names: list[str]) -> None:
        for name in names:
            if self.evening.is_over:
                return
            await self.evening.register(name, anchors=self.dice.random() < self.habits.anchors)

    async def _ask(self, state: TournamentState) -> None:
        dice = self.dice
        if state.stopped:
            await self._change(directing.resume)
            return
        if not state.is_running:
            return
        if self.late and dice.random() < 0.1:
            with suppress(Refused):
                await self._register([self.late.pop()])
        for player in state.lost:
            buys = entering.rebuy if dice.random() < 0.5 else entering.decline_rebuy
            await self._change(partial(buys, player=player))
        await self._direct(state)

    async def _direct(self, state: TournamentState) -> None:
        """Do what comes seldom."""
        dice, habits = self.dice, self.habits
        sitting = [name for name, one in state.entrants.items() if one.seat]
        if state.structure.add_on is not None and dice.random() < 0.1:
            for player in sitting:
                await self._change(partial(entering.add_on, player=player))
        if dice.random() < habits.stops:
            await self._change(directing.stop)
        if sitting and dice.random() < habits.disqualifies / 4:
            await self._change(partial(directing.disqualify, player=dice.choice(sitting)))
        if habits.absent and dice.random() < 0.05:
            await self._sit_out(self.names[0])

    async def _change(self, decide: Callable[..., object]) -> None:
        with suppress(Refused):
            await self.evening.change(given(decide))  # type: ignore[arg-type]

    async def _sit_out(self, player: str) -> None:
        """Let one player be away: where all are, an event may have no end."""
        tables = self.evening.floor.tables
        found = [one for one in tables if seat_of(one.standing.state, player) is not None]
        if not found:
            return

        def decide(state: TableState, _at: int) -> tuple[Entry, ...] | Refusal:
            return seating.sit_out(state, player)

        with suppress(Refused):
            await self.evening.floor.change(
                found[0].game, self.evening.request("SitOut", player), lambda _: decide, _nothing
            )

    def _fails(self) -> Callable[[int, Append], str]:
        last = self.dice.randint(3, 400)
        how = self.dice.choice(["before", "after"])
        return lambda count, _append: how if count == last else ""

    def _restart(self) -> None:
        store = self.evening.store
        assert isinstance(store, MemoryStore)
        self.processes += 1
        self.evening = self.evening.restarted(store.reopened())
        self.evening.committer.fails = self._fails()


def _nothing(_entries: object, _state: object, _size: int) -> bytes:
    return b""
