"""Acts that a player chooses before its turn comes, bound to what it saw then.

An act chosen ahead is done at once in the turn, as long as the street and the bet to match are
still those at which it was chosen; else it is forgotten. It is no entry and nobody else's to see:
the log has the act alone, `by` `pre_action`.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from dealer_service.rules import hand as engine
from dealer_service.rules.entry import Act, Acted, By
from dealer_service.rules.play import in_play
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.seating import held_seat
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import TableState


@unique
class PreAct(StrEnum):
    """What may be chosen ahead."""

    CHECK_FOLD = "check_fold"
    CHECK = "check"
    CALL = "call"
    CALL_ANY = "call_any"
    FOLD = "fold"


FREE = {PreAct.CHECK_FOLD: Act.CHECK, PreAct.CHECK: Act.CHECK, PreAct.CALL_ANY: Act.CHECK}
"""What is done where nothing is owed; nothing for a call, which has nothing to call."""

OWED = {PreAct.CHECK_FOLD: Act.FOLD, PreAct.CALL: Act.CALL, PreAct.CALL_ANY: Act.CALL}
"""What is done where chips are owed."""


@dataclass(frozen=True, slots=True)
class ChosenAct:
    """An act chosen ahead, with the hand, the street and the bet to match that it answers."""

    act: PreAct
    hand: int
    street: int
    to_match: int


def choose_ahead(state: TableState, player: str, hand: int, act: PreAct) -> ChosenAct | Refusal:
    """Take note of what a player wants to do in its next turn of the open hand."""
    seat = held_seat(state, player)
    if isinstance(seat, Refusal):
        return seat
    opened = in_play(state, hand)
    if isinstance(opened, Refusal):
        return opened
    play = opened.play
    place = play.frame.place.get(seat)
    live = place is not None and not play.chairs[place].folded and play.chairs[place].stack
    if not live or play.pending is None:
        message = f"no turn of seat {seat} is to come on this street"
        return Refusal(TableReason.NO_TURN_TO_COME, message, {"seat": seat})
    if play.pending.place == place:
        message = "the turn has come: act"
        return Refusal(TableReason.TURN_HAS_COME, message, {"turn": play.betting.turn})
    return ChosenAct(act, hand, play.betting.street, play.betting.to_match)


def is_binding(state: TableState, chosen: ChosenAct) -> bool:
    """Say whether hand, street and bet to match are still those at which an act was chosen."""
    if state.open is None or state.hand != chosen.hand:
        return False
    betting = state.open.play.betting
    return (betting.street, betting.to_match) == (chosen.street, chosen.to_match)


def act_ahead(state: TableState, chosen: ChosenAct) -> Acted | None:
    """Give the act chosen ahead for the seat whose turn it is; None where it does not bind."""
    if state.open is None or not is_binding(state, chosen):
        return None
    play = state.open.play
    pending, betting = play.pending, play.betting
    if pending is None:
        return None
    act = (
        Act.FOLD if chosen.act is PreAct.FOLD else (OWED if pending.call else FREE).get(chosen.act)
    )
    if act is None:
        return None
    seat = play.chairs[pending.place].seat
    acted = engine.act(play, seat, betting.turn, act, None, By.PRE_ACTION)
    return None if isinstance(acted, Refusal) else acted
