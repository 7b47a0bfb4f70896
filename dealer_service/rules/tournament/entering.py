"""What players may ask of a tournament: enter and leave it, and buy chips (14.5).

Each decision gives the entries of one unit, or a refusal that says what would be allowed.
"""

from typing import Final, TypeAlias

from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament.entry import (
    AddedOn,
    Rebought,
    Reentered,
    Registered,
    StartKind,
    TakenOver,
    TournamentEntry,
    Withdrawn,
)
from dealer_service.rules.tournament.folding_tables import may_rebuy
from dealer_service.rules.tournament.levels import is_add_on_time
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.rules.tournament.state import (
    Entrant,
    Phase,
    Standing,
    Table,
    TournamentState,
)
from dealer_service.rules.tournament.structure import MOST_PURCHASES
from dealer_service.rules.tournament.taking import bust_lost

Answer: TypeAlias = tuple[TournamentEntry, ...] | Refusal

MOST_NAMES: Final = 99_999
"""So many names register at most, with those that withdrew: a draw of all players fits a line."""

_OVER: Final = frozenset({Phase.ENDING, Phase.CLOSED})


def waits_for_hand(answer: Answer) -> bool:
    """Say whether an answer is refused only because a hand is open, and may be asked again.

    `numbers["table"]` of the refusal is the table.
    """
    return isinstance(answer, Refusal) and answer.reason is TournamentReason.HAND_OPEN


def register(  # noqa: PLR0911, PLR0913 - a return for each reason, what a registration says
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    player: str,
    *,
    anchors: bool,
    house: bool,
    accepts_reveal: str,
) -> Answer:
    """Enter, enter again after busting, or take over a house player's seat where it is full."""
    structure = state.structure
    if state.phase in _OVER:
        return _closed()
    policy = structure.rules.reveal.policy
    if accepts_reveal != policy:
        message = f"registering needs the acceptance of the reveal policy {policy}"
        return Refusal(TournamentReason.REVEAL_NOT_ACCEPTED, message)
    before = state.entrants.get(player)
    if before is not None and before.is_in:
        return Refusal(TournamentReason.REGISTERED_ALREADY, "the player is in already")
    if before is not None and before.standing is not Standing.WITHDRAWN:
        return _reenter(state, before)
    if before is None and len(state.entrants) >= MOST_NAMES:
        message = f"at most {MOST_NAMES} names register, with those that withdrew"
        return Refusal(TournamentReason.TOURNAMENT_FULL, message, {"names": MOST_NAMES})
    number = before.entrant if before else len(state.entrants) + 1
    registered = Registered(player, number, anchors, house or None)
    full = state.players_in >= structure.players_max
    if structure.take_over and full and state.is_running:
        return _take_over(state, registered)
    if not state.registration_open:
        return Refusal(TournamentReason.REGISTRATION_CLOSED, "registration has closed")
    return _full(state) if full or _is_spent(state) else (registered,)


def withdraw(
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    player: str,
) -> Answer:
    """Take a registration back, before the start."""
    if state.phase is not Phase.REGISTERING:
        message = "a registration is taken back before the start alone"
        return Refusal(TournamentReason.STARTED_ALREADY, message)
    one = state.entrants.get(player)
    if one is None or not one.is_in:
        return Refusal(TournamentReason.NOT_IN, "the player is not registered")
    return (Withdrawn(player),)


def rebuy(  # noqa: PLR0911 - a return for each reason
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    player: str,
) -> Answer:
    """Buy chips again, between hands."""
    rule = state.structure.rebuy
    if rule is None:
        return Refusal(TournamentReason.NO_REBUY, "this tournament has no rebuys")
    if not state.registration_open:
        message = "rebuys end with the registration, which has closed"
        return Refusal(TournamentReason.REGISTRATION_CLOSED, message)
    one = _sitting(state, player)
    if isinstance(one, Refusal):
        return one
    if not may_rebuy(state, player):
        message = f"a player may buy chips again {rule.most} times"
        return Refusal(TournamentReason.REBUYS_USED_UP, message, {"most": rule.most})
    table = state.tables[one.table]
    if not table.is_between_hands:
        return _hand_open(table)
    stack = table.seats[one.seat].stack
    if stack > rule.max_stack:
        message = f"a rebuy needs a stack of at most {rule.max_stack}"
        numbers = {"max_stack": rule.max_stack, "stack": stack}
        return Refusal(TournamentReason.STACK_TOO_HIGH, message, numbers)
    if _is_spent(state):
        return _full(state)
    return (Rebought(player, one.table, one.seat, rule.chips),)


