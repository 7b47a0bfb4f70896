"""One game's state between and around its hands, folded from its entries (sections 6 to 8).

`evolve` folds one entry and is the only way a state comes about: in a running service, after a
restart and in every test. It refuses, by `ImpossibleEntry`, an entry that can not stand where it
stands: the grammar of section 7, seats and names that agree, stacks that the log gives, and a
`hand_opened` that repeats the very state before it. Links and secrets are hashes and are checked
where they come in, not here.

`fold_from` starts at any `hand_opened` and gives the same state as folding the whole log.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from dealer_service.quick import replace
from dealer_service.rules.entry import (
    CloseReason,
    Entry,
    GameClosed,
    GameOpened,
    HandOpened,
    SeatWord,
    SecretRevealed,
)
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.requiring import require
from dealer_service.rules.table_hands import HAND_FOLDS, open_hand
from dealer_service.rules.table_seats import SEAT_FOLDS
from dealer_service.rules.table_state import (
    MAX_FREE_VOIDS,
    Blinds,
    Phase,
    Seat,
    TableState,
    may_close_by,
    new_bank,
    next_secret,
    player_stacks,
)

_AWAY: Final = (SeatWord.SITTING_OUT, SeatWord.ABSENT)


def fold(entries: Iterable[tuple[int, Entry]]) -> TableState:
    """Fold a whole log, from its `game_opened` on; ImpossibleEntry where it does not fit."""
    state: TableState | None = None
    for at, entry in entries:
        state = evolve(state, at, entry)
    if state is None:
        message = "a log begins with game_opened, and there is no line"
        raise ImpossibleEntry(message)
    return state


def fold_from(
    opened_at: int,
    opened: GameOpened,
    entries: Iterable[tuple[int, Entry]],
    void_hands: tuple[int, ...],
) -> TableState:
    """Fold a log from one of its `hand_opened` on, the first of `entries`.

    `opened_at` and `opened` are the log's first line; `void_hands` lists the earlier hands that
    were void, rising, which the store of the secrets knows. ImpossibleEntry as `fold`.
    """
    rest = iter(entries)
    at, first = next(rest, (opened_at, opened))
    if not isinstance(first, HandOpened):
        message = "folding begins at a hand_opened"
        raise ImpossibleEntry(message)
    state = open_hand(_before(opened_at, opened, at, first, void_hands), at, first)
    for at, entry in rest:
        state = evolve(state, at, entry)
    return state


def evolve(state: TableState | None, at: int, entry: Entry) -> TableState:
    """Fold one entry of the time `at`; the first one, on None, is `game_opened`.

    ImpossibleEntry for an entry that can not stand here.
    """
    if state is None:
        if not isinstance(entry, GameOpened):
            message = "a log begins with game_opened"
            raise ImpossibleEntry(message)
        return _begin(at, entry)
    if at < state.at:
        message = "its time is before the last line's"
        raise ImpossibleEntry(message)
    return _FOLDS[type(entry)](state, at, entry)


def _begin(at: int, entry: GameOpened) -> TableState:
    before = entry.previous
    is_tournament = entry.rules.tournament is not None
    require(before is None or not is_tournament, "a tournament's table goes on from no game")
    carried = before.seats if before else ()
    return TableState(
        opened=entry,
        rules=entry.rules,
        opened_at=at,
        at=at,
        phase=Phase.WAITING,
        paused=False,
        seats={
            one.seat: Seat(
                one.player,
                one.stack,
                one.sitting_out,
                bank_ms=new_bank(entry.rules),
                house=one.house or False,
            )
            for one in carried
        },
        misses={},
        voids=0,
        void_hands=(),
        hand=0,
        button=before.button if before else 0,
        button_stays=before.button_stays if before else False,
        awaited=frozenset(one.player for one in carried if one.anchored),
        departed={},
    )


def _before(
    opened_at: int, opened: GameOpened, at: int, first: HandOpened, void_hands: tuple[int, ...]
) -> TableState:
    """Give the state that `first` repeats."""
    small, big = first.last_small_blind_seat, first.last_big_blind_seat
    return TableState(
        opened=opened,
        rules=opened.rules,
        opened_at=opened_at,
        at=at,
        phase=Phase.WAITING,
        paused=False,
        seats={
            one.seat: Seat(
                one.player,
                one.stack,
                one.state in _AWAY,
                one.anchor,
                choices=one.choices or (),
                house=one.house or False,
            )
            for one in first.seats
        },
        misses={miss.player: miss.hands for miss in first.misses},
        voids=first.voids,
        void_hands=void_hands,
        hand=first.hand - 1,
        button=first.button,
        button_stays=False,
        awaited=frozenset(),
        departed={},
        blinds=None if small is None or big is None else Blinds(small, big),
    )


def _second_opening(_state: TableState, _at: int, _entry: GameOpened) -> TableState:
    message = "a log has one game_opened"
    raise ImpossibleEntry(message)


def _game_closed(state: TableState, at: int, entry: GameClosed) -> TableState:
    require(state.phase is Phase.WAITING, "a game closes between hands")
    require(entry.reason in may_close_by(state.rules), "a game of these rules closes not by that")
    require(entry.stacks == player_stacks(state), "it has other stacks than the log gives")
    allowed = state.voids <= MAX_FREE_VOIDS or entry.reason is CloseReason.RESTORED
    require(allowed, "a third void of the dealer's own is for a restored game")
    closed = replace(state, at=at, phase=Phase.CLOSED, closed=entry, closed_at=at)
    return closed if next_secret(closed) else replace(closed, phase=Phase.REVEALED)


def _secret_revealed(state: TableState, at: int, entry: SecretRevealed) -> TableState:
    require(state.phase is Phase.CLOSED, "secrets are revealed once, when the game has closed")
    due = next_secret(state)
    require(entry.hand == due, f"the next secret is that of hand {due}")
    after = replace(state, at=at, revealed=entry.hand)
    return after if next_secret(after) else replace(after, phase=Phase.REVEALED)


_FOLDS: Final[dict[type[Entry], Callable[[TableState, int, Any], TableState]]] = {
    GameOpened: _second_opening,
    **SEAT_FOLDS,
    **HAND_FOLDS,
    GameClosed: _game_closed,
    SecretRevealed: _secret_revealed,
}
