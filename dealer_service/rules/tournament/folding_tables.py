"""What the entries of tables, seats, chips and hands make of a tournament's state.

Every chip is followed here: a stack changes by an entry alone, and a hand gives back what it took.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.tournament.entry import (
    AddedOn,
    Busted,
    Disqualified,
    HandFinished,
    HandStarted,
    Moved,
    Rebought,
    Seated,
    TableBroken,
    TableColoredUp,
    TableOpened,
    TakenOver,
    TournamentEntry,
)
from dealer_service.rules.tournament.rounds import round_left
from dealer_service.rules.tournament.state import (
    Bust,
    Ended,
    Entrant,
    Lost,
    OpenHand,
    Phase,
    Seat,
    Standing,
    Table,
    TournamentState,
)


def require(holds: bool, otherwise: str) -> None:
    """Refuse an entry unless `holds`."""
    if not holds:
        raise ImpossibleEntry(otherwise)


def require_running(state: TournamentState) -> None:
    """Refuse an entry before the start and behind the end."""
    require(state.is_running, "the tournament is not running")


def with_entrant(
    state: TournamentState,
    player: str,
    **changes: Any,  # noqa: ANN401 - of the entrant's own fields
) -> dict[str, Entrant]:
    """Give the entrants with one of them changed."""
    return {**state.entrants, player: replace(state.entrants[player], **changes)}


def with_table(state: TournamentState, table: Table) -> dict[int, Table]:
    """Give the tables with one more, the last, or one of them changed."""
    return {**state.tables, table.table: table}


def without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Give the names less one of them."""
    place = names.index(name)
    return names[:place] + names[place + 1 :]


def _table_opened(state: TournamentState, _at: int, entry: TableOpened) -> TournamentState:
    require_running(state)
    number = len(state.tables) + 1
    require(entry.table == number, f"the next table is table {number}")
    return replace(
        state,
        tables=with_table(state, Table(number, entry.game)),
        tables_open=state.tables_open + 1,
    )


def _seated(state: TournamentState, at: int, entry: Seated) -> TournamentState:
    require(entry.player in state.waiting, "the player does not wait for a seat")
    require(entry.stack == state.structure.stack, "it is another stack than the structure gives")
    table = _open_table(state, entry.table)
    unit = state.structure.levels[0].chip_unit
    seat = Seat(entry.player, entry.stack, unit, at, table.hand)
    return replace(
        state,
        tables=with_table(state, _seat(state, table, entry.seat, seat)),
        entrants=_sitting(state, entry.player, entry.table, entry.seat),
        waiting=without(state.waiting, entry.player),
    )


def _moved(state: TournamentState, at: int, entry: Moved) -> TournamentState:
    source = _open_table(state, entry.from_table)
    before = _held(source, entry.from_seat, entry.player)
    require(source.is_between_hands, "a hand is open at the table that the player leaves")
    require(entry.stack == before.stack, f"the player has {before.stack}")
    require(entry.table != entry.from_table, "a player moves to another table")
    table = _open_table(state, entry.table)
    seat = replace(before, sat_at=at, sat_hand=table.hand)
    moved = _seat(state, table, entry.seat, seat)
    left = replace(source, seats=_without(source, entry.from_seat))
    return replace(
        state,
        tables={**state.tables, left.table: left, moved.table: moved},
        entrants=_sitting(state, entry.player, entry.table, entry.seat),
    )


def _table_broken(state: TournamentState, _at: int, entry: TableBroken) -> TournamentState:
    table = _open_table(state, entry.table)
    require(not table.seats and table.is_between_hands, "somebody sits at the table")
    return replace(
        state,
        tables=with_table(state, replace(table, broken=True)),
        tables_open=state.tables_open - 1,
    )


def _hand_started(state: TournamentState, _at: int, entry: HandStarted) -> TournamentState:
    require(state.phase is Phase.RUNNING, "no level is played")
    require(not state.stopped, "the tournament is stopped")
    table = _open_table(state, entry.table)
    require(table.is_between_hands, "a hand is open at the table")
    require(entry.hand == table.hand + 1, f"the next hand is hand {table.hand + 1}")
    require(entry.level == state.level, f"level {state.level} is played")
    require(2 <= entry.players <= len(table.with_chips), "so many players can not be dealt in")
    opened = OpenHand(state.level, entry.big_blind_seat, entry.players, table.seats)
    playing = replace(
        table,
        hand=entry.hand,
        open=opened,
        first_players=table.first_players or entry.players,
    )
    tables = with_table(state, playing)
    if not state.hand_for_hand:
        return replace(state, tables=tables)
    return replace(
        state,
        tables=tables,
        round=state.round | {table.table},
        order=state.order if state.round else state.order + 1,
    )


