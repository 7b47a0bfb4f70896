"""A game as it was some time ago: what those are told who are told later (PROTOCOL.md section 5).

All of it follows from the lines and their times, so that any node can tell it, and so can one that
has just started: the log ends before the first line that is too young, a checkpoint is of no more
lines than that, and table and turn are what follows from them.
"""

from bisect import bisect_right
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from dealer_service.rules import hand
from dealer_service.rules.entry import GameOpened
from dealer_service.rules.hand import Decision
from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import TableState
from dealer_service.store.api import Store
from dealer_service.tables.folded import TOURNAMENT_OPENS, fold_lines
from dealer_service.tables.lines import decode, read_time
from dealer_service.tables.refused import ServiceReason, refused

if TYPE_CHECKING:
    from dealer_service.tables.house import House

COVERED_MS: Final = 200
"""No line stays uncovered for longer: only then is it known that none followed it sooner."""

REMEMBERED: Final = 256
"""Of so many games the past is kept, to go on from."""

KNOWN_RULES: Final = 4_096
"""Of so many games it is remembered that they are told at once."""

_FIRST_REACH: Final = 16

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DelayRule:
    """How much later a game is told, in ms (0: at once), and whether its first line is at once."""

    ms: int
    opens_at_once: bool = True


@dataclass(frozen=True, slots=True)
class Past:
    """A game up to some line: how many there are, and the sizes that checkpoints go up to.

    `state` is that behind the lines, None where there are none.
    """

    size: int = 0
    signed: int = 0
    state: TableState | None = None

    @property
    def decision(self) -> Decision | None:
        """The turn that stands behind the lines."""
        play = self.state.play if self.state is not None else None
        return hand.decision(play) if play is not None else None


class Pasts:
    """The delay of every game, and the past of those that were asked for."""

    def __init__(self) -> None:
        self._at_once: OrderedDict[str, None] = OrderedDict()
        self._pasts: OrderedDict[str, Past] = OrderedDict()
        self._present: OrderedDict[str, Past] = OrderedDict()

    async def rule(self, house: "House", game: str) -> DelayRule:
        """Give a game's delay; none for a game of which there is no line, as of archived ones."""
        if game in self._at_once:
            return DelayRule(0)
        rule = await house.read(partial(read_rule, log=game))
        if rule is not None and not rule.ms:
            _keep(self._at_once, game, None, KNOWN_RULES)
        return rule or DelayRule(0)

    async def past(self, house: "House", game: str, rule: DelayRule) -> Past:
        """Give a game as it was by its delay; Refused NO_SUCH_GAME where it was not there yet."""
        before = house.clock.now() - rule.ms
        past = await house.read(
            partial(read_past, log=game, before=before, rule=rule, known=self._pasts.get(game))
        )
        if past.state is None:
            raise refused(ServiceReason.NO_SUCH_GAME, "there is no such game")
        _keep(self._pasts, game, past, REMEMBERED)
        return past

    async def state(self, house: "House", game: str) -> TableState | None:
        """Give the state of a game as the store has it; None where there is no line of it."""
        found = await house.read(partial(read_present, log=game, known=self._present.get(game)))
        if found.state is not None:
            _keep(self._present, game, found, REMEMBERED)
        return found.state


def read_rule(store: Store, *, log: str) -> DelayRule | None:
    """Read a game's delay from its first line; None where there is none.

    A tournament is told at once: its rules have no delay (PROTOCOL.md 14.3).
    """
    for line in store.lines(log, 0, 1):
        if TOURNAMENT_OPENS in line:
            return DelayRule(0)
        _, opened = decode(line)
        if isinstance(opened, GameOpened):
            return DelayRule(opened.rules.watch_delay_ms or 0, opened.previous is None)
    return None


def read_past(
    store: Store, *, log: str, before: int, rule: DelayRule, known: Past | None = None
) -> Past:
    """Read a game up to its last line that is of the time `before` or earlier.

    It goes on from `known`, where that is of fewer lines.
    """
    size = count_until(store, log, before)
    if size == 0 and rule.opens_at_once:
        size = len(store.lines(log, 0, 1))
    known = known if known is not None and known.size <= size else Past()
    state = go_on(store, log, known, size)
    return Past(size, signed_until(state, size, before), state)


def signed_until(state: TableState | None, size: int, before: int) -> int:
    """Give the greatest size of a checkpoint that a past of `size` lines has.

    One of all its lines tells that none followed the last for a while: that is as young as it.
    """
    if size <= 1 or state is None:
        return size
    return size if state.at + COVERED_MS <= before else size - 1


def count_until(store: Store, log: str, before: int) -> int:
    """Count the lines of the time `before` or earlier; times never fall along a log."""
    head = store.head(log)
    high = head.next_index if head is not None else 0

    def time_at(index: int) -> int:
        found = store.lines(log, index, 1)
        # An archived log has a size and no lines.
        return read_time(found[0]) if found else 0

    # Most lines are old: the young ones are looked for from the end.
    low, reach = high, 1
    while low > 0 and time_at(low - 1) > before:
        low, high, reach = max(0, low - reach), low - 1, reach * _FIRST_REACH
    return bisect_right(range(high), before, lo=low, key=time_at)


def go_on(store: Store, log: str, past: Past, size: int) -> TableState | None:
    """Fold the lines behind a past up to `size`, and give the state there."""
    state = past.state
    if state is None:
        return fold_lines(islice(store.every_line(log), size))
    for line in store.lines(log, past.size, size - past.size):
        state = evolve(state, *decode(line))
    return state


def read_present(store: Store, *, log: str, known: Past | None = None) -> Past:
    """Read a game up to its last line; it goes on from `known`."""
    head = store.head(log)
    size = head.next_index if head is not None else 0
    known = known if known is not None and known.size <= size else Past()
    return Past(size, size, go_on(store, log, known, size))


def _keep(kept: OrderedDict[str, T], game: str, value: T, most: int) -> None:
    kept[game] = value
    kept.move_to_end(game)
    while len(kept) > most:
        kept.popitem(last=False)
