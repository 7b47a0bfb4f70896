"""Reads a transcript's lines: each is exactly of the shapes of PROTOCOL.md section 6.

A line that is not canonical, names an unknown kind or field, lacks one, or holds a value that its
field can not have is a breach LINE that says where. What comes out can be used without asking
again whether a field is there or of which type it is.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from dealer_service.client.shapes import (
    AMOUNT,
    BYTES16,
    BYTES32,
    COUNT,
    MAX_SEATS,
    PLAIN,
    PLAYER,
    SEAT,
    Body,
    Check,
    Entry,
    Optional,
    boolean,
    exactly_one,
    fail,
    integer,
    list_of,
    not_empty,
    numbers_rising,
    read_entry,
    ruled,
    shape,
    text,
    together,
    true,
    words,
    words_rising,
)

__all__ = ["DECK_SIZE", "MAX_SEATS", "Body", "Entry", "read_line"]

DECK_SIZE: Final = 52
MOST_LEVELS: Final = 100


def read_line(index: int, line: bytes) -> Entry:
    """Read the line at `index`; ProtocolBreach LINE unless it is of the format."""
    return read_entry(index, line, _KINDS)


def _owes_something(value: object, where: str) -> None:
    assert isinstance(value, dict)
    if not value["live"] and not value["dead"]:
        fail(where, "it is left out where nothing is owed")


def _seats_rising(value: object, where: str) -> None:
    list_of(SEAT, least=2)(value, where)
    assert isinstance(value, list)
    if any(left >= right for left, right in pairwise(value)):
        fail(where, "its seats do not rise")


def _destination(value: object, where: str) -> None:
    assert isinstance(value, dict)
    if {"seat", "board"} & value.keys() != {value["to"]} - {"burn"}:
        fail(where, "seat and board stand there exactly when `to` says so")


def _missing_only_where_links_are(value: object, where: str) -> None:
    assert isinstance(value, dict)
    if bool(value["missing"]) != (value["reason"] == "link_missing"):
        fail(where, "players are missing exactly when the reason is link_missing")


_position = integer(0, DECK_SIZE - 1)
_board = integer(1, 2)
_card = text("[2-9TJQKA][cdhs]", "a card")

_choices = words_rising("chop", "runs", "show", "straddle")

_link = shape(seat=SEAT, link=BYTES32)
_links = list_of(_link, rising="seat")
_at_seat = {"seat": SEAT, "player": PLAYER}
_left = shape(**_at_seat, stack=Optional(AMOUNT))

_limits = shape(small_bet=COUNT, big_bet=COUNT, cap=AMOUNT, uncapped_heads_up=boolean)
_ante = shape(kind=words("each", "big_blind"), amount=COUNT)
_rake = shape(
    per_ten_thousand=integer(0, 10_000),
    caps=list_of(shape(players=integer(2, MAX_SEATS), cap=AMOUNT), rising="players", least=1),
    no_flop_no_drop=boolean,
)
RULES: Final = shape(
    variant=words("holdem", "omaha", "omaha_hi_lo"),
    structure=words("no_limit", "pot_limit", "fixed_limit"),
    seats=integer(2, MAX_SEATS),
    small_blind=COUNT,
    big_blind=COUNT,
    chip_unit=COUNT,
    buy_in_min=COUNT,
    buy_in_max=COUNT,
    button=words("moving", "dead"),
    newcomers=words("next_hand", "post", "wait", "by_position"),
    absent=words("sit_out", "dealt_in"),
    show=words("winners", "all"),
    all_in=words("face_up"),
    turn_ms=AMOUNT,
    link_ms=AMOUNT,
    pause_ms=AMOUNT,
    links=words("optional", "required"),
    log_proof=words("none", "follow", "before_cards"),
    reveal=shape(policy=words("all_cards"), within_ms=AMOUNT),
    max_hands=COUNT,
    max_ms=COUNT,
    beacon=Optional(shape(chain=BYTES32)),
    hole_cards=Optional(integer(4, 6)),
    limits=Optional(_limits),
    pot_small_blind=Optional(words("exact", "rounded_up")),
    ante=Optional(_ante),
    straddle=Optional(
        shape(
            kind=words("under_the_gun", "button", "mississippi"),
            min_raise=words("double", "big_blind"),
        )
    ),
    missed_blinds=Optional(words("live", "dead", "wait")),
    runs=Optional(integer(2, 2)),
    chop=Optional(words("blinds")),
    choices=Optional(words("before_links", "at_once")),
    rake=Optional(_rake),
    return_ms=Optional(AMOUNT),
    time_bank=Optional(shape(start_ms=AMOUNT, per_hand_ms=AMOUNT, max_ms=AMOUNT)),
    disconnect_ms=Optional(AMOUNT),
    watch_delay_ms=Optional(integer(1_000, 3_600_000)),
    tournament=Optional(shape(tournament=BYTES16, table=COUNT)),
)
_carried = shape(
    **_at_seat, stack=AMOUNT, sitting_out=boolean, anchored=boolean, house=Optional(true)
)
_previous = shape(
    game=BYTES16,
    size=COUNT,
    root=BYTES32,
    button=integer(0, MAX_SEATS),
    button_stays=boolean,
    seats=list_of(_carried, rising="seat"),
)
_seat_state = shape(
    **_at_seat,
    stack=AMOUNT,
    state=words("in", "absent", "sitting_out", "no_chips", "no_anchor", "waiting"),
    anchor=Optional(BYTES32),
    choices=Optional(ruled(_choices, not_empty)),
    owes=Optional(ruled(shape(live=AMOUNT, dead=AMOUNT), _owes_something)),
    waits=Optional(true),
    bank_ms=Optional(AMOUNT),
    house=Optional(true),
)
_level = shape(
    level=integer(1, MOST_LEVELS),
    small_blind=COUNT,
    big_blind=COUNT,
    chip_unit=COUNT,
    ante=Optional(_ante),
)

_KINDS: Final[Mapping[str, Check]] = {
    "game_opened": shape(
        suite=words("cutcard/v1"),
        origin=PLAIN,
        game=BYTES16,
        rules=RULES,
        previous=Optional(_previous),
    ),
    "seat_taken": shape(**_at_seat, stack=AMOUNT, anchor=Optional(BYTES32), house=Optional(true)),
    "seat_left": _left,
    "player_removed": _left,
    "chips_added": shape(**_at_seat, amount=COUNT),
    "sat_out": shape(**_at_seat, by=words("player", "clock")),
    "came_back": shape(**_at_seat),
    "anchored": ruled(
        shape(
            **_at_seat,
            anchor=BYTES32,
            missing_hand=Optional(COUNT),
            missing_link=Optional(BYTES32),
        ),
        together("missing_hand", "missing_link"),
    ),
    "preferred": shape(**_at_seat, choices=_choices),
    "paused": shape(),
    "resumed": shape(),
    "hand_opened": ruled(
        shape(
            hand=COUNT,
            commitment=BYTES32,
            button=SEAT,
            big_blind_seat=SEAT,
            seats=list_of(_seat_state, rising="seat", least=2),
            misses=list_of(shape(player=PLAYER, hands=numbers_rising), rising="player"),
            voids=AMOUNT,
            small_blind_seat=Optional(SEAT),
            dead_small_blind_seat=Optional(SEAT),
            straddle_seat=Optional(SEAT),
            last_small_blind_seat=Optional(SEAT),
            last_big_blind_seat=Optional(SEAT),
            departed=Optional(
                list_of(shape(player=PLAYER, stack=AMOUNT, at=AMOUNT), rising="player")
            ),
            level=Optional(_level),
        ),
        together("last_small_blind_seat", "last_big_blind_seat"),
    ),
    "hand_void": ruled(
        shape(
            hand=COUNT,
            reason=words("link_missing", "no_beacon", "operator", "health", "dealer_fault"),
            secret=BYTES32,
            links=_links,
            missing=list_of(shape(**_at_seat), rising="seat"),
        ),
        _missing_only_where_links_are,
    ),
    "deck_committed": shape(
        hand=COUNT,
        links=_links,
        mix=BYTES32,
        deck_root=BYTES32,
        beacon=Optional(
            shape(round=COUNT, randomness=BYTES32, signature=text("([0-9a-f]{2})+", "hex"))
        ),
    ),
    "posted": shape(
        seat=SEAT,
        what=words("ante", "small_blind", "big_blind", "straddle", "live", "dead"),
        amount=COUNT,
    ),
    "dealt": shape(
        hand=COUNT,
        positions=list_of(
            ruled(
                shape(
                    position=_position,
                    to=words("seat", "board", "burn"),
                    seat=Optional(SEAT),
                    board=Optional(_board),
                ),
                _destination,
            ),
            least=1,
        ),
    ),
    "acted": shape(
        seat=SEAT,
        act=words("fold", "check", "call", "bet", "raise"),
        to=AMOUNT,
        by=words("player", "clock", "pre_action", "absent"),
        turn=COUNT,
    ),
    "opened": ruled(
        shape(
            hand=COUNT,
            by=words("rule", "policy", "player"),
            cards=list_of(
                shape(position=_position, card=_card, salt=BYTES16), rising="position", least=1
            ),
            seat=Optional(SEAT),
            board=Optional(_board),
        ),
        exactly_one("seat", "board"),
    ),
    "mucked": shape(hand=COUNT, seat=SEAT, by=words("policy", "player")),
    "runs_agreed": shape(hand=COUNT, runs=integer(2, 2), seats=_seats_rising),
    "blinds_chopped": shape(hand=COUNT, seats=_seats_rising),
    "returned": shape(seat=SEAT, amount=COUNT),
    "awarded": shape(
        pot=AMOUNT,
        amount=COUNT,
        rake=AMOUNT,
        board=_board,
        half=Optional(words("high", "low")),
        winners=list_of(
            ruled(
                shape(
                    seat=SEAT,
                    amount=AMOUNT,
                    name=Optional(PLAIN),
                    best_five=Optional(list_of(_card, least=5)),
                ),
                together("name", "best_five"),
            ),
            least=1,
        ),
    ),
    "hand_ended": shape(
        hand=COUNT, stacks=list_of(shape(seat=SEAT, stack=AMOUNT), rising="seat", least=2)
    ),
    "colored_up": shape(
        unit=COUNT, stacks=list_of(shape(seat=SEAT, stack=COUNT), rising="seat", least=1)
    ),
    "game_closed": shape(
        reason=words("operator", "max_hands", "max_time", "restored", "tournament"),
        stacks=list_of(shape(**_at_seat, stack=AMOUNT), rising="seat"),
        next=Optional(BYTES16),
    ),
    "secret_revealed": shape(hand=COUNT, secret=BYTES32),
}
