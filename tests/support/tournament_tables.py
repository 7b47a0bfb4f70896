"""One table of a tournament, played by the simulator: levels, races, absent players, moves.

The tournament itself is played dice: who comes, goes and busts, and when a level begins, is chance
here, and all that happens at the table follows from it by the rules.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Final

from dealer_service.rules.entry import (
    AnteKind,
    AnteRule,
    Button,
    CloseReason,
    HandLevel,
    Limits,
    Newcomers,
    PotSmallBlind,
    RuleSet,
    Structure,
    TimeBankRule,
    TournamentTable,
    VoidReason,
)
from tests.support.simulator import NAMES, RULES, Simulator, casual

TOURNAMENT: Final = "7e" * 16
TABLE_RULES: Final = replace(
    RULES,
    seats=9,
    small_blind=25,
    big_blind=50,
    chip_unit=25,
    button=Button.DEAD,
    newcomers=Newcomers.BY_POSITION,
    absent="dealt_in",
    time_bank=TimeBankRule(20_000, 500, 30_000),
    tournament=TournamentTable(TOURNAMENT, 3),
)
"""The rules of a no-limit table of a tournament."""

POT_LIMIT: Final = replace(
    TABLE_RULES, structure=Structure.POT_LIMIT, pot_small_blind=PotSmallBlind.EXACT
)
FIXED_LIMIT: Final = replace(
    TABLE_RULES,
    structure=Structure.FIXED_LIMIT,
    limits=Limits(50, 100, 4, uncapped_heads_up=True),
)
LEVELS: Final = (
    HandLevel(1, 25, 50, 25),
    HandLevel(2, 50, 100, 25, AnteRule(AnteKind.BIG_BLIND, 100)),
    HandLevel(3, 100, 200, 100, AnteRule(AnteKind.BIG_BLIND, 200)),
    HandLevel(4, 200, 400, 100, AnteRule(AnteKind.EACH, 50)),
    HandLevel(5, 500, 1_000, 500),
)
"""Levels with and without antes, two of which are of another unit than the one before."""


def play_table(
    *,
    seed: int = 1,
    hands: int = 12,
    players: int = 6,
    rules: RuleSet = TABLE_RULES,
    close: bool = True,
    hands_of_a_level: int = 3,
) -> Simulator:
    """Play so many hands of a table, void ones and those of a level's last included."""
    table = Simulator(seed=seed, rules=rules, chain_length=hands + 2)
    dice = table.random
    for name in NAMES[:players]:
        table.give_seat(name, _free_seat(table), 50 * dice.randint(20, 80), anchored=_often(dice))
    for number in range(hands):
        begin_level(table, LEVELS[min(number // hands_of_a_level, len(LEVELS) - 1)])
        _come_and_go(table)
        if len([one for one in table.state.seats.values() if one.stack]) < 2:
            break
        if table.state.hand == 0:
            seats = table.state.seats
            table.button = dice.choice([n for n, one in seats.items() if one.stack])
        _play_hand(table)
        _bust(table)
    if close:
        table.close(CloseReason.TOURNAMENT)
        table.reveal()
    return table


def begin_level(table: Simulator, level: HandLevel) -> None:
    """Play on by a level, after a chip race where its unit is a higher one."""
    before, table.level = table.level, level
    if before is not None and before.chip_unit < level.chip_unit:
        stacks = {number: seat.stack for number, seat in table.state.seats.items()}
        table.give_color_up(level.chip_unit, race(table.random, level.chip_unit, stacks))


def race(dice: Random, unit: int, stacks: Mapping[int, int]) -> dict[int, int]:
    """Give the stacks of those with odd chips behind a race for as many whole ones (14.8)."""
    odd = {seat: stack % unit for seat, stack in stacks.items() if stack % unit}
    drawn, rest = divmod(sum(odd.values()), unit)
    won = dice.sample(sorted(odd), drawn + (2 * rest >= unit))
    whole = {seat: stacks[seat] - chips for seat, chips in odd.items()}
    return {seat: kept + unit * (seat in won or not kept) for seat, kept in whole.items()}


def _often(dice: Random) -> bool:
    return dice.random() < 0.7


def _free_seat(table: Simulator) -> int:
    seats = range(1, table.state.rules.seats + 1)
    return table.random.choice([n for n in seats if n not in table.state.seats])


def _come_and_go(table: Simulator) -> None:
    dice, state = table.random, table.state
    table.wait(50, 3_000)
    unit = table.level.chip_unit if table.level else 25
    for name in table.players():
        seat = next(one for one in state.seats.values() if one.player == name)
        if seat.sitting_out and dice.random() < 0.4:
            table.come_back(name)
        elif not seat.sitting_out and dice.random() < 0.15:
            table.sit_out(name)
        elif dice.random() < 0.1:
            table.give_chips(name, unit * dice.randint(1, 40))
    staying = table.players()
    if len(staying) > 3 and dice.random() < 0.3:
        table.give_up_seat(dice.choice(staying))
    away = [name for name in NAMES if name not in table.players()]
    if away and len(table.state.seats) < table.state.rules.seats and dice.random() < 0.6:
        table.give_seat(
            dice.choice(away),
            _free_seat(table),
            unit * dice.randint(10, 60),
            house=dice.random() < 0.2,
            anchored=_often(dice),
        )


def _play_hand(table: Simulator) -> None:
    dice = table.random
    table.wait(200, 1_500)
    table.open_hand()
    assert table.state.open is not None
    frozen = [one.player for one in table.state.open.frozen.values()]
    if frozen and dice.random() < 0.1:
        table.give_links(missing=frozen[:1])
        table.void_hand(VoidReason.LINK_MISSING)
        return
    table.give_links()
    table.commit_deck()
    removes = len(table.players(dealt_in=True)) > 2 and dice.random() < 0.1

    def before_turn(played: Simulator) -> None:
        nonlocal removes
        if removes:
            removes = False
            played.give_removal(dice.choice(played.players(dealt_in=True)))
        elif dice.random() < 0.05:
            name = dice.choice(played.players(dealt_in=True))
            away = next(one for one in played.state.seats.values() if one.player == name)
            (played.come_back if away.sitting_out else played.sit_out)(name)

    table.play_out(
        choose=lambda played, due: None if dice.random() < 0.03 else casual(played, due),
        before_turn=before_turn,
    )
    table.end_hand()


def _bust(table: Simulator) -> None:
    for name in table.players():
        seat = next(one for one in table.state.seats.values() if one.player == name)
        if seat.stack == 0:
            table.give_up_seat(name)
