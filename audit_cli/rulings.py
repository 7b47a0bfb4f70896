"""What the fields of a rule set have to be together (protocol 6.1): else it is not of this format.

Which option asks for which field, and what the deck can serve.
"""

from __future__ import annotations

from audit_cli.derive import CARDS

HOLDEM_CARDS = 2
FEWEST_PLAYERS = 2
# A board with its burns.
BOARD_AND_BURNS = 8

_NAMES = ("seats", "small_blind", "big_blind", "chip_unit", "buy_in_min", "buy_in_max")


def judge_rules(value: dict[str, object]) -> str | None:
    """Return what is wrong with a rule set whose fields are each right alone, or None."""
    numbers = {name: number for name in _NAMES if isinstance(number := value[name], int)}
    small, big, unit = numbers["small_blind"], numbers["big_blind"], numbers["chip_unit"]
    if small > big or small % unit or big % unit:
        return " needs small_blind up to big_blind, both multiples of chip_unit"
    if numbers["buy_in_min"] > numbers["buy_in_max"]:
        return " needs buy_in_min up to buy_in_max"
    return _judge_fields(value) or _judge_caps(value) or _judge_deck(value, numbers["seats"])


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
