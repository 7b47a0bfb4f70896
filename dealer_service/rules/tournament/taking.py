"""The entries with which a step is taken: one unit, what both logs tell of it at once (14.4)."""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from dealer_service.rules.tournament.balancing import Way, balance
from dealer_service.rules.tournament.dealing_out import deal_broken, deal_place, deal_seats
from dealer_service.rules.tournament.entry import (
    BreakBegun,
    Busted,
    Drawn,
    EndReason,
    HandForHandBegun,
    HandForHandEnded,
    LevelBegun,
    Moved,
    MoveWhy,
    RegistrationClosed,
    Seated,
    Started,
    TableBroken,
    TableColoredUp,
    TableOpened,
    TournamentClosed,
    TournamentEntry,
)
from dealer_service.rules.tournament.placing import place_busted, place_winners
from dealer_service.rules.tournament.prizes import prize_pool, prizes_of
from dealer_service.rules.tournament.racing import find_race, run_race
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.rules.tournament.step import DrawnOrder, Step, StepKind

Entries: TypeAlias = tuple[TournamentEntry, ...]
Games: TypeAlias = tuple[str, ...]


def take(
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    step: Step,
    drawn: DrawnOrder | None = None,
    games: Games = (),
) -> Entries:
    """Give the entries, one unit, with which a step is taken; not for START_HAND, CLOSE_TABLE.

    `games` are the ids of the tables that it opens, `step.games` of them.
    """
    if step.kind in _WITH_DRAW:
        assert drawn is not None
        assert len(games) == step.games
        return _WITH_DRAW[step.kind](state, step, drawn, games)
    if step.kind is StepKind.RACE:
        return _race(state, step, drawn)
    return _WITHOUT_DRAW[step.kind](state, step)


def close_registration(state: TournamentState) -> RegistrationClosed:
    """Fix the pool and the prizes."""
    pool, players = prize_pool(state), state.players
    prizes = prizes_of(state.structure, pool, players)
    return RegistrationClosed(players, state.entries, pool, prizes)


def _start(state: TournamentState, step: Step, drawn: DrawnOrder, games: Games) -> Entries:
    opened = _open_tables(state, games)
    names = _names(state)
    seats = deal_seats(drawn.order, [one.table for one in opened])
    stack = state.structure.stack
    late = state.structure.late
    return (
        Started(state.players_in),
        *opened,
        _drawn(state, step, drawn),
        *(Seated(names[one], table, seat, stack) for one, table, seat in seats),
        *(() if late else (close_registration(state),)),
        LevelBegun(1),
    )


def _seat(state: TournamentState, step: Step, drawn: DrawnOrder, games: Games) -> Entries:
    table, seat = deal_place(drawn.order)
    return (
        *_open_tables(state, games),
        _drawn(state, step, drawn, player=step.player),
        Seated(step.player, table, seat, state.structure.stack),
    )


def _redraw(state: TournamentState, step: Step, drawn: DrawnOrder, games: Games) -> Entries:
    opened = _open_tables(state, games)
    names = _names(state)
    seats = deal_seats(drawn.order, [one.table for one in opened])
    ways = (_way(state, names[one], table, seat) for one, table, seat in seats)
    return (
        *opened,
        _drawn(state, step, drawn),
        *_move(state, ways, MoveWhy.REDRAW),
        *(TableBroken(one.table) for one in state.open_tables),
    )


def _way(state: TournamentState, player: str, table: int, seat: int) -> Way:
    one = state.entrants[player]
    return Way(player, one.table, one.seat, table, seat)


def _break_table(state: TournamentState, step: Step, drawn: DrawnOrder, _games: Games) -> Entries:
    broken = state.tables[step.table]
    staying = [one for one in state.open_tables if one.table != step.table]
    ways = deal_broken(drawn.order, _names(state), broken, staying, state.structure.rules.seats)
    return (
        _drawn(state, step, drawn, table=step.table),
        *_move(state, ways, MoveWhy.BREAK),
        TableBroken(step.table),
    )


