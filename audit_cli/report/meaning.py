"""What a broken promise means, in words that ask for no knowledge of the protocol.

It decides nothing: each sentence is a promise's line of section 12, said from its other side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise

if TYPE_CHECKING:
    from collections.abc import Mapping

MEANINGS: Mapping[Promise, str] = {
    Promise.BOUND: "a hand's secret is not the one that the dealer had committed to",
    Promise.REPLAYED: "cards that were shown, or a deck's root, are not those of the hand's deck",
    Promise.ORDERED: "lines are out of order, or no signature shows that a deck was fixed before "
    "its first card: it may have been chosen late, or a checkpoint was taken out of the file",
    Promise.DEALT: "a card was skipped, swapped, or shown where it was not dealt",
    Promise.COMPLETE: "a hand is missing, or more were thrown away than may be",
    Promise.PLAYED: "a bet, a pot, a stack or a winner is not by the rules of the game",
    Promise.SIGNED: "part of the file is not what the dealer signed: behind the last good "
    "checkpoint a line was changed, added or taken out, or the signature is another's. Whoever had "
    "the file can have done it: get it from the dealer again before you blame anybody",
    Promise.CONSISTENT: "the dealer's signature is under another history than this file's, too: "
    "keep the files of both",
    Promise.PLAYER_MIXED: "a deck was made without the randomness that a client gave, or with "
    "other than it gave",
    Promise.BEACON_MIXED: "a deck was made without the public round that the rules ask for, or "
    "with a wrong one",
    Promise.WITNESSED: "the dealer's log, as witnesses know it, does not bear this game out",
    Promise.DRAWN: "a seat, a button or a chip was not drawn as promised",
    Promise.SEATED: "somebody sat, moved or went out otherwise than by the rules",
    Promise.LEVELS: "a hand was played at blinds, or at a time, that its level does not have",
    Promise.COUNTED: "chips came or went that nobody bought or lost",
    Promise.PLACED: "a place or a prize is not by the rules",
    Promise.LINKED: "a table's log tells other than the tournament's, or is missing",
}