def _hand_finished(state: TournamentState, at: int, entry: HandFinished) -> TournamentState:
    table = _open_table(state, entry.table)
    opened = table.open
    if opened is None or table.hand != entry.hand:
        message = f"hand {entry.hand} is not open at table {entry.table}"
        raise ImpossibleEntry(message)
    before = [opened.seats.get(one.seat) for one in entry.stacks]
    dealt = [seat for seat in before if seat is not None]
    require(len(dealt) == len(before) == opened.players, "other seats were dealt in")
    stacks = [one.stack for one in entry.stacks]
    same = stacks == [seat.stack for seat in dealt]
    require(same or not entry.void, "a void gives every chip back")
    require(sum(stacks) == sum(seat.stack for seat in dealt), "chips came or went in the hand")
    in_round = table.table in state.round
    order = state.order if in_round else state.order + 1
    ended = Ended(entry.hand, order, in_round)
    seats, lost = dict(table.seats), dict(state.lost)
    for one in entry.stacks:
        seat = seats[one.seat]
        seats[one.seat] = replace(seat, stack=one.stack)
        if not one.stack:
            lost[seat.player] = Lost(ended, seat.stack, at + time_to_decide(state, seat.player))
    played = replace(table, seats=seats, open=None, ended=ended)
    if not entry.void:
        played = _count_hand(state, played, opened)
    after = replace(state, tables=with_table(state, played), lost=lost, order=order)
    return replace(after, round=round_left(after)) if in_round else after


def _count_hand(state: TournamentState, table: Table, opened: OpenHand) -> Table:
    counted = replace(table, big_blind=opened.big_blind_seat)
    if opened.level != state.level or state.phase is not Phase.RUNNING:
        return counted
    return replace(
        counted,
        level_hands=table.level_hands + 1,
        level_players=table.level_players or opened.players,
    )


def time_to_decide(state: TournamentState, player: str) -> int:
    """Give how long a player without chips may think of a rebuy; 0 where it may make none."""
    rule = state.structure.rebuy
    return rule.decide_ms if rule is not None and may_rebuy(state, player) else 0


def may_rebuy(state: TournamentState, player: str) -> bool:
    """Say whether a player that sits may buy chips again, but for its stack."""
    rule = state.structure.rebuy
    if rule is None or not state.registration_open:
        return False
    return rule.most == 0 or state.entrants[player].rebuys < rule.most


def _busted(state: TournamentState, _at: int, entry: Busted) -> TournamentState:
    table = _open_table(state, entry.table)
    _held(table, entry.seat, entry.player)
    lost = state.lost.get(entry.player)
    if lost is None:
        message = "the player has not lost all its chips"
        raise ImpossibleEntry(message)
    fits = (lost.ended.hand, lost.stack) == (entry.hand, entry.stack)
    require(fits, f"it lost {lost.stack} in hand {lost.ended.hand}")
    bust = Bust(entry.player, entry.table, lost.stack, lost.ended)
    return _out(state, table, entry.seat, bust, disqualified=False)


def _disqualified(state: TournamentState, _at: int, entry: Disqualified) -> TournamentState:
    table = _open_table(state, entry.table)
    seat = _held(table, entry.seat, entry.player)
    require(table.is_between_hands, "a hand is open at the table")
    require(entry.stack == seat.stack, f"the player has {seat.stack}")
    bust = Bust(entry.player, entry.table, 0, table.ended)
    after = _out(state, table, entry.seat, bust, disqualified=True)
    return replace(after, round=round_left(after)) if after.round else after


def _out(
    state: TournamentState, table: Table, seat: int, bust: Bust, *, disqualified: bool
) -> TournamentState:
    require_running(state)
    left = replace(table, seats=_without(table, seat))
    return replace(
        state,
        tables=with_table(state, left),
        entrants=with_entrant(
            state,
            bust.player,
            standing=Standing.BUSTED,
            table=0,
            seat=0,
            disqualified=disqualified,
        ),
        lost={name: one for name, one in state.lost.items() if name != bust.player},
        busted=(*state.busted, bust),
        players_in=state.players_in - 1,
    )


