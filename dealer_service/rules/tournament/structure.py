"""Which structures a tournament can be played by (14.3), and the usual one."""

import dataclasses
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from dealer_service.rules import ruleset
from dealer_service.rules.entry import Button, Newcomers, RuleSet, TournamentTable
from dealer_service.rules.ruleset import MOST, Fault
from dealer_service.rules.tournament.entry import (
    AddOnRule,
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
from dealer_service.rules.tournament.prizes import MOST_PAID, WHOLE

MOST_PLAYERS: Final = 10_000
MOST_LEVELS: Final = 100
MOST_REDRAWS: Final = 100
MOST_SHARE_TABLES: Final = 100
MOST_SHARES: Final = 5_000
MOST_POINTS: Final = 1_000_000_000
"""So many lists and numbers that a structure, and the prizes of any pool, fit into a line."""

LEAST_HANDS: Final = 1_000
LEAST_MS: Final = 86_400_000
"""A table that has had its hands, or its time, opens none any more: each has to have enough."""

MOST_DECIDE_MS: Final = 3_600_000
"""A table waits for who decides on a rebuy no longer than an hour."""

MOST_UNITS: Final = 1_000
"""No unit is more times that of level 1, so that a race's list is short enough for a draw."""

MOST_PURCHASES: Final = 1_000_000
"""So many entries, rebuys and add-ons there can be at most, all together."""

_NAME: Final = re.compile("[ -~]{1,64}")
_ANY_TABLE: Final = TournamentTable("0" * 32, 1)

_PAYS: Final = {
    PayoutKind.SHARES: {"unit", "tables"},
    PayoutKind.WINNER: set[str](),
    PayoutKind.SATELLITE: {"prize"},
    PayoutKind.POINTS: {"points"},
}
"""The fields that belong to each kind of payout, and to no other."""


def _usual_levels() -> tuple[Level, ...]:
    blinds = (10, 20), (15, 30), (25, 50), (50, 100), (75, 150), (100, 200), (150, 300), (200, 400)
    higher = ((small * 10, big * 10) for small, big in blinds[2:])
    pairs = (*blinds, *higher, (3_000, 6_000), (5_000, 10_000))
    return tuple(
        Level(small, big, 100 if small >= 1_000 else 25 if small >= 50 else 5, 360_000, 0)
        for small, big in pairs
    )


USUAL: Final = Structure(
    name="Sit & Go",
    rules=dataclasses.replace(
        ruleset.USUAL,
        seats=6,
        small_blind=10,
        big_blind=20,
        chip_unit=5,
        button=Button.DEAD,
        newcomers=Newcomers.BY_POSITION,
        absent="dealt_in",
        max_hands=1_000_000,
        max_ms=2_592_000_000,
    ),
    stack=1_500,
    start=StartRule(StartKind.FULL),
    players_min=2,
    players_max=6,
    levels=_usual_levels(),
    level_by=LevelBy.TIME,
    take_over=False,
    buy_in=0,
    fee=0,
    guarantee=0,
    payout=PayoutRule(
        PayoutKind.SHARES,
        unit=1,
        tables=(ShareTable(2, (10_000,)), ShareTable(5, (6_500, 3_500))),
    ),
    hand_for_hand=1,
    ties=Ties.SHARE,
    redraw=(),
    deals=False,
)
"""A Sit & Go for six, without money: change fields by `dataclasses.replace`."""


def table_rules(structure: Structure, tournament: str, table: int) -> RuleSet:
    """Give the rules of a table's game: those of the structure, with whose table it is."""
    return dataclasses.replace(structure.rules, tournament=TournamentTable(tournament, table))


def find_faults(structure: Structure) -> tuple[Fault, ...]:
    """Give every fault of a structure at once, in the order of its fields; none if it can be.

    A fault's field is a path, such as `rules.seats` or `levels[2].small_blind`, lists from 0.
    """
    order = [one.name for one in dataclasses.fields(structure)]
    found = [
        *_find_rules(structure),
        *_find_entering(structure),
        *_find_levels(structure),
        *_find_options(structure),
        *_find_payout(structure),
        *_find_sums(structure),
    ]
    return tuple(sorted(found, key=lambda one: order.index(re.split(r"[.\[]", one.field)[0])))


def _bounded(field: str, value: int, least: int, most: int = MOST) -> Iterator[Fault]:
    if not least <= value <= most:
        message = f"{field} must be at least {least} and at most {most}"
        yield Fault(field, message, {"min": least, "max": most})


def _find_rules(structure: Structure) -> Iterator[Fault]:
    if not _NAME.fullmatch(structure.name):
        yield Fault("name", "name must be 1 to 64 characters of printable ASCII")
    rules = structure.rules
    if rules.tournament is not None:
        yield Fault("rules.tournament", "rules.tournament must be absent: every table gets its own")
    for one in ruleset.find_faults(dataclasses.replace(rules, tournament=_ANY_TABLE)):
        yield Fault(f"rules.{one.field}", f"rules.{one.message}", one.numbers)
    yield from _bounded("rules.max_hands", rules.max_hands, LEAST_HANDS)
    yield from _bounded("rules.max_ms", rules.max_ms, LEAST_MS)
    if structure.levels:
        first = structure.levels[0]
        for name in ("small_blind", "big_blind", "chip_unit", "ante"):
            if getattr(rules, name) != getattr(first, name):
                yield Fault(f"rules.{name}", f"rules.{name} must be that of level 1")


def _find_entering(structure: Structure) -> Iterator[Fault]:
    start = structure.start
    if (start.at is not None) != (start.kind is StartKind.AT):
        yield Fault("start.at", "start.at must be there exactly with at")
    elif start.at is not None:
        yield from _bounded("start.at", start.at, 0)
    yield from _bounded("players_max", structure.players_max, 2, MOST_PLAYERS)
    yield from _bounded("players_min", structure.players_min, 2, max(2, structure.players_max))
    yield from _bounded("stack", structure.stack, 1)
    unit = structure.levels[0].chip_unit if structure.levels else 1
    if unit > 0 and structure.stack % unit:
        message = f"stack must be a multiple of level 1's chip_unit, {unit}"
        yield Fault("stack", message, {"chip_unit": unit})
    for name in ("buy_in", "fee", "guarantee"):
        yield from _bounded(name, getattr(structure, name), 0)
    yield from _bounded("hand_for_hand", structure.hand_for_hand, 0, MOST_PLAYERS)
    tables = structure.redraw
    falling = all(before > after for before, after in pairwise(tables))
    fits = len(tables) <= MOST_REDRAWS
    if not fits or not falling or (tables and not 1 <= tables[-1] <= tables[0] <= MOST_PLAYERS):
        message = (
            f"redraw must be up to {MOST_REDRAWS} numbers of tables, 1 to {MOST_PLAYERS}, falling"
        )
        yield Fault("redraw", message, {"min": 1, "max": MOST_PLAYERS})


def _find_levels(structure: Structure) -> Iterator[Fault]:
    levels = structure.levels
    if not 1 <= len(levels) <= MOST_LEVELS:
        message = f"levels must be 1 to {MOST_LEVELS}"
        yield Fault("levels", message, {"min": 1, "max": MOST_LEVELS})
    for place, level in enumerate(levels):
        path = f"levels[{place}]"
        yield from _bounded(f"{path}.small_blind", level.small_blind, 1)
        yield from _bounded(f"{path}.big_blind", level.big_blind, level.small_blind)
        yield from _bounded(f"{path}.chip_unit", level.chip_unit, 1, _most_unit(structure))
        yield from _bounded(f"{path}.length", level.length, 1)
        yield from _bounded(f"{path}.break_ms", level.break_ms, 0)
        if level.ante is not None:
            yield from _bounded(f"{path}.ante.amount", level.ante.amount, 1)
        yield from _find_undivided(path, level)
        if place:
            for name in ("small_blind", "big_blind", "chip_unit"):
                least = getattr(levels[place - 1], name)
                if getattr(level, name) < least:
                    message = f"{path}.{name} must be at least {least}, that of the level before"
                    yield Fault(f"{path}.{name}", message, {"min": least})


def _most_unit(structure: Structure) -> int:
    return max(1, MOST_UNITS * structure.levels[0].chip_unit)


def _find_undivided(path: str, level: Level) -> Iterator[Fault]:
    unit = level.chip_unit
    amounts = (level.small_blind, level.big_blind, level.ante.amount if level.ante else 0)
    if unit > 0 and any(amount % unit for amount in amounts):
        message = f"{path}.chip_unit must divide its blinds and its ante"
        yield Fault(f"{path}.chip_unit", message)


def _find_options(structure: Structure) -> Iterator[Fault]:
    late, levels = structure.late, structure.levels
    if late is not None:
        yield from _bounded("late.levels", late.levels, 1, max(1, len(levels) - 1))
        yield from _bounded("late.reentries", late.reentries, 0)
        if len(levels) == 1:
            yield Fault("late", "late needs a level behind those in which one may enter")
    for name, rule in (("rebuy", structure.rebuy), ("add_on", structure.add_on)):
        if rule is not None:
            yield from _find_sold(structure, name, rule)
    if structure.rebuy is not None:
        for field in ("most", "max_stack"):
            yield from _bounded(f"rebuy.{field}", getattr(structure.rebuy, field), 0)
        yield from _bounded("rebuy.decide_ms", structure.rebuy.decide_ms, 0, MOST_DECIDE_MS)
    last = levels[late.levels - 1 : late.levels] if late is not None else ()
    if structure.add_on is not None and any(not one.break_ms for one in last):
        yield Fault("add_on", "add_on needs a break after level late.levels")


def _find_sold(structure: Structure, name: str, rule: RebuyRule | AddOnRule) -> Iterator[Fault]:
    if structure.late is None:
        yield Fault(name, f"{name} needs late")
        return
    yield from _bounded(f"{name}.chips", rule.chips, 1)
    yield from _bounded(f"{name}.cost", rule.cost, 0)
    units = {one.chip_unit for one in structure.levels[: structure.late.levels]}
    if any(unit > 0 and rule.chips % unit for unit in units):
        message = f"{name}.chips must be a multiple of the chip_units while it is sold"
        yield Fault(f"{name}.chips", message)


def _find_payout(structure: Structure) -> Iterator[Fault]:
    rule = structure.payout
    for field in ("unit", "tables", "prize", "points"):
        there, belongs = getattr(rule, field) is not None, field in _PAYS[rule.kind]
        if there != belongs:
            word = "must" if belongs else "may not"
            yield Fault(f"payout.{field}", f"payout.{field} {word} be there with {rule.kind}")
    if rule.unit is not None:
        yield from _bounded("payout.unit", rule.unit, 1)
    if rule.prize is not None:
        yield from _bounded("payout.prize", rule.prize, 1)
    if rule.tables is not None:
        yield from _find_shares(rule.tables)
    if rule.points is not None:
        yield from _find_points(rule.points)
    if rule.kind is PayoutKind.POINTS:
        yield from _find_money(structure)
    if structure.deals and rule.kind not in {PayoutKind.SHARES, PayoutKind.WINNER}:
        yield Fault("deals", "deals are for shares and winner")


def _find_money(structure: Structure) -> Iterator[Fault]:
    costs = {
        "buy_in": structure.buy_in,
        "fee": structure.fee,
        "guarantee": structure.guarantee,
        "rebuy.cost": structure.rebuy.cost if structure.rebuy else 0,
        "add_on.cost": structure.add_on.cost if structure.add_on else 0,
    }
    for field, cost in costs.items():
        if cost:
            yield Fault(field, f"{field} must be 0 with points", {"max": 0})


def _find_points(points: tuple[int, ...]) -> Iterator[Fault]:
    fits = 1 <= len(points) <= MOST_PAID and _is_falling(points) and points[0] <= MOST_POINTS
    if not fits:
        message = f"payout.points must be 1 to {MOST_PAID} numbers up to {MOST_POINTS}, not rising"
        yield Fault("payout.points", message, {"max": MOST_POINTS})


def _find_shares(tables: tuple[ShareTable, ...]) -> Iterator[Fault]:
    players = [one.players for one in tables]
    rises = 1 <= len(players) <= MOST_SHARE_TABLES and players == sorted(set(players))
    if not rises or not 1 <= players[0] <= players[-1] <= MOST_PLAYERS:
        message = f"payout.tables must be 1 to {MOST_SHARE_TABLES}, by rising players"
        yield Fault("payout.tables", message, {"max": MOST_SHARE_TABLES})
    if sum(len(one.shares) for one in tables) > MOST_SHARES:
        message = f"payout.tables must have at most {MOST_SHARES} shares, all together"
        yield Fault("payout.tables", message, {"max": MOST_SHARES})
    for place, one in enumerate(tables):
        if len(one.shares) > MOST_PAID:
            field = f"payout.tables[{place}].shares"
            yield Fault(field, f"{field} must be at most {MOST_PAID}", {"max": MOST_PAID})
        if sum(one.shares) != WHOLE or not _is_falling(one.shares):
            field = f"payout.tables[{place}].shares"
            message = f"{field} must be {WHOLE} together, and not rise"
            yield Fault(field, message, {"sum": WHOLE})


def _is_falling(numbers: tuple[int, ...]) -> bool:
    falls = all(before >= after for before, after in pairwise(numbers))
    return falls and min(numbers, default=0) >= 0


def _find_sums(structure: Structure) -> Iterator[Fault]:
    rebuy, add_on = structure.rebuy, structure.add_on
    chips = structure.stack + (rebuy.chips if rebuy else 0) + (add_on.chips if add_on else 0)
    if chips * MOST_PURCHASES > MOST:
        most = MOST // MOST_PURCHASES
        message = f"stack must be at most {most}, with the chips of a rebuy and an add-on"
        yield Fault("stack", message, {"max": most})
    costs = (rebuy.cost if rebuy else 0) + (add_on.cost if add_on else 0)
    money = (structure.buy_in + structure.fee + costs) * MOST_PURCHASES + structure.guarantee
    if money > MOST:
        message = f"buy_in must be less: all money of {MOST_PURCHASES} entries is below 2^53"
        yield Fault("buy_in", message, {"max": MOST // MOST_PURCHASES})
