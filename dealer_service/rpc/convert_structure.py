"""Between a tournament's structure and its message; what is zero or empty takes a default.

A word that no structure knows is read as the usual one; `find_unknown_words` names it, and
`rules.tournament.structure.find_faults` every other fault.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, TypeVar

from cutcard.v1 import entry_pb2, tournament_entry_pb2
from dealer_service.rpc.convert_rules import rules_message, rules_of
from dealer_service.rules.entry import AnteKind, AnteRule, RuleSet
from dealer_service.rules.ruleset import MOST
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

Word = TypeVar("Word", bound=StrEnum)

SEATS: Final = 9
STACK: Final = 100
"""In big blinds of level 1."""
MOST_HANDS: Final = 20_000
MOST_MS: Final = 30 * 24 * 3_600_000
"""No hand of a table comes behind so many or so long: its tournament must be over by then."""
LEVEL_MS: Final = 10 * 60_000
LEVEL_HANDS: Final = 10
DECIDE_MS: Final = 15_000

_LEVELS: Final = (
    (50, 100, 25),
    (75, 150, 25),
    (100, 200, 25),
    (150, 300, 25),
    (200, 400, 100),
    (300, 600, 100),
    (400, 800, 100),
    (500, 1_000, 100),
    (700, 1_400, 100),
    (1_000, 2_000, 500),
    (1_500, 3_000, 500),
    (2_000, 4_000, 500),
    (3_000, 6_000, 500),
    (4_000, 8_000, 1_000),
    (6_000, 12_000, 1_000),
    (8_000, 16_000, 1_000),
    (10_000, 20_000, 1_000),
    (15_000, 30_000, 1_000),
    (20_000, 40_000, 1_000),
    (30_000, 60_000, 1_000),
)
"""Small blind, big blind and unit of each level where a request names none."""

_SHARES: Final = (
    (2, (10_000,)),
    (4, (6_500, 3_500)),
    (7, (5_000, 3_000, 2_000)),
    (11, (4_000, 2_500, 1_600, 1_100, 800)),
    (31, (3_000, 2_000, 1_400, 1_000, 800, 600, 500, 400, 300)),
)
"""The share of each place, by the fewest players, where a request names none."""


def structure_of(message: tournament_entry_pb2.Structure) -> Structure:
    """Read a structure in which what is zero or empty takes the dealer's default.

    That is a table of nine which starts when it is full, with the usual levels of ten minutes, all
    of the pool to the first places by the usual shares. The rules are a game's, with blinds, ante
    and unit of level 1, and the words that a tournament's table has.
    """
    level_by = _word(LevelBy, message.level_by or "time")
    levels = _levels(message.levels, level_by)
    rules = _rules(message.rules, levels)
    stack = message.stack or STACK * levels[0].big_blind
    return Structure(
        name=message.name or "Tournament",
        rules=rules,
        stack=stack,
        start=_start(message.start),
        players_min=message.players_min or 2,
        players_max=message.players_max or rules.seats,
        levels=levels,
        level_by=level_by,
        take_over=message.take_over,
        buy_in=message.buy_in,
        fee=message.fee,
        guarantee=message.guarantee,
        payout=_payout(message.payout),
        hand_for_hand=message.hand_for_hand,
        ties=_word(Ties, message.ties or "share"),
        redraw=tuple(message.redraw),
        deals=message.deals,
        late=LateRule(message.late.levels, message.late.reentries)
        if message.HasField("late")
        else None,
        rebuy=_rebuy(message, stack) if message.HasField("rebuy") else None,
        add_on=_add_on(message, stack) if message.HasField("add_on") else None,
    )


def find_unknown_words(message: tournament_entry_pb2.Structure) -> dict[str, str]:
    """Give by its path each field whose word is none that it may have, and what it must be."""
    told: list[tuple[str, str, type[StrEnum]]] = [
        ("start.kind", message.start.kind, StartKind),
        ("level_by", message.level_by, LevelBy),
        ("payout.kind", message.payout.kind, PayoutKind),
        ("ties", message.ties, Ties),
    ]
    for place, level in enumerate(message.levels):
        told.append((f"levels[{place}].ante.kind", level.ante.kind, AnteKind))
    return {
        path: f"must be {' or '.join(words)}, or empty for the usual one"
        for path, text, words in told
        if text and text not in set(words)
    }


def structure_message(structure: Structure) -> tournament_entry_pb2.Structure:
    """Write a structure."""
    late, rebuy, add_on = structure.late, structure.rebuy, structure.add_on
    return tournament_entry_pb2.Structure(
        name=structure.name,
        rules=rules_message(structure.rules),
        stack=structure.stack,
        start=tournament_entry_pb2.StartRule(kind=structure.start.kind, at=structure.start.at),
        players_min=structure.players_min,
        players_max=structure.players_max,
        levels=[_level_message(level) for level in structure.levels],
        level_by=structure.level_by,
        late=tournament_entry_pb2.LateRule(levels=late.levels, reentries=late.reentries)
        if late
        else None,
        rebuy=_rebuy_message(rebuy) if rebuy else None,
        add_on=tournament_entry_pb2.AddOnRule(chips=add_on.chips, cost=add_on.cost)
        if add_on
        else None,
        take_over=structure.take_over,
        buy_in=structure.buy_in,
        fee=structure.fee,
        guarantee=structure.guarantee,
        payout=_payout_message(structure.payout),
        hand_for_hand=structure.hand_for_hand,
        ties=structure.ties,
        redraw=structure.redraw,
        deals=structure.deals,
    )


def _word(words: type[Word], text: str) -> Word:
    return words(text) if text in set(words) else next(iter(words))


def _rules(message: entry_pb2.RuleSet, levels: tuple[Level, ...]) -> RuleSet:
    told = entry_pb2.RuleSet()
    told.CopyFrom(message)
    first = levels[0]
    # What is above the greatest integer of a log is named where it stands: in the level.
    if first.big_blind <= MOST:
        told.small_blind = told.small_blind or first.small_blind
        told.big_blind = told.big_blind or first.big_blind
    told.chip_unit = told.chip_unit or min(first.chip_unit, MOST)
    if first.ante is not None and not told.HasField("ante"):
        told.ante.kind, told.ante.amount = first.ante.kind, first.ante.amount
    told.seats = told.seats or SEATS
    told.button = told.button or "dead"
    told.newcomers = told.newcomers or "by_position"
    told.absent = told.absent or "dealt_in"
    told.max_hands = told.max_hands or MOST_HANDS
    told.max_ms = told.max_ms or MOST_MS
    told.ClearField("tournament")
    return rules_of(told)


def _start(message: tournament_entry_pb2.StartRule) -> StartRule:
    at = message.at if message.HasField("at") else None
    kind = message.kind or ("full" if at is None else "at")
    return StartRule(_word(StartKind, kind), at)


def _levels(told: Iterable[tournament_entry_pb2.Level], level_by: LevelBy) -> tuple[Level, ...]:
    usual = LEVEL_MS if level_by is LevelBy.TIME else LEVEL_HANDS
    if level_by is LevelBy.ORBITS:
        usual = 1
    levels = [
        Level(
            small_blind=one.small_blind or max(1, one.big_blind // 2),
            big_blind=one.big_blind or 2 * one.small_blind,
            chip_unit=one.chip_unit or 1,
            length=one.length or usual,
            break_ms=one.break_ms,
            ante=_ante(one.ante) if one.HasField("ante") else None,
        )
        for one in told
    ]
    if not levels:
        levels = [Level(small, big, unit, usual, 0) for small, big, unit in _LEVELS]
    return tuple(levels)


def _ante(message: entry_pb2.AnteRule) -> AnteRule:
    return AnteRule(_word(AnteKind, message.kind or "each"), message.amount)


def _rebuy(message: tournament_entry_pb2.Structure, stack: int) -> RebuyRule:
    told = message.rebuy
    return RebuyRule(
        chips=told.chips or stack,
        cost=told.cost or message.buy_in,
        most=told.most,
        max_stack=told.max_stack,
        decide_ms=told.decide_ms or DECIDE_MS,
    )


def _add_on(message: tournament_entry_pb2.Structure, stack: int) -> AddOnRule:
    told = message.add_on
    return AddOnRule(told.chips or stack, told.cost or message.buy_in)


def _payout(message: tournament_entry_pb2.PayoutRule) -> PayoutRule:
    kind = _word(PayoutKind, message.kind or "shares")
    unit = message.unit if message.HasField("unit") else None
    tables = tuple(ShareTable(one.players, tuple(one.shares)) for one in message.tables) or None
    if kind is PayoutKind.SHARES:
        unit = unit or 1
        tables = tables or tuple(ShareTable(players, shares) for players, shares in _SHARES)
    return PayoutRule(
        kind=kind,
        unit=unit,
        tables=tables,
        prize=message.prize if message.HasField("prize") else None,
        points=tuple(message.points) or None,
    )


def _level_message(level: Level) -> tournament_entry_pb2.Level:
    ante = level.ante
    return tournament_entry_pb2.Level(
        small_blind=level.small_blind,
        big_blind=level.big_blind,
        chip_unit=level.chip_unit,
        ante=entry_pb2.AnteRule(kind=ante.kind, amount=ante.amount) if ante else None,
        length=level.length,
        break_ms=level.break_ms,
    )


def _rebuy_message(rebuy: RebuyRule) -> tournament_entry_pb2.RebuyRule:
    return tournament_entry_pb2.RebuyRule(
        chips=rebuy.chips,
        cost=rebuy.cost,
        most=rebuy.most,
        max_stack=rebuy.max_stack,
        decide_ms=rebuy.decide_ms,
    )


def _payout_message(payout: PayoutRule) -> tournament_entry_pb2.PayoutRule:
    return tournament_entry_pb2.PayoutRule(
        kind=payout.kind,
        unit=payout.unit,
        tables=[
            tournament_entry_pb2.ShareTable(players=one.players, shares=one.shares)
            for one in payout.tables or ()
        ],
        prize=payout.prize,
        points=payout.points or (),
    )
