"""The shape of every kind of entry: section 6 of the protocol, field by field.

`SHAPES` has one shape a kind; a kind that is not there is not of this format. Order among items
and agreement between entries are for the checks to judge, not for the shapes.
"""

from __future__ import annotations

from audit_cli.derive import CARDS
from audit_cli.rulings import judge_blinds, judge_rules
from audit_cli.shape import (
    Shape,
    boolean,
    choice,
    either,
    fields,
    hex_bytes,
    integer,
    list_of,
    only_true,
    origin,
    player,
    tagged,
    text,
)

MAX_SEATS = 10
MAX_LEVELS = 100

_SEAT = integer(1, MAX_SEATS)
_HAND = integer(1)
_POSITION = integer(0, 51)
_CHIPS = integer()
_BOARD = integer(1, 2)
_MS = integer()
_BYTES16 = hex_bytes(16)
_BYTES32 = hex_bytes(32)
_BYTES32_OR_NONE = either(_BYTES32, choice(""))
_CARD = choice(*CARDS, pattern="[2-9TJQKA][cdhs]")

_LINKS = list_of(fields({"seat": _SEAT, "link": _BYTES32}), 0, MAX_SEATS)
_SEAT_PLAYER: dict[str, Shape] = {"seat": _SEAT, "player": player}
_SEAT_STACK: dict[str, Shape] = {"seat": _SEAT, "stack": _CHIPS}


_LIMITS = fields(
    {
        "small_bet": integer(1),
        "big_bet": integer(1),
        "cap": integer(),
        "uncapped_heads_up": boolean,
    }
)
_ANTE = fields({"kind": choice("each", "big_blind"), "amount": integer(1)})
_STRADDLE = fields(
    {
        "kind": choice("under_the_gun", "button", "mississippi"),
        "min_raise": choice("double", "big_blind"),
    }
)
_RAKE = fields(
    {
        "per_ten_thousand": integer(0, 10_000),
        "caps": list_of(fields({"players": integer(2, MAX_SEATS), "cap": _CHIPS}), 1, MAX_SEATS),
        "no_flop_no_drop": boolean,
    }
)
_TIME_BANK = fields({"start_ms": _MS, "per_hand_ms": _MS, "max_ms": _MS})
_OF_TOURNAMENT = fields({"tournament": _BYTES16, "table": integer(1)})

RULES = fields(
    {
        "variant": choice("holdem", "omaha", "omaha_hi_lo"),
        "structure": choice("no_limit", "pot_limit", "fixed_limit"),
        "seats": integer(2, MAX_SEATS),
        "small_blind": integer(1),
        "big_blind": integer(1),
        "chip_unit": integer(1),
        "buy_in_min": _CHIPS,
        "buy_in_max": _CHIPS,
        "button": choice("moving", "dead"),
        "newcomers": choice("next_hand", "post", "wait", "by_position"),
        "absent": choice("sit_out", "dealt_in"),
        "show": choice("winners", "all"),
        "all_in": choice("face_up"),
        "turn_ms": _MS,
        "link_ms": _MS,
        "pause_ms": _MS,
        "links": choice("optional", "required"),
        "log_proof": choice("none", "follow", "before_cards"),
        "reveal": fields({"policy": choice("all_cards"), "within_ms": _MS}),
        "max_hands": integer(1),
        "max_ms": _MS,
    },
    {
        "beacon": fields({"chain": _BYTES32}),
        "hole_cards": integer(4, 6),
        "limits": _LIMITS,
        "pot_small_blind": choice("exact", "rounded_up"),
        "ante": _ANTE,
        "straddle": _STRADDLE,
        "missed_blinds": choice("live", "dead", "wait"),
        "runs": integer(2, 2),
        "chop": choice("blinds"),
        "choices": choice("before_links", "at_once"),
        "rake": _RAKE,
        "return_ms": _MS,
        "time_bank": _TIME_BANK,
        "disconnect_ms": _MS,
        "watch_delay_ms": integer(1_000, 3_600_000),
        "tournament": _OF_TOURNAMENT,
    },
    also=judge_rules,
)

