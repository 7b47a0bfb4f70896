"""Rule sets that can not be, or lack what an option of theirs asks for, are not of this format."""

from typing import Any

import pytest

from audit_cli.entries import RULES
from tests.support.game_files import RULES as PLAIN

LIMITS = {"small_bet": 2, "big_bet": 4, "cap": 4, "uncapped_heads_up": True}
TABLE: dict[str, Any] = {
    "absent": "dealt_in",
    "button": "dead",
    "links": "optional",
    "newcomers": "by_position",
    "tournament": {"tournament": "5a" * 16, "table": 1},
}
RAKE = {"per_ten_thousand": 500, "caps": [{"players": 2, "cap": 3}], "no_flop_no_drop": True}


def rake(*players: int) -> dict[str, Any]:
    return RAKE | {"caps": [{"players": count, "cap": 3} for count in players]}


FIT: list[dict[str, Any]] = [
    {},
    {"structure": "fixed_limit", "limits": LIMITS},
    {"structure": "pot_limit", "pot_small_blind": "exact"},
    {"variant": "omaha", "hole_cards": 4, "seats": 10},
    {"variant": "omaha_hi_lo", "hole_cards": 5, "seats": 8},
    {"variant": "omaha", "hole_cards": 6, "seats": 7},
    {"straddle": {"kind": "button", "min_raise": "double"}, "choices": "at_once"},
    {"runs": 2, "chop": "blinds", "choices": "before_links"},
    {"rake": rake(2, 4, 6)},
    {"ante": {"kind": "each", "amount": 1}, "button": "dead", "newcomers": "wait"},
    {"missed_blinds": "dead", "return_ms": 0, "disconnect_ms": 5_000, "show": "all"},
    {"time_bank": {"start_ms": 1, "per_hand_ms": 0, "max_ms": 9}},
    {"watch_delay_ms": 1_000},
    {"watch_delay_ms": 3_600_000},
    TABLE,
    TABLE
    | {"ante": {"kind": "big_blind", "amount": 2}, "structure": "fixed_limit"}
    | {"limits": LIMITS},
    TABLE | {"time_bank": {"start_ms": 1, "per_hand_ms": 0, "max_ms": 9}, "disconnect_ms": 1},
]
UNFIT: list[tuple[dict[str, Any], str]] = [
    ({"limits": LIMITS}, "limits exactly for fixed limit"),
    ({"structure": "fixed_limit"}, "limits exactly for fixed limit"),
    ({"structure": "pot_limit"}, "pot_small_blind exactly for pot limit"),
    ({"pot_small_blind": "exact"}, "pot_small_blind exactly for pot limit"),
    ({"variant": "omaha"}, "hole_cards exactly for Omaha"),
    ({"hole_cards": 4}, "hole_cards exactly for Omaha"),
    ({"variant": "omaha", "hole_cards": 5, "seats": 9}, "8 at most"),
    ({"variant": "omaha", "hole_cards": 6, "seats": 8}, "7 at most"),
    ({"variant": "omaha", "hole_cards": 3}, "no integer from 4 to 6"),
    ({"runs": 2}, "choices exactly where straddle, runs or chop is"),
    ({"choices": "at_once"}, "choices exactly where straddle, runs or chop is"),
    ({"runs": 3, "choices": "at_once"}, "no integer from 2 to 2"),
    ({"rake": rake(3, 4)}, "the first for 2"),
    ({"rake": rake(2, 4, 3)}, "rising players"),
    ({"rake": RAKE | {"caps": []}}, "has 0 items"),
    ({"ante": {"kind": "each", "amount": 0}}, "no integer from 1"),
    ({"chip_unit": 2, "small_blind": 1}, "multiples of chip_unit"),
    ({"button": "stuck"}, "none of moving, dead"),
    ({"watch_delay_ms": 0}, "no integer from 1000 to 3600000"),
    ({"watch_delay_ms": 3_600_001}, "no integer from 1000 to 3600000"),
    ({"absent": "dealt_in"}, "has absent dealt_in, which is for a tournament's table alone"),
    ({"newcomers": "by_position"}, "has newcomers by_position, which is for a tournament's"),
    (TABLE | {"absent": "sit_out"}, "needs absent dealt_in at a tournament's table"),
    (TABLE | {"newcomers": "post"}, "needs newcomers by_position at a tournament's table"),
    (TABLE | {"button": "moving"}, "needs button dead at a tournament's table"),
    (TABLE | {"links": "required"}, "needs links optional at a tournament's table"),
    (TABLE | {"missed_blinds": "dead"}, "has missed_blinds, which a tournament's table has not"),
    (TABLE | {"runs": 2, "choices": "at_once"}, "has runs, which a tournament's table has not"),
    (TABLE | {"rake": RAKE}, "has rake, which a tournament's table has not"),
    (TABLE | {"return_ms": 0}, "has return_ms, which a tournament's table has not"),
    (TABLE | {"watch_delay_ms": 1_000}, "has watch_delay_ms, which a tournament's table has not"),
    (TABLE | {"tournament": {"tournament": "5a" * 16, "table": 0}}, "no integer from 1"),
    (TABLE | {"tournament": {"tournament": "5a", "table": 1}}, "is not 16 bytes"),
]


@pytest.mark.parametrize("more", FIT, ids=str)
def test_every_option_is_taken_with_what_belongs_to_it(more: dict[str, Any]) -> None:
    assert RULES(PLAIN | more) is None


@pytest.mark.parametrize(("more", "wrong"), UNFIT, ids=lambda value: str(value)[:60])
def test_a_rule_set_that_does_not_fit_together_is_refused(more: dict[str, Any], wrong: str) -> None:
    assert wrong in (RULES(PLAIN | more) or "")