def _draw_button(state: TournamentState, step: Step, drawn: DrawnOrder, _games: Games) -> Entries:
    return (_drawn(state, step, drawn, table=step.table),)


def _race(state: TournamentState, step: Step, drawn: DrawnOrder | None) -> Entries:
    table = state.tables[step.table]
    race = find_race(state, table)
    assert race is not None
    if drawn is None:
        return (TableColoredUp(step.table, race.unit, run_race(state, table, race, ())),)
    stacks = run_race(state, table, race, drawn.order)
    return (
        _drawn(state, step, drawn, table=step.table),
        TableColoredUp(step.table, race.unit, stacks, state.next_draw),
    )


def _balance(state: TournamentState, _step: Step) -> Entries:
    way = balance(state)
    assert way is not None
    return _move(state, [way], MoveWhy.BALANCE)


def _bust(state: TournamentState, step: Step) -> Entries:
    return (bust_lost(state, step.player),)


def bust_lost(state: TournamentState, player: str) -> Busted:
    """Put out a player that has no chips."""
    lost, one = state.lost[player], state.entrants[player]
    return Busted(player, one.table, one.seat, lost.ended.hand, lost.stack)


def _end(state: TournamentState, _step: Step, drawn: DrawnOrder, _games: Games) -> Entries:
    return (TournamentClosed(state.end or EndReason.CANCELLED, drawn.secret),)


def _drawn(
    state: TournamentState,
    step: Step,
    drawn: DrawnOrder,
    *,
    table: int | None = None,
    player: str | None = None,
) -> Drawn:
    assert step.draw is not None
    return Drawn(
        draw=state.next_draw,
        what=step.draw.what,
        secret=drawn.secret,
        order=drawn.order,
        next_commitment=drawn.next_commitment,
        table=table,
        player=player,
    )


def _open_tables(state: TournamentState, games: Games) -> tuple[TableOpened, ...]:
    return tuple(
        TableOpened(number, game) for number, game in enumerate(games, len(state.tables) + 1)
    )


def _names(state: TournamentState) -> dict[int, str]:
    return {one.entrant: name for name, one in state.entrants.items()}


def _move(state: TournamentState, ways: Iterable[Way], why: MoveWhy) -> Entries:
    return tuple(
        Moved(
            player=way.player,
            from_table=way.from_table,
            from_seat=way.from_seat,
            table=way.table,
            seat=way.seat,
            stack=state.tables[way.from_table].seats[way.from_seat].stack,
            why=why,
        )
        for way in ways
    )


_WITH_DRAW: Final[dict[StepKind, Callable[[TournamentState, Step, DrawnOrder, Games], Entries]]] = {
    StepKind.START: _start,
    StepKind.SEAT: _seat,
    StepKind.REDRAW: _redraw,
    StepKind.BREAK_TABLE: _break_table,
    StepKind.DRAW_BUTTON: _draw_button,
    StepKind.END: _end,
}
_WITHOUT_DRAW: Final[dict[StepKind, Callable[[TournamentState, Step], Entries]]] = {
    StepKind.BUST: _bust,
    StepKind.CLOSE_REGISTRATION: lambda state, _: (close_registration(state),),
    StepKind.PLACE: lambda state, _: place_busted(state),
    StepKind.BEGIN_HAND_FOR_HAND: lambda _state, _step: (HandForHandBegun(),),
    StepKind.END_HAND_FOR_HAND: lambda _state, _step: (HandForHandEnded(),),
    StepKind.FINISH: lambda state, _: place_winners(state),
    StepKind.BEGIN_BREAK: lambda state, _: (BreakBegun(state.level),),
    StepKind.BEGIN_LEVEL: lambda state, _: (LevelBegun(state.level + 1),),
    StepKind.BALANCE: _balance,
}
