"""Anchors, links and misses: what a player's chain may add to a hand, and when (section 2).

The hash of a chain and the memory of values come in as arguments: `NextLink` gives the value
after a link in a player's chain, and `Past` knows every value that was ever logged. A value is
accepted as new once only, whoever gives it and whatever for.
"""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from dealer_service.rules.entry import Anchored
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import (
    MAX_MISSES,
    Phase,
    TableState,
    is_dealt_in,
    seat_of,
)

NextLink: TypeAlias = Callable[[str, str], str]
"""next_link(player, link): the value after `link` in the player's chain, both in hex."""


class Past(Protocol):
    """What a log holds of values, from its first line on."""

    def was_used(self, value: str) -> bool:
        """Say whether `value` was logged, or given as a link for the open hand."""
        ...

    def missed_anchor(self, hand: int, player: str) -> str | None:
        """Give the frozen anchor whose link the player did not give in `hand`."""
        ...


def log_anchor(  # noqa: PLR0913 - an anchor after a miss comes with both others
    state: TableState,
    player: str,
    anchor: str,
    missing_hand: int | None,
    missing_link: str | None,
    *,
    next_link: NextLink,
    past: Past,
) -> tuple[Anchored] | Refusal:
    """Log the end of a player's chain; after a miss only with the link that was missing."""
    if state.closed is not None:
        return Refusal(TableReason.GAME_CLOSED, "the game has closed")
    seat = seat_of(state, player)
    if seat is None or state.seats[seat].leaving:
        return _no_seat()
    if is_dealt_in(state, seat):
        message = f"a player dealt in anchors between hands: wait until hand {state.hand} has ended"
        return Refusal(TableReason.HAND_OPEN, message, {"hand": state.hand})
    refused = _refuse_miss(
        state, player, missing_hand, missing_link, next_link=next_link, past=past
    )
    refused = refused or refuse_used(past, anchor)
    if refused is not None:
        return refused
    if anchor == missing_link:
        return Refusal(
            TableReason.ANCHOR_USED, "the missing link is no new anchor: make a new chain"
        )
    return (Anchored(seat, player, anchor, missing_hand, missing_link),)


def accept_link(  # noqa: PLR0911, PLR0913 - a return for each reason, and what to judge by
    state: TableState,
    player: str,
    hand: int,
    link: str,
    given: Mapping[int, str],
    *,
    next_link: NextLink,
    past: Past,
) -> int | Refusal:
    """Give the seat whose link for the open hand this is; `given` are the links that came.

    The same link again is accepted again; `past` need not know the player's own one.
    """
    opened, seat = state.open, seat_of(state, player)
    if seat is None:
        return _no_seat()
    if opened is None or hand != state.hand:
        message = f"hand {hand} is not open, and a link is for the open hand"
        return Refusal(TableReason.HAND_NOT_OPEN, message, {"hand": hand, "last_hand": state.hand})
    frozen = opened.frozen.get(seat)
    if frozen is None or frozen.anchor is None or frozen.player != player:
        message = f"hand {hand} opened without an anchor of the player and takes no link of it"
        return Refusal(TableReason.NO_FROZEN_ANCHOR, message, {"hand": hand})
    if state.phase is not Phase.LINKS:
        # The player's anchor is the link that the deck was made with.
        return seat if link == state.seats[seat].anchor else _other_link(hand)
    if seat in given:
        return seat if link == given[seat] else _other_link(hand)
    if next_link(player, link) != frozen.anchor:
        message = "the link is not the value before the frozen anchor in the player's chain"
        return Refusal(TableReason.LINK_DOES_NOT_FIT, message, {"hand": hand})
    if past.was_used(link):
        return Refusal(TableReason.LINK_USED, "the link was logged before, and counts once only")
    return seat


def refuse_used(past: Past, anchor: str) -> Refusal | None:
    """Refuse an anchor that is no new value."""
    if not past.was_used(anchor):
        return None
    message = "the anchor was logged before, and counts once only: make a new chain"
    return Refusal(TableReason.ANCHOR_USED, message)


def _no_seat() -> Refusal:
    message = "the player has no seat of this game; take one first"
    return Refusal(TableReason.NOT_SEATED, message)


def _other_link(hand: int) -> Refusal:
    message = f"the player gave another link for hand {hand}, and gives one at most"
    return Refusal(TableReason.LINK_GIVEN_ALREADY, message, {"hand": hand})


def _refuse_miss(  # noqa: PLR0911, PLR0913 - as accept_link
    state: TableState,
    player: str,
    missing_hand: int | None,
    missing_link: str | None,
    *,
    next_link: NextLink,
    past: Past,
) -> Refusal | None:
    missed = state.misses.get(player, ())
    if len(missed) >= MAX_MISSES:
        message = f"after {MAX_MISSES} missing links a player adds no more randomness to this game"
        return Refusal(TableReason.MISSED_TOO_OFTEN, message, {"misses": len(missed)})
    if not missed:
        if missing_hand is None and missing_link is None:
            return None
        return Refusal(
            TableReason.NOTHING_MISSED, "the player missed no link; give the anchor alone"
        )
    hand = missed[-1]
    if missing_hand != hand or missing_link is None:
        message = f"the link for hand {hand} was missing: give it together with the new anchor"
        return Refusal(TableReason.MISSING_LINK_NEEDED, message, {"hand": hand})
    if next_link(player, missing_link) != past.missed_anchor(hand, player):
        message = f"this is not the link that was missing in hand {hand}"
        return Refusal(TableReason.MISSING_LINK_DOES_NOT_FIT, message, {"hand": hand})
    if past.was_used(missing_link):
        message = f"the link that was missing in hand {hand} was given already, and counts once"
        return Refusal(TableReason.MISSING_LINK_USED, message, {"hand": hand})
    return None
