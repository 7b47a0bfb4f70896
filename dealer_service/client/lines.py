"""Reads a transcript's lines: each is exactly of the shapes of PROTOCOL.md section 6.

A line that is not canonical, names an unknown kind or field, lacks one, or holds a value that its
field can not have is a breach LINE that says where. What comes out can be used without asking
again whether a field is there or of which type it is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NoReturn

from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.transcript.canonical import MAX_INTEGER, decode
from dealer_service.transcript.refusal import TranscriptError

Body = Mapping[str, Any]
_Check = Callable[[object, str], None]

DECK_SIZE: Final = 52
MAX_SEATS: Final = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """One line read: its index in the log, its time in ms, its kind and the kind's fields."""

    index: int
    at: int
    kind: str
    body: Body


def read_line(index: int, line: bytes) -> Entry:
    """Read the line at `index`; ProtocolBreach LINE unless it is of the format."""
    try:
        value = decode(line)
    except TranscriptError as error:
        _fail(f"line {index}", str(error))
    kinds = [key for key in value if key != "at"]
    if "at" not in value or len(kinds) != 1:
        _fail(f"line {index}", 'it has not exactly the keys "at" and a kind')
    kind = kinds[0]
    check = _KINDS.get(kind)
    if check is None:
        _fail(f"line {index}", f"no entry is of the kind {kind[:40]!r}")
    _amount(value["at"], f"line {index}: at")
    body = value[kind]
    check(body, f"line {index}: {kind}")
    assert isinstance(body, dict)
    at = value["at"]
    assert isinstance(at, int)
    return Entry(index, at, kind, body)


def _fail(where: str, why: str) -> NoReturn:
    raise ProtocolBreach(Reason.LINE, f"{where}: {why}") from None


@dataclass(frozen=True, slots=True)
class _Optional:
    check: _Check


def _integer(low: int, high: int) -> _Check:
    def check(value: object, where: str) -> None:
        if type(value) is not int or not low <= value <= high:
            _fail(where, f"it is not an integer from {low} to {high}")

    return check


def _text(pattern: str, what: str) -> _Check:
    whole = re.compile(pattern)

    def check(value: object, where: str) -> None:
        if not isinstance(value, str) or whole.fullmatch(value) is None:
            _fail(where, f"it is not {what}")

    return check


def _words(*words: str) -> _Check:
    def check(value: object, where: str) -> None:
        if not isinstance(value, str) or value not in words:
            _fail(where, f"it is none of {', '.join(words)}")

    return check


def _hex(count: int) -> _Check:
    return _text(f"[0-9a-f]{{{2 * count}}}", f"{count} bytes in lower-case hex")


def _boolean(value: object, where: str) -> None:
    if not isinstance(value, bool):
        _fail(where, "it is neither true nor false")


def _list(member: _Check, *, rising: str = "", least: int = 0) -> _Check:
    """Check a list's members, that it has enough of them, and that `rising` rises strictly."""

    def check(value: object, where: str) -> None:
        if not isinstance(value, list) or len(value) < least:
            _fail(where, f"it is not a list of {least} or more")
        for number, each in enumerate(value):
            member(each, f"{where}[{number}]")
        keys: list[Any] = [each[rising] for each in value] if rising else []
        if any(left >= right for left, right in pairwise(keys)):
            _fail(where, f"it is not in rising order of {rising}")

    return check


def _numbers_rising(value: object, where: str) -> None:
    _list(_count, least=1)(value, where)
    assert isinstance(value, list)
    if any(left >= right for left, right in pairwise(value)):
        _fail(where, "its numbers do not rise")


def _words_rising(*words: str) -> _Check:
    known = _words(*words)

    def check(value: object, where: str) -> None:
        _list(known)(value, where)
        assert isinstance(value, list)
        if any(left >= right for left, right in pairwise(value)):
            _fail(where, "its words do not rise")

    return check


def _not_empty(value: object, where: str) -> None:
    if not value:
        _fail(where, "it is left out where there is none")


def _owes_something(value: object, where: str) -> None:
    assert isinstance(value, dict)
    if not value["live"] and not value["dead"]:
        _fail(where, "it is left out where nothing is owed")


def _true(value: object, where: str) -> None:
    if value is not True:
        _fail(where, "it is true, or left out")


def _seats_rising(value: object, where: str) -> None:
    _list(_seat, least=2)(value, where)
    assert isinstance(value, list)
    if any(left >= right for left, right in pairwise(value)):
        _fail(where, "its seats do not rise")


def _shape(**fields: _Check | _Optional) -> _Check:
    """Check an object: every field that is not optional, and none that is unknown."""
    required = frozenset(name for name, each in fields.items() if not isinstance(each, _Optional))
    checks = {
        name: each.check if isinstance(each, _Optional) else each for name, each in fields.items()
    }

    def check(value: object, where: str) -> None:
        if not isinstance(value, dict):
            _fail(where, "it is not an object")
        for name, member in value.items():
            if name not in checks:
                _fail(where, f"it has no field {name[:40]!r}")
            checks[name](member, f"{where}.{name}")
        if missing := required - value.keys():
            _fail(where, f"the field {min(missing)!r} is missing")

    return check


