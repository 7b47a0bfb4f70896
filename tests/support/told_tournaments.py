"""A tournament's table to be told, and a log of its tournament that says who went out where.

The log is written by hand around the table's game: what it says of other tables is made up.
"""

from functools import cache
from typing import Any

from audit_cli.told.hand import Game
from tests.support.game_files import GAME, START, Signer, canonical
from tests.support.simulator import ORIGIN, Simulator
from tests.support.told_houses import hands_of, told
from tests.support.tournament_tables import LEVELS, TOURNAMENT, play_table

NAME = 'Sunday "Big" 50'
TABLE = 3
LEVEL_MS = 600_000
STACK = 1_500

_RULES: dict[str, Any] = {
    "variant": "holdem",
    "structure": "no_limit",
    "seats": 9,
    "small_blind": 25,
    "big_blind": 50,
    "chip_unit": 25,
    "buy_in_min": 0,
    "buy_in_max": 0,
    "button": "dead",
    "newcomers": "by_position",
    "absent": "dealt_in",
    "show": "winners",
    "all_in": "face_up",
    "turn_ms": 15_000,
    "link_ms": 3_000,
    "pause_ms": 2_000,
    "links": "optional",
    "log_proof": "none",
    "reveal": {"policy": "all_cards", "within_ms": 60_000},
    "max_hands": 1_000,
    "max_ms": 86_400_000,
}
STRUCTURE: dict[str, Any] = {
    "name": NAME,
    "rules": _RULES,
    "stack": STACK,
    "start": {"kind": "full"},
    "players_min": 2,
    "players_max": 27,
    "levels": [
        {
            "small_blind": level.small_blind,
            "big_blind": level.big_blind,
            "chip_unit": level.chip_unit,
            "length": LEVEL_MS,
            "break_ms": 0,
        }
        for level in LEVELS
    ],
    "level_by": "time",
    "take_over": False,
    "buy_in": 1_000,
    "fee": 150,
    "guarantee": 0,
    "payout": {"kind": "winner"},
    "hand_for_hand": 0,
    "ties": "share",
    "redraw": [],
    "deals": False,
}

Entries = list[tuple[str, dict[str, Any]]]


def opened(**changes: object) -> tuple[str, dict[str, Any]]:
    """Give a tournament's first entry, its structure changed."""
    about = {"suite": "cutcard/v1", "origin": ORIGIN, "tournament": TOURNAMENT}
    return "tournament_opened", about | {
        "structure": STRUCTURE | changes,
        "draw_commitment": "11" * 32,
    }


def tournament_file(entries: Entries) -> bytes:
    """Write the log of the tournament, a second between its entries."""
    header = {
        "format": "cutcard-tournament/1",
        "key": Signer().vkey,
        "origin": ORIGIN,
        "tournament": TOURNAMENT,
    }
    lines = [
        {"at": START + 1_000 * number, kind: body} for number, (kind, body) in enumerate(entries)
    ]
    return b"".join(canonical(line) + b"\n" for line in [header, *lines])


@cache
def table() -> Simulator:
    """Play the table: levels, a race, players who are away, and one at least who goes out."""
    return play_table(seed=5, hands=25, hands_of_a_level=5)


def table_file() -> bytes:
    """Write its game file."""
    return table().game_file()


@cache
def told_table() -> Game:
    """Tell it by its own lines alone."""
    return told(table_file())


def last_to_go() -> tuple[str, int, int]:
    """Give who went out last, in which hand, and with which stack at its start."""
    for hand in reversed(hands_of(told_table())):
        for seat in hand.seats:
            if seat.dealt_in and seat.end == 0:
                return seat.player, hand.number, seat.stack
    message = "nobody goes out"
    raise LookupError(message)


def event_log(**changes: object) -> Entries:
    """Tell of the tournament: who went out of the table last was second, and a winner won there."""
    player, number, stack = last_to_go()
    last = max(hand.number for hand in hands_of(told_table()))
    seat = {"player": player, "table": TABLE, "seat": 1}
    stacks = [{"seat": one, "stack": 0} for one in (1, 2)]
    done = {"table": TABLE, "void": False, "stacks": stacks}
    return [
        opened(**changes),
        ("started", {"players": 27}),
        *[("table_opened", {"table": n, "game": GAME}) for n in (1, 2, 3)],
        (
            "drawn",
            {
                "draw": 1,
                "what": "seats",
                "secret": "22" * 32,
                "order": [1, 2],
                "next_commitment": "33" * 32,
            },
        ),
        ("seated", seat | {"stack": STACK}),
        ("seated", {"player": "winner", "table": TABLE, "seat": 2, "stack": STACK}),
        ("table_opened", {"table": 4, "game": GAME}),
        ("hand_finished", done | {"hand": number}),
        ("busted", seat | {"hand": number, "stack": stack}),
        ("placed", {"player": player, "place": 2, "tied": 1, "prize": 4_550}),
        ("hand_finished", done | {"hand": last}),
        ("hand_finished", done | {"hand": last + 1, "void": True}),
        ("placed", {"player": "winner", "place": 1, "tied": 1, "prize": 9_000}),
    ]
