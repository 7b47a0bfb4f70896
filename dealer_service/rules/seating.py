"""What players and the operator may do about seats, chips and pauses (sections 7 and 8).

Each decision takes the state and gives the entries that follow, or a refusal that says what would
be allowed. Seats, sitting out, choices and pauses may change inside a hand; all but the choices
count from the next one (and these where the rules say so, 9.8);
chips are added between hands only. A player dealt in who leaves plays on as absent, and its chips
leave when the hand ends.
"""

from collections.abc import Collection
from typing import TypeAlias

from dealer_service.rules.entropy import Past, refuse_used
from dealer_service.rules.entry import (
    By,
    CameBack,
    ChipsAdded,
    Choice,
    Entry,
    Paused,
    PlayerRemoved,
    Preferred,
    Resumed,
    RuleSet,
    SatOut,
    SeatLeft,
    SeatTaken,
)
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import (
    MOST_CHIPS,
    Phase,
    Seat,
    TableState,
    buy_in_bounds,
    chips_on_table,
    is_dealt_in,
    seat_of,
)

Answer: TypeAlias = tuple[Entry, ...] | Refusal


def take_seat(  # noqa: PLR0911, PLR0913 - a return for each reason, an argument for each choice
    state: TableState,
    at: int,
    *,
    seat: int,
    player: str,
    stack: int,
    anchor: str | None,
    accepts_reveal: str,
    past: Past,
    house: bool = False,
) -> Answer:
    """Seat a player at the time `at`, in the lowest free seat where `seat` is 0.

    `house` says that the player is the house's own, a bot.
    """
    refused = _refuse_changes(state, "register with the tournament to get a seat")
    if refused is not None:
        return refused
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
    refused = _refuse_stack(state, at, player, stack)
    if refused is not None:
        return refused
    if anchor is not None:
        if player in state.misses:
            message = "a player who missed a link sits without an anchor and logs one afterwards"
            return Refusal(TableReason.ANCHOR_AFTER_MISS, message)
        used = refuse_used(past, anchor)
        if used is not None:
            return used
    return (SeatTaken(place, player, stack, anchor, house=True if house else None),)


def leave_seat(state: TableState, player: str) -> Answer:
    """Give a player's seat up; in a hand that deals it in, its chips stay until the end."""
    refused = _refuse_changes(state, "sit out to be away; chips stay until they are lost")
    if refused is not None:
        return refused
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    stack = None if is_dealt_in(state, held) else state.seats[held].stack
    return (SeatLeft(held, player, stack),)


def remove_player(state: TableState, player: str) -> Answer:
    """Take a player from its seat, by the operator."""
    refused = _refuse_changes(state, "disqualify the player in the tournament")
    if refused is not None:
        return refused
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    stack = None if is_dealt_in(state, held) else state.seats[held].stack
    return (PlayerRemoved(held, player, stack),)


def add_chips(state: TableState, player: str, amount: int) -> Answer:
    """Add chips to a player's stack, up to the greatest buy-in, between hands."""
    refused = _refuse_changes(state, "buy chips in the tournament, where it sells some")
    if refused is not None:
        return refused
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
    return _refuse_chips(state, amount) or (ChipsAdded(held, player, amount),)


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


def prefer(state: TableState, player: str, choices: Collection[Choice]) -> Answer:
    """Set all standing choices of a player."""
    held = held_seat(state, player)
    if isinstance(held, Refusal):
        return held
    offered = offered_choices(state.rules)
    for choice in sorted(choices):
        if choice not in offered:
            message = f"this table offers no {choice}: choose of {', '.join(offered)}"
            return Refusal(TableReason.CHOICE_NOT_OFFERED, message)
    chosen = tuple(sorted(frozenset(choices)))
    if chosen == state.seats[held].choices:
        return Refusal(TableReason.CHOICES_STAND_ALREADY, "these choices stand already")
    return (Preferred(held, player, chosen),)


def offered_choices(rules: RuleSet) -> tuple[Choice, ...]:
    """List the choices that can count under these rules, rising."""
    offered = {
        Choice.CHOP: rules.chop is not None,
        Choice.RUNS: rules.runs is not None,
        Choice.SHOW: True,
        Choice.STRADDLE: rules.straddle is not None,
    }
    return tuple(choice for choice, is_offered in offered.items() if is_offered)


def pause(state: TableState) -> Answer:
    """Open no hand from here on; the open one plays on."""
    refused = _refuse_changes(state, "stop the tournament")
    if refused is not None:
        return refused
    if state.paused:
        return Refusal(TableReason.PAUSED_ALREADY, "the game is paused already")
    return (Paused(),)


def resume(state: TableState) -> Answer:
    """Let hands open again."""
    refused = _refuse_changes(state, "resume the tournament")
    if refused is not None:
        return refused
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


def _refuse_changes(state: TableState, instead: str) -> Refusal | None:
    """Refuse what a game that has closed, or a tournament's table, does not take from anybody."""
    if state.closed is not None:
        return game_closed()
    table = state.rules.tournament
    if table is None:
        return None
    message = f"this is table {table.table} of a tournament, which alone seats players: {instead}"
    return Refusal(TableReason.TOURNAMENT_TABLE, message, {"table": table.table})


def between_hands(state: TableState, what: str) -> Refusal:
    """Refuse what has to wait for the end of the open hand."""
    if state.closed is not None:
        return game_closed()
    message = f"{what} between hands: wait until hand {state.hand} has ended"
    return Refusal(TableReason.HAND_OPEN, message, {"hand": state.hand})


def _refuse_stack(state: TableState, at: int, player: str, stack: int) -> Refusal | None:
    low, high = buy_in_bounds(state, player, at)
    if low <= stack <= high:
        return _refuse_chips(state, stack)
    numbers = {"from": low, "to": high, "stack": stack}
    left, window = state.departed.get(player), state.rules.return_ms
    until = left.at + window if left and window else 0
    if at > until:
        message = f"take the seat with {low} to {high} chips"
    else:
        numbers["until"] = until
        message = f"the player left with {low} chips: until {until} come back with {low} to {high}"
    return Refusal(TableReason.BUY_IN_OUT_OF_RANGE, message, numbers)


def _refuse_chips(state: TableState, amount: int) -> Refusal | None:
    room = MOST_CHIPS - chips_on_table(state)
    if amount <= room:
        return None
    message = f"all chips of a table are at most {MOST_CHIPS}: {room} more can come to this one"
    numbers = {"most": MOST_CHIPS, "to": room, "amount": amount}
    return Refusal(TableReason.CHIPS_OUT_OF_RANGE, message, numbers)


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
