"""How a reader of PHH plays a hand again: what it asks for at each step, and how it ends.

The PHH text leaves the play of a hand to its reader: whose turn it is, what a call puts in, how
far a raise may go and who is paid follow from the start and the acts alone. This is that play as
PokerKit 0.7, the format's own reader, does it, so that a hand which would come out otherwise there
than it did here is known before it is written.

Players are places 0, 1, 2, … clockwise from the left of the button, p1, p2, p3, … in words. What
is asked of a `Table` and does not fit raises `OtherwiseError`, whose text says what the reader
would do instead.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from audit_cli.export.sharing import OtherwiseError, share_out

if TYPE_CHECKING:
    from collections.abc import Mapping

    from audit_cli.told.made import Made

# The bets and raises of a street in fixed limit; no blind is one of them.
FIXED_RAISES = 4


class Ceiling(Enum):
    """How far a raise may go."""

    STACK = "stack"
    POT = "pot"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Start:
    """How a hand starts; all tuples are by place.

    `antes` and `blinds` are what was posted; a blind below 0 is a bet that is posted out of turn,
    and does not move the first turn. `trimmed` antes are the player's own chips, others are dead
    money. `bets` are the least bets of the four streets; `most_raises` is None without a limit.
    """

    ceiling: Ceiling
    bets: tuple[int, int, int, int]
    most_raises: int | None
    trimmed: bool
    antes: tuple[int, ...]
    blinds: tuple[int, ...]
    stacks: tuple[int, ...]


@dataclass(slots=True)
class Table:
    """A hand on its way. `waiting` are the places that have yet to act on the street, in turn."""

    start: Start
    stacks: list[int] = field(init=False)
    bets: list[int] = field(init=False)
    collected: list[int] = field(init=False)
    live: list[bool] = field(init=False)
    street: int = 0
    waiting: deque[int] = field(default_factory=deque)
    raised_by: int = 0
    raises: int = 0
    acted: set[int] = field(default_factory=set)
    short: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Post antes and blinds, and give the first turn."""
        start = self.start
        places = range(len(start.stacks))
        antes = [min(start.antes[at], start.stacks[at]) for at in places]
        blinds = [min(abs(start.blinds[at]), start.stacks[at] - antes[at]) for at in places]
        self.live = [True for _ in places]
        self.stacks = [start.stacks[at] - antes[at] for at in places]
        self.collected = [0 for _ in places]
        self.bets = antes
        if start.trimmed:
            self._collect()
        else:
            self.bets = [0 for _ in places]
        for at in places:
            self.stacks[at] -= blinds[at]
            self.bets[at] += blinds[at]
        self._open_street()

    @property
    def dead(self) -> int:
        """The antes that are nobody's chips."""
        pairs = zip(self.start.antes, self.start.stacks, strict=True)
        return 0 if self.start.trimmed else sum(min(pair) for pair in pairs)

    @property
    def contenders(self) -> list[int]:
        """The places that have not folded."""
        return [at for at, live in enumerate(self.live) if live]

    @property
    def owed(self) -> int:
        """What a call by the place to act puts in."""
        at = self.waiting[0]
        return min(self.stacks[at], max(self.bets) - self.bets[at])

    def _open_street(self) -> None:
        """Give the first turn of a street."""
        blinds = self.start.blinds
        forced = [bet if blind > 0 else -bet for bet, blind in zip(self.bets, blinds, strict=True)]
        last = max(range(len(forced)), key=lambda at: (forced[at], at))
        order = [(last + 1 + step) % len(forced) for step in range(len(forced))]
        self.waiting = deque(at for at in order if self.live[at] and self._at_stake(at) > 0)
        self.raised_by = self.raises = 0
        self.acted.clear()
        self.short.clear()
        if len(self.waiting) == 1 and self.bets[self.waiting[0]] >= max(self.bets):
            self.waiting.clear()
        self._close_street()

    def _at_stake(self, at: int) -> int:
        """Return what a place can still lose: what it has, or what the next deepest can match."""
        deep = sorted(self.bets[other] + self.stacks[other] for other in self.contenders)
        return min(self.stacks[at], max(0, deep[-2] - self.bets[at]))

    def _close_street(self) -> None:
        """Gather the bets when nobody is to act."""
        if len(self.contenders) == 1:
            self.waiting.clear()
        if not self.waiting:
            self._collect()

    def _collect(self) -> None:
        """Give back what nobody else has bet, and gather the rest."""
        cut = sorted(self.bets)[-2]
        for at, bet in enumerate(self.bets):
            self.stacks[at] += max(0, bet - cut)
            self.collected[at] += min(bet, cut)
            self.bets[at] = 0

    def _turn(self, at: int) -> None:
        """See that it is this place's turn."""
        if not self.waiting:
            message = f"no turn would be left for p{at + 1}"
            raise OtherwiseError(message)
        if self.waiting[0] != at:
            message = f"it would be the turn of p{self.waiting[0] + 1}, not of p{at + 1}"
            raise OtherwiseError(message)

    def fold(self, at: int) -> None:
        """Let a place fold."""
        self._turn(at)
        self.waiting.popleft()
        self.acted.add(at)
        self.live[at] = False
        self._close_street()

    def call(self, at: int) -> int:
        """Let a place check or call; what it has bet on the street then."""
        self._turn(at)
        owed = self.owed
        self.waiting.popleft()
        self.acted.add(at)
        self.stacks[at] -= owed
        self.bets[at] += owed
        to = self.bets[at]
        self._close_street()
        return to

    def lift(self, at: int, to: int) -> None:
        """Let a place bet or raise."""
        self._turn(at)
        top = max(self.bets)
        if self._may_not_raise(at):
            message = f"p{at + 1} could not raise to {to:,}"
            raise OtherwiseError(message)
        least, most = self._bounds(at)
        if not least <= to <= most:
            allowed = f"to {least:,}" if least == most else f"from {least:,} to {most:,}"
            message = f"the raise of p{at + 1} to {to:,} would have to be {allowed}"
            raise OtherwiseError(message)
        size = to - top
        self.stacks[at] -= to - self.bets[at]
        self.bets[at] = to
        count = len(self.bets)
        order = [(at + step) % count for step in range(1, count)]
        self.waiting = deque(other for other in order if self.live[other] and self.stacks[other])
        self.acted.add(at)
        if size >= self.raised_by:
            self.acted = {at}
        self.raised_by = max(self.raised_by, size)
        self.raises += 1
        if self.stacks[at]:
            self.short.clear()
        else:
            self.short.append(size)
        if sum(self.short) >= self.raised_by:
            self.short.clear()
        self._close_street()

    def _may_not_raise(self, at: int) -> bool:
        top = max(self.bets)
        others = [other for other in self.contenders if other != at]
        return (
            self.owed < self.raised_by
            or self.raises == self.start.most_raises
            or (bool(self.short) and sum(self.short) < self.raised_by and at in self.acted)
            or self.stacks[at] <= top - self.bets[at]
            or all(self.stacks[other] + self.bets[other] <= top for other in others)
        )

    def _bounds(self, at: int) -> tuple[int, int]:
        """Give the least and the greatest total of a bet or raise."""
        top, has = max(self.bets), self.stacks[at] + self.bets[at]
        least = min(has, top + max(self.raised_by, self.start.bets[self.street]))
        if self.start.ceiling is Ceiling.FIXED:
            return least, least
        if self.start.ceiling is Ceiling.STACK:
            return least, has
        lying = sum(self.bets) + sum(self.collected) + self.dead
        return least, min(has, max(least, top + top - self.bets[at] + lying))

    def pass_by(self) -> list[int]:
        """Let those check who are still asked though nothing is left to decide; give their places.

        The protocol has no turn for who owes nothing while nobody else has chips (9.2).
        """
        checked = []
        while self.waiting:
            at = self.waiting[0]
            if self.owed:
                message = f"p{at + 1} would still owe {self.owed:,}"
                raise OtherwiseError(message)
            self.call(at)
            checked.append(at)
        return checked

    def deal(self) -> None:
        """Let the next street come."""
        if self.waiting or len(self.contenders) == 1:
            message = "no further street would come"
            raise OtherwiseError(message)
        self.street += 1
        self._open_street()

    def muck(self, at: int) -> None:
        """Let a place put its cards away at the showdown."""
        self.live[at] = False

    def pay(self, made: Mapping[int, Made], rake: int) -> list[int]:
        """Return all stacks at the end; `made` are the hands of those that show."""
        paid = share_out(self.collected, self.dead, self.contenders, made, rake)
        return [stack + paid.get(at, 0) for at, stack in enumerate(self.stacks)]
