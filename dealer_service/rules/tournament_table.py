"""What a tournament does at one of its tables (PROTOCOL.md 8 "A tournament's table" and 14.4).

Seats, chips and hands of such a table are the tournament's alone: these decisions give the entries
that go into the table's log in the same unit as the tournament's own, or a refusal where the table
can not have them. What a player or the operator may do at any table is in `seating`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from dealer_service.rules.entry import (
    ChipsAdded,
    ColoredUp,
    HandLevel,
    Limits,
    PlayerRemoved,
    RuleSet,
    SeatLeft,
    SeatStack,
    SeatTaken,
    Structure,
)
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.seating import Answer, between_hands, game_closed, held_seat
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import (
    MOST_CHIPS,
    Phase,
    TableState,
    chips_on_table,
    is_dealt_in,
    seat_of,
)

BIG_BET: Final = 2
"""With fixed limit the big bet is twice the small one."""


def play_at(rules: RuleSet, level: HandLevel) -> RuleSet:
    """Give the rules by which a hand of that level is played, from a table's own rules."""
    limits = rules.limits
    if rules.structure == Structure.FIXED_LIMIT and limits is not None:
        big = level.big_blind
        limits = Limits(big, BIG_BET * big, limits.cap, limits.uncapped_heads_up)
    return replace(
        rules,
        small_blind=level.small_blind,
        big_blind=level.big_blind,
        chip_unit=level.chip_unit,
        ante=level.ante,
        limits=limits,
    )


def seat(state: TableState, player: str, seat: int, stack: int, house: bool) -> Answer:
    """Sit a player down with the chips that it brings; `house` for one of the house's own."""
    if state.closed is not None:
        return game_closed()
    held = seat_of(state, player)
    if held is not None:
        message = f"the player holds seat {held} already; a player has one seat of a game"
        return Refusal(TableReason.ALREADY_SEATED, message, {"seat": held})
    seats = state.rules.seats
    if not 1 <= seat <= seats:
        message = f"the table has {seats} seats and no seat {seat}"
        return Refusal(TableReason.NO_SUCH_SEAT, message, {"seat": seat, "seats": seats})
    if seat in state.seats:
        return Refusal(TableReason.SEAT_TAKEN, f"seat {seat} is taken", {"seat": seat})
    room = MOST_CHIPS - chips_on_table(state)
    if not 0 <= stack <= room:
        return _chips_out_of_range(0, room, stack)
    return (SeatTaken(seat, player, stack, house=True if house else None),)


def unseat(state: TableState, player: str) -> Answer:
    """Take a player from its seat with its chips: it busted, moves, or its seat is taken over."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    if is_dealt_in(state, held):
        return between_hands(state, "a player of the hand leaves its table")
    return (SeatLeft(held, player, state.seats[held].stack),)


def remove(state: TableState, player: str) -> Answer:
    """Take a disqualified player from its seat; in a hand that deals it in, the dealer acts on."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    stack = None if is_dealt_in(state, held) else state.seats[held].stack
    return (PlayerRemoved(held, player, stack),)


def add(state: TableState, player: str, amount: int) -> Answer:
    """Add the chips of a rebuy or an add-on to a player's stack, between hands."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    if state.phase is not Phase.WAITING:
        return between_hands(state, "chips are added")
    room = MOST_CHIPS - chips_on_table(state)
    if not 1 <= amount <= room:
        return _chips_out_of_range(1, room, amount)
    return (ChipsAdded(held, player, amount),)


def color_up(state: TableState, unit: int, stacks: Mapping[int, int]) -> Answer:
    """Give seats the stacks that they have behind a chip race, between hands.

    `stacks` may name seats whose stack stays; nothing is logged where none changes.
    """
    if state.phase is not Phase.WAITING:
        return between_hands(state, "chips are coloured up")
    lacking = [number for number in sorted(stacks) if number not in state.seats]
    if lacking:
        message = f"nobody sits on seat {lacking[0]}"
        return Refusal(TableReason.NOT_SEATED, message, {"seat": lacking[0]})
    changed = {n: stack for n, stack in sorted(stacks.items()) if stack != state.seats[n].stack}
    if not changed:
        return ()
    room = MOST_CHIPS - chips_on_table(state) + sum(state.seats[n].stack for n in changed)
    if min(changed.values()) < 1 or sum(changed.values()) > room:
        return _chips_out_of_range(1, room, sum(changed.values()))
    return (ColoredUp(unit, tuple(SeatStack(n, stack) for n, stack in changed.items())),)


def _chips_out_of_range(least: int, room: int, amount: int) -> Refusal:
    message = f"all chips of a table are at most {MOST_CHIPS}: {least} to {room} can come to it"
    numbers = {"most": MOST_CHIPS, "from": least, "to": room, "amount": amount}
    return Refusal(TableReason.CHIPS_OUT_OF_RANGE, message, numbers)
