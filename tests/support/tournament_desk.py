"""A tournament under a test's hand: nothing is played, and each hand ends as the test says.

A `Desk` takes all that is due but the hands; draws come out as they were listed, or as the test
says, so that every seat is known beforehand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from dealer_service.rules.button import next_left
from dealer_service.rules.entry import SeatStack
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament import hands
from dealer_service.rules.tournament.due import due, take
from dealer_service.rules.tournament.entering import register
from dealer_service.rules.tournament.entry import (
    HandStarted,
    Level,
    LevelBy,
    PayoutKind,
    PayoutRule,
    ShareTable,
    Structure,
    TableClosed,
    TournamentEntry,
    TournamentOpened,
)
from dealer_service.rules.tournament.folding import evolve
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.rules.tournament.step import DrawnOrder, Step, StepKind
from dealer_service.rules.tournament.structure import USUAL

BEGUN: Final = 1_767_225_600_000
SECRET: Final = "5e" * 32
MINUTE: Final = 60_000

PAID: Final = PayoutRule(
    PayoutKind.SHARES,
    unit=1,
    tables=(ShareTable(2, (10_000,)), ShareTable(4, (6_000, 4_000))),
)
"""One place paid of two or three players, two of more."""

E = TypeVar("E", bound=TournamentEntry)


def structure(**changes: Any) -> Structure:
    """Give a structure: tables of three, 1,000 chips, levels of 10 minutes, 100 a player.

    `seats` and `link_ms` change its rules.
    """
    rules = replace(
        USUAL.rules,
        seats=changes.pop("seats", 3),
        link_ms=changes.pop("link_ms", 3_000),
        small_blind=25,
        big_blind=50,
        chip_unit=25,
    )
    plain = replace(
        USUAL,
        rules=rules,
        stack=1_000,
        players_max=3,
        levels=tuple(level(unit) for unit in (25, 25, 100, 500)),
        level_by=LevelBy.TIME,
        buy_in=100,
        fee=10,
        payout=PAID,
        hand_for_hand=0,
    )
    return replace(plain, **changes)


def level(unit: int = 25, *, length: int = 10 * MINUTE, break_ms: int = 0) -> Level:
    """Give a level of that unit, which is also its small blind."""
    return Level(unit, 2 * unit, unit, length, break_ms)


class Desk:
    """A tournament as a test directs it: `state`, `log`, and the clock `now`."""

    def __init__(self, played: Structure, names: Sequence[str] = (), **registering: Any) -> None:
        self.now = BEGUN
        opened = TournamentOpened("cutcard/v1", "dealer.example.com", "7e" * 16, played, "c0" * 32)
        self.log: list[TournamentEntry] = [opened]
        self.state = evolve(None, self.now, opened)
        self.held: dict[int, int] = {}
        self.orders: list[Sequence[int]] = []
        for name in names:
            self.register(name, **registering)

    def register(self, name: str, *, house: bool = False, anchors: bool = False) -> None:
        """Register a player that is let in."""
        self.give(
            register(
                self.state,
                self.now,
                name,
                anchors=anchors,
                house=house,
                accepts_reveal="all_cards",
            )
        )

    def refused(self, name: str, *, house: bool = False) -> TournamentReason:
        """Say why a player is not let in."""
        answer = register(
            self.state, self.now, name, anchors=False, house=house, accepts_reveal="all_cards"
        )
        return reason_of(answer)

    def give(self, answer: Sequence[TournamentEntry] | Refusal) -> None:
        """Fold one unit, which was not refused."""
        assert not isinstance(answer, Refusal), answer
        for entry in answer:
            self.state = evolve(self.state, self.now, entry)
            self.log.append(entry)

    def due(self) -> Step | None:
        """Tell what is due now."""
        return due(self.state, self.now, self.held)

    def settle(self, *orders: Sequence[int]) -> list[TournamentEntry]:
        """Take all that is due but hands; `orders` are what its draws give, in turn."""
        self.orders += orders
        begun = len(self.log)
        while (step := self.due()) is not None and step.kind is not StepKind.START_HAND:
            self.take(step)
        return self.log[begun:]

    def take(self, step: Step) -> None:
        """Take one step."""
        if step.kind is StepKind.CLOSE_TABLE:
            game = self.state.tables[step.table].game
            self.give((TableClosed(step.table, game, 1, "00" * 32),))
            return
        drawn = None
        if step.draw is not None:
            order = self.orders.pop(0) if self.orders else step.draw.items
            assert sorted(order) == sorted(step.draw.items)
            drawn = DrawnOrder(SECRET, tuple(order), "c0" * 32)
        elif step.kind is StepKind.END:
            drawn = DrawnOrder(SECRET)
        games = tuple(f"{len(self.log) + i:032x}" for i in range(step.games))
        self.give(take(self.state, self.now, step, drawn, games))

    def wait(self, ms: int) -> list[TournamentEntry]:
        """Let time go by, and take what is due then."""
        self.now += ms
        return self.settle()

    def start_hand(self, table: int = 1) -> None:
        """Start a hand at a table where one is due, behind what is due before it."""
        one = self.state.tables[table]
        if one.hand == 0 or not one.is_between_hands:
            self.settle()
            one = self.state.tables[table]
        players = one.with_chips
        big = next_left(players, one.last_big_blind)
        started = HandStarted(table, one.hand + 1, self.state.level, 1, big, len(players))
        self.give((started,))

    def end_hand(
        self, table: int = 1, stacks: Mapping[str, int] | None = None, *, void: bool = False
    ) -> None:
        """End the hand at a table: `stacks` by player, of those whose stack changed."""
        one = self.state.tables[table]
        assert one.open is not None
        changed = stacks or {}
        ended = tuple(
            SeatStack(number, changed.get(seat.player, seat.stack))
            for number, seat in one.open.seats.items()
            if seat.stack
        )
        hand = one.hand
        self.give(hands.finish_hand(self.state, self.now, table, hand, void=void, stacks=ended))

    def play(
        self, table: int = 1, stacks: Mapping[str, int] | None = None, *, void: bool = False
    ) -> list[TournamentEntry]:
        """Play a hand at a table, and take what is due behind it."""
        self.start_hand(table)
        self.end_hand(table, stacks, void=void)
        return self.settle()

    def all(self, kind: type[E]) -> list[E]:
        """List the entries of one kind."""
        return [entry for entry in self.log if isinstance(entry, kind)]

    def seat_of(self, player: str) -> tuple[int, int]:
        """Tell a player's table and seat."""
        one = self.state.entrants[player]
        return one.table, one.seat

    def stack_of(self, player: str) -> int:
        """Tell a player's stack."""
        table, seat = self.seat_of(player)
        return self.state.tables[table].seats[seat].stack


def reason_of(answer: Sequence[TournamentEntry] | Refusal) -> TournamentReason:
    """Give the reason of a refusal."""
    assert isinstance(answer, Refusal), answer
    assert isinstance(answer.reason, TournamentReason)
    return answer.reason
