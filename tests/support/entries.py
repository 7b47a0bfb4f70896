"""Hypothesis strategies for every kind of entry, from the fields' own types (section 6)."""

from dataclasses import MISSING, fields, is_dataclass, replace
from enum import StrEnum
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from dealer_service.rules.entry import (
    KINDS,
    Anchored,
    BlindsChopped,
    Choice,
    DealtPosition,
    Destination,
    HandOpened,
    Limits,
    Opened,
    Owed,
    Preferred,
    Previous,
    RunsAgreed,
    SeatState,
    Winner,
)

CARDS = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
MAX_INTEGER = 2**53 - 1

_HEX = {
    "anchor": 32,
    "chain": 32,
    "commitment": 32,
    "deck_root": 32,
    "game": 16,
    "link": 32,
    "missing_link": 32,
    "mix": 32,
    "next": 16,
    "randomness": 32,
    "root": 32,
    "salt": 16,
    "secret": 32,
    "signature": 48,
    "tournament": 16,
}
_INTEGERS = {
    "level": (1, 100),
    "table": (1, MAX_INTEGER),
    "unit": (1, MAX_INTEGER),
    "seat": (1, 10),
    "button": (1, 10),
    "small_blind_seat": (1, 10),
    "big_blind_seat": (1, 10),
    "seats": (2, 10),
    "position": (0, 51),
    "pot": (0, 9),
    "board": (1, 2),
    "hand": (1, MAX_INTEGER),
    "hands": (1, MAX_INTEGER),
    "turn": (1, MAX_INTEGER),
    "size": (1, MAX_INTEGER),
    "round": (1, MAX_INTEGER),
    "missing_hand": (1, MAX_INTEGER),
    "max_hands": (1, MAX_INTEGER),
    "small_blind": (1, MAX_INTEGER),
    "big_blind": (1, MAX_INTEGER),
    "chip_unit": (1, MAX_INTEGER),
    "big_bet": (1, MAX_INTEGER),
    "dead_small_blind_seat": (1, 10),
    "hole_cards": (4, 6),
    "last_big_blind_seat": (1, 10),
    "last_small_blind_seat": (1, 10),
    "per_ten_thousand": (0, 10_000),
    "players": (2, 10),
    "runs": (2, 2),
    "small_bet": (1, MAX_INTEGER),
    "straddle_seat": (1, 10),
    "watch_delay_ms": (1_000, 3_600_000),
}
_TEXTS = {
    "absent": st.sampled_from(["sit_out", "dealt_in"]),
    "all_in": st.just("face_up"),
    "best_five": st.sampled_from(CARDS),
    "card": st.sampled_from(CARDS),
    "chop": st.just("blinds"),
    "log_proof": st.sampled_from(["none", "follow", "before_cards"]),
    "name": st.sampled_from(["Royal flush", "Full house, queens full of fours", "King high"]),
    "origin": st.from_regex(r"[a-z0-9.-]{1,64}(/[a-z]{1,5})?", fullmatch=True),
    "player": st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True),
    "policy": st.just("all_cards"),
    "suite": st.just("cutcard/v1"),
}

times = st.integers(0, MAX_INTEGER)


_TRUE_OR_LEFT_OUT = {"house", "waits"}

_OWN_INTEGERS: dict[tuple[type, str], int] = {(Limits, "cap"): 2**32 - 1, (Previous, "button"): 10}
"""The greatest of some fields whose name means something else elsewhere."""


def _field(  # noqa: PLR0911 - a return for each type
    owner: type, name: str, hint: Any
) -> st.SearchStrategy[Any]:
    if get_origin(hint) is UnionType:
        (hint,) = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) is tuple:
        return st.lists(_field(owner, name, get_args(hint)[0]), max_size=4).map(tuple)
    if is_dataclass(hint) and isinstance(hint, type):
        return values(hint)
    if hint is bool:
        return st.just(True) if name in _TRUE_OR_LEFT_OUT else st.booleans()
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    if owner in {BlindsChopped, RunsAgreed} and name == "seats":
        return st.integers(1, 10)
    if (owner, name) in _OWN_INTEGERS:
        return st.integers(0, _OWN_INTEGERS[owner, name])
    if name in _HEX:
        return st.binary(min_size=_HEX[name], max_size=_HEX[name]).map(bytes.hex)
    if hint is str:
        return _TEXTS[name]
    return st.integers(*_INTEGERS.get(name, (0, MAX_INTEGER)))


def values(  # noqa: PLR0911 - a return for each shape with a rule
    kind: type,
) -> st.SearchStrategy[Any]:
    """Give values of one dataclass of the vocabulary, with and without its optional fields."""
    hints = get_type_hints(kind)
    made: dict[str, st.SearchStrategy[Any]] = {}
    for field in fields(kind):
        one = _field(kind, field.name, hints[field.name])
        made[field.name] = one if field.default is MISSING else st.none() | one
    match kind.__name__:
        case DealtPosition.__name__:
            return st.builds(kind, **made).map(_dealt)
        case Opened.__name__:
            seat = st.builds(kind, **(made | {"seat": st.integers(1, 10), "board": st.none()}))
            return seat | st.builds(kind, **(made | {"seat": st.none(), "board": st.just(1)}))
        case Anchored.__name__:
            both = {"missing_hand": st.just(3), "missing_link": _field(kind, "link", str)}
            neither = {"missing_hand": st.none(), "missing_link": st.none()}
            return st.builds(kind, **(made | both)) | st.builds(kind, **(made | neither))
        case Winner.__name__:
            five = st.lists(st.sampled_from(CARDS), min_size=5, max_size=5).map(tuple)
            shown = {"name": _TEXTS["name"], "best_five": five}
            unseen = {"name": st.none(), "best_five": st.none()}
            return st.builds(kind, **(made | shown)) | st.builds(kind, **(made | unseen))
        case Preferred.__name__:
            return st.builds(kind, **(made | {"choices": _choices(0)}))
        case SeatState.__name__:
            return st.builds(kind, **(made | {"choices": st.none() | _choices(1)}))
        case Owed.__name__:
            return st.builds(kind, **made).filter(lambda owed: owed.live or owed.dead)
        case HandOpened.__name__:
            return st.builds(kind, **made).map(_opening)
    return st.builds(kind, **made)


def _choices(least: int) -> st.SearchStrategy[Any]:
    chosen = st.sets(st.sampled_from(list(Choice)), min_size=least)
    return chosen.map(lambda words: tuple(sorted(words)))


def _opening(one: HandOpened) -> HandOpened:
    dead = one.dead_small_blind_seat if one.small_blind_seat is None else None
    last = one.last_big_blind_seat and (one.last_small_blind_seat or 1)
    big = last and one.last_big_blind_seat
    return replace(
        one, dead_small_blind_seat=dead, last_small_blind_seat=last, last_big_blind_seat=big
    )


def _dealt(one: DealtPosition) -> DealtPosition:
    seat = (one.seat or 1) if one.to is Destination.SEAT else None
    board = (one.board or 1) if one.to is Destination.BOARD else None
    return DealtPosition(one.position, one.to, seat, board)


def entries() -> st.SearchStrategy[Any]:
    """Give entries of every kind."""
    return st.one_of([values(kind) for kind in KINDS.values()])
