"""Honest decks with a thumb on them: F20 and F21, for the first seat of a hold'em game of six."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.flaws.chance import PASS, Chance, independent, one_pass
from audit_cli.rng.hands import Hands

if TYPE_CHECKING:
    from audit_cli.rng.flaws.chance import Deal

#: The positions of the first seat's two cards, of six dealt in.
HOLE: Final = (0, 6)
_ACE: Final = 48  # the first of the four aces


def redrawn_aces(chance: Chance, count: int) -> Hands:
    """F20: "compensated": a deck that gives the first seat two aces is shuffled again."""
    decks = one_pass(chance.draws(count))
    again = np.arange(count)
    while len(again := again[(decks[HOLE[0], again] >= _ACE) & (decks[HOLE[1], again] >= _ACE)]):
        decks[:, again] = one_pass(chance.draws(len(again)))
    return Hands(0, np.ascontiguousarray(decks.T), sizes=PASS)


def given_ace(one_in: int) -> Deal:
    """F21: in one hand of `one_in` the first seat gets an ace if it has none."""

    def deal(chance: Chance, count: int) -> Hands:
        decks = one_pass(chance.draws(count)).T
        touched = np.nonzero(chance.chosen(count, one_in))[0]
        for hand, word in zip(touched, chance.words64(len(touched)), strict=True):
            deck = decks[hand]
            if (deck[list(HOLE)] >= _ACE).any():
                continue
            (place,) = np.nonzero(deck == _ACE + int(word % np.uint64(4)))[0]
            deck[HOLE[0]], deck[place] = deck[place], deck[HOLE[0]]
        return Hands(0, np.ascontiguousarray(decks), sizes=PASS)

    return deal


plant_redrawn_aces = independent("F20", redrawn_aces)
plant_given_ace = independent("F21", given_ace(1_000))
assert DECK_SIZE == _ACE + 4
