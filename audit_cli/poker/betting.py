"""What each seat may do: turns, what is owed, the size of raises (protocol 9.2 to 9.4).

Amounts named `to` are totals for the street. The bet to match is the full big blind or straddle
before the flop, whatever was posted, and the last full raise never moves on a short all-in.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.poker.rules import Structure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.poker.rules import HandRules, Positions

_BIG_BETS_FROM = 2


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

    def may_bet(self, act: str, to: int) -> bool:
        """Whether a bet or raise to this total is open to the seat."""
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


@lru_cache(maxsize=64)
def _find_left(order: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """Return for each seat all of them, first the one to its left."""
    return {seat: order[at:] + order[:at] for at, seat in enumerate(order, 1)}


class Betting:
    """The chips and turns of one hand, street by street.

    `order` holds the seats dealt in, first to the left of the button first. `totals` are the
    chips that each seat put in over the whole hand, `bets` those of this street, `dead` is the
    money in the middle that nobody put in.
    """

    __slots__ = (
        "_acted",
        "_assumed",
        "_counted",
        "_last",
        "_late",
        "_left_of",
        "_lifted",
        "_number",
        "_order",
        "_reach",
        "_rules",
        "_settled",
        "_size",
        "_structure",
        "_tops",
        "aggressor",
        "bets",
        "dead",
        "folded",
        "last_full_raise",
        "stacks",
        "to_match",
        "totals",
    )

    def __init__(self, order: Sequence[int], stacks: Mapping[int, int], rules: HandRules) -> None:
        self._order = tuple(order)
        self._left_of = _find_left(self._order)
        self._rules = rules
        self._structure = rules.structure
        self.stacks = {seat: stacks[seat] for seat in order}
        self.totals = dict.fromkeys(order, 0)
        self.dead = 0
        self.folded: set[int] = set()
        self._clear(0)

    def start_street(self, street: int) -> None:
        """Begin a street: the first to act is the first seat left of the button."""
        self._clear(street)
        # What each seat has bet or could still bet: within a street it never changes.
        self._reach = dict(self.stacks)
        self._find_tops()

    def _clear(self, street: int) -> None:
        self.bets = dict.fromkeys(self._order, 0)
        self.to_match = 0
        self.last_full_raise = self._rules.big_blind
        self.aggressor: int | None = None
        # Who has acted on this street at all, and who has since the last bet or raise.
        self._acted: set[int] = set()
        self._settled: set[int] = set()
        self._last = self._order[-1]
        # The straddle whose first turn comes when all others have acted.
        self._late: int | None = None
        # What a pot limit assumes of the blinds above what was posted.
        self._assumed = 0
        if self._structure is Structure.FIXED_LIMIT:
            self._start_counting(street)

    def _start_counting(self, street: int) -> None:
        limits = self._rules.limits
        assert limits is not None
        self._size = limits.big_bet if street >= _BIG_BETS_FROM else limits.small_bet
        # The last total that counted as a bet, and how many have counted.
        self._counted = 0
        self._number = 0
        self._lifted = False
        self._lift_cap()

    def _lift_cap(self) -> None:
        """Two live seats before the cap is reached lift it for this street, where the rules say."""
        limits = self._rules.limits
        assert limits is not None
        if limits.uncapped_heads_up and self._number < limits.cap:
            self._lifted = self._lifted or len(self._order) - len(self.folded) == 2

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

    def pay_ante(self, seat: int, amount: int) -> None:
        """Take an ante of the seat's own: chips in the pot, and no bet."""
        self.stacks[seat] -= amount
        self.totals[seat] += amount

    def pay_dead(self, seat: int, amount: int) -> None:
        """Take dead money: nobody put it in."""
        self.stacks[seat] -= amount
        self.dead += amount

    def post(self, seat: int, amount: int) -> None:
        """Take a bet of the first street that is posted."""
        self._put_in(seat, amount)

    def begin(self, at: Positions, blinds: int) -> None:
        """Begin the first street's turns, all posts being in; `blinds` of blinds and straddle."""
        rules = self._rules
        self.to_match = rules.big_blind
        self._last = at.big_blind
        if at.straddle is not None and rules.straddle is not None:
            kind, double = rules.straddle
            self.to_match = 2 * rules.big_blind
            if double:
                self.last_full_raise = self.to_match
            if kind == "under_the_gun":
                self._last = at.straddle
            else:
                self._last = self._order[-1]
                self._late = at.straddle
        if self._structure is Structure.POT_LIMIT:
            small = rules.big_blind if rules.rounded_up else rules.small_blind
            straddle = 0 if at.straddle is None else self.to_match
            self._assumed = max(small + rules.big_blind + straddle - blinds, 0)
        elif self._structure is Structure.FIXED_LIMIT:
            self._counted = self.to_match
            self._number = 1
        self._reach = {seat: stack + self.bets[seat] for seat, stack in self.stacks.items()}
        self._find_tops()

    def _put_in(self, seat: int, amount: int) -> None:
        self.stacks[seat] -= amount
        self.bets[seat] += amount
        self.totals[seat] += amount

    @property
    def live(self) -> tuple[int, ...]:
        """The seats that have not folded, first to the left of the button first."""
        folded = self.folded
        return tuple([seat for seat in self._order if seat not in folded])

    def others_reach(self, seat: int) -> int:
        """Return the most that any other live seat has bet or could still bet on this street."""
        top_seat, top, second = self._tops
        return second if seat == top_seat else top

    def owes(self, seat: int) -> int:
        """Return what the seat owes (protocol 9.2); more than its stack may be owed."""
        top_seat, reach, second = self._tops
        if seat == top_seat:
            reach = second
        owes = self.to_match - self.bets[seat]
        if self.to_match > reach:
            owes = reach - self.bets[seat]
        return max(owes, 0)

    def next_seat(self) -> int | None:
        """Return the seat whose turn it is, or None when the round is over (protocol 9.2, 9.4)."""
        order, stacks, folded = self._order, self.stacks, self.folded
        if len(order) - len(folded) < 2:
            return None
        if self._late is not None:
            return self._next_before_straddle()
        bets, to_match, settled = self.bets, self.to_match, self._settled
        top_seat, top, second = self._tops
        for seat in self._left_of[self._last]:
            if seat in folded or not stacks[seat]:
                continue
            # It owes something where another reaches above its bet.
            if bets[seat] < to_match and bets[seat] < (second if seat == top_seat else top):
                return seat
            if seat not in settled and self._others_have_chips(seat):
                return seat
        return None

    def _next_before_straddle(self) -> int | None:
        """Return the seat to act while the straddle has not: it is last of the first turns."""
        late, self._late = self._late, None
        assert late is not None
        waits = late not in self.folded and late not in self._acted
        if waits and self.stacks[late]:
            self._late = late
            for seat in self._left_of[self._last]:
                if seat != late and seat not in self._acted and self._is_due(seat):
                    return seat
            if self._is_due(late):
                return late
            self._late = None
        return self.next_seat()

    def _is_due(self, seat: int) -> bool:
        if seat in self.folded or not self.stacks[seat]:
            return False
        if self.bets[seat] < self.to_match and self.owes(seat) > 0:
            return True
        return seat not in self._settled and self._others_have_chips(seat)

    def _others_have_chips(self, seat: int) -> bool:
        stacks, folded = self.stacks, self.folded
        for rival in self._order:  # noqa: SIM110 - the quicker way
            if rival != seat and stacks[rival] and rival not in folded:
                return True
        return False

    def allows(self, seat: int, act: str, to: int) -> bool:
        """Whether the seat to act may act so, with this total for the street (protocol 9.3)."""
        bet = self.bets[seat]
        if act == "fold":
            return to == bet
        if act == "check" or act == "call":  # noqa: PLR1714 - the quicker way for most acts
            call = min(self.owes(seat), self.stacks[seat])
            return to == bet + call and (call > 0) == (act == "call")
        return self.decide(seat).may_bet(act, to)

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
        elif self._structure is Structure.FIXED_LIMIT:
            why = self._refuse_fixed(seat)
            high = min(self._counted + self._size, high)
        elif seat in self._acted and self.to_match - bet < self.last_full_raise:
            why = "it has acted, and no full raise came since"
        if why:
            low = None
        elif self._structure is Structure.FIXED_LIMIT:
            low = high
        else:
            low = min(self.to_match + self.last_full_raise, high)
            if self._structure is Structure.POT_LIMIT:
                high = min(max(self._pot_limit(seat), low), high)
        return Decision(seat, bet, call, word, low, high, why)

    def _refuse_fixed(self, seat: int) -> str:
        """Say why no bet or raise is open in fixed limit, or nothing."""
        limits = self._rules.limits
        assert limits is not None
        if limits.cap and self._number >= limits.cap and not self._lifted:
            return f"the betting is capped at {limits.cap} bets"
        if seat in self._acted and 2 * (self.to_match - self.bets[seat]) < self._size:
            return "it has acted, and faces less than half a bet"
        return ""

    def _pot_limit(self, seat: int) -> int:
        """Return the total that bets the pot as it would be if the seat had called."""
        lying = sum(self.totals.values()) + self.dead + self._assumed
        return 2 * self.to_match + lying - self.bets[seat]

    def fold(self, seat: int) -> None:
        """Give up the hand."""
        self.folded.add(seat)
        if self._reach[seat] >= self._tops[2]:
            self._find_tops()
        self._last = seat
        if self._structure is Structure.FIXED_LIMIT:
            self._lift_cap()

    def match(self, seat: int, to: int) -> None:
        """Check or call: the street's bet is then `to`."""
        if to != self.bets[seat]:
            self._put_in(seat, to - self.bets[seat])
        self._acted.add(seat)
        self._settled.add(seat)
        self._last = seat

    def raise_to(self, seat: int, to: int) -> None:
        """Bet or raise to `to`; a full one sets the last full raise, a short all-in does not."""
        size = to - self.to_match
        self.last_full_raise = max(self.last_full_raise, size)
        # In fixed limit an all-in of half a bet or more counts as one.
        if self._structure is Structure.FIXED_LIMIT and 2 * (to - self._counted) >= self._size:
            self._counted = to
            self._number += 1
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

    def count_live(self) -> int:
        """How many seats have not folded."""
        return len(self._order) - len(self.folded)

    def count_with_chips(self) -> int:
        """How many live seats have chips."""
        stacks, folded = self.stacks, self.folded
        return len([seat for seat in self._order if stacks[seat] and seat not in folded])
