"""The deck that a void hand would have had, and how each seat would have fared in it.

Derivable where the link of every frozen anchor is known: all came before the void, or those
missing were handed in later by `missing_link` (protocol 2). Nothing is judged here; it is printed,
so that anyone can see whether hands were thrown away for their cards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.replayed import mix_of
from audit_cli.derive import CARDS, StreamExhaustedError, derive_deck
from audit_cli.poker.positions import clockwise
from audit_cli.poker.ranking import measure, name_hand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.checks.table import OpenHand, Table


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
    n = len(order)
    # Behind the hole cards: burn, three to the flop, burn, turn, burn, river.
    board = (*deck[2 * n + 1 : 2 * n + 4], deck[2 * n + 5], deck[2 * n + 7])
    seats = []
    for place, seat in enumerate(order):
        holes = (deck[place], deck[n + place])
        seats.append((measure((*holes, *board)), seat, holes))
    best = max(strength for strength, _, _ in seats)
    winners = sum(1 for strength, _, _ in seats if strength == best)
    won = "would have won" if winners == 1 else "would have tied"
    lines = [f"the deck that would have been: board {_cards(board)}"]
    for strength, seat, holes in sorted(seats, reverse=True):
        player = hand.players[seat].player
        fate = won if strength == best else "would have lost"
        lines.append(f"seat {seat} {player}: {_cards(holes)}, {name_hand(strength)}, {fate}")
    return lines


def _cards(cards: Sequence[int]) -> str:
    return " ".join(CARDS[card] for card in cards)
