"""One unit of a tournament's log and of those of its tables, under one time (PROTOCOL.md 14.1).

Whatever an entry of the tournament's does at a table is an entry of that table's log, made here
together with it; whatever comes of it leaves in one append, or not at all.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from dealer_service.rules import tournament_table
from dealer_service.rules.entry import CloseReason, SeatStack
from dealer_service.rules.seating import Answer as Decided
from dealer_service.rules.table_state import TableState
from dealer_service.rules.tournament.entry import TableClosed, TableOpened, TournamentEntry
from dealer_service.rules.tournament.hands import finish_hand, hand_started, hand_terms
from dealer_service.rules.tournament.table_effects import (
    Add,
    ColorUp,
    Remove,
    Seat,
    TableEffect,
    Unseat,
    effects,
)
from dealer_service.store.api import SealedSecret
from dealer_service.tables.dealing import allowed
from dealer_service.tables.log import Unit
from dealer_service.tables.part import Part, Then
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.conduct import Conduct

MOST_LINES: Final = 128
"""A unit that is so long takes nothing more along; what is still due comes in the next."""

OpenTable = Callable[[int, str, int], tuple[Table, Unit]]
"""open_table(number, game, at): a new table, which is among the tournament's from then on."""


class Joint:
    """A unit under way: `own` is the tournament's part, `units` are those of tables."""

    __slots__ = ("_conduct", "_open_table", "_tables", "_thens", "at", "own", "units")

    def __init__(
        self, conduct: Conduct, tables: dict[int, Table], open_table: OpenTable, at: int
    ) -> None:
        self.at = at
        self.own = conduct.log.begin(at)
        self.units: dict[int, Unit] = {}
        self._conduct = conduct
        self._tables = tables
        self._open_table = open_table
        self._thens: dict[int, Then] = {}

    @property
    def is_full(self) -> bool:
        """Whether it takes nothing more along."""
        return len(self.own.lines) >= MOST_LINES

    def log(self, entries: Iterable[TournamentEntry], reference: str = "") -> None:
        """Log entries of the tournament, with what each does at its tables.

        `reference` is the caller's, for the money that they move.
        """
        for entry in entries:
            before = self._conduct.state
            self._conduct.take(self.own, entry, reference)
            if isinstance(entry, TableOpened):
                _, self.units[entry.table] = self._open_table(entry.table, entry.game, self.at)
            for effect in effects(before, entry):
                self._apply(effect)

    def drawn(self, behind: SealedSecret) -> None:
        """Keep the secret of the draw behind the one that is logged next."""
        self.own.secrets.append(behind)
        self._conduct.draws.made(behind)

    def open_hand(self, number: int) -> None:
        """Open the next hand of a table; FairnessError, nothing having changed, without chance."""
        level, button = hand_terms(self._conduct.state, number)
        dealing = self._tables[number].dealing
        dealing.open_hand(self._unit(number), level, button)
        assert dealing.state.open is not None
        opened = dealing.state.open.opened
        self.log(hand_started(self._conduct.state, self.at, number, opened))

    def end_hand(self, number: int, unit: Unit, then: Then | None) -> None:
        """Take in the unit of a table in which its hand ended or is void; its time is this one's.

        `then` is called when it is written.
        """
        self.units[number] = unit
        if then is not None:
            self._thens[number] = then
        state = self._tables[number].dealing.state
        assert state.last is not None
        is_void = unit.ends[-1] != "played"
        stacks = tuple(SeatStack(seat, state.seats[seat].stack) for seat in state.last.dealt_in)
        self.log(
            finish_hand(
                self._conduct.state, self.at, number, state.hand, void=is_void, stacks=stacks
            )
        )

    def close_table(self, number: int, reason: CloseReason) -> None:
        """Close a table's game and reveal its secrets; its root is that of its `game_closed`."""
        dealing = self._tables[number].dealing
        log, told = dealing.log, list[TableClosed]()

        def between(_unit: Unit) -> None:
            told.append(TableClosed(number, log.game, log.size, log.tree.root().hex()))

        dealing.close(reason, None, between, self._unit(number))
        self.log(told)

    def parts(self, own: Part) -> list[Part]:
        """Finish everything; `own` is the tournament's own part."""
        tables = (
            self._tables[number].prepare(unit, self._thens.get(number))
            for number, unit in self.units.items()
        )
        return [own, *tables]

    def _unit(self, number: int) -> Unit:
        unit = self.units.get(number)
        if unit is None:
            unit = self.units[number] = self._tables[number].dealing.log.begin(self.at)
        return unit

    def _apply(self, effect: TableEffect) -> None:
        dealing = self._tables[effect.table].dealing
        dealing.make(self._unit(effect.table), allowed(_decide(effect)(dealing.state)))


def _decide(effect: TableEffect) -> Callable[[TableState], Decided]:
    match effect:
        case Seat(player=player, seat=seat, stack=stack, house=house):
            return partial(
                tournament_table.seat, player=player, seat=seat, stack=stack, house=house
            )
        case Unseat(player=player):
            return partial(tournament_table.unseat, player=player)
        case Remove(player=player):
            return partial(tournament_table.remove, player=player)
        case Add(player=player, amount=amount):
            return partial(tournament_table.add, player=player, amount=amount)
        case ColorUp(unit=unit, stacks=stacks):
            changed = {one.seat: one.stack for one in stacks}
            return partial(tournament_table.color_up, unit=unit, stacks=changed)
