"""The shape of a structure, and what its fields have to be together: protocol 14.3.

They are judged as one, since no entry of a tournament means anything without its structure.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from audit_cli.canonical import MAX_INTEGER
from audit_cli.entries import RULES
from audit_cli.shape import Shape, boolean, choice, fields, integer, list_of

MAX_PLAYERS = 10_000
MAX_LEVELS = 100
MAX_UNITS = 1_000
MOST_PAID = 2_500
"""So many places are paid at most."""
MAX_NAMES = 99_999
"""So many names register at most: some again and again go out, and others come."""
_MAX_REDRAWS = 100
_MAX_TABLES = 100
_MAX_SHARES = 5_000
_MOST_POINTS = 10**9
_LEAST_HANDS = 1_000
_LEAST_MS = 86_400_000
_MAX_DECIDE_MS = 3_600_000
WHOLE = 10_000
"""What the shares of a payout add up to."""
MAX_STACKS = 1_000_000
"""So many entries, rebuys and add-ons a tournament has at most."""

_CHIPS = integer()
_MONEY = integer()

_NAME = re.compile(r"[ -~]{1,64}")


def _check_name(value: object) -> str | None:
    if type(value) is str and _NAME.fullmatch(value):
        return None
    return " is no name: 1 to 64 characters of printable ASCII"


_LEVEL_RULE = fields(
    {
        "small_blind": integer(1),
        "big_blind": integer(1),
        "chip_unit": integer(1),
        "length": integer(),
        "break_ms": integer(),
    },
    {"ante": fields({"kind": choice("each", "big_blind"), "amount": integer(1)})},
)
_SHARES = fields(
    {"players": integer(1, MAX_PLAYERS), "shares": list_of(integer(0, WHOLE), 1, MOST_PAID)}
)
_PAYOUT_FIELDS = {
    "shares": ("unit", "tables"),
    "winner": (),
    "satellite": ("prize",),
    "points": ("points",),
}


def _judge_payout(value: dict[str, Any]) -> str | None:
    kind = value["kind"]
    wanted = {"kind", *_PAYOUT_FIELDS[kind]}
    if value.keys() != wanted:
        return f" of {kind} has to have {', '.join(sorted(wanted))}"
    for index, table in enumerate(value.get("tables", ())):
        shares = table["shares"]
        if sum(shares) != WHOLE or shares != sorted(shares, reverse=True):
            return f".tables[{index}].shares do not fall, and add up to {WHOLE:,}"
    if sum(len(table["shares"]) for table in value.get("tables", ())) > _MAX_SHARES:
        return f".tables have more than {_MAX_SHARES:,} shares"
    players = [table["players"] for table in value.get("tables", ())]
    if players != sorted(set(players)):
        return ".tables needs rising players"
    points = value.get("points", [])
    if points != sorted(points, reverse=True):
        return ".points rise"
    return None


_PAYOUT = fields(
    {"kind": choice(*_PAYOUT_FIELDS)},
    {
        "unit": integer(1),
        "tables": list_of(_SHARES, 1, _MAX_TABLES),
        "prize": integer(1),
        "points": list_of(integer(0, _MOST_POINTS), 1, MOST_PAID),
    },
    also=_judge_payout,
)


def _judge_start(value: dict[str, Any]) -> str | None:
    if ("at" in value) != (value["kind"] == "at"):
        return " has at exactly where its kind is at"
    return None


_START = fields({"kind": choice("full", "at")}, {"at": integer()}, also=_judge_start)
_NO_TOURNAMENT = {"tournament": "0" * 32, "table": 1}


def _judge_structure(value: dict[str, Any]) -> str | None:
    return (
        _judge_rules(value) or _judge_levels(value) or _judge_entering(value) or _judge_money(value)
    )


def _judge_rules(value: dict[str, Any]) -> str | None:
    """Judge the rules as those of a table, and as those of level 1."""
    rules = value["rules"]
    if type(rules) is not dict or "tournament" in rules:
        return ".rules has to be a rule set without tournament"
    wrong = RULES({**rules, "tournament": _NO_TOURNAMENT})
    if wrong is not None:
        return f".rules{wrong}"
    if rules["max_hands"] < _LEAST_HANDS or rules["max_ms"] < _LEAST_MS:
        return f".rules need {_LEAST_HANDS:,} hands and {_LEAST_MS:,} ms or more"
    first = value["levels"][0]
    for name in ("small_blind", "big_blind", "chip_unit", "ante"):
        if rules.get(name) != first.get(name):
            return f".rules.{name} is not that of level 1"
    return None


def _judge_levels(value: dict[str, Any]) -> str | None:
    levels = value["levels"]
    first = levels[0]["chip_unit"]
    if value["stack"] % first:
        return ".stack is no multiple of the unit of level 1"
    for number, level in enumerate(levels, 1):
        unit, small, big = level["chip_unit"], level["small_blind"], level["big_blind"]
        ante = level.get("ante", {}).get("amount", 0)
        if small > big or small % unit or big % unit or ante % unit:
            return f".levels[{number - 1}] needs small_blind up to big_blind, multiples of its unit"
        if unit > MAX_UNITS * first:
            return f".levels[{number - 1}].chip_unit is above {MAX_UNITS:,} times the first"
        if number < len(levels) and level["length"] == 0:
            return f".levels[{number - 1}].length is 0"
    for number, (before, after) in enumerate(pairwise(levels), 1):
        for name in ("small_blind", "big_blind", "chip_unit"):
            if after[name] < before[name]:
                return f".levels[{number}].{name} falls"
    return None


def _judge_entering(value: dict[str, Any]) -> str | None:
    if value["players_min"] > value["players_max"]:
        return " needs players_min up to players_max"
    late, levels = value.get("late"), value["levels"]
    bought = [value[name]["chips"] for name in ("rebuy", "add_on") if name in value]
    if late is None:
        return " has rebuy or add_on, and no late" if bought else None
    if late["levels"] >= len(levels):
        return ".late.levels is not below the number of levels"
    if "add_on" in value and levels[late["levels"] - 1]["break_ms"] == 0:
        return " has add_on, and no break after level late.levels"
    units = [level["chip_unit"] for level in levels[: late["levels"]]]
    if any(chips % unit for chips in bought for unit in units):
        return " sells chips that are no multiple of the units of the late levels"
    return None


def _judge_money(value: dict[str, Any]) -> str | None:
    rebuy, add_on, kind = value.get("rebuy", {}), value.get("add_on", {}), value["payout"]["kind"]
    costs = [value["buy_in"], value["fee"], rebuy.get("cost", 0), add_on.get("cost", 0)]
    if kind == "points" and any((*costs, value["guarantee"])):
        return " is played for points, and costs money"
    if value["deals"] and kind not in ("shares", "winner"):
        return f" has deals, and a payout by {kind}"
    chips = [value["stack"], rebuy.get("chips", 0), add_on.get("chips", 0)]
    if max(*chips, *costs) * MAX_STACKS > MAX_INTEGER or value["guarantee"] > MAX_INTEGER:
        return " has more chips or money than can be counted"
    redraw = value["redraw"]
    if redraw != sorted(set(redraw), reverse=True):
        return ".redraw does not fall"
    return None


STRUCTURE = fields(
    {
        "name": Shape(_check_name),
        "rules": Shape(lambda value: None if type(value) is dict else " is no object"),
        "stack": integer(1),
        "start": _START,
        "players_min": integer(2, MAX_PLAYERS),
        "players_max": integer(2, MAX_PLAYERS),
        "levels": list_of(_LEVEL_RULE, 1, MAX_LEVELS),
        "level_by": choice("time", "hands", "orbits"),
        "take_over": boolean,
        "buy_in": _MONEY,
        "fee": _MONEY,
        "guarantee": _MONEY,
        "payout": _PAYOUT,
        "hand_for_hand": integer(0, MAX_PLAYERS),
        "ties": choice("share", "stacks"),
        "redraw": list_of(integer(1, MAX_PLAYERS), 0, _MAX_REDRAWS),
        "deals": boolean,
    },
    {
        "late": fields({"levels": integer(1, MAX_LEVELS), "reentries": integer()}),
        "rebuy": fields(
            {
                "chips": integer(1),
                "cost": _MONEY,
                "most": integer(),
                "max_stack": _CHIPS,
                "decide_ms": integer(0, _MAX_DECIDE_MS),
            }
        ),
        "add_on": fields({"chips": integer(1), "cost": _MONEY}),
    },
    also=_judge_structure,
)
