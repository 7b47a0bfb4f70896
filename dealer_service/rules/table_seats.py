"""What entries about seats, chips, choices and pauses make of a table (sections 7 and 8).

All but the chips added and coloured up may come while a hand is open too. ImpossibleEntry for what
can not stand where it stands.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from dealer_service.quick import replace
from dealer_service.rules import hand as engine
from dealer_service.rules.entry import (
    Anchored,
    CameBack,
    ChipsAdded,
    ColoredUp,
    Departed,
    Entry,
    Newcomers,
    Owed,
    Paused,
    PlayerRemoved,
    Preferred,
    Resumed,
    SatOut,
    SeatLeft,
    SeatTaken,
)
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.requiring import require
from dealer_service.rules.table_requiring import require_held, require_running
from dealer_service.rules.table_state import (
    MAX_MISSES,
    MOST_CHIPS,
    OpenHand,
    Phase,
    Seat,
    TableState,
    buy_in_bounds,
    chips_on_table,
    is_dealt_in,
    new_bank,
    seat_of,
)


def _seat_taken(state: TableState, at: int, entry: SeatTaken) -> TableState:
    require_running(state)
    rules = state.rules
    require(1 <= entry.seat <= rules.seats, "the table has no such seat")
    require(entry.seat not in state.seats, "the seat is taken")
    require(seat_of(state, entry.player) is None, "the player holds a seat already")
    if rules.tournament is None:
        low, high = buy_in_bounds(state, entry.player, at)
        require(low <= entry.stack <= high, "no buy-in of these rules")
    else:
        require(entry.anchor is None, "a seat of a tournament's table is taken without an anchor")
    require(chips_on_table(state) + entry.stack <= MOST_CHIPS, "the table has too many chips")
    missed = entry.anchor is not None and entry.player in state.misses
    require(not missed, "a player who missed a link sits without an anchor")
    newcomer = state.hand > 0
    taken = Seat(
        entry.player,
        entry.stack,
        anchor=entry.anchor,
        owes=Owed(rules.big_blind, 0) if newcomer and rules.newcomers is Newcomers.POST else None,
        waits=newcomer and rules.newcomers is Newcomers.WAIT,
        bank_ms=new_bank(rules),
        house=entry.house or False,
    )
    departed = {name: one for name, one in state.departed.items() if name != entry.player}
    seats = _with_seat(state, entry.seat, taken)
    return _aside(state, at, entry, seats=seats, departed=departed)


def _seat_left(state: TableState, at: int, entry: SeatLeft | PlayerRemoved) -> TableState:
    require_running(state)
    seat = require_held(state, entry.seat, entry.player)
    awaited = state.awaited - {entry.player}
    if is_dealt_in(state, entry.seat):
        seats = _with_seat(state, entry.seat, replace(seat, leaving=True))
        return _aside(state, at, entry, seats=seats, awaited=awaited)
    require(entry.stack == seat.stack, "the seat has another stack")
    seats = {number: other for number, other in state.seats.items() if number != entry.seat}
    departed = with_departed(state, at, {entry.player: seat.stack})
    return _aside(state, at, entry, seats=seats, awaited=awaited, departed=departed)


def with_departed(state: TableState, at: int, gone: Mapping[str, int]) -> Mapping[str, Departed]:
    """Remember with what players left, where they may not come back with less."""
    rules = state.rules
    if rules.return_ms is None or not gone:
        return state.departed
    bound = {
        name: Departed(name, stack, at) for name, stack in gone.items() if stack >= rules.buy_in_min
    }
    return {name: one for name, one in state.departed.items() if name not in gone} | bound


def _chips_added(state: TableState, at: int, entry: ChipsAdded) -> TableState:
    require(state.phase is Phase.WAITING, "chips are added between hands")
    seat = require_held(state, entry.seat, entry.player)
    stack = seat.stack + entry.amount
    bounded = state.rules.tournament is None
    enough = entry.amount > 0 and not (bounded and stack > state.rules.buy_in_max)
    require(enough, "too many chips are added")
    require(chips_on_table(state) + entry.amount <= MOST_CHIPS, "the table has too many chips")
    return replace(state, at=at, seats=_with_seat(state, entry.seat, replace(seat, stack=stack)))


def _sat_out(state: TableState, at: int, entry: SatOut) -> TableState:
    return _sit(state, at, entry, sitting_out=True)


def _came_back(state: TableState, at: int, entry: CameBack) -> TableState:
    return _sit(state, at, entry, sitting_out=False)


def _sit(state: TableState, at: int, entry: SatOut | CameBack, *, sitting_out: bool) -> TableState:
    require_running(state)
    seat = require_held(state, entry.seat, entry.player)
    require(seat.sitting_out is not sitting_out, "the seat is so already")
    changed = replace(seat, sitting_out=sitting_out)
    return _aside(state, at, entry, seats=_with_seat(state, entry.seat, changed))


def _anchored(state: TableState, at: int, entry: Anchored) -> TableState:
    require_running(state)
    seat = require_held(state, entry.seat, entry.player)
    require(not is_dealt_in(state, entry.seat), "a player dealt in anchors between hands")
    missed = state.misses.get(entry.player, ())
    require(len(missed) < MAX_MISSES, "the player missed two links")
    last = missed[-1] if missed else None
    require(entry.missing_hand == last, "an anchor after a miss names the hand that was missed")
    seats = _with_seat(state, entry.seat, replace(seat, anchor=entry.anchor))
    return _aside(state, at, entry, seats=seats, awaited=state.awaited - {entry.player})


def _preferred(state: TableState, at: int, entry: Preferred) -> TableState:
    require_running(state)
    seat = require_held(state, entry.seat, entry.player)
    seats = _with_seat(state, entry.seat, replace(seat, choices=entry.choices))
    return _aside(state, at, entry, seats=seats)


def _paused(state: TableState, at: int, entry: Paused) -> TableState:
    require_running(state)
    require(not state.paused, "the game is paused already")
    return _aside(state, at, entry, paused=True)


def _resumed(state: TableState, at: int, entry: Resumed) -> TableState:
    require_running(state)
    require(state.paused, "the game is not paused")
    return _aside(state, at, entry, paused=False)


def _colored_up(state: TableState, at: int, entry: ColoredUp) -> TableState:
    require(state.phase is Phase.WAITING, "chips are coloured up between hands")
    require(state.rules.tournament is not None, "chips are coloured up at a tournament's table")
    numbers = [one.seat for one in entry.stacks]
    require(bool(numbers) and numbers == sorted(set(numbers)), "its seats do not rise")
    seats = dict(state.seats)
    for one in entry.stacks:
        seat = seats.get(one.seat)
        if seat is None:
            message = f"nobody sits on seat {one.seat}"
            raise ImpossibleEntry(message)
        require(one.stack != seat.stack, f"the stack of seat {one.seat} does not change")
        whole = entry.unit > 0 and one.stack > 0 and not one.stack % entry.unit
        require(whole, f"the stack of seat {one.seat} is not of whole chips")
        seats[one.seat] = replace(seat, stack=one.stack)
    colored = replace(state, at=at, seats=seats)
    require(chips_on_table(colored) <= MOST_CHIPS, "the table has too many chips")
    return colored


def _aside(state: TableState, at: int, entry: Entry, **changes: Any) -> TableState:  # noqa: ANN401 - of the state's own fields
    """Change what an aside changes, in an open hand too."""
    opened = state.open
    if opened is not None:
        play = engine.evolve(opened.play, at, entry)
        changes["open"] = OpenHand(opened.opened, opened.at, play, opened.paid_at)
    return replace(state, at=at, **changes)


def _with_seat(state: TableState, number: int, seat: Seat) -> dict[int, Seat]:
    """Give the seats with one more or another, rising."""
    return dict(sorted({**state.seats, number: seat}.items()))


SEAT_FOLDS: Final[dict[type[Entry], Callable[[TableState, int, Any], TableState]]] = {
    SeatTaken: _seat_taken,
    SeatLeft: _seat_left,
    PlayerRemoved: _seat_left,
    ChipsAdded: _chips_added,
    SatOut: _sat_out,
    CameBack: _came_back,
    Anchored: _anchored,
    Preferred: _preferred,
    Paused: _paused,
    Resumed: _resumed,
    ColoredUp: _colored_up,
}
