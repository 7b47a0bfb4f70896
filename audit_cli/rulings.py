"""What the fields of a rule set have to be together (protocol 6.1): else it is not of this format.

Which option asks for which field, what the deck can serve, and what a tournament's table is.
"""

from __future__ import annotations

from audit_cli.derive import CARDS

HOLDEM_CARDS = 2
FEWEST_PLAYERS = 2
# A board with its burns.
BOARD_AND_BURNS = 8

# What the rules of a tournament's table are, and what they have not.
_AT_TOURNAMENT = {
    "absent": "dealt_in",
    "newcomers": "by_position",
    "button": "dead",
    "links": "optional",
}
_NOT_AT_TOURNAMENT = (
    *("straddle", "missed_blinds", "runs", "chop", "choices", "rake"),
    *("return_ms", "watch_delay_ms"),
)
# Words that are for such tables alone.
_FOR_TOURNAMENT = ("absent", "newcomers")


def judge_rules(value: dict[str, object]) -> str | None:
    """Return what is wrong with a rule set whose fields are each right alone, or None."""
    wrong = judge_blinds(value)
    if wrong is not None:
        return wrong
    low, high, seats = value["buy_in_min"], value["buy_in_max"], value["seats"]
    assert isinstance(low, int)
    assert isinstance(high, int)
    assert isinstance(seats, int)
    if low > high:
        return " needs buy_in_min up to buy_in_max"
    return (
        _judge_fields(value)
        or _judge_caps(value)
        or _judge_deck(value, seats)
        or _judge_tournament(value)
    )


def judge_blinds(value: dict[str, object]) -> str | None:
    """Return what is wrong with blinds and unit, of a rule set or of a level, or None."""
    small, big, unit = value["small_blind"], value["big_blind"], value["chip_unit"]
    assert isinstance(small, int)
    assert isinstance(big, int)
    assert isinstance(unit, int)
    if small > big or small % unit or big % unit:
        return " needs small_blind up to big_blind, both multiples of chip_unit"
    return None


def _judge_fields(value: dict[str, object]) -> str | None:
    """Judge the fields that are there exactly where another one asks for them."""
    asked = {
        "hole_cards": (value["variant"] != "holdem", "for Omaha"),
        "limits": (value["structure"] == "fixed_limit", "for fixed limit"),
        "pot_small_blind": (value["structure"] == "pot_limit", "for pot limit"),
        "choices": (
            any(name in value for name in ("straddle", "runs", "chop")),
            "where straddle, runs or chop is",
        ),
    }
    for name, (needed, where) in asked.items():
        if (name in value) != needed:
            return f" needs {name} exactly {where}"
    return None


def _judge_caps(value: dict[str, object]) -> str | None:
    rake = value.get("rake")
    if rake is None:
        return None
    assert isinstance(rake, dict)
    players = [cap["players"] for cap in rake["caps"]]
    if players[0] != FEWEST_PLAYERS or players != sorted(set(players)):
        return ".rake.caps needs rising players, the first for 2"
    return None


def _judge_deck(value: dict[str, object], seats: int) -> str | None:
    held = value.get("hole_cards", HOLDEM_CARDS)
    assert isinstance(held, int)
    if seats * held + BOARD_AND_BURNS > len(CARDS):
        most = (len(CARDS) - BOARD_AND_BURNS) // held
        return f" has more seats than the deck can serve with {held} hole cards: {most} at most"
    return None


def _judge_tournament(value: dict[str, object]) -> str | None:
    """Judge the rules of a tournament's table, and that no other game has such rules."""
    if "tournament" not in value:
        for name in _FOR_TOURNAMENT:
            word = _AT_TOURNAMENT[name]
            if value[name] == word:
                return f" has {name} {word}, which is for a tournament's table alone"
        return None
    for name, word in _AT_TOURNAMENT.items():
        if value[name] != word:
            return f" needs {name} {word} at a tournament's table"
    for name in _NOT_AT_TOURNAMENT:
        if name in value:
            return f" has {name}, which a tournament's table has not"
    return None
