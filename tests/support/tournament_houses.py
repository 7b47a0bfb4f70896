"""Events that together have every kind of entry, draw and move, each played once in a process.

`event` gives a copy of an event's files; `HOUSES` says what each is played by.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

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
from tests.support.tournament_files import EventFiles, play_event
from tests.support.tournament_play import START, Habits

_BLINDS: Final = (
    *((10, 5), (15, 5), (25, 5), (50, 25), (75, 25), (100, 100), (200, 100)),
    *((400, 100), (500, 500), (1_000, 500), (2_000, 1_000), (4_000, 1_000), (8_000, 1_000)),
)
SHARES: Final = PayoutRule(
    PayoutKind.SHARES,
    unit=10,
    tables=(
        ShareTable(2, (10_000,)),
        ShareTable(5, (6_500, 3_500)),
        ShareTable(10, (5_000, 3_000, 2_000)),
        ShareTable(30, (3_000, 2_000, 1_500, 1_000, 800, 700, 500, 500)),
    ),
)
SOON: Final = StartRule(StartKind.AT, START + 60_000)


def make_levels(length: int, *, breaks: dict[int, int], ante: bool = False) -> tuple[Level, ...]:
    """Give levels of one length, with breaks of so many ms behind some of them."""
    return tuple(
        Level(
            small,
            2 * small,
            unit,
            length,
            breaks.get(number, 0),
            AnteRule(AnteKind.BIG_BLIND, 2 * small) if ante else None,
        )
        for number, (small, unit) in enumerate(_BLINDS, 1)
    )


def make_structure(seats: int, players: int, levels: tuple[Level, ...], **more: Any) -> Structure:
    """Give a structure of tables of so many seats for so many players, played for money."""
    first = levels[0]
    rules = replace(
        USUAL.rules,
        seats=seats,
        link_ms=1_000,
        pause_ms=500,
        small_blind=first.small_blind,
        big_blind=first.big_blind,
        chip_unit=first.chip_unit,
        ante=first.ante,
    )
    usual: dict[str, Any] = {"buy_in": 100, "fee": 10, "payout": SHARES, "levels": levels}
    return replace(USUAL, rules=rules, players_max=players, **usual | more)


@dataclass(frozen=True, slots=True)
class House:
    """What an event is played by, and how."""

    structure: Structure
    habits: Habits
    seed: int
    visitors: tuple[str, ...] = ()


_PLAIN: Final = make_levels(300_000, breaks={})
_LATE_LEVELS: Final = make_levels(120_000, breaks={2: 60_000, 3: 30_000})

HOUSES: Final = {
    "sit_and_go": House(make_structure(6, 6, _PLAIN), Habits(anchors=0.5), 3),
    "tables": House(
        make_structure(
            6,
            18,
            make_levels(100_000, breaks={2: 20_000}, ante=True),
            hand_for_hand=2,
            redraw=(1,),
        ),
        Habits(all_in=0.3, anchors=0.3, voids=0.02),
        1,
    ),
    "late": House(
        make_structure(
            6,
            30,
            _LATE_LEVELS,
            players_min=4,
            start=SOON,
            late=LateRule(3, 1),
            rebuy=RebuyRule(1_500, 100, 2, 1_500, 20_000),
            add_on=AddOnRule(2_000, 100),
            hand_for_hand=2,
            ties=Ties.STACKS,
        ),
        Habits(late=6, all_in=0.3, stops=0.01, disqualifies=0.02, absent=0.1, anchors=0.4),
        1,
    ),
    "take_over": House(
        make_structure(6, 12, _PLAIN, take_over=True, level_by=LevelBy.TIME),
        Habits(house=0.5, all_in=0.1),
        2,
        ("guest1", "guest2"),
    ),
    "deal": House(make_structure(6, 10, _PLAIN, deals=True), Habits(deals=True, all_in=0.2), 1),
    "satellite": House(
        make_structure(
            9,
            18,
            _PLAIN,
            payout=PayoutRule(PayoutKind.SATELLITE, prize=400),
            hand_for_hand=2,
        ),
        Habits(all_in=0.3),
        1,
    ),
    "orbits": House(
        make_structure(
            4,
            8,
            make_levels(1, breaks={2: 10_000}),
            level_by=LevelBy.ORBITS,
            payout=PayoutRule(PayoutKind.POINTS, points=(10, 6, 3)),
            buy_in=0,
            fee=0,
        ),
        Habits(all_in=0.15),
        1,
    ),
    "hands": House(
        make_structure(
            5,
            10,
            make_levels(3, breaks={}),
            level_by=LevelBy.HANDS,
            payout=PayoutRule(PayoutKind.WINNER),
        ),
        Habits(all_in=0.2, voids=0.03),
        1,
    ),
    "cancelled": House(make_structure(6, 12, _PLAIN), Habits(cancels=12, all_in=0.15), 1),
}
"""Structures, habits and seeds by name."""


@cache
def _played(name: str) -> EventFiles:
    house = HOUSES[name]
    return play_event(
        house.structure, seed=house.seed, habits=house.habits, visitors=house.visitors
    )


def event(name: str) -> EventFiles:
    """Give the files of an event, to change."""
    return _played(name).copy()
