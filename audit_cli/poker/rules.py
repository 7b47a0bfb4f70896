"""The rules of one hand: which game, how much may be bet, what is posted, raked and shared.

The part of a rule set (protocol 6.1) that section 9 plays by, in the engine's own terms; amounts
are chips.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from audit_cli.poker.games import HOLDEM, Game


class Structure(Enum):
    """How much may be bet."""

    NO_LIMIT = "no_limit"
    POT_LIMIT = "pot_limit"
    FIXED_LIMIT = "fixed_limit"


class Limits(NamedTuple):
    """The bets of fixed limit; `cap` is the most of a street, 0 for none."""

    small_bet: int
    big_bet: int
    cap: int
    uncapped_heads_up: bool


class Rake(NamedTuple):
    """What the house takes; `caps` are (players, cap) by rising players."""

    per_ten_thousand: int
    caps: tuple[tuple[int, int], ...]
    no_flop_no_drop: bool

    def amount(self, lying: int, players: int, *, flop: bool) -> int:
        """Return the rake of a hand with so much in its pots (protocol 9.6)."""
        if self.no_flop_no_drop and not flop:
            return 0
        cap = 0
        for least, most in self.caps:
            if least <= players:
                cap = most
        return min(lying * self.per_ten_thousand // 10_000, cap)


class HandRules(NamedTuple):
    """How a hand is played.

    `ante` is (kind, amount), `straddle` (kind, whether the first raise over it is by as much
    again). `runs` and `chop` tell whether they are offered, `show_all` whether nobody mucks.
    """

    small_blind: int
    big_blind: int
    chip_unit: int = 1
    game: Game = HOLDEM
    structure: Structure = Structure.NO_LIMIT
    limits: Limits | None = None
    rounded_up: bool = False
    ante: tuple[str, int] | None = None
    straddle: tuple[str, bool] | None = None
    rake: Rake | None = None
    runs: bool = False
    chop: bool = False
    show_all: bool = False


class Positions(NamedTuple):
    """Where a hand's button and blinds stand, as its opening says.

    The button may be at an empty seat. `small_blind` is None where it is dead; `straddle` where
    nobody straddles.
    """

    button: int
    small_blind: int | None
    big_blind: int
    straddle: int | None = None


# The states of an opening that are dealt in (protocol 6.3).
DEALT_IN = frozenset({"in", "absent"})


def read_opening(body: dict[str, Any]) -> tuple[dict[int, int], Positions]:
    """Return the stack of each seat dealt in, and the positions, as a `hand_opened` gives them."""
    stacks = {seat["seat"]: seat["stack"] for seat in body["seats"] if seat["state"] in DEALT_IN}
    at = Positions(
        body["button"],
        body.get("small_blind_seat"),
        body["big_blind_seat"],
        body.get("straddle_seat"),
    )
    return stacks, at