def _colored_up(state: TournamentState, _at: int, entry: TableColoredUp) -> TournamentState:
    table = _open_table(state, entry.table)
    require(table.is_between_hands, "a hand is open at the table")
    require(entry.unit == state.level_rules.chip_unit, "it is not the level's unit")
    stacks = {one.seat: one.stack for one in entry.stacks}
    require(stacks.keys() <= table.seats.keys(), "nobody sits there")
    seats = {
        number: replace(seat, unit=entry.unit, stack=stacks.get(number, seat.stack))
        for number, seat in table.seats.items()
    }
    return replace(state, tables=with_table(state, replace(table, seats=seats)))


def _chips_bought(state: TournamentState, _at: int, entry: Rebought | AddedOn) -> TournamentState:
    table = _open_table(state, entry.table)
    seat = _held(table, entry.seat, entry.player)
    require(table.is_between_hands, "a hand is open at the table")
    rule = state.structure.rebuy if isinstance(entry, Rebought) else state.structure.add_on
    if rule is None or rule.chips != entry.chips:
        message = "the structure sells no such chips"
        raise ImpossibleEntry(message)
    one = state.entrants[entry.player]
    if isinstance(entry, Rebought):
        require(may_rebuy(state, entry.player), "the player may not buy again")
        entrants = with_entrant(state, entry.player, rebuys=one.rebuys + 1)
    else:
        require(not one.added_on, "the player has its add-on already")
        entrants = with_entrant(state, entry.player, added_on=True)
    bought = replace(seat, stack=seat.stack + entry.chips)
    seats = {**table.seats, entry.seat: bought}
    return replace(
        state,
        tables=with_table(state, replace(table, seats=seats)),
        entrants=entrants,
        lost={name: lost for name, lost in state.lost.items() if name != entry.player},
        purchases=state.purchases + 1,
        spent=state.spent + rule.cost,
    )


def _taken_over(state: TournamentState, at: int, entry: TakenOver) -> TournamentState:
    require(entry.player in state.waiting, "the player does not wait for a seat")
    table = _open_table(state, entry.table)
    before = _held(table, entry.seat, entry.house_player)
    require(state.entrants[entry.house_player].house, "it is no house player's seat")
    require(table.is_between_hands, "a hand is open at the table")
    require(entry.removed == before.stack, f"the house player has {before.stack}")
    require(entry.stack == state.structure.stack, "it is another stack than the structure gives")
    unit = state.structure.levels[0].chip_unit
    seat = Seat(entry.player, entry.stack, unit, at, table.hand)
    entrants = with_entrant(
        state, entry.house_player, standing=Standing.OUT, table=0, seat=0, taken_over=True
    )
    entrants |= {entry.player: _sitting(state, entry.player, entry.table, entry.seat)[entry.player]}
    return replace(
        state,
        tables=with_table(state, replace(table, seats={**table.seats, entry.seat: seat})),
        entrants=entrants,
        waiting=without(state.waiting, entry.player),
        lost={name: one for name, one in state.lost.items() if name != entry.house_player},
        players_in=state.players_in - 1,
        entries=state.entries - 1,
    )


def _open_table(state: TournamentState, number: int) -> Table:
    require_running(state)
    table = state.tables.get(number)
    if table is None or table.broken or table.closed:
        message = f"table {number} is not open"
        raise ImpossibleEntry(message)
    return table


def _held(table: Table, number: int, player: str) -> Seat:
    seat = table.seats.get(number)
    if seat is None or seat.player != player:
        message = f"the player does not hold seat {number} of table {table.table}"
        raise ImpossibleEntry(message)
    return seat


def _seat(state: TournamentState, table: Table, number: int, seat: Seat) -> Table:
    require(1 <= number <= state.structure.rules.seats, "the table has no such seat")
    require(number not in table.seats, "the seat is taken")
    return replace(table, seats=dict(sorted({**table.seats, number: seat}.items())))


def _without(table: Table, number: int) -> Mapping[int, Seat]:
    return {seat: one for seat, one in table.seats.items() if seat != number}


def _sitting(state: TournamentState, player: str, table: int, seat: int) -> dict[str, Entrant]:
    return with_entrant(state, player, standing=Standing.PLAYING, table=table, seat=seat)


_Fold: TypeAlias = Callable[[TournamentState, int, Any], TournamentState]

TABLE_FOLDS: Final[dict[type[TournamentEntry], _Fold]] = {
    TableOpened: _table_opened,
    Seated: _seated,
    Moved: _moved,
    TableBroken: _table_broken,
    HandStarted: _hand_started,
    HandFinished: _hand_finished,
    Busted: _busted,
    Disqualified: _disqualified,
    TableColoredUp: _colored_up,
    Rebought: _chips_bought,
    AddedOn: _chips_bought,
    TakenOver: _taken_over,
}
