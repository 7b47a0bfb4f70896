"""A tournament as far as it is decided: its state, its log and its draws, kept in step.

Everything here is done at once and in memory, as at a table (`tables.dealing`): nothing of a unit
may leave before the store has it, and after a fault in the middle of one this is of no more use.
"""

from dataclasses import dataclass
from typing import Final

from dealer_service.rules.tournament.entry import (
    HandFinished,
    HandStarted,
    Structure,
    TakenOver,
    TournamentClosed,
    TournamentEntry,
    TournamentOpened,
)
from dealer_service.rules.tournament.folding import evolve
from dealer_service.rules.tournament.money import movements
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.store.api import ChipMove, LogAppend, Movement, Notice
from dealer_service.tables.beginning import SUITE
from dealer_service.tables.house import House
from dealer_service.tables.log import GameLog, Unit
from dealer_service.tables.tournament.draws import Draws, draw_ahead
from dealer_service.tables.tournament.facts import facts_of
from dealer_service.tables.tournament.lines import encode
from dealer_service.transcript.noted import Stage

_HOT: Final = (HandStarted, HandFinished)
"""Kinds that change nothing of what lists show."""


@dataclass(slots=True)
class Conduct:
    """One tournament's state, log and draws; `reference` is the operator's own."""

    house: House
    state: TournamentState
    log: GameLog
    draws: Draws
    reference: str

    def now(self) -> int:
        """Give the time of what is decided now; it is not before that of the last line."""
        return max(self.house.clock.now(), self.state.at)

    def take(self, unit: Unit, entry: TournamentEntry, reference: str = "") -> None:
        """Make an entry part of the unit and of the state.

        `reference` is the caller's, for the money that it moves.
        """
        before = self.state
        line = encode(unit.at, entry)
        self.state = evolve(before, unit.at, entry)
        index = unit.next_index
        self.log.add(unit, line)
        _move(unit, index, before, entry, reference)
        if not isinstance(entry, _HOT):
            unit.is_listed = True
        if isinstance(entry, TournamentClosed):
            self._note(unit, Stage.GAME_CLOSED)
            self._note(unit, Stage.GAME_REVEALED)
            self.log.sign(unit)

    def finish(self, unit: Unit) -> LogAppend:
        """Give a unit in the store's terms."""
        facts = facts_of(self.state, self.reference) if unit.is_listed else None
        return self.log.finish(unit, facts)

    def _note(self, unit: Unit, stage: Stage) -> None:
        if self.house.published is not None:
            note(unit, self.log, stage)


def open_tournament(house: House, structure: Structure, reference: str) -> tuple[Conduct, Unit]:
    """Open a new tournament, whose structure is valid, with its first draw committed to.

    FairnessError without randomness.
    """
    tournament = house.draw_game()
    first, commitment = draw_ahead(house, bytes.fromhex(tournament), 1)
    opened = TournamentOpened(SUITE, house.origin, tournament, structure, commitment)
    log = GameLog(house.origin, tournament, house.signer, epoch=1)
    unit = log.begin(house.clock.now())
    state = evolve(None, unit.at, opened)
    log.add(unit, encode(unit.at, opened))
    if house.published is not None:
        note(unit, log, Stage.GAME_OPENED)
    unit.is_listed = True
    unit.secrets.append(first)
    _move(unit, 0, None, opened, "")
    log.sign(unit)
    return Conduct(house, state, log, Draws(house, tournament, first), reference), unit


def note(unit: Unit, log: GameLog, stage: Stage) -> None:
    """Add to a unit what the dealer's log is to tell of its last line."""
    unit.notices.append(Notice(0, stage, log.size, log.tree.root(), unit.at))


def _move(
    unit: Unit, index: int, before: TournamentState | None, entry: TournamentEntry, reference: str
) -> None:
    # What a house player gets back is none of the person's, who asked for its seat.
    of_caller = "" if isinstance(entry, TakenOver) else reference
    for moved in movements(before, entry):
        unit.movements.append(
            Movement(
                log=before.opened.tournament if before else "",
                index=index,
                at=unit.at,
                what=ChipMove(moved.what.value),
                player=moved.player,
                amount=moved.amount,
                reference=of_caller,
            )
        )
