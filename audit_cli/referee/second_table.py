"""PokerKit as a referee: plays a hand as it is logged, and says where it sees it otherwise.

PokerKit is an optional extra; this is the one module that imports it, when it is asked for.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, TypeAlias

from audit_cli.poker.rules import Structure
from audit_cli.referee.witnessed import Acted, Boarded, Showed

if TYPE_CHECKING:
    from types import ModuleType

    from audit_cli.referee.witnessed import WitnessedHand

# PokerKit's own types are not known where it is not installed.
State: TypeAlias = Any

_UNSEEN = "??"
# What its own checks raise where it does not go along.
_REFUSALS = (ValueError, AssertionError, LookupError, TypeError, ArithmeticError, UserWarning)


class SeenOtherwiseError(Exception):
    """PokerKit does not go along with an entry; the text says with which and why."""


def load() -> ModuleType:
    """Import PokerKit; ImportError where it is not installed."""
    import pokerkit  # noqa: PLC0415  (an optional extra, for this alone)

    return pokerkit


def play(kit: ModuleType, hand: WitnessedHand) -> str | None:
    """Play a hand with PokerKit; None where it agrees, else what it sees otherwise."""
    with warnings.catch_warnings():
        # It warns of what a cash game allows and a tournament does not.
        warnings.simplefilter("ignore")
        try:
            state = _start(kit, hand)
            for event in hand.events:
                _take(state, hand, event)
            return _compare(state, hand)
        except SeenOtherwiseError as otherwise:
            return str(otherwise)
        except _REFUSALS as refusal:
            return f"it can not play the hand: {refusal}"


def _start(kit: ModuleType, hand: WitnessedHand) -> State:
    """Return PokerKit's state with blinds posted and hole cards dealt."""
    rules, order = hand.rules, hand.order
    blinds = [0] * len(order)
    if hand.at.small_blind is not None:
        blinds[order.index(hand.at.small_blind)] = rules.small_blind
    blinds[order.index(hand.at.big_blind)] = rules.big_blind
    if hand.at.straddle is not None:
        blinds[order.index(hand.at.straddle)] = 2 * rules.big_blind
    kind, ante = rules.ante or ("each", 0)
    antes = [ante if kind == "each" or seat == hand.at.big_blind else 0 for seat in order]
    if len(order) == 2:
        # Listed button first, while its first player is the big blind.
        blinds.reverse()
        antes.reverse()
    automations = kit.Automation
    state = kit.State(
        (
            automations.ANTE_POSTING,
            automations.BET_COLLECTION,
            automations.BLIND_OR_STRADDLE_POSTING,
            automations.HAND_KILLING,
            automations.CHIPS_PUSHING,
            automations.CHIPS_PULLING,
        ),
        kit.Deck.STANDARD,
        _hand_types(kit, hand),
        _streets(kit, hand),
        {
            Structure.NO_LIMIT: kit.BettingStructure.NO_LIMIT,
            Structure.POT_LIMIT: kit.BettingStructure.POT_LIMIT,
            Structure.FIXED_LIMIT: kit.BettingStructure.FIXED_LIMIT,
        }[rules.structure],
        kind == "each",
        antes,
        blinds,
        0,
        [hand.stacks[seat] for seat in order],
        len(order),
        mode=kit.Mode.CASH_GAME,
    )
    hole = hand.hole
    for seat in order:
        state.deal_hole("".join(hole.get(seat, ())) or _UNSEEN * rules.game.hole_cards)
    return state


def _hand_types(kit: ModuleType, hand: WitnessedHand) -> tuple[Any, ...]:
    game = hand.rules.game
    if not game.two_count:
        return (kit.StandardHighHand,)
    if game.hi_lo:
        return (kit.OmahaHoldemHand, kit.OmahaEightOrBetterLowHand)
    return (kit.OmahaHoldemHand,)


def _streets(kit: ModuleType, hand: WitnessedHand) -> tuple[Any, ...]:
    rules = hand.rules
    small = big = rules.big_blind
    count = None
    if rules.limits is not None:
        small, big = rules.limits.small_bet, rules.limits.big_bet
        if not rules.limits.uncapped_heads_up:
            count = rules.limits.cap or None
    position = kit.Opening.POSITION
    hole = (False,) * rules.game.hole_cards
    return (
        kit.Street(False, hole, 0, False, position, small, count),
        kit.Street(True, (), 3, False, position, small, count),
        kit.Street(True, (), 1, False, position, big, count),
        kit.Street(True, (), 1, False, position, big, count),
    )


def _take(state: State, hand: WitnessedHand, event: Acted | Boarded | Showed) -> None:
    """Take one event; SeenOtherwiseError where PokerKit does not go along."""
    if isinstance(event, Acted):
        what = f"seat {event.seat} {event.act} to {event.to}"
    elif isinstance(event, Boarded):
        what = f"board {' '.join(event.cards)}"
    else:
        what = f"seat {event.seat} {'shows' if event.cards else 'mucks'}"
    try:
        if isinstance(event, Acted):
            _act(state, hand, event)
        elif isinstance(event, Boarded):
            _go_on(state, hand)
            if state.can_burn_card(_UNSEEN):
                state.burn_card(_UNSEEN)
            state.deal_board("".join(event.cards))
        else:
            _go_on(state, hand)
            shown = "".join(event.cards) or False
            state.show_or_muck_hole_cards(shown, hand.order.index(event.seat))
    except _REFUSALS as refusal:
        message = f"{what}: {refusal}"
        raise SeenOtherwiseError(message) from None


def _go_on(state: State, hand: WitnessedHand) -> None:
    """Pass what PokerKit asks for and no rule does: a check against nobody, the count of boards."""
    while (
        state.actor_index is not None
        and not state.checking_or_calling_amount
        and sum(1 for index in range(len(hand.order)) if _has_chips(state, index)) < 2
    ):
        state.check_or_call()
    while state.can_select_runout_count():
        state.select_runout_count(hand.runs)


def _has_chips(state: State, index: int) -> bool:
    return bool(state.statuses[index] and state.stacks[index])


def _act(state: State, hand: WitnessedHand, event: Acted) -> None:
    index = hand.order.index(event.seat)
    if state.actor_index != index:
        turn = (
            "nobody's" if state.actor_index is None else f"seat {hand.order[state.actor_index]}'s"
        )
        message = f"it is {turn} turn"
        raise ValueError(message)
    if event.act == "fold":
        state.fold()
    elif event.act in ("check", "call"):
        bet = state.bets[index] + state.checking_or_calling_amount
        if bet != event.to:
            message = f"a check or call is to {bet}"
            raise ValueError(message)
        state.check_or_call()
    else:
        state.complete_bet_or_raise_to(event.to)


def _compare(state: State, hand: WitnessedHand) -> str | None:
    """Compare the stacks at the end; rake is the one winner's."""
    if state.status:
        return "the hand is not over"
    ended = {seat: state.stacks[index] for index, seat in enumerate(hand.order)}
    winners = {seat for award in hand.awards for seat, _ in award.shares}
    if hand.rake and len(winners) == 1:
        ended[winners.pop()] -= hand.rake
    wrong = [
        f"seat {seat} ends with {ended[seat]}, not {hand.ended.get(seat)}"
        for seat in sorted(ended)
        if ended[seat] != hand.ended.get(seat)
    ]
    return "; ".join(wrong) or None