_PREVIOUS = fields(
    {
        "game": _BYTES16,
        "size": integer(1),
        "root": _BYTES32,
        "button": integer(0, MAX_SEATS),
        "button_stays": boolean,
        "seats": list_of(
            fields(
                _SEAT_PLAYER | _SEAT_STACK | {"sitting_out": boolean, "anchored": boolean},
                {"house": only_true},
            ),
            0,
            MAX_SEATS,
        ),
    }
)

_CHOICE = choice("chop", "runs", "show", "straddle")
_OPENING_SEAT = fields(
    _SEAT_PLAYER
    | _SEAT_STACK
    | {"state": choice("in", "absent", "sitting_out", "no_chips", "no_anchor", "waiting")},
    {
        "anchor": _BYTES32,
        "choices": list_of(_CHOICE, 1, 4),
        "owes": fields({"live": _CHIPS, "dead": _CHIPS}),
        "waits": only_true,
        "bank_ms": _MS,
        "house": only_true,
    },
)
_LEVEL = fields(
    {
        "level": integer(1, MAX_LEVELS),
        "small_blind": integer(1),
        "big_blind": integer(1),
        "chip_unit": integer(1),
    },
    {"ante": _ANTE},
    also=judge_blinds,
)
_DEPARTED = fields({"player": player, "stack": _CHIPS, "at": integer()})

_DEALT = tagged(
    "to",
    {
        "seat": fields({"position": _POSITION, "to": choice("seat"), "seat": _SEAT}),
        "board": fields({"position": _POSITION, "to": choice("board"), "board": _BOARD}),
        "burn": fields({"position": _POSITION, "to": choice("burn")}),
    },
)

_AGREED = list_of(_SEAT, 0, MAX_SEATS)

_EMPTY = fields({})
_ACTS = ("fold", "check", "call", "bet", "raise")
_ACTORS = ("player", "clock", "pre_action", "absent")
_TURN = integer(1)

