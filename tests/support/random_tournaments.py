"""Random tournaments that can be played: structures of every kind, and how lively they are.

Everything comes from one `random.Random`, so that one seed is one event.
"""

from dataclasses import replace
from random import Random
from typing import Final

from dealer_service.rules.entry import AnteKind, AnteRule
from dealer_service.rules.tournament.entry import (
    AddOnRule,
    LateRule,
    Level,
    LevelBy,
    PayoutKind,
    PayoutRule,
    RebuyRule,
    ShareTable,
    StartKind,
    StartRule,
    Structure,
    Ties,
)
from dealer_service.rules.tournament.structure import USUAL
from tests.support.tournament_play import START, Habits

UNITS: Final = (5, 5, 25, 25, 100, 100, 500, 500, 1_000, 5_000)

SHARES: Final = (
    ShareTable(2, (10_000,)),
    ShareTable(5, (6_500, 3_500)),
    ShareTable(20, (5_000, 2_500, 1_500, 1_000)),
)

LENGTHS: Final = {LevelBy.TIME: (60_000, 300_000), LevelBy.HANDS: (1, 3, 8), LevelBy.ORBITS: (1,)}


def random_structure(dice: Random) -> Structure:
    """Give a structure without a fault."""
    payout = _payout(dice)
    points = payout.kind is PayoutKind.POINTS
    level_by = dice.choice([*LevelBy])
    levels = _levels(dice, dice.choice(LENGTHS[level_by]))
    late = rebuy = add_on = None
    if dice.random() < 0.6:
        late = LateRule(dice.randint(1, len(levels) - 1), dice.choice([0, 1, 3]))
        rebuy, add_on = _sold(dice, points=points)
    if late is not None and add_on is not None:
        last = late.levels - 1
        levels[last] = replace(levels[last], break_ms=120_000)
    first = levels[0]
    rules = replace(
        USUAL.rules,
        seats=dice.randint(2, 10),
        small_blind=first.small_blind,
        big_blind=first.big_blind,
        chip_unit=first.chip_unit,
        ante=first.ante,
        pause_ms=dice.choice([0, 2_000]),
    )
    at = StartRule(StartKind.AT, START + dice.choice([0, 60_000]))
    return Structure(
        name="Of chance",
        rules=rules,
        stack=dice.choice([500, 1_500, 1_505]),
        start=dice.choice([StartRule(StartKind.FULL), at]),
        players_min=2,
        players_max=dice.choice([2, 3, 6, 9, 10, 18, 27]),
        levels=tuple(levels),
        level_by=level_by,
        take_over=dice.random() < 0.4,
        buy_in=0 if points else 100,
        fee=0 if points else 10,
        guarantee=0 if points else dice.choice([0, 0, 100_000]),
        payout=payout,
        hand_for_hand=dice.choice([0, 1, 3, 10]),
        ties=dice.choice([*Ties]),
        redraw=dice.choice([(), (1,), (2, 1)]),
        deals=payout.kind in {PayoutKind.SHARES, PayoutKind.WINNER} and dice.random() < 0.5,
        late=late,
        rebuy=rebuy,
        add_on=add_on,
    )


def random_habits(dice: Random) -> Habits:
    """Give habits, of which most leave something out."""
    return Habits(
        all_in=dice.choice([0.1, 0.3]),
        late=dice.choice([0, 5, 10]),
        voids=dice.choice([0, 0.05]),
        stops=dice.choice([0, 0.02]),
        disqualifies=dice.choice([0, 0.02]),
        absent=dice.choice([0, 0.2]),
        anchors=dice.choice([0, 0.5]),
        house=dice.choice([0, 0.5]),
        deals=dice.random() < 0.5,
        deal_left=dice.random() < 0.5,
        cancels=dice.choice([0, 0, 0, 20]),
    )


def _payout(dice: Random) -> PayoutRule:
    return dice.choice(
        [
            PayoutRule(PayoutKind.SHARES, unit=dice.choice([1, 5, 100]), tables=SHARES),
            PayoutRule(PayoutKind.WINNER),
            PayoutRule(PayoutKind.SATELLITE, prize=dice.choice([150, 700])),
            PayoutRule(PayoutKind.POINTS, points=(10, 6, 3)),
        ]
    )


def _levels(dice: Random, length: int) -> list[Level]:
    levels = []
    small = 10
    for unit in UNITS[: dice.randint(2, len(UNITS))]:
        small = -(-max(small * dice.choice([1, 2]), unit) // unit) * unit
        ante = AnteRule(dice.choice([*AnteKind]), unit) if dice.random() < 0.5 else None
        levels.append(Level(small, 2 * small, unit, length, dice.choice([0, 0, 60_000]), ante))
    return levels


def _sold(dice: Random, *, points: bool) -> tuple[RebuyRule | None, AddOnRule | None]:
    rebuy = RebuyRule(
        chips=50_000,
        cost=0 if points else 50,
        most=dice.choice([0, 1, 3]),
        max_stack=dice.choice([0, 1_500]),
        decide_ms=dice.choice([0, 20_000, 90_000]),
    )
    add_on = AddOnRule(50_000, 0 if points else 70)
    return dice.choice([None, rebuy]), dice.choice([None, add_on])
