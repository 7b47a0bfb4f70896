"""One hand, entry by entry: what is due next by the rules (protocol 9).

`Hand.due` names the one thing that has to come next; the methods take what came, as it is logged,
and move on. Whether what came is what was due is for the caller to compare, so that a log that
breaks a rule in one entry can be followed further.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.poker.betting import Betting
from audit_cli.poker.positions import clockwise
from audit_cli.poker.pots import find_uncalled, layer_pots, split_pot
from audit_cli.poker.ranking import measure
from audit_cli.poker.showdown import order_showing, thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.poker.pots import Pot
    from audit_cli.poker.ranking import Strength

BOARD_COUNTS = (0, 3, 1, 1)
STREETS = ("before the flop", "flop", "turn", "river")


class Step(Enum):
    """What can be due."""

    SMALL_BLIND = "the small blind"
    BIG_BLIND = "the big blind"
    HOLE_CARDS = "the dealing of the hole cards"
    BOARD_CARDS = "the dealing of the board"
    BOARD_OPENED = "the opening of the board"
    ACT = "an act"
    RETURN = "the return of the uncalled bet"
    SHOW = "the opening of a hand by rule"
    SHOW_OR_MUCK = "the opening or the muck of a hand by policy"
    AWARD = "the award of a pot"
    END = "the end of the hand"


class Due(NamedTuple):
    """The next step, with its seat (0: none) and amount (chips, cards or the number of a pot)."""

    step: Step
    seat: int = 0
    amount: int = 0

    def __str__(self) -> str:
        """Say the step in words."""
        words = self.step.value
        if self.step is Step.AWARD:
            return f"{words}: pot {self.amount}"
        if self.seat:
            words = f"{words}, seat {self.seat}"
        if self.step in (Step.SMALL_BLIND, Step.BIG_BLIND, Step.RETURN):
            words = f"{words}, {self.amount}"
        return words


class Award(NamedTuple):
    """What a pot pays, in the winners' order; strengths where it was contested at a showdown."""

    amount: int
    shares: dict[int, int]
    strengths: dict[int, Strength]


