"""Scripted games: who sits down with how much, how each hand is played, and what comes between.

A plan names no act: those follow from the seed, the hand, the turn and what is allowed, so that
the same seed plays the same game as long as the dealer deals the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from cutcard.v1 import entry_pb2, play_pb2

HOUR: Final = 3_600_000
SLOW: Final[dict[str, Any]] = {
    "turn_ms": HOUR,
    "link_ms": HOUR,
    "pause_ms": HOUR,
    "max_ms": 10_000 * HOUR,
}
"""Clocks that run out only when the script lets time pass."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that somebody asks for beside the acts; `text` is a list of words or a reference.

    `what` is the name of a call in lower case.
    """

    who: str
    what: str
    amount: int = 0
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """How a hand is played.

    `style` is "mixed", "calling", "shoving" or "folding"; or "voided" (by the operator before its
    deck) or "missed" (its links run out of time): then the last player gives no link, and under
    the machine's own clock nobody does, for what is not logged can be lost with its dealer.
    `during` are asides by the turn before which they come, `after` those between this hand and the
    next, in which the game is paused. After a hand that `shows` everybody shows; in the turn
    `away` nobody acts, and hours pass.
    """

    style: str = "mixed"
    during: Mapping[int, tuple[Aside, ...]] = field(default_factory=dict)
    after: tuple[Aside, ...] = ()
    shows: bool = False
    away: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole game, and those that go on from it: players with their stacks, and the hands."""

    name: str
    rules: entry_pb2.RuleSet
    players: Mapping[str, int]
    hands: tuple[Hand, ...]
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unlinked: frozenset[str] = frozenset()

    @property
    def is_real(self) -> bool:
        """Whether it is played under the machine's own clock, and not under one that stands."""
        return self.rules.pause_ms < HOUR


def choose(seed: str, style: str, decision: play_pb2.Decision) -> tuple[int, int]:
    """Give the act of a turn and its total."""
    name = f"{seed} {decision.hand} {decision.turn}".encode()
    chance = sha256(name).digest()[0]
    calm = play_pb2.ACT_CHECK if decision.may_check else play_pb2.ACT_CALL
    sized = None
    if decision.HasField("raise"):
        sized = (play_pb2.ACT_RAISE, getattr(decision, "raise"))
    elif decision.HasField("bet"):
        sized = (play_pb2.ACT_BET, decision.bet)
    if style == "shoving" and sized is not None:
        return sized[0], sized[1].to
    if style == "folding":
        return (calm if decision.may_check else play_pb2.ACT_FOLD), 0
    if style == "mixed":
        if chance < 50 and sized is not None:
            return sized[0], getattr(sized[1], "from")
        if chance > 230 and not decision.may_check:
            return play_pb2.ACT_FOLD, 0
    return calm, 0


USUAL: Final = Plan(
    "usual",
    entry_pb2.RuleSet(small_blind=50, big_blind=100, **SLOW),
    {"ann": 2_000, "bob": 3_500, "cid": 5_000, "dan": 8_000},
    (
        Hand(
            "calling",
            during={2: (Aside("cid", "add_chips", 700),)},
            after=(Aside("dan", "sit_out"), Aside("ann", "add_chips", 300)),
            shows=True,
        ),
        Hand("voided", after=(Aside("bob", "anchor"),)),
        Hand("missed", after=(Aside("cid", "anchor_again"),)),
        Hand("mixed", after=(Aside("dan", "come_back"),)),
        Hand("calling", away=2, after=(Aside("away", "come_back"),)),
        Hand("shoving", after=(Aside("eve", "take_seat", 4_000),)),
        Hand("mixed", during={3: (Aside("dan", "leave"),)}, shows=True),
        Hand("folding", after=(Aside("eve", "remove"),)),
    ),
    unlinked=frozenset({"eve"}),
)

HOUSE: Final = Plan(
    "house",
    entry_pb2.RuleSet(
        **SLOW,
        small_blind=50,
        big_blind=100,
        variant="omaha_hi_lo",
        hole_cards=5,
        structure="pot_limit",
        seats=7,
        button="dead",
        newcomers="post",
        missed_blinds="dead",
        ante=entry_pb2.AnteRule(kind="each", amount=10),
        straddle=entry_pb2.StraddleRule(kind="button", min_raise="double"),
        runs=2,
        choices="at_once",
        rake=entry_pb2.RakeRule(
            per_ten_thousand=500,
            caps=[entry_pb2.RakeCap(players=2, cap=400)],
            no_flop_no_drop=True,
        ),
        time_bank=entry_pb2.TimeBankRule(start_ms=5_000, per_hand_ms=1_000, max_ms=60_000),
        return_ms=60_000,
        max_hands=3,
    ),
    {"ann": 2_000, "bob": 2_500, "cid": 6_000},
    (
        Hand("mixed", during={1: (Aside("bob", "sit_out"),)}),
        Hand("calling", after=(Aside("bob", "come_back"),), shows=True),
        Hand("shoving"),
        Hand("mixed", after=(Aside("cid", "leave"),)),
    ),
    {"ann": ("runs", "show"), "cid": ("runs", "straddle")},
)

SHORT: Final = Plan(
    "short",
    entry_pb2.RuleSet(small_blind=50, big_blind=100, **SLOW),
    {"ann": 2_000, "bob": 3_000, "cid": 4_000},
    (
        Hand("calling", after=(Aside("ann", "add_chips", 400),), shows=True),
        Hand("shoving", during={1: (Aside("cid", "leave"),)}),
    ),
)

REAL: Final = Plan(
    "real",
    entry_pb2.RuleSet(
        small_blind=50,
        big_blind=100,
        **SLOW | {"pause_ms": 10},
        missed_blinds="live",
        newcomers="post",
        button="dead",
        max_hands=4,
    ),
    {"ann": 2_000, "bob": 3_500, "cid": 5_000},
    (
        Hand(
            "calling",
            during={2: (Aside("cid", "add_chips", 700),)},
            after=(Aside("bob", "sit_out"), Aside("ann", "add_chips", 300)),
        ),
        Hand("voided", after=(Aside("ann", "anchor"), Aside("bob", "come_back"))),
        Hand("shoving", after=(Aside("eve", "take_seat", 4_000),)),
        Hand("mixed"),
        Hand("calling", during={2: (Aside("eve", "leave"),)}),
    ),
    unlinked=frozenset({"eve"}),
)
"""A game under a clock that nobody moves: it waits for nothing but a moment behind each hand."""

BRIEF: Final = Plan(
    "brief",
    entry_pb2.RuleSet(small_blind=50, big_blind=100, **SLOW | {"pause_ms": 10}),
    {"ann": 2_000, "bob": 3_500, "cid": 5_000},
    (
        Hand("calling", during={2: (Aside("cid", "add_chips", 700),)}),
        Hand("voided", after=(Aside("bob", "anchor"),)),
        Hand("shoving", during={1: (Aside("cid", "leave"),)}),
    ),
)
"""The same, with less of it."""

TINY: Final = Plan(
    "tiny",
    entry_pb2.RuleSet(small_blind=50, big_blind=100, **SLOW | {"pause_ms": 10}),
    {"ann": 2_000, "bob": 3_000},
    (Hand("folding"),),
)

PLANS: Final = {plan.name: plan for plan in (USUAL, HOUSE, SHORT, REAL, BRIEF, TINY)}