def decline_rebuy(state: TournamentState, at: int, player: str) -> Answer:
    """Buy none, having no chips: the player is out, behind those whose time is over."""
    if player not in state.lost:
        message = "who has chips, or does not sit, has no rebuy to decline"
        return Refusal(TournamentReason.NOTHING_TO_DECIDE, message)
    out = [name for name, lost in state.lost.items() if lost.until <= at]
    return tuple(bust_lost(state, name) for name in dict.fromkeys([*out, player]))


def add_on(  # noqa: PLR0911 - a return for each reason
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    player: str,
) -> Answer:
    """Buy the add-on, in its break."""
    rule, late = state.structure.add_on, state.structure.late
    if rule is None or late is None:
        return Refusal(TournamentReason.NO_ADD_ON, "this tournament has no add-on")
    if not is_add_on_time(state):
        message = f"the add-on is sold in the break after level {late.levels}"
        return Refusal(TournamentReason.NOT_ADD_ON_TIME, message, {"level": late.levels})
    one = _sitting(state, player)
    if isinstance(one, Refusal):
        return one
    if one.added_on:
        return Refusal(TournamentReason.ADDED_ON_ALREADY, "the player has its add-on")
    table = state.tables[one.table]
    if not table.is_between_hands:
        return _hand_open(table)
    if _is_spent(state):
        return _full(state)
    return (AddedOn(player, one.table, one.seat, rule.chips),)


def _reenter(state: TournamentState, before: Entrant) -> Answer:
    late = state.structure.late
    if before.disqualified or before.place or before.taken_over:
        return Refusal(TournamentReason.OUT_FOR_GOOD, "the player is out for good")
    if late is None or not state.registration_open:
        return Refusal(TournamentReason.REGISTRATION_CLOSED, "registration has closed")
    if before.reentries >= late.reentries:
        message = f"a player may enter again {late.reentries} times"
        return Refusal(TournamentReason.REENTRIES_USED_UP, message, {"most": late.reentries})
    if state.players_in >= state.structure.players_max or _is_spent(state):
        return _full(state)
    return (Reentered(before.player),)


def _take_over(state: TournamentState, registered: Registered) -> Answer:
    """Give the person the first house player's seat that can be taken over."""
    if not state.registration_open and state.structure.start.kind is not StartKind.FULL:
        return Refusal(TournamentReason.REGISTRATION_CLOSED, "registration has closed")
    tables = [table for table in state.open_tables if _house_seat(state, table)]
    ready = [table for table in tables if table.is_between_hands]
    if not tables or registered.house:
        return _full(state)
    if not ready:
        return _hand_open(tables[0])
    table, number = ready[0], _house_seat(state, ready[0])
    seat = table.seats[number]
    stack = state.structure.stack
    taken = TakenOver(registered.player, seat.player, table.table, number, stack, seat.stack)
    return registered, taken


def _house_seat(state: TournamentState, table: Table) -> int:
    """Give the lowest seat of the house at a table in its first orbit; 0 where there is none."""
    if table.hand and table.hand > table.first_players:
        return 0
    seats = table.seats.items()
    return next((number for number, seat in seats if state.entrants[seat.player].house), 0)


def _sitting(state: TournamentState, player: str) -> Entrant | Refusal:
    one = state.entrants.get(player)
    if state.phase in _OVER:
        return _closed()
    if one is None or not one.is_in:
        return Refusal(TournamentReason.NOT_IN, "the player is not in")
    if one.standing is not Standing.PLAYING:
        return Refusal(TournamentReason.NOT_SEATED, "the player does not sit yet")
    return one


def _is_spent(state: TournamentState) -> bool:
    return state.entries + state.purchases >= MOST_PURCHASES


def _closed() -> Refusal:
    return Refusal(TournamentReason.TOURNAMENT_CLOSED, "the tournament is over")


def _hand_open(table: Table) -> Refusal:
    message = f"hand {table.hand} is open at table {table.table}"
    return Refusal(TournamentReason.HAND_OPEN, message, {"table": table.table, "hand": table.hand})


def _full(state: TournamentState) -> Refusal:
    most = state.structure.players_max
    message = f"at most {most} players are in"
    return Refusal(TournamentReason.TOURNAMENT_FULL, message, {"players_max": most})
