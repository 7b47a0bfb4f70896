"""What players and the operator may do about seats, chips and pauses (sections 7 and 8).

Each decision takes the state and gives the entries that follow, or a refusal that says what would
be allowed. Seats, sitting out and pauses may change inside a hand and count from the next one;
chips are added between hands only. A player dealt in who leaves plays on as absent, and its chips
leave when the hand ends.
"""

from typing import TypeAlias

from dealer_service.rules.entropy import Past, refuse_used
from dealer_service.rules.entry import (
    By,
    CameBack,
    ChipsAdded,
    Entry,
    Paused,
    PlayerRemoved,
    Resumed,
    SatOut,
    SeatLeft,
    SeatTaken,
)
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import Phase, Seat, TableState, is_dealt_in, seat_of

Answer: TypeAlias = tuple[Entry, ...] | Refusal


def take_seat(  # noqa: PLR0911, PLR0913 - a return for each reason, an argument for each choice
    state: TableState,
    seat: int,
    player: str,
    stack: int,
    anchor: str | None,
    *,
    accepts_reveal: str,
    past: Past,
) -> Answer:
    """Seat a player, in the lowest free seat where `seat` is 0."""
    if state.closed is not None:
        return game_closed()
    policy = state.rules.reveal.policy
    if accepts_reveal != policy:
        message = f'when this game has closed, every card can be derived: accept "{policy}" to sit'
        return Refusal(TableReason.REVEAL_NOT_ACCEPTED, message)
    held = seat_of(state, player)
    if held is not None:
        ending = ", until the hand ends" if state.seats[held].leaving else ""
        message = f"the player holds seat {held} already{ending}; a player has one seat of a game"
        return Refusal(TableReason.ALREADY_SEATED, message, {"seat": held})
    place = _free_seat(state, seat)
    if isinstance(place, Refusal):
        return place
    low, high = state.rules.buy_in_min, state.rules.buy_in_max
    if not low <= stack <= high:
        message = f"take the seat with {low} to {high} chips"
        return Refusal(
            TableReason.BUY_IN_OUT_OF_RANGE, message, {"from": low, "to": high, "stack": stack}
        )
    if anchor is not None:
        if player in state.misses:
            message = "a player who missed a link sits without an anchor and logs one afterwards"
            return Refusal(TableReason.ANCHOR_AFTER_MISS, message)
        used = refuse_used(past, anchor)
        if used is not None:
            return used
    return (SeatTaken(place, player, stack, anchor),)


def leave_seat(state: TableState, player: str) -> Answer:
    """Give a player's seat up; in a hand that deals it in, its chips stay until the end."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    stack = None if is_dealt_in(state, held) else state.seats[held].stack
    return (SeatLeft(held, player, stack),)


def remove_player(state: TableState, player: str) -> Answer:
    """Take a player from its seat, by the operator."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    stack = None if is_dealt_in(state, held) else state.seats[held].stack
    return (PlayerRemoved(held, player, stack),)


def add_chips(state: TableState, player: str, amount: int) -> Answer:
    """Add chips to a player's stack, up to the greatest buy-in, between hands."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    if state.phase is not Phase.WAITING:
        return between_hands(state, "chips are added")
    room = state.rules.buy_in_max - state.seats[held].stack
    if room < 1:
        message = f"the stack is at the greatest buy-in of {state.rules.buy_in_max} already"
        return Refusal(TableReason.STACK_FULL, message, {"buy_in_max": state.rules.buy_in_max})
    if not 1 <= amount <= room:
        message = f"add 1 to {room} chips"
        return Refusal(
            TableReason.AMOUNT_OUT_OF_RANGE, message, {"from": 1, "to": room, "amount": amount}
        )
    return (ChipsAdded(held, player, amount),)


def sit_out(state: TableState, player: str) -> Answer:
    """Deal a player in no more, from the next hand on."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    if state.seats[held].sitting_out:
        message = "the player sits out already"
        return Refusal(TableReason.SITTING_OUT_ALREADY, message, {"seat": held})
    return (SatOut(held, player, By.PLAYER),)


def come_back(state: TableState, player: str) -> Answer:
    """Deal a player in again, from the next hand on."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    if not state.seats[held].sitting_out:
        message = "the player does not sit out"
        return Refusal(TableReason.NOT_SITTING_OUT, message, {"seat": held})
    return (CameBack(held, player),)


def pause(state: TableState) -> Answer:
    """Open no hand from here on; the open one plays on."""
    if state.closed is not None:
        return game_closed()
    if state.paused:
        return Refusal(TableReason.PAUSED_ALREADY, "the game is paused already")
    return (Paused(),)


def resume(state: TableState) -> Answer:
    """Let hands open again."""
    if state.closed is not None:
        return game_closed()
    if not state.paused:
        return Refusal(TableReason.NOT_PAUSED, "the game is not paused")
    return (Resumed(),)


def held_seat(state: TableState, player: str) -> int | Refusal:
    """Give the seat of a player who has not left it, in a game that runs."""
    if state.closed is not None:
        return game_closed()
    held = seat_of(state, player)
    if held is None or _seat(state, held).leaving:
        message = "the player has no seat of this game; take one first"
        return Refusal(TableReason.NOT_SEATED, message)
    return held


def game_closed() -> Refusal:
    """Refuse because the game has closed."""
    return Refusal(TableReason.GAME_CLOSED, "the game has closed")


def between_hands(state: TableState, what: str) -> Refusal:
    """Refuse what has to wait for the end of the open hand."""
    if state.closed is not None:
        return game_closed()
    message = f"{what} between hands: wait until hand {state.hand} has ended"
    return Refusal(TableReason.HAND_OPEN, message, {"hand": state.hand})


def _seat(state: TableState, number: int) -> Seat:
    return state.seats[number]


def _free_seat(state: TableState, wanted: int) -> int | Refusal:
    seats = state.rules.seats
    if wanted == 0:
        free = next((n for n in range(1, seats + 1) if n not in state.seats), None)
        if free is None:
            return Refusal(TableReason.TABLE_FULL, f"all {seats} seats are taken", {"seats": seats})
        return free
    if not 1 <= wanted <= seats:
        message = f"the table has {seats} seats and no seat {wanted}"
        return Refusal(TableReason.NO_SUCH_SEAT, message, {"seat": wanted, "seats": seats})
    if wanted in state.seats:
        message = f"seat {wanted} is taken; name none to get the lowest free one"
        return Refusal(TableReason.SEAT_TAKEN, message, {"seat": wanted})
    return wanted
