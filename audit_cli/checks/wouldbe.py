"""The deck that a void hand would have had, and how each seat would have fared in it.

Derivable where the link of every frozen anchor is known: all came before the void, or those
missing were handed in later by `missing_link` (protocol 2). Nothing is judged here; it is printed,
so that anyone can see whether hands were thrown away for their cards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.replayed import mix_of
from audit_cli.derive import CARDS, StreamExhaustedError, derive_deck
from audit_cli.poker.games import HOLDEM
from audit_cli.poker.lows import name_low
from audit_cli.poker.positions import clockwise
from audit_cli.poker.ranking import name_hand

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from audit_cli.checks.table import OpenHand, Table
    from audit_cli.poker.ranking import Strength

_BOARD_AND_BURNS = 8


def describe_would_be(table: Table, hand: OpenHand, secret: str) -> list[str] | None:
    """Return the board and each seat's hand at the river, best first, in words.

    None where the deck can not be derived.
    """
    if hand.links.keys() != hand.frozen.keys():
        return None
    if table.rules is not None and table.rules.beacon is not None and hand.beacon is None:
        return None
    mix = mix_of(table, hand)
    if mix is None:
        return None
    try:
        deck = derive_deck(bytes.fromhex(secret), mix).cards
    except StreamExhaustedError:
        return None
    order = clockwise(hand.players, hand.button)
    game = HOLDEM if table.rules is None else table.rules.hand.game
    n = len(order)
    # Behind the hole cards: burn, three to the flop, burn, turn, burn, river.
    first = game.hole_cards * n
    if first + _BOARD_AND_BURNS > len(deck):
        return None
    board = (*deck[first + 1 : first + 4], deck[first + 5], deck[first + 7])
    holes = {seat: deck[place:first:n] for place, seat in enumerate(order)}
    high = {seat: game.high(cards, board) for seat, cards in holes.items()}
    low = {seat: low for seat in order if (low := game.low(holes[seat], board)) is not None}
    lines = [f"the deck that would have been: board {_cards(board)}"]
    for seat in sorted(order, key=lambda seat: (high[seat], seat), reverse=True):
        fate = f"{name_hand(high[seat])}, {_fate(high[seat], high.values())}"
        if low:
            fate = f"{fate} high"
        if seat in low:
            fate = f"{fate}; {name_low(low[seat])}, {_fate(low[seat], low.values())} low"
        player = hand.players[seat].player
        lines.append(f"seat {seat} {player}: {_cards(holes[seat])}, {fate}")
    return lines


def _fate(strength: Strength, rivals: Iterable[Strength]) -> str:
    """How a hand would have fared among all of them, itself included."""
    ranked = sorted(rivals)
    if strength < ranked[-1]:
        return "would have lost"
    return "would have won" if ranked.count(strength) == 1 else "would have tied"


def _cards(cards: Sequence[int]) -> str:
    return " ".join(CARDS[card] for card in cards)
