"""Which entries of a game the dealer's log tells, and as what (PROTOCOL.md section 5).

A notice is made with its line and written in the same unit, so that there is one exactly where
there is the line. A dealer that publishes no log makes none.
"""

from collections.abc import Mapping
from typing import Final

from dealer_service.rules.entry import (
    DeckCommitted,
    Entry,
    GameClosed,
    GameOpened,
    HandOpened,
    HandVoid,
    SecretRevealed,
)
from dealer_service.rules.table_state import Phase, TableState
from dealer_service.store.api import Notice
from dealer_service.tables.log import GameLog, Unit
from dealer_service.transcript.noted import Stage

_HANDS: Final[Mapping[type, Stage]] = {
    HandOpened: Stage.HAND_OPENED,
    DeckCommitted: Stage.DECK_COMMITTED,
    HandVoid: Stage.HAND_VOID,
}
_GAMES: Final[Mapping[type, Stage]] = {
    GameOpened: Stage.GAME_OPENED,
    GameClosed: Stage.GAME_CLOSED,
}
_REVEALING: Final = (GameClosed, SecretRevealed)


def note_stages(unit: Unit, log: GameLog, state: TableState, entry: Entry) -> None:
    """Add to a unit what the dealer's log is to tell of its last line, behind which is `state`.

    A game is revealed by its last secret; one without a hand to reveal, as it closes.
    """
    kind = type(entry)
    if kind in _HANDS:
        _note(unit, log, state.hand, _HANDS[kind])
    elif kind in _GAMES:
        _note(unit, log, 0, _GAMES[kind])
    if state.phase is Phase.REVEALED and isinstance(entry, _REVEALING):
        _note(unit, log, 0, Stage.GAME_REVEALED)


def _note(unit: Unit, log: GameLog, hand: int, stage: Stage) -> None:
    unit.notices.append(Notice(hand, stage, log.size, log.tree.root(), unit.at))
