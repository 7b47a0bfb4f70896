"""What each seat may do: turns, what is owed, the size of raises (protocol 9.2 to 9.4).

Amounts named `to` are totals for the street. The bet to match is the full big blind before the
flop, whatever was posted, and the last full raise never moves on a short all-in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Decision(NamedTuple):
    """A seat's turn: what a call puts in, and the totals between which it may bet or raise.

    `call` is 0 where it may check; `low` is None where no bet or raise is open to it, and `why`
    says why. `word` is the act's name, bet or raise.
    """

    seat: int
    bet: int
    call: int
    word: str
    low: int | None
    high: int
    why: str = ""

    def allows(self, act: str, to: int) -> bool:
        """Whether an act is open to the seat, with this total for the street (protocol 9.3)."""
        if act == "fold":
            return to == self.bet
        if act == "check":
            return self.call == 0 and to == self.bet
        if act == "call":
            return self.call > 0 and to == self.bet + self.call
        return act == self.word and self.low is not None and self.low <= to <= self.high

    def __str__(self) -> str:
        """Say in words what would be allowed."""
        parts = ["fold", f"call to {self.bet + self.call}" if self.call else "check"]
        if self.low is None:
            parts.append(f"no {self.word} ({self.why})")
        elif self.low == self.high:
            parts.append(f"{self.word} to {self.low}")
        else:
            parts.append(f"{self.word} to {self.low} up to {self.high}")
        return f"seat {self.seat}: {', '.join(parts)}"


class Betting:
    """The chips and turns of one hand, street by street.

    `order` holds the seats dealt in, first to the left of the button first. `totals` are the
    chips that each seat put in over the whole hand, `bets` those of this street.
    """

    __slots__ = (
        "_acted",
        "_big_blind",
        "_last",
        "_order",
        "_reach",
        "_settled",
        "_tops",
        "aggressor",
        "bets",
        "folded",
        "last_full_raise",
        "stacks",
        "to_match",
        "totals",
    )

    def __init__(self, order: Sequence[int], stacks: Mapping[int, int], big_blind: int) -> None:
        self._order = tuple(order)
        self._big_blind = big_blind
        self.stacks = {seat: stacks[seat] for seat in order}
        self.totals = dict.fromkeys(order, 0)
        self.folded: set[int] = set()
        self.start_street()

    def start_street(self) -> None:
        """Begin a street: the first to act is the first seat left of the button."""
        self.bets = dict.fromkeys(self._order, 0)
        self.to_match = 0
        self.last_full_raise = self._big_blind
        self.aggressor: int | None = None
        # Who has acted on this street at all, and who has since the last bet or raise.
        self._acted: set[int] = set()
        self._settled: set[int] = set()
        self._last = self._order[-1]
        # What each seat has bet or could still bet: within a street it never changes.
        self._reach = dict(self.stacks)
        self._find_tops()

    def _find_tops(self) -> None:
        """Find the live seat that reaches highest, and how high it and the next one reach."""
        top = second = top_seat = 0
        folded = self.folded
        for seat, reach in self._reach.items():
            if seat in folded:
                continue
            if reach >= top:
                second, top, top_seat = top, reach, seat
            elif reach > second:
                second = reach
        self._tops = (top_seat, top, second)

    def post(self, seat: int, amount: int) -> None:
        """Take a blind, all that a short stack has; the turn is then left of this seat."""
        self._put_in(seat, amount)
        self.to_match = self._big_blind
        self._last = seat

    def _put_in(self, seat: int, amount: int) -> None:
        self.stacks[seat] -= amount
        self.bets[seat] += amount
        self.totals[seat] += amount

    @property
    def live(self) -> tuple[int, ...]:
        """The seats that have not folded, first to the left of the button first."""
        return tuple(seat for seat in self._order if seat not in self.folded)

    def others_reach(self, seat: int) -> int:
        """Return the most that any other live seat has bet or could still bet on this street."""
        top_seat, top, second = self._tops
        return second if seat == top_seat else top

    def owes(self, seat: int) -> int:
        """Return what the seat owes (protocol 9.2); more than its stack may be owed."""
        return max(min(self.to_match, self.others_reach(seat)) - self.bets[seat], 0)

    def next_seat(self) -> int | None:
        """Return the seat whose turn it is, or None when the round is over (protocol 9.2, 9.4)."""
        order, stacks, folded = self._order, self.stacks, self.folded
        if len(order) - len(folded) < 2:
            return None
        bets, settled = self.bets, self._settled
        start = order.index(self._last) + 1
        for seat in order[start:] + order[:start]:
            if seat in folded or not stacks[seat]:
                continue
            if bets[seat] < self.to_match and self.owes(seat) > 0:
                return seat
            if seat not in settled and self._others_have_chips(seat):
                return seat
        return None

    def _others_have_chips(self, seat: int) -> bool:
        stacks, folded = self.stacks, self.folded
        return any(stacks[rival] for rival in self._order if rival != seat and rival not in folded)

    def decide(self, seat: int) -> Decision:
        """Return what the seat to act may do."""
        bet, stack = self.bets[seat], self.stacks[seat]
        call = min(self.owes(seat), stack)
        high = bet + stack
        word = "raise" if self.to_match else "bet"
        why = ""
        if self.others_reach(seat) <= self.to_match:
            why = "nobody else could put in more"
        elif high <= self.to_match:
            why = "its stack is not above the bet to match"
        elif seat in self._acted and self.to_match - bet < self.last_full_raise:
            why = "it has acted, and no full raise came since"
        low = None if why else min(self.to_match + self.last_full_raise, high)
        return Decision(seat, bet, call, word, low, high, why)

    def fold(self, seat: int) -> None:
        """Give up the hand."""
        self.folded.add(seat)
        self._find_tops()
        self._last = seat

    def match(self, seat: int, to: int) -> None:
        """Check or call: the street's bet is then `to`."""
        self._put_in(seat, to - self.bets[seat])
        self._acted.add(seat)
        self._settled.add(seat)
        self._last = seat

    def raise_to(self, seat: int, to: int) -> None:
        """Bet or raise to `to`; a full one sets the last full raise, a short all-in does not."""
        size = to - self.to_match
        self.last_full_raise = max(self.last_full_raise, size)
        self._put_in(seat, to - self.bets[seat])
        self.to_match = to
        self.aggressor = seat
        self._acted.add(seat)
        self._settled = {seat}
        self._last = seat

    def give_back(self, seat: int, amount: int) -> None:
        """Return an uncalled bet."""
        self.stacks[seat] += amount
        self.totals[seat] -= amount

    def count_with_chips(self) -> int:
        """How many live seats have chips."""
        return sum(1 for seat in self.live if self.stacks[seat])
