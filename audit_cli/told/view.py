"""A game as one player saw it: its own cards, the boards, and the hands that were shown."""

from __future__ import annotations

from dataclasses import replace

from audit_cli.told.hand import Game, Hand


def see_as(game: Game, player: str) -> Game:
    """Return the game without the hole cards that `player` did not see.

    Hands that did not deal the player in stay, with the cards shown in them.
    """
    hands = tuple(
        replace(told, hand=_see_hand(told.hand, player)) if isinstance(told.hand, Hand) else told
        for told in game.hands
    )
    return replace(game, hands=hands)


def _see_hand(hand: Hand, player: str) -> Hand:
    seats = tuple(
        seat if seat.player == player or seat.seat in hand.shown else replace(seat, holes=None)
        for seat in hand.seats
    )
    return replace(hand, seats=seats, hero=player)
