"""What the operator may do with a tournament, and what its last players agree on (14.9, 14.10)."""

from dealer_service.rules.entry import Resumed
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament.entering import Answer
from dealer_service.rules.tournament.entry import (
    DealAgreed,
    Disqualified,
    EndReason,
    Share,
    Stopped,
    TournamentClosed,
)
from dealer_service.rules.tournament.placing import (
    is_decided,
    place_busted,
    place_cancelled,
    stacks_in,
)
from dealer_service.rules.tournament.prizes import prize_pool, prizes_between
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.rules.tournament.state import Phase, Standing, TournamentState


def stop(state: TournamentState, at: int) -> Answer:  # noqa: ARG001 - as every decision has it
    """Start no hand any more, and stop the clocks; open hands play on."""
    refused = _refuse_not_running(state)
    if refused is None and state.stopped:
        return Refusal(TournamentReason.STOPPED_ALREADY, "the tournament is stopped already")
    return refused or (Stopped(),)


def resume(state: TournamentState, at: int) -> Answer:  # noqa: ARG001 - as every decision has it
    """Go on after a stop."""
    refused = _refuse_not_running(state)
    if refused is None and not state.stopped:
        return Refusal(TournamentReason.NOT_STOPPED, "the tournament is not stopped")
    return refused or (Resumed(),)


def cancel(
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    secret: str,
) -> Answer:
    """Cancel: before the start at once, later when it is stopped and no hand is open.

    `secret` is that of the draw that comes next, shown before the start. Later the players are
    placed, and closing the tables and `tournament_closed` are due.
    """
    if state.phase is Phase.REGISTERING:
        return (TournamentClosed(EndReason.CANCELLED, secret),)
    refused = _refuse_not_running(state)
    if refused is not None:
        return refused
    if not state.stopped:
        message = "a tournament is stopped before it is cancelled"
        return Refusal(TournamentReason.NOT_STOPPED, message)
    if is_decided(state):
        message = "nothing is left to be played for: the tournament ends by itself"
        return Refusal(TournamentReason.TOURNAMENT_CLOSED, message)
    # In a round hand for hand that the cancelling ends, some may have busted and have no place yet.
    busted = () if state.registration_open else place_busted(state)
    won = place_cancelled(state, still_to_win(state))
    return _refuse_open_hand(state) or (*busted, *won)


def close_restored(
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    secret: str,
) -> Answer:
    """Close a tournament whose log was restored, behind the `table_closed` of its tables.

    A table whose own log was lost has none.
    """
    if state.phase is Phase.CLOSED:
        return Refusal(TournamentReason.TOURNAMENT_CLOSED, "the tournament is over")
    return (TournamentClosed(EndReason.RESTORED, secret),)


def disqualify(
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    player: str,
) -> Answer:
    """Take a player that sits out, with its chips, between hands of its table.

    Not the last one that has chips, or will get some: without it nobody could win.
    """
    refused = _refuse_not_running(state)
    if refused is not None:
        return refused
    one = state.entrants.get(player)
    if one is None or not one.is_in:
        return Refusal(TournamentReason.NOT_IN, "the player is not in")
    if one.standing is not Standing.PLAYING:
        return Refusal(TournamentReason.NOT_SEATED, "the player does not sit yet")
    if stacks_in(state).keys() - {player} - state.lost.keys() == set():
        return Refusal(TournamentReason.LAST_PLAYER, "nobody else in has chips: the player has won")
    table = state.tables[one.table]
    if not table.is_between_hands:
        message = f"hand {table.hand} is open at table {table.table}"
        numbers = {"table": table.table, "hand": table.hand}
        return Refusal(TournamentReason.HAND_OPEN, message, numbers)
    return (Disqualified(player, one.table, one.seat, table.seats[one.seat].stack),)


def agree_deal(
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    shares: tuple[Share, ...],
    left: int,
) -> Answer:
    """Share what is still to be won, every player in having agreed.

    HAND_OPEN is said last: what waits for the end of a hand is right but for that.
    """
    refused = refuse_deal_now(state)
    if refused is not None:
        return refused
    names = [one.player for one in shares]
    players = sorted(name for name, one in state.entrants.items() if one.is_in)
    if names != players:
        message = f"a deal has a share for each of the {len(players)} players in, by rising name"
        return Refusal(TournamentReason.DEAL_DOES_NOT_ADD_UP, message, {"players": len(players)})
    whole = still_to_win(state)
    amounts = [left, *(one.amount for one in shares)]
    if sum(amounts) != whole or min(amounts) < 0:
        message = f"shares and what is left are together {whole}"
        return Refusal(TournamentReason.DEAL_DOES_NOT_ADD_UP, message, {"amount": whole})
    return _refuse_open_hand(state) or (DealAgreed(shares, left),)


def refuse_deal_now(state: TournamentState) -> Refusal | None:
    """Say why the players can not propose a deal now; None where they can.

    An open hand is no reason: the deal is made behind it.
    """
    refused = _refuse_deal(state)
    hand_open = refused is not None and refused.reason is TournamentReason.HAND_OPEN
    return None if hand_open else refused


def still_to_win(state: TournamentState) -> int:
    """Give what those in still play for; before registration has closed, the pool."""
    if state.deal is not None:
        return state.deal.left
    if state.registration_open:
        return prize_pool(state)
    return prizes_between(state.prizes, 1, state.players_in)


def _refuse_deal(state: TournamentState) -> Refusal | None:
    refused = _refuse_not_running(state)
    if refused is not None:
        return refused
    if state.deal is not None:
        return Refusal(TournamentReason.DEAL_MADE_ALREADY, "a deal was made already")
    one_table = state.tables_open == 1 and not state.waiting
    is_settled = not (state.registration_open or state.busted or state.lost)
    if not state.structure.deals or not is_settled or not one_table or is_decided(state):
        message = "deals are made at the last table, once registration has closed, by the rules"
        return Refusal(TournamentReason.NO_DEAL_NOW, message)
    return _refuse_open_hand(state)


def _refuse_not_running(state: TournamentState) -> Refusal | None:
    if state.phase is Phase.REGISTERING:
        return Refusal(TournamentReason.NOT_STARTED, "the tournament has not started")
    if not state.is_running:
        return Refusal(TournamentReason.TOURNAMENT_CLOSED, "the tournament is over")
    return None


def _refuse_open_hand(state: TournamentState) -> Refusal | None:
    for table in state.open_tables:
        if not table.is_between_hands:
            message = f"hand {table.hand} is open at table {table.table}"
            numbers = {"table": table.table, "hand": table.hand}
            return Refusal(TournamentReason.HAND_OPEN, message, numbers)
    return None
