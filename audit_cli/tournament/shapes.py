"""The shape of every kind of entry of a tournament's log: protocol 14.3 and 14.4, field by field.

`SHAPES` has one shape a kind; a kind that is not there is not of this format. What a structure's
fields have to be together is judged here too, since no later entry means anything without it.
Whether an entry may stand where it does is for the checks to judge.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from audit_cli.canonical import MAX_INTEGER
from audit_cli.entries import MAX_SEATS, RULES
from audit_cli.shape import (
    Shape,
    boolean,
    choice,
    fields,
    hex_bytes,
    integer,
    list_of,
    only_true,
    origin,
    player,
)

MAX_PLAYERS = 10_000
MAX_LEVELS = 100
MAX_UNITS = 1_000
WHOLE = 10_000
"""What the shares of a payout add up to."""
MAX_STACKS = 1_000_000
"""So many entries, rebuys and add-ons a tournament has at most."""

_BYTES16 = hex_bytes(16)
_BYTES32 = hex_bytes(32)
_TABLE = integer(1)
_SEAT = integer(1, MAX_SEATS)
_CHIPS = integer()
_MONEY = integer()
_HAND = integer(1)
_LEVEL = integer(1, MAX_LEVELS)
_PLAYERS = integer(0, MAX_PLAYERS)
_EMPTY = fields({})
_PLAYER = fields({"player": player})
_SEAT_OF: dict[str, Shape] = {"player": player, "table": _TABLE, "seat": _SEAT}
_STACKS = list_of(fields({"seat": _SEAT, "stack": _CHIPS}), 0, MAX_SEATS)

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
_SHARES = fields({"players": integer(1), "shares": list_of(integer(0, WHOLE), 1, MAX_PLAYERS)})
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
    players = [table["players"] for table in value.get("tables", ())]
    if players != sorted(set(players)):
        return ".tables needs rising players"
    return None


_PAYOUT = fields(
    {"kind": choice(*_PAYOUT_FIELDS)},
    {
        "unit": integer(1),
        "tables": list_of(_SHARES, 1, MAX_PLAYERS),
        "prize": integer(1),
        "points": list_of(_MONEY, 1, MAX_PLAYERS),
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
        "redraw": list_of(integer(1), 0, MAX_PLAYERS),
        "deals": boolean,
    },
    {
        "late": fields({"levels": _LEVEL, "reentries": integer()}),
        "rebuy": fields(
            {
                "chips": integer(1),
                "cost": _MONEY,
                "most": integer(),
                "max_stack": _CHIPS,
                "decide_ms": integer(),
            }
        ),
        "add_on": fields({"chips": integer(1), "cost": _MONEY}),
    },
    also=_judge_structure,
)

_DRAWN_FIELDS = {
    "seats": (),
    "redraw": (),
    "place": ("player",),
    "break": ("table",),
    "button": ("table",),
    "race": ("table",),
}


def _judge_drawn(value: dict[str, Any]) -> str | None:
    wanted = set(_DRAWN_FIELDS[value["what"]])
    if {"table", "player"} & value.keys() != wanted:
        return f" for {value['what']} has {' and '.join(wanted) or 'neither table nor player'}"
    return None


SHAPES: dict[str, Shape] = {
    "tournament_opened": fields(
        {
            "suite": choice("cutcard/v1"),
            "origin": origin,
            "tournament": _BYTES16,
            "structure": STRUCTURE,
            "draw_commitment": _BYTES32,
        }
    ),
    "registered": fields(
        {"player": player, "entrant": integer(1), "anchors": boolean}, {"house": only_true}
    ),
    "withdrawn": _PLAYER,
    "started": fields({"players": _PLAYERS}),
    "table_opened": fields({"table": _TABLE, "game": _BYTES16}),
    "drawn": fields(
        {
            "draw": integer(1),
            "what": choice(*_DRAWN_FIELDS),
            "secret": _BYTES32,
            "order": list_of(integer(1)),
            "next_commitment": _BYTES32,
        },
        {"table": _TABLE, "player": player},
        also=_judge_drawn,
    ),
    "seated": fields(_SEAT_OF | {"stack": _CHIPS}),
    "moved": fields(
        _SEAT_OF
        | {
            "from_table": _TABLE,
            "from_seat": _SEAT,
            "stack": _CHIPS,
            "why": choice("balance", "break", "redraw"),
        }
    ),
    "table_broken": fields({"table": _TABLE}),
    "level_begun": fields({"level": _LEVEL}),
    "break_begun": fields({"level": _LEVEL}),
    "hand_started": fields(
        {
            "table": _TABLE,
            "hand": _HAND,
            "level": _LEVEL,
            "button": _SEAT,
            "big_blind_seat": _SEAT,
            "players": integer(2, MAX_SEATS),
        }
    ),
    "hand_finished": fields({"table": _TABLE, "hand": _HAND, "void": boolean, "stacks": _STACKS}),
    "busted": fields(_SEAT_OF | {"hand": _HAND, "stack": _CHIPS}),
    "colored_up": fields(
        {"table": _TABLE, "unit": integer(1), "stacks": _STACKS}, {"draw": integer(1)}
    ),
    "reentered": _PLAYER,
    "rebought": fields(_SEAT_OF | {"chips": _CHIPS}),
    "added_on": fields(_SEAT_OF | {"chips": _CHIPS}),
    "taken_over": fields(_SEAT_OF | {"house_player": player, "stack": _CHIPS, "removed": _CHIPS}),
    "disqualified": fields(_SEAT_OF | {"stack": _CHIPS}),
    "registration_closed": fields(
        {
            "players": _PLAYERS,
            "entries": integer(),
            "pool": _MONEY,
            "prizes": list_of(_MONEY, 0, MAX_PLAYERS),
        }
    ),
    "hand_for_hand_begun": _EMPTY,
    "hand_for_hand_ended": _EMPTY,
    "deal_agreed": fields(
        {
            "shares": list_of(fields({"player": player, "amount": _MONEY}), 1, MAX_PLAYERS),
            "left": _MONEY,
        }
    ),
    "placed": fields(
        {
            "player": player,
            "place": integer(1, MAX_PLAYERS),
            "tied": integer(1, MAX_PLAYERS),
            "prize": _MONEY,
        }
    ),
    "stopped": _EMPTY,
    "resumed": _EMPTY,
    "table_closed": fields(
        {"table": _TABLE, "game": _BYTES16, "size": integer(1), "root": _BYTES32}
    ),
    "tournament_closed": fields(
        {"reason": choice("finished", "cancelled", "restored"), "secret": _BYTES32}
    ),
}