SHAPES: dict[str, Shape] = {
    "game_opened": fields(
        {"suite": choice("cutcard/v1"), "origin": origin, "game": _BYTES16, "rules": RULES},
        {"previous": _PREVIOUS},
    ),
    "seat_taken": fields(
        _SEAT_PLAYER | {"stack": _CHIPS}, {"anchor": _BYTES32, "house": only_true}
    ),
    "seat_left": fields(_SEAT_PLAYER, {"stack": _CHIPS}),
    "player_removed": fields(_SEAT_PLAYER, {"stack": _CHIPS}),
    "chips_added": fields(_SEAT_PLAYER | {"amount": _CHIPS}),
    "sat_out": fields(_SEAT_PLAYER | {"by": choice("player", "clock")}),
    "came_back": fields(_SEAT_PLAYER),
    "anchored": fields(
        _SEAT_PLAYER | {"anchor": _BYTES32},
        {"missing_hand": _HAND, "missing_link": _BYTES32},
        together=((), ("missing_hand", "missing_link")),
    ),
    "preferred": fields(_SEAT_PLAYER | {"choices": list_of(_CHOICE, 0, 4)}),
    "paused": _EMPTY,
    "resumed": _EMPTY,
    "hand_opened": fields(
        {
            "hand": _HAND,
            "commitment": _BYTES32,
            "button": _SEAT,
            "big_blind_seat": _SEAT,
            "seats": list_of(_OPENING_SEAT, 2, MAX_SEATS),
            "misses": list_of(fields({"player": player, "hands": list_of(_HAND, 1)})),
            "voids": integer(),
        },
        {
            "small_blind_seat": _SEAT,
            "dead_small_blind_seat": _SEAT,
            "straddle_seat": _SEAT,
            "last_small_blind_seat": _SEAT,
            "last_big_blind_seat": _SEAT,
            "departed": list_of(_DEPARTED),
            "level": _LEVEL,
        },
    ),
    "hand_void": fields(
        {
            "hand": _HAND,
            # A reason outside the five is a broken promise of a readable file (COMPLETE).
            "reason": text,
            "links": _LINKS,
            "missing": list_of(fields(_SEAT_PLAYER), 0, MAX_SEATS),
        },
        # A void that keeps its secret, by leaving it out or empty, is one as well.
        {"secret": _BYTES32_OR_NONE},
    ),
    "deck_committed": fields(
        {"hand": _HAND, "links": _LINKS, "mix": _BYTES32, "deck_root": _BYTES32},
        {
            "beacon": fields(
                {"round": integer(1), "randomness": _BYTES32, "signature": hex_bytes(48)}
            )
        },
    ),
    "posted": fields(
        {
            "seat": _SEAT,
            "what": choice("ante", "small_blind", "big_blind", "straddle", "live", "dead"),
            "amount": _CHIPS,
        }
    ),
    "dealt": fields(
        {
            "hand": _HAND,
            "positions": list_of(
                _DEALT,
                1,
            ),
        }
    ),
    "acted": fields(
        {
            "seat": _SEAT,
            "act": choice(*_ACTS),
            "to": _CHIPS,
            "by": choice(*_ACTORS),
            "turn": _TURN,
        }
    ),
    "opened": fields(
        {
            "hand": _HAND,
            "by": choice("rule", "policy", "player"),
            "cards": list_of(
                fields({"position": _POSITION, "card": _CARD, "salt": _BYTES16}), 1, 52
            ),
        },
        {"seat": _SEAT, "board": _BOARD},
        together=(("seat",), ("board",)),
    ),
    "mucked": fields({"hand": _HAND, "seat": _SEAT, "by": choice("policy", "player")}),
    "runs_agreed": fields({"hand": _HAND, "runs": integer(2, 2), "seats": _AGREED}),
    "blinds_chopped": fields({"hand": _HAND, "seats": _AGREED}),
    "returned": fields({"seat": _SEAT, "amount": _CHIPS}),
    "awarded": fields(
        {
            "pot": integer(),
            "amount": _CHIPS,
            "rake": _CHIPS,
            "board": _BOARD,
            "winners": list_of(
                fields(
                    {"seat": _SEAT, "amount": _CHIPS},
                    {"name": text, "best_five": list_of(_CARD, 5, 5)},
                ),
                1,
                MAX_SEATS,
            ),
        },
        {"half": choice("high", "low")},
    ),
    "hand_ended": fields({"hand": _HAND, "stacks": list_of(fields(_SEAT_STACK), 2, MAX_SEATS)}),
    "colored_up": fields(
        {"unit": integer(1), "stacks": list_of(fields(_SEAT_STACK), 1, MAX_SEATS)}
    ),
    "game_closed": fields(
        {
            "reason": choice("operator", "max_hands", "max_time", "restored", "tournament"),
            "stacks": list_of(fields(_SEAT_PLAYER | _SEAT_STACK), 0, MAX_SEATS),
        },
        {"next": _BYTES16},
    ),
    "secret_revealed": fields({"hand": _HAND, "secret": _BYTES32}),
}

OPENING = fields(
    {
        "hand": _HAND,
        "position": _POSITION,
        "card": _CARD,
        "salt": _BYTES16,
        "proof": list_of(_BYTES32, 0, 63),
    }
)

DEALER_LOG = fields(
    {
        "checkpoint": text,
        "lines": list_of(
            fields({"index": integer(), "line": text, "proof": list_of(_BYTES32, 0, 63)}), 1
        ),
    }
)

TIME_PATTERN = integer().pattern
HAND_PATTERN = _HAND.pattern
ACT_WORDS = _ACTS + _ACTORS


def acted_pattern() -> str:
    """Give the pattern of lines of `acted`, with the groups act, by, seat, to, turn and time.

    It matches what `line_pattern` gives for that kind, and nothing else.
    """
    act, by = (rf'"({"|".join(words)})"' for words in (_ACTS, _ACTORS))
    seat, to, turn = (shape.pattern for shape in (_SEAT, _CHIPS, _TURN))
    fields_of = f'"act":{act},"by":{by},"seat":({seat}),"to":({to}),"turn":({turn})'
    return rf'\{{"acted":\{{{fields_of}\}},"at":({TIME_PATTERN})\}}'


def line_pattern(kind: str) -> str:
    """Give the pattern of whole lines of a kind: what it matches is canonical and of its shape."""
    entry = f'"{kind}":{SHAPES[kind].pattern}'
    at = f'"at":{TIME_PATTERN}'
    first, second = (entry, at) if kind < "at" else (at, entry)
    return rf"\{{{first},{second}\}}"
