"""Reads a tournament's lines: each is exactly of the shapes of PROTOCOL.md 14.3 and 14.4.

What is no line of the format is a breach LINE that says where, as in a game's log.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from dealer_service.client.lines import RULES
from dealer_service.client.shapes import (
    AMOUNT,
    BYTES16,
    BYTES32,
    COUNT,
    MAX_SEATS,
    PLAIN,
    PLAYER,
    SEAT,
    Check,
    Entry,
    Optional,
    boolean,
    fail,
    integer,
    list_of,
    read_entry,
    ruled,
    shape,
    text,
    true,
    words,
)

MAX_PLAYERS: Final = 10_000
MAX_LEVELS: Final = 100
WHOLE: Final = 10_000
"""Shares are in ten thousandths."""


def read_tournament_line(index: int, line: bytes) -> Entry:
    """Read the line at `index`; ProtocolBreach LINE unless it is of the format."""
    return read_entry(index, line, _KINDS)


def _no_more_than(most: int) -> Check:
    def check(value: object, where: str) -> None:
        assert isinstance(value, list)
        if len(value) > most:
            fail(where, f"it has more than {most}")

    return check


def _numbers(low: int, *, falls: bool = False, may_stay: bool = False) -> Check:
    """Check a list of numbers from `low` on, falling where that is said (or staying)."""

    def check(value: object, where: str) -> None:
        list_of(integer(low, 2**53 - 1))(value, where)
        assert isinstance(value, list)
        step = 0 if may_stay else 1
        if falls and any(before - after < step for before, after in pairwise(value)):
            fail(where, "its numbers do not fall")

    return check


def _start_rule(value: object, where: str) -> None:
    assert isinstance(value, dict)
    if ("at" in value) != (value["kind"] == "at"):
        fail(where, "`at` is there exactly with the kind at")


def _payout_rule(value: object, where: str) -> None:
    assert isinstance(value, dict)
    wanted = {"shares": {"unit", "tables"}, "satellite": {"prize"}, "points": {"points"}}
    if value.keys() - {"kind"} != wanted.get(value["kind"], set()):
        fail(where, f"it has not the fields of {value['kind']}")


def _shares(value: object, where: str) -> None:
    _numbers(0, falls=True, may_stay=True)(value, where)
    assert isinstance(value, list)
    if sum(value) != WHOLE:
        fail(where, f"its shares are not {WHOLE} in all")


def _structure_rule(value: object, where: str) -> None:
    assert isinstance(value, dict)
    if value["players_min"] > value["players_max"]:
        fail(where, "more players are needed than may be in")
    if "late" not in value and ("rebuy" in value or "add_on" in value):
        fail(where, "rebuy and add_on need late")
    if "late" in value and value["late"]["levels"] > len(value["levels"]):
        fail(where, "registration closes behind a level that there is not")
    if "tournament" in value["rules"]:
        fail(f"{where}.rules", "the rules of a structure are of no table yet")


def _level_rule(value: object, where: str) -> None:
    assert isinstance(value, dict)
    small, big, unit = (value[name] for name in ("small_blind", "big_blind", "chip_unit"))
    if small > big or small % unit or big % unit:
        fail(where, "its blinds are no multiples of its unit, the small one up to the big one")


def _levels(value: object, where: str) -> None:
    list_of(_level, least=1)(value, where)
    _no_more_than(MAX_LEVELS)(value, where)
    assert isinstance(value, list)
    for name in ("small_blind", "big_blind", "chip_unit"):
        if any(before[name] > after[name] for before, after in pairwise(value)):
            fail(where, f"its {name} falls")


def _drawn_rule(value: object, where: str) -> None:
    assert isinstance(value, dict)
    what = value["what"]
    if ("table" in value) != (what in {"break", "button", "race"}):
        fail(where, "`table` is there exactly with break, button and race")
    if ("player" in value) != (what == "place"):
        fail(where, "`player` is there exactly with place")


_table = COUNT
_stacks = list_of(shape(seat=SEAT, stack=AMOUNT), rising="seat")
_ante = shape(kind=words("each", "big_blind"), amount=COUNT)
_level = ruled(
    shape(
        small_blind=COUNT,
        big_blind=COUNT,
        chip_unit=COUNT,
        length=AMOUNT,
        break_ms=AMOUNT,
        ante=Optional(_ante),
    ),
    _level_rule,
)
_payout = ruled(
    shape(
        kind=words("shares", "winner", "satellite", "points"),
        unit=Optional(COUNT),
        tables=Optional(
            list_of(shape(players=COUNT, shares=_shares), rising="players", least=1),
        ),
        prize=Optional(COUNT),
        points=Optional(_numbers(0)),
    ),
    _payout_rule,
)
_players = integer(2, MAX_PLAYERS)
_structure = ruled(
    shape(
        name=text("[ -~]{1,64}", "a text of 1 to 64 characters"),
        rules=RULES,
        stack=COUNT,
        start=ruled(shape(kind=words("full", "at"), at=Optional(AMOUNT)), _start_rule),
        players_min=_players,
        players_max=_players,
        levels=_levels,
        level_by=words("time", "hands", "orbits"),
        late=Optional(shape(levels=COUNT, reentries=AMOUNT)),
        rebuy=Optional(
            shape(chips=COUNT, cost=AMOUNT, most=AMOUNT, max_stack=AMOUNT, decide_ms=AMOUNT)
        ),
        add_on=Optional(shape(chips=COUNT, cost=AMOUNT)),
        take_over=boolean,
        buy_in=AMOUNT,
        fee=AMOUNT,
        guarantee=AMOUNT,
        payout=_payout,
        hand_for_hand=AMOUNT,
        ties=words("share", "stacks"),
        redraw=_numbers(1, falls=True),
        deals=boolean,
    ),
    _structure_rule,
)
_bought = shape(player=PLAYER, table=_table, seat=SEAT, chips=COUNT)

_KINDS: Final[Mapping[str, Check]] = {
    "tournament_opened": shape(
        suite=words("cutcard/v1"),
        origin=PLAIN,
        tournament=BYTES16,
        structure=_structure,
        draw_commitment=BYTES32,
    ),
    "registered": shape(player=PLAYER, entrant=COUNT, anchors=boolean, house=Optional(true)),
    "withdrawn": shape(player=PLAYER),
    "started": shape(players=_players),
    "table_opened": shape(table=_table, game=BYTES16),
    "drawn": ruled(
        shape(
            draw=COUNT,
            what=words("seats", "place", "break", "redraw", "button", "race"),
            table=Optional(_table),
            player=Optional(PLAYER),
            secret=BYTES32,
            order=_numbers(1),
            next_commitment=BYTES32,
        ),
        _drawn_rule,
    ),
    "seated": shape(player=PLAYER, table=_table, seat=SEAT, stack=COUNT),
    "moved": shape(
        player=PLAYER,
        from_table=_table,
        from_seat=SEAT,
        table=_table,
        seat=SEAT,
        stack=AMOUNT,
        why=words("balance", "break", "redraw"),
    ),
    "table_broken": shape(table=_table),
    "level_begun": shape(level=COUNT),
    "break_begun": shape(level=COUNT),
    "hand_started": shape(
        table=_table,
        hand=COUNT,
        level=COUNT,
        button=SEAT,
        big_blind_seat=SEAT,
        players=integer(2, MAX_SEATS),
    ),
    "hand_finished": shape(table=_table, hand=COUNT, void=boolean, stacks=_stacks),
    "busted": shape(player=PLAYER, table=_table, seat=SEAT, hand=COUNT, stack=AMOUNT),
    "colored_up": shape(table=_table, unit=COUNT, stacks=_stacks, draw=Optional(COUNT)),
    "reentered": shape(player=PLAYER),
    "rebought": _bought,
    "added_on": _bought,
    "taken_over": shape(
        player=PLAYER, house_player=PLAYER, table=_table, seat=SEAT, stack=COUNT, removed=AMOUNT
    ),
    "disqualified": shape(player=PLAYER, table=_table, seat=SEAT, stack=AMOUNT),
    "registration_closed": shape(players=COUNT, entries=COUNT, pool=AMOUNT, prizes=list_of(AMOUNT)),
    "hand_for_hand_begun": shape(),
    "hand_for_hand_ended": shape(),
    "deal_agreed": shape(
        shares=list_of(shape(player=PLAYER, amount=AMOUNT), rising="player", least=2),
        left=AMOUNT,
    ),
    "placed": shape(player=PLAYER, place=COUNT, tied=COUNT, prize=AMOUNT),
    "stopped": shape(),
    "resumed": shape(),
    "table_closed": shape(table=_table, game=BYTES16, size=COUNT, root=BYTES32),
    "tournament_closed": shape(reason=words("finished", "cancelled", "restored"), secret=BYTES32),
}
