"""What each entry makes of a tournament's state, and that it can follow at all (14.4 to 14.10).

`evolve` folds one entry and is the only way a state comes about. It refuses, by `ImpossibleEntry`,
an entry that can not stand where it stands: players, seats, stacks, hands and numbers that the log
does not bear out. Whether an entry was due, and drawn by its rule, is `due`'s to say and an
audit's to check. What tables and their hands do is in `folding_tables`.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, TypeAlias

from dealer_service.rules.entry import Resumed
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.tournament.entry import (
    BreakBegun,
    DealAgreed,
    Drawn,
    DrawWhat,
    EndReason,
    HandForHandBegun,
    HandForHandEnded,
    LevelBegun,
    Placed,
    Reentered,
    Registered,
    RegistrationClosed,
    Started,
    StartKind,
    Stopped,
    TableClosed,
    TournamentClosed,
    TournamentEntry,
    TournamentOpened,
    Withdrawn,
)
from dealer_service.rules.tournament.folding_tables import (
    TABLE_FOLDS,
    require,
    require_running,
    with_entrant,
    with_table,
    without,
)
from dealer_service.rules.tournament.placing import is_end_reached
from dealer_service.rules.tournament.state import (
    Deal,
    Entrant,
    Phase,
    Standing,
    TournamentState,
    clock_ran,
)


def fold(entries: Iterable[tuple[int, TournamentEntry]]) -> TournamentState:
    """Fold a whole log, from its `tournament_opened` on; ImpossibleEntry where it does not fit."""
    state: TournamentState | None = None
    for at, entry in entries:
        state = evolve(state, at, entry)
    if state is None:
        message = "a log begins with tournament_opened, and there is no line"
        raise ImpossibleEntry(message)
    return state


def evolve(state: TournamentState | None, at: int, entry: TournamentEntry) -> TournamentState:
    """Fold one entry of the time `at`; the first one, on None, is `tournament_opened`.

    ImpossibleEntry for an entry that can not stand here.
    """
    if state is None:
        if not isinstance(entry, TournamentOpened):
            message = "a log begins with tournament_opened"
            raise ImpossibleEntry(message)
        return TournamentState(
            opened=entry,
            opened_at=at,
            at=at,
            phase=Phase.REGISTERING,
            next_commitment=entry.draw_commitment,
        )
    require(at >= state.at, "its time is before the last line's")
    require(state.phase is not Phase.CLOSED, "the tournament has closed")
    return replace(_FOLDS[type(entry)](state, at, entry), at=at)


def _second_opening(_state: TournamentState, _at: int, _entry: TournamentOpened) -> TournamentState:
    message = "a log has one tournament_opened"
    raise ImpossibleEntry(message)


def _registered(state: TournamentState, _at: int, entry: Registered) -> TournamentState:
    structure = state.structure
    takes_over = structure.take_over and structure.start.kind is StartKind.FULL
    require(state.registration_open or takes_over, "registration has closed")
    require(state.phase is not Phase.ENDING, "the tournament is over")
    before = state.entrants.get(entry.player)
    if before is not None:
        require(before.standing is Standing.WITHDRAWN, "the player has registered already")
    number = before.entrant if before else len(state.entrants) + 1
    require(entry.entrant == number, f"the player is entrant {number}")
    started = state.phase is not Phase.REGISTERING
    return replace(
        _enter(state, entry.player),
        entrants={
            **state.entrants,
            entry.player: Entrant(
                entry.player,
                number,
                entry.anchors,
                bool(entry.house),
                Standing.WAITING if started else Standing.REGISTERED,
            ),
        },
    )


def _enter(state: TournamentState, player: str) -> TournamentState:
    return replace(
        state,
        waiting=(*state.waiting, player),
        players_in=state.players_in + 1,
        entries=state.entries + 1,
    )


def _withdrawn(state: TournamentState, _at: int, entry: Withdrawn) -> TournamentState:
    require(state.phase is Phase.REGISTERING, "the tournament has started")
    require(entry.player in state.waiting, "the player is not registered")
    return replace(
        state,
        entrants=with_entrant(state, entry.player, standing=Standing.WITHDRAWN),
        waiting=without(state.waiting, entry.player),
        players_in=state.players_in - 1,
        entries=state.entries - 1,
    )


def _started(state: TournamentState, _at: int, entry: Started) -> TournamentState:
    require(state.phase is Phase.REGISTERING, "the tournament has started already")
    require(entry.players == state.players_in, f"{state.players_in} players are in")
    waiting = {
        name: replace(one, standing=Standing.WAITING) if one.is_in else one
        for name, one in state.entrants.items()
    }
    return replace(state, phase=Phase.RUNNING, entrants=waiting)


def _drawn(state: TournamentState, _at: int, entry: Drawn) -> TournamentState:
    require_running(state)
    require(entry.draw == state.next_draw, f"the next draw is draw {state.next_draw}")
    after = replace(state, draws=entry.draw, next_commitment=entry.next_commitment)
    if entry.what is not DrawWhat.BUTTON:
        return after
    table = state.tables.get(entry.table or 0)
    require(table is not None and table.hand == 0, "a button is drawn for a first hand")
    assert table is not None
    first = entry.order[0] if entry.order else 0
    for number, seat in table.seats.items():
        if state.entrants[seat.player].entrant == first:
            drawn = replace(table, button=number, button_player=seat.player)
            return replace(after, tables=with_table(after, drawn))
    message = "the button goes to a player who does not sit at the table"
    raise ImpossibleEntry(message)


def _level_begun(state: TournamentState, at: int, entry: LevelBegun) -> TournamentState:
    require_running(state)
    require(entry.level == state.level + 1, f"the next level is level {state.level + 1}")
    require(entry.level <= len(state.structure.levels), "the structure has no such level")
    tables = {
        number: replace(table, level_hands=0, level_players=0)
        for number, table in state.tables.items()
    }
    return replace(
        state, phase=Phase.RUNNING, level=entry.level, clock_at=at, clock_ran=0, tables=tables
    )


def _break_begun(state: TournamentState, at: int, entry: BreakBegun) -> TournamentState:
    require(state.phase is Phase.RUNNING and state.level > 0, "no level is played")
    require(entry.level == state.level, f"level {state.level} has ended")
    return replace(state, phase=Phase.BREAK, clock_at=at, clock_ran=0)


def _reentered(state: TournamentState, _at: int, entry: Reentered) -> TournamentState:
    require(state.registration_open, "registration has closed")
    before = state.entrants.get(entry.player)
    out = before is not None and before.standing is Standing.BUSTED and not before.disqualified
    require(out, "the player has not busted")
    assert before is not None
    after = _enter(state, entry.player)
    return replace(
        after,
        entrants=with_entrant(
            state, entry.player, standing=Standing.WAITING, reentries=before.reentries + 1
        ),
        busted=tuple(one for one in state.busted if one.player != entry.player),
    )


def _registration_closed(
    state: TournamentState, at: int, entry: RegistrationClosed
) -> TournamentState:
    require_running(state)
    require(state.registration_open, "registration has closed already")
    require(entry.players == state.players, f"{state.players} players have registered")
    require(entry.entries == state.entries, f"there were {state.entries} entries")
    return replace(
        state,
        registration_open=False,
        pool=entry.pool,
        prizes=entry.prizes,
        lost={name: replace(one, until=min(one.until, at)) for name, one in state.lost.items()},
    )


def _hand_for_hand_begun(
    state: TournamentState, _at: int, _entry: HandForHandBegun
) -> TournamentState:
    require_running(state)
    require(not state.hand_for_hand, "hand for hand has begun already")
    return replace(state, hand_for_hand=True)


def _hand_for_hand_ended(
    state: TournamentState, _at: int, _entry: HandForHandEnded
) -> TournamentState:
    require(state.hand_for_hand and not state.round, "no hand for hand is between its rounds")
    return replace(state, hand_for_hand=False)


def _deal_agreed(state: TournamentState, _at: int, entry: DealAgreed) -> TournamentState:
    require_running(state)
    require(state.deal is None, "a deal was made already")
    names = [one.player for one in entry.shares]
    are_in = sorted(name for name, one in state.entrants.items() if one.is_in)
    require(names == are_in, "a deal has a share for each player in, by rising name")
    shares = {one.player: one.amount for one in entry.shares}
    return replace(state, deal=Deal(shares, entry.left))


def _placed(state: TournamentState, _at: int, entry: Placed) -> TournamentState:
    require_running(state)
    one = state.entrants.get(entry.player)
    require(one is not None and not one.place, "the player can not be placed")
    assert one is not None
    entrants = with_entrant(
        state, entry.player, standing=Standing.OUT, place=entry.place, prize=entry.prize
    )
    if not one.is_in:
        busted = tuple(bust for bust in state.busted if bust.player != entry.player)
        require(len(busted) < len(state.busted), "the player has a place, or never played")
        return replace(state, entrants=entrants, busted=busted)
    end = state.end or (EndReason.FINISHED if is_end_reached(state) else EndReason.CANCELLED)
    left = state.players_in - 1
    phase = state.phase if left else Phase.ENDING
    is_waiting = entry.player in state.waiting
    waiting = without(state.waiting, entry.player) if is_waiting else state.waiting
    return replace(state, entrants=entrants, waiting=waiting, players_in=left, end=end, phase=phase)


def _stopped(state: TournamentState, at: int, _entry: Stopped) -> TournamentState:
    require_running(state)
    require(not state.stopped, "the tournament is stopped already")
    return replace(state, stopped=True, clock_ran=clock_ran(state, at), clock_at=at)


def _resumed(state: TournamentState, at: int, _entry: Resumed) -> TournamentState:
    require(state.stopped, "the tournament is not stopped")
    return replace(state, stopped=False, clock_at=at)


def _table_closed(state: TournamentState, _at: int, entry: TableClosed) -> TournamentState:
    table = state.tables.get(entry.table)
    require(table is not None and not table.closed, "there is no such table to be closed")
    assert table is not None
    require(entry.game == table.game, "the table is another game")
    # Tables close before the places are known only where the log was restored.
    end = state.end if state.phase is Phase.ENDING else EndReason.RESTORED
    closed = replace(table, closed=True, open=None)
    return replace(
        state,
        phase=Phase.ENDING,
        end=end,
        tables=with_table(state, closed),
        tables_open=state.tables_open - (not table.broken),
    )


def _closed(state: TournamentState, _at: int, entry: TournamentClosed) -> TournamentState:
    restored = entry.reason is EndReason.RESTORED
    all_closed = all(table.closed for table in state.tables.values())
    require(restored or all_closed, "a table is not closed")
    unstarted = state.phase is Phase.REGISTERING and entry.reason is EndReason.CANCELLED
    fits = restored or unstarted or (state.phase is Phase.ENDING and entry.reason is state.end)
    require(fits, "it does not close for that reason")
    return replace(state, phase=Phase.CLOSED, end=entry.reason)


_Fold: TypeAlias = Callable[[TournamentState, int, Any], TournamentState]

_FOLDS: Final[dict[type[TournamentEntry], _Fold]] = {
    **TABLE_FOLDS,
    TournamentOpened: _second_opening,
    Registered: _registered,
    Withdrawn: _withdrawn,
    Started: _started,
    Drawn: _drawn,
    LevelBegun: _level_begun,
    BreakBegun: _break_begun,
    Reentered: _reentered,
    RegistrationClosed: _registration_closed,
    HandForHandBegun: _hand_for_hand_begun,
    HandForHandEnded: _hand_for_hand_ended,
    DealAgreed: _deal_agreed,
    Placed: _placed,
    Stopped: _stopped,
    Resumed: _resumed,
    TableClosed: _table_closed,
    TournamentClosed: _closed,
}
