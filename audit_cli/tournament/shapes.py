"""The shape of every kind of entry of a tournament's log: protocol 14.3 and 14.4, field by field.

`SHAPES` has one shape a kind; a kind that is not there is not of this format. Whether an entry
may stand where it does is for the checks to judge.
"""

from __future__ import annotations

from typing import Any

from audit_cli.entries import MAX_SEATS
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
from audit_cli.tournament.structure_shape import MAX_LEVELS, MAX_NAMES, MAX_PLAYERS, STRUCTURE

_BYTES16 = hex_bytes(16)
_BYTES32 = hex_bytes(32)
_TABLE = integer(1)
_SEAT = integer(1, MAX_SEATS)
_CHIPS = integer()
_MONEY = integer()
_HAND = integer(1)
_LEVEL = integer(1, MAX_LEVELS)
_PLAYERS = integer(0, MAX_NAMES)
_EMPTY = fields({})
_PLAYER = fields({"player": player})
_SEAT_OF: dict[str, Shape] = {"player": player, "table": _TABLE, "seat": _SEAT}
_STACKS = list_of(fields({"seat": _SEAT, "stack": _CHIPS}), 0, MAX_SEATS)

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
            "place": integer(1, MAX_NAMES),
            "tied": integer(1, MAX_NAMES),
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
