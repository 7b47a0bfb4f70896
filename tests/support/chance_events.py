"""Tournaments of chance, in the core alone: quick tables, and anything asked for at any time.

Who wins a hand is chance, and nothing of it is played. So many more events are played than with
real hands, and players and the operator ask for anything at any time, as they may over the network.
A step that says nothing, steps that go round, and time in which nothing will happen fail a test.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Final

import pytest

from dealer_service.fairness.draw import draw_commitment, draw_order
from dealer_service.rules.entry import SeatStack
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament import directing, entering, hands
from dealer_service.rules.tournament.due import awaited_anchors, due, next_time, take
from dealer_service.rules.tournament.entry import (
    HandStarted,
    Share,
    Structure,
    TableClosed,
    TournamentEntry,
    TournamentOpened,
)
from dealer_service.rules.tournament.folding import evolve
from dealer_service.rules.tournament.money import INWARD, OUTWARD, movements
from dealer_service.rules.tournament.state import Phase, TournamentState
from dealer_service.rules.tournament.step import DrawnOrder, Step, StepKind, Wanted
from dealer_service.rules.tournament.structure import find_faults
from tests.support.random_tournaments import random_structure
from tests.support.tournament_play import ORIGIN, START

ID: Final = bytes.fromhex("7e" * 16)
MOST_STEPS: Final = 500
"""More steps than that without a hand between them are a circle."""

ACTS: Final = (
    ("register", 8),
    ("rebuy", 8),
    ("decline", 4),
    ("add_on", 6),
    ("withdraw", 1),
    ("disqualify", 2),
    ("stop", 2),
    ("resume", 8),
    ("deal", 3),
    ("cancel", 1),
)


OPERATORS: Final = {"stop": directing.stop, "resume": directing.resume}
PLAYERS: Final = {
    "rebuy": entering.rebuy,
    "decline": entering.decline_rebuy,
    "add_on": entering.add_on,
    "withdraw": entering.withdraw,
    "disqualify": directing.disqualify,
}


@dataclass(slots=True)
class Event:
    """An event as it runs, with chance for its hands, its draws and what is asked of it."""

    structure: Structure
    dice: Random
    lively: float
    state: TournamentState = field(init=False)
    now: int = START
    anchors: dict[int, int] = field(default_factory=dict)
    came: int = 0
    went: int = 0
    wall: list[tuple[int, int, int]] = field(default_factory=list)
    log: list[tuple[int, TournamentEntry]] = field(default_factory=list)
    secret: bytes = b""
    numbers: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        self.secret = self.dice.randbytes(32)
        opened = TournamentOpened("cutcard/v1", ORIGIN, ID.hex(), self.structure, self.commit(1))
        self.state = evolve(None, self.now, opened)
        self.log.append((self.now, opened))

    def run(self) -> None:
        for number in range(self.structure.players_max):
            self.ask(self.registration(f"p{number:02}"))
            if self.dice.random() < self.lively:
                self.act()
        while not self.is_over:
            self.settle()
            if not self.is_over:
                self.wait()

    @property
    def is_over(self) -> bool:
        return self.state.phase is Phase.CLOSED

    def wait(self) -> None:
        """Let the clock run until a hand ends, time makes something due, or somebody acts."""
        times = [] if not self.wall else [self.wall[0][0]]
        own = next_time(self.state, self.held())
        if own is not None:
            assert own > self.now or self.state.stopped, "time says that something is due already"
            times.append(own)
        if not times:
            # Then the operator alone, or who registers, can go on.
            waits = self.state.stopped or self.state.phase is Phase.REGISTERING
            assert waits, "nothing is due and nothing will happen"
            self.act()
            return
        if self.dice.random() < self.lively:
            self.now = self.dice.randint(self.now, max(self.now, min(times) - 1))
            self.act()
            return
        # Whoever asks may come before the clock.
        self.now = max(self.now, min(times)) + self.dice.choice([0, 0, 5])
        if self.dice.random() < self.lively:
            self.act()
        while self.wall and self.wall[0][0] <= self.now:
            self.end_hand(heapq.heappop(self.wall)[2])
            if self.dice.random() < self.lively:
                self.act()
            if self.dice.random() < 0.5:
                self.settle()

    def settle(self) -> None:
        """Take all that is due now."""
        for _ in range(MOST_STEPS):
            step = due(self.state, self.now, self.held())
            if step is None:
                return
            self.take(step)
        pytest.fail("steps go round in a circle")

    def held(self) -> dict[int, int]:
        found = {}
        for table in self.state.open_tables:
            awaited = awaited_anchors(self.state, table.table)
            if awaited:
                found[table.table] = max(awaited.values())
        return found

    def take(self, step: Step) -> None:
        if step.kind is StepKind.START_HAND:
            self.start_hand(step.table)
            return
        if step.kind is StepKind.CLOSE_TABLE:
            game = self.state.tables[step.table].game
            self.unit((TableClosed(step.table, game, 1, "00" * 32),))
            return
        drawn = self.draw(step.draw) if step.draw is not None else None
        if step.kind is StepKind.END:
            drawn = DrawnOrder(self.secret.hex())
        games = tuple(f"{next(self.numbers) + 1:032x}" for _ in range(step.games))
        self.unit(take(self.state, self.now, step, drawn, games))

    def draw(self, wanted: Wanted) -> DrawnOrder:
        secret, number = self.secret, self.state.next_draw
        commitment = bytes.fromhex(self.state.next_commitment)
        order = draw_order(ORIGIN, ID, number, secret, commitment, wanted.items)
        self.secret = self.dice.randbytes(32)
        return DrawnOrder(secret.hex(), order, self.commit(number + 1))

    def commit(self, number: int) -> str:
        return draw_commitment(ORIGIN, ID, number, self.secret).hex()

    def start_hand(self, number: int) -> None:
        table = self.state.tables[number]
        seats = table.with_chips
        left = [seat for seat in seats if seat > table.big_blind] or [*seats]
        button = seats[0] if table.hand else table.button
        started = HandStarted(number, table.hand + 1, self.state.level, button, left[0], len(seats))
        self.unit((started,))
        heapq.heappush(self.wall, (self.now + self.dice.choice([1, 9_000]), number, number))

    def end_hand(self, number: int) -> None:
        table = self.state.tables[number]
        assert table.open is not None
        stacks = {seat: one.stack for seat, one in table.open.seats.items() if one.stack}
        void = self.dice.random() < 0.1
        if not void:
            winner = self.dice.choice([*stacks])
            most = stacks[winner]
            for seat in [*stacks]:
                if seat == winner:
                    continue
                luck = self.dice.random()
                lost = min(most, int(stacks[seat] * luck) if luck < 0.6 else stacks[seat])
                stacks[seat] -= lost
                stacks[winner] += lost
        told = tuple(SeatStack(seat, stack) for seat, stack in stacks.items())
        state = self.state
        self.unit(hands.finish_hand(state, self.now, number, table.hand, void=void, stacks=told))

    # What is asked for.

    def registration(self, name: str) -> entering.Answer:
        return entering.register(
            self.state,
            self.now,
            name,
            anchors=self.dice.random() < 0.3,
            house=self.dice.random() < 0.3,
            accepts_reveal=self.structure.rules.reveal.policy,
        )

    def act(self) -> None:
        """Ask for something by chance; what is refused changes nothing."""
        state, now, dice = self.state, self.now, self.dice
        (act,) = dice.choices([name for name, _ in ACTS], [weight for _, weight in ACTS])
        name = dice.choice([*state.entrants, f"n{dice.randrange(60):02}"])
        if act == "deal":
            self.deal()
        elif act == "register":
            self.ask(self.registration(name))
        elif act == "cancel":
            # Rarely: it ends everything.
            if dice.random() < 0.1:
                self.ask(directing.cancel(state, now, self.secret.hex()))
        elif act in OPERATORS:
            self.ask(OPERATORS[act](state, now))
        else:
            buyer = dice.choice([name, *state.lost])
            self.ask(PLAYERS[act](state, now, buyer))

    def deal(self) -> None:
        names = sorted(name for name, one in self.state.entrants.items() if one.is_in)
        whole = directing.still_to_win(self.state)
        left = self.dice.choice([0, whole // 5])
        each, over = divmod(whole - left, max(1, len(names)))
        shares = tuple(Share(name, each + (place < over)) for place, name in enumerate(names))
        self.ask(directing.agree_deal(self.state, self.now, shares, left))

    def ask(self, answer: entering.Answer) -> None:
        if not isinstance(answer, Refusal):
            self.unit(answer)

    def unit(self, entries: Sequence[TournamentEntry]) -> None:
        assert entries, "a step that says nothing is due for ever"
        for entry in entries:
            for one in movements(self.state, entry):
                self.came += one.amount * (one.what in INWARD)
                self.went += one.amount * (one.what in OUTWARD)
            self.state = evolve(self.state, self.now, entry)
            self.log.append((self.now, entry))


def play_by_chance(seed: int) -> Event:
    """Play one event to its end: a seed is a structure and all that happens."""
    dice = Random(seed)
    structure = random_structure(dice)
    if dice.random() < 0.3:
        seats = replace(structure.rules, seats=dice.choice([2, 3]))
        structure = replace(structure, rules=seats, hand_for_hand=dice.choice([1, 10, 30]))
    assert not find_faults(structure)
    event = Event(structure, dice, dice.choice([0.05, 0.3, 0.6]))
    event.run()
    return event