def _ruled(shape: _Check, rule: _Check) -> _Check:
    """Check a shape, then a rule over the whole of it."""

    def check(value: object, where: str) -> None:
        shape(value, where)
        rule(value, where)

    return check


def _together(*names: str) -> _Check:
    def check(value: object, where: str) -> None:
        assert isinstance(value, dict)
        if len({name in value for name in names}) > 1:
            _fail(where, f"{' and '.join(names)} stand together or not at all")

    return check


def _exactly_one(one: str, other: str) -> _Check:
    def check(value: object, where: str) -> None:
        assert isinstance(value, dict)
        if (one in value) == (other in value):
            _fail(where, f"exactly one of {one} and {other} stands")

    return check


def _destination(value: object, where: str) -> None:
    assert isinstance(value, dict)
    if {"seat", "board"} & value.keys() != {value["to"]} - {"burn"}:
        _fail(where, "seat and board stand there exactly when `to` says so")


def _missing_only_where_links_are(value: object, where: str) -> None:
    assert isinstance(value, dict)
    if bool(value["missing"]) != (value["reason"] == "link_missing"):
        _fail(where, "players are missing exactly when the reason is link_missing")


_amount = _integer(0, MAX_INTEGER)
_count = _integer(1, MAX_INTEGER)
_seat = _integer(1, MAX_SEATS)
_position = _integer(0, DECK_SIZE - 1)
_board = _integer(1, 2)
_player = _text(r"[A-Za-z0-9._-]{1,64}", "a player's name")
_card = _text("[2-9TJQKA][cdhs]", "a card")
_plain = _text("[ -~]{1,128}", "a text of 1 to 128 characters")
_bytes16 = _hex(16)
_bytes32 = _hex(32)

_choices = _words_rising("chop", "runs", "show", "straddle")

_link = _shape(seat=_seat, link=_bytes32)
_links = _list(_link, rising="seat")
_at_seat = {"seat": _seat, "player": _player}
_left = _shape(**_at_seat, stack=_Optional(_amount))

_limits = _shape(small_bet=_count, big_bet=_count, cap=_amount, uncapped_heads_up=_boolean)
_rake = _shape(
    per_ten_thousand=_integer(0, 10_000),
    caps=_list(_shape(players=_integer(2, MAX_SEATS), cap=_amount), rising="players", least=1),
    no_flop_no_drop=_boolean,
)
_rules = _shape(
    variant=_words("holdem", "omaha", "omaha_hi_lo"),
    structure=_words("no_limit", "pot_limit", "fixed_limit"),
    seats=_integer(2, MAX_SEATS),
    small_blind=_count,
    big_blind=_count,
    chip_unit=_count,
    buy_in_min=_count,
    buy_in_max=_count,
    button=_words("moving", "dead"),
    newcomers=_words("next_hand", "post", "wait"),
    absent=_words("sit_out"),
    show=_words("winners", "all"),
    all_in=_words("face_up"),
    turn_ms=_amount,
    link_ms=_amount,
    pause_ms=_amount,
    links=_words("optional", "required"),
    log_proof=_words("none", "follow", "before_cards"),
    reveal=_shape(policy=_words("all_cards"), within_ms=_amount),
    max_hands=_count,
    max_ms=_count,
    beacon=_Optional(_shape(chain=_bytes32)),
    hole_cards=_Optional(_integer(4, 6)),
    limits=_Optional(_limits),
    pot_small_blind=_Optional(_words("exact", "rounded_up")),
    ante=_Optional(_shape(kind=_words("each", "big_blind"), amount=_count)),
    straddle=_Optional(
        _shape(
            kind=_words("under_the_gun", "button", "mississippi"),
            min_raise=_words("double", "big_blind"),
        )
    ),
    missed_blinds=_Optional(_words("live", "dead", "wait")),
    runs=_Optional(_integer(2, 2)),
    chop=_Optional(_words("blinds")),
    choices=_Optional(_words("before_links", "at_once")),
    rake=_Optional(_rake),
    return_ms=_Optional(_amount),
    time_bank=_Optional(_shape(start_ms=_amount, per_hand_ms=_amount, max_ms=_amount)),
    disconnect_ms=_Optional(_amount),
    watch_delay_ms=_Optional(_integer(1_000, 3_600_000)),
)
_carried = _shape(**_at_seat, stack=_amount, sitting_out=_boolean, anchored=_boolean)
_previous = _shape(
    game=_bytes16,
    size=_count,
    root=_bytes32,
    button=_integer(0, MAX_SEATS),
    button_stays=_boolean,
    seats=_list(_carried, rising="seat"),
)
_seat_state = _shape(
    **_at_seat,
    stack=_amount,
    state=_words("in", "sitting_out", "no_chips", "no_anchor", "waiting"),
    anchor=_Optional(_bytes32),
    choices=_Optional(_ruled(_choices, _not_empty)),
    owes=_Optional(_ruled(_shape(live=_amount, dead=_amount), _owes_something)),
    waits=_Optional(_true),
    bank_ms=_Optional(_amount),
)

