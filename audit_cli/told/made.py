"""What hole cards make of a whole board: the strengths of high and low, and their names (9.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from audit_cli.derive import CARD_NUMBERS
from audit_cli.poker.lows import name_low
from audit_cli.poker.ranking import name_hand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.poker.ranking import Strength
    from audit_cli.told.hand import Hand


class Made(NamedTuple):
    """A made hand: its strengths compare as hands do. `low` is None where there is none."""

    high: Strength
    low: Strength | None

    @property
    def name(self) -> str:
        """The name of the high hand: "Full house, queens full of fours"."""
        return name_hand(self.high)

    @property
    def low_name(self) -> str:
        """The name of the low hand, empty where there is none."""
        return "" if self.low is None else name_low(self.low)


def made_hand(hand: Hand, holes: Sequence[str], board: Sequence[str]) -> Made:
    """Return what `holes` make of a board of five cards, by the rules of the hand's game."""
    game = hand.rules.game
    own = [CARD_NUMBERS[card] for card in holes]
    open_cards = [CARD_NUMBERS[card] for card in board]
    return Made(game.high(own, open_cards), game.low(own, open_cards))
