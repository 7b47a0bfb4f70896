"""Told games of many houses, as exports and reviews are tested with."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from random import Random

from audit_cli.told.hand import Game, Hand
from audit_cli.told.view import see_as
from dealer_service.rules.entry import (
    AnteKind,
    AnteRule,
    Button,
    Limits,
    MissedBlinds,
    Newcomers,
    PotSmallBlind,
    RakeCap,
    RakeRule,
    RuleSet,
    Structure,
    Variant,
)
from tests.support.random_rules import random_rules
from tests.support.simulator import (
    HOUSE_LIFE,
    HOUSES,
    RULES,
    Habits,
    Simulator,
    play_game,
)
from tests.support.told_houses import hands_of, told

_RAKE = RakeRule(500, (RakeCap(2, 300),), no_flop_no_drop=True)
_OMAHA = replace(
    RULES,
    variant=Variant.OMAHA,
    hole_cards=4,
    structure=Structure.POT_LIMIT,
    pot_small_blind=PotSmallBlind.EXACT,
    buy_in_min=50,
    buy_in_max=2_000,
)

SHORT_HOUSES: Mapping[str, RuleSet] = {
    "plain": RULES,
    "short": replace(RULES, buy_in_min=20, buy_in_max=400),
    "short_antes": replace(RULES, buy_in_min=5, buy_in_max=300, ante=AnteRule(AnteKind.EACH, 30)),
    "short_big_blind_antes": replace(
        RULES, buy_in_min=5, buy_in_max=300, ante=AnteRule(AnteKind.BIG_BLIND, 100)
    ),
    "equal_blinds": replace(RULES, small_blind=100, buy_in_min=50, buy_in_max=600),
    "units": replace(RULES, chip_unit=25, buy_in_min=60, buy_in_max=900, rake=_RAKE),
    "posts": replace(
        RULES,
        newcomers=Newcomers.POST,
        missed_blinds=MissedBlinds.DEAD,
        ante=AnteRule(AnteKind.EACH, 30),
        buy_in_min=5,
        buy_in_max=400,
    ),
    "omaha_four": _OMAHA,
    "omaha_rounded": replace(_OMAHA, pot_small_blind=PotSmallBlind.ROUNDED_UP, button=Button.DEAD),
    "limit_eight": replace(
        RULES,
        variant=Variant.OMAHA_HI_LO,
        hole_cards=4,
        structure=Structure.FIXED_LIMIT,
        limits=Limits(100, 200, 4, uncapped_heads_up=True),
        buy_in_min=50,
        buy_in_max=2_000,
        rake=_RAKE,
    ),
    "limit_uncapped": replace(
        RULES,
        structure=Structure.FIXED_LIMIT,
        limits=Limits(100, 200, 0, uncapped_heads_up=False),
        buy_in_min=50,
        buy_in_max=1_000,
    ),
}
"""Short stacks above all, in every structure: where formats and engines part."""

ALL_HOUSES: Mapping[str, RuleSet] = {**HOUSES, **SHORT_HOUSES}

HEADS_UP = Habits(show=0.3, prefer=0.3, ahead=0.1)
"""As lively as two players can be who both stay."""


def tell(simulator: Simulator, *, openings_of: str | None = None) -> Game:
    """Tell the game of a simulator."""
    return told(simulator.game_file(openings_of=openings_of))


@cache
def told_games(house: str) -> tuple[Game, ...]:
    """Play a house heads-up and with six, and tell each game as all and as one player saw it."""
    rules = ALL_HOUSES[house]
    games = []
    for players, habits in ((2, HEADS_UP), (6, HOUSE_LIFE)):
        game = tell(play_game(seed=1, hands=12, players=players, habits=habits, rules=rules))
        games += [game, see_as(game, game.players[0])]
    return tuple(games)


def nothing_to_win() -> tuple[Game, Hand]:
    """Give a hand with a dead small blind that all fold to the big blind; a folded player shows."""
    rules = random_rules(Random(357))
    game = tell(play_game(seed=51, hands=10, players=6, habits=HOUSE_LIFE, rules=rules))
    (hand,) = [hand for hand in hands_of(game) if hand.number == 5]
    assert not hand.pots
    assert set(hand.shown) & set(hand.folded)
    return game, hand