_KINDS: Final[Mapping[str, _Check]] = {
    "game_opened": _shape(
        suite=_words("cutcard/v1"),
        origin=_plain,
        game=_bytes16,
        rules=_rules,
        previous=_Optional(_previous),
    ),
    "seat_taken": _shape(**_at_seat, stack=_count, anchor=_Optional(_bytes32)),
    "seat_left": _left,
    "player_removed": _left,
    "chips_added": _shape(**_at_seat, amount=_count),
    "sat_out": _shape(**_at_seat, by=_words("player", "clock")),
    "came_back": _shape(**_at_seat),
    "anchored": _ruled(
        _shape(
            **_at_seat,
            anchor=_bytes32,
            missing_hand=_Optional(_count),
            missing_link=_Optional(_bytes32),
        ),
        _together("missing_hand", "missing_link"),
    ),
    "preferred": _shape(**_at_seat, choices=_choices),
    "paused": _shape(),
    "resumed": _shape(),
    "hand_opened": _ruled(
        _shape(
            hand=_count,
            commitment=_bytes32,
            button=_seat,
            big_blind_seat=_seat,
            seats=_list(_seat_state, rising="seat", least=2),
            misses=_list(_shape(player=_player, hands=_numbers_rising), rising="player"),
            voids=_amount,
            small_blind_seat=_Optional(_seat),
            dead_small_blind_seat=_Optional(_seat),
            straddle_seat=_Optional(_seat),
            last_small_blind_seat=_Optional(_seat),
            last_big_blind_seat=_Optional(_seat),
            departed=_Optional(
                _list(_shape(player=_player, stack=_amount, at=_amount), rising="player")
            ),
        ),
        _together("last_small_blind_seat", "last_big_blind_seat"),
    ),
    "hand_void": _ruled(
        _shape(
            hand=_count,
            reason=_words("link_missing", "no_beacon", "operator", "health", "dealer_fault"),
            secret=_bytes32,
            links=_links,
            missing=_list(_shape(**_at_seat), rising="seat"),
        ),
        _missing_only_where_links_are,
    ),
    "deck_committed": _shape(
        hand=_count,
        links=_links,
        mix=_bytes32,
        deck_root=_bytes32,
        beacon=_Optional(
            _shape(round=_count, randomness=_bytes32, signature=_text("([0-9a-f]{2})+", "hex"))
        ),
    ),
    "posted": _shape(
        seat=_seat,
        what=_words("ante", "small_blind", "big_blind", "straddle", "live", "dead"),
        amount=_count,
    ),
    "dealt": _shape(
        hand=_count,
        positions=_list(
            _ruled(
                _shape(
                    position=_position,
                    to=_words("seat", "board", "burn"),
                    seat=_Optional(_seat),
                    board=_Optional(_board),
                ),
                _destination,
            ),
            least=1,
        ),
    ),
    "acted": _shape(
        seat=_seat,
        act=_words("fold", "check", "call", "bet", "raise"),
        to=_amount,
        by=_words("player", "clock", "pre_action", "absent"),
        turn=_count,
    ),
    "opened": _ruled(
        _shape(
            hand=_count,
            by=_words("rule", "policy", "player"),
            cards=_list(
                _shape(position=_position, card=_card, salt=_bytes16), rising="position", least=1
            ),
            seat=_Optional(_seat),
            board=_Optional(_board),
        ),
        _exactly_one("seat", "board"),
    ),
    "mucked": _shape(hand=_count, seat=_seat, by=_words("policy", "player")),
    "runs_agreed": _shape(hand=_count, runs=_integer(2, 2), seats=_seats_rising),
    "blinds_chopped": _shape(hand=_count, seats=_seats_rising),
    "returned": _shape(seat=_seat, amount=_count),
    "awarded": _shape(
        pot=_amount,
        amount=_count,
        rake=_amount,
        board=_board,
        half=_Optional(_words("high", "low")),
        winners=_list(
            _ruled(
                _shape(
                    seat=_seat,
                    amount=_amount,
                    name=_Optional(_plain),
                    best_five=_Optional(_list(_card, least=5)),
                ),
                _together("name", "best_five"),
            ),
            least=1,
        ),
    ),
    "hand_ended": _shape(
        hand=_count, stacks=_list(_shape(seat=_seat, stack=_amount), rising="seat", least=2)
    ),
    "game_closed": _shape(
        reason=_words("operator", "max_hands", "max_time", "restored"),
        stacks=_list(_shape(**_at_seat, stack=_amount), rising="seat"),
        next=_Optional(_bytes16),
    ),
    "secret_revealed": _shape(hand=_count, secret=_bytes32),
}