class Hand:
    """The state of a hand. `at` arguments are the times of entries, in milliseconds."""

    __slots__ = (
        "_aggressor",
        "_pot",
        "_queue",
        "_unit",
        "betting",
        "board",
        "due",
        "holes",
        "order",
        "pots",
        "runs_out",
        "shown",
        "street",
        "strengths",
        "turn",
        "turn_began",
    )

    def __init__(
        self,
        stacks: Mapping[int, int],
        button: int,
        blind_seats: tuple[int | None, int],
        blinds: tuple[int, int],
        unit: int,
    ) -> None:
        self.order = clockwise(stacks, button)
        self.betting = Betting(self.order, stacks, blinds[1])
        self._unit = unit
        self.street = 0
        self.turn = 0
        self.turn_began = 0
        self.board: list[int] = []
        self.holes: dict[int, tuple[int, ...]] = {}
        self.shown: list[int] = []
        self.strengths: dict[int, Strength] = {}
        self.pots: tuple[Pot, ...] = ()
        self.runs_out = False
        self._aggressor: int | None = None
        self._queue: tuple[int, ...] = ()
        self._pot = 0
        small_seat, big_seat = blind_seats
        small, big = blinds
        big_due = Due(Step.BIG_BLIND, big_seat, min(big, stacks[big_seat]))
        if small_seat is None:
            self.due = big_due
        else:
            self.due = Due(Step.SMALL_BLIND, small_seat, min(small, stacks[small_seat]))
            self._queue = (big_due.seat, big_due.amount)

    def post(self, seat: int, amount: int) -> None:
        """Take a blind that was posted."""
        self.betting.post(seat, amount)
        if self.due.step is Step.SMALL_BLIND:
            self.due = Due(Step.BIG_BLIND, *self._queue)
        else:
            self.due = Due(Step.HOLE_CARDS)

    def deal(self, at: int) -> None:
        """Take the dealing of the hole cards or the next board cards."""
        if self.street == 0 and self.due.step is Step.HOLE_CARDS:
            self._find_turn(at)
        else:
            self.street += 1
            self.due = Due(Step.BOARD_OPENED, 0, BOARD_COUNTS[self.street])

    def open_board(self, cards: Sequence[int], at: int) -> None:
        """Board cards were opened."""
        self.board += cards
        if self.runs_out:
            self._run_out()
        else:
            self.betting.start_street()
            self._find_turn(at)

    def fold(self, seat: int, at: int) -> None:
        """Take a fold."""
        self.betting.fold(seat)
        self._find_turn(at)

    def match(self, seat: int, to: int, at: int) -> None:
        """Take a check or a call: the seat has bet `to` on this street."""
        self.betting.match(seat, to)
        self._find_turn(at)

    def raise_to(self, seat: int, to: int, at: int) -> None:
        """Take a bet or a raise to `to`."""
        self.betting.raise_to(seat, to)
        self._find_turn(at)

    def give_back(self, seat: int, amount: int) -> None:
        """Take back the uncalled bet that was returned."""
        self.betting.give_back(seat, amount)
        self._count_pots()

    def show(self, seat: int, cards: Sequence[int]) -> None:
        """Take a hand that was opened by rule or policy."""
        self.holes[seat] = tuple(cards)
        self.shown.append(seat)
        if len(self.board) == 5:
            self.strengths[seat] = measure((*cards, *self.board))
        self._next_in_queue()

    def muck(self) -> None:
        """Take the muck of the hand that was due."""
        self._next_in_queue()

    def award(self, shares: Mapping[int, int]) -> None:
        """Pay a pot out as `shares` say."""
        for seat, amount in shares.items():
            if seat in self.betting.stacks:
                self.betting.stacks[seat] += amount
        self._pot -= 1
        self.due = Due(Step.AWARD, 0, self._pot) if self._pot >= 0 else Due(Step.END)

    def against(self, seat: int) -> tuple[Strength | None, ...]:
        """Return what the hand of `seat` has to win or tie to be opened (protocol 9.6)."""
        return thresholds(self.pots, seat, self.strengths)

    def pay(self, number: int) -> Award:
        """Return what pot `number` has to pay to whom."""
        pot = self.pots[number]
        winners: tuple[int, ...] = pot.eligible
        strengths: dict[int, Strength] = {}
        if len(pot.eligible) > 1:
            shown = [seat for seat in pot.eligible if seat in self.strengths]
            if shown:
                best = max(self.strengths[seat] for seat in shown)
                winners = tuple(seat for seat in shown if self.strengths[seat] == best)
            strengths = {seat: self.strengths[seat] for seat in winners if shown}
        return Award(pot.amount, split_pot(pot.amount, self._unit, winners), strengths)

    def _find_turn(self, at: int) -> None:
        seat = self.betting.next_seat()
        if seat is not None:
            self.turn += 1
            self.turn_began = at
            self.due = Due(Step.ACT, seat)
            return
        if len(self.betting.live) > 1 and self.street < 3 and self.betting.count_with_chips() > 1:
            self.due = Due(Step.BOARD_CARDS)
            return
        self._aggressor = self.betting.aggressor
        uncalled = find_uncalled(self.betting.totals, self.betting.live)
        if uncalled is None:
            self._count_pots()
        else:
            self.due = Due(Step.RETURN, *uncalled)

    def _count_pots(self) -> None:
        live = self.betting.live
        self.pots = layer_pots(self.betting.totals, live)
        if len(live) == 1:
            self._start_awards()
            return
        self._queue = order_showing(self.pots, self._aggressor)
        self.runs_out = any(not self.betting.stacks[seat] for seat in live)
        self.due = Due(Step.SHOW if self.runs_out else Step.SHOW_OR_MUCK, self._queue[0])

    def _next_in_queue(self) -> None:
        self._queue = self._queue[1:]
        if self._queue:
            self.due = Due(self.due.step, self._queue[0])
        elif self.runs_out:
            self._run_out()
        else:
            self._start_awards()

    def _run_out(self) -> None:
        if self.street < 3:
            self.due = Due(Step.BOARD_CARDS)
            return
        for seat, cards in self.holes.items():
            self.strengths[seat] = measure((*cards, *self.board))
        self._start_awards()

    def _start_awards(self) -> None:
        self._pot = len(self.pots) - 1
        self.due = Due(Step.AWARD, 0, self._pot)
