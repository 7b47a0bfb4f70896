"""What a person types at the table, and what it means on the turn that stands."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.client import Act, Choice, Decision, PreAct, Preset, Span
from dealer_service.commands.orders import (
    Add,
    Ahead,
    Misread,
    Play,
    Prefer,
    Wish,
    offer,
    offer_presets,
    read_order,
)


def turn(call: int = 0, bet: Span | None = None, raise_to: Span | None = None) -> Decision:
    return Decision(1, 1, 1, call == 0, call, bet, raise_to, "", 0)


FREE = turn(bet=Span(100, 5_000))
FACING = turn(300, raise_to=Span(600, 5_000))
SHORT = turn(300)
NAMED = replace(
    FACING,
    presets=(Preset("min", 600, 600), Preset("pot", 1_200, 1_200), Preset("all_in", 5_000, 5_000)),
)


@pytest.mark.parametrize(
    ("line", "decision", "order"),
    [
        ("f", FACING, Play(Act.FOLD)),
        ("FOLD", FACING, Play(Act.FOLD)),
        ("fold", FREE, Play(Act.FOLD)),
        ("x", FREE, Play(Act.CHECK)),
        ("k", FREE, Play(Act.CHECK)),
        (" check ", FREE, Play(Act.CHECK)),
        ("c", FREE, Play(Act.CHECK)),
        ("c", FACING, Play(Act.CALL)),
        ("call", SHORT, Play(Act.CALL)),
        ("b 100", FREE, Play(Act.BET, 100)),
        ("bet 1,000", FREE, Play(Act.BET, 1_000)),
        ("r 600", FREE, Play(Act.BET, 600)),
        ("r 600", FACING, Play(Act.RAISE, 600)),
        ("r600", FACING, Play(Act.RAISE, 600)),
        ("raise to 5_000", FACING, Play(Act.RAISE, 5_000)),
        ("b 700", FACING, Play(Act.RAISE, 700)),
        ("a", FREE, Play(Act.BET, 5_000)),
        ("all-in", FACING, Play(Act.RAISE, 5_000)),
        ("all in", SHORT, Play(Act.CALL)),
        ("a", turn(), Play(Act.CHECK)),
    ],
)
def test_an_act_is_read_for_its_turn(line: str, decision: Decision, order: Play) -> None:
    assert read_order(line, decision) == order


@pytest.mark.parametrize(
    ("line", "decision", "words"),
    [
        ("x", FACING, "there is a bet: c calls 300, f folds"),
        ("r", FACING, "say how much: r 600"),
        ("b", FREE, "say how much: b 100"),
        ("r 599", FACING, "raise to at least 600 and at most 5,000"),
        ("b 5001", FREE, "bet at least 100 and at most 5,000"),
        ("r 900", SHORT, "no bet or raise: f fold, c call 300"),
        ("dance", FREE, "'dance' is no order: ? lists them"),
        ("r -5", FACING, "is no order"),
        ("r 5.5", FACING, "is no order"),
        ("\x1b[2J", FREE, "is no order"),
        ("+", FREE, "say how many chips to add: + 500"),
        ("+ 0", FREE, "say how many chips to add"),
        ("c", None, "it is not your turn"),
    ],
)
def test_what_can_not_be_is_said_with_what_could(
    line: str, decision: Decision | None, words: str
) -> None:
    order = read_order(line, decision)
    assert isinstance(order, Misread)
    assert words in order.message


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("q", Wish.LEAVE),
        ("quit", Wish.LEAVE),
        ("s", Wish.SIT_OUT),
        ("sit out", Wish.SIT_OUT),
        ("i", Wish.COME_BACK),
        ("show", Wish.SHOW),
        ("t", Wish.TABLE),
        ("?", Wish.HELP),
        ("+ 500", Add(500)),
        ("+1,500", Add(1_500)),
    ],
)
@pytest.mark.parametrize("decision", [None, FREE, FACING])
def test_wishes_need_no_turn(line: str, order: Wish | Add, decision: Decision | None) -> None:
    assert read_order(line, decision) == order


@given(st.text(max_size=40), st.sampled_from([None, FREE, FACING, SHORT]))
def test_any_line_is_an_order_or_is_explained_in_printable_words(
    line: str, decision: Decision | None
) -> None:
    order = read_order(line, decision)
    if isinstance(order, Misread):
        assert order.message.isprintable()
        assert order.message.isascii()
    if isinstance(order, Play):
        assert decision is not None


def test_an_offer_lists_all_that_may_be_typed_with_its_amounts() -> None:
    assert offer(FREE) == "f fold, x check, b bet 100 to 5,000"
    assert offer(FACING) == "f fold, c call 300, r raise to 600 up to 5,000"


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("r min", Play(Act.RAISE, 600)),
        ("raise to pot", Play(Act.RAISE, 1_200)),
        ("b Pot", Play(Act.RAISE, 1_200)),
        ("r all in", Play(Act.RAISE, 5_000)),
        ("next fold", Ahead(PreAct.FOLD)),
        ("next check/fold", Ahead(PreAct.CHECK_FOLD)),
        ("next  call  any", Ahead(PreAct.CALL_ANY)),
        ("next none", Ahead(PreAct.NONE)),
        ("prefer runs straddle", Prefer((Choice.RUNS, Choice.STRADDLE))),
        ("prefer show, show", Prefer((Choice.SHOW,))),
        ("prefer none", Prefer(())),
    ],
)
def test_bets_by_name_acts_ahead_and_choices_are_read(line: str, order: object) -> None:
    assert read_order(line, NAMED) == order


@pytest.mark.parametrize(
    ("line", "decision", "words"),
    [
        ("r half", NAMED, "the turn offers no such bet: min 600, pot 1,200, all-in 5,000"),
        ("b pot", SHORT, "no bet or raise: f fold, c call 300"),
        ("b pot", None, "it is not your turn"),
        ("next", NAMED, "next what: fold, check, check/fold, call, call any or none"),
        ("next raise", NAMED, "next what"),
        ("prefer", NAMED, "prefer what: any of chop, runs, show, straddle, or none"),
        ("prefer bluff", NAMED, "prefer what"),
    ],
)
def test_what_is_no_bet_by_name_and_no_choice_is_said(
    line: str, decision: Decision | None, words: str
) -> None:
    order = read_order(line, decision)
    assert isinstance(order, Misread)
    assert order.message.startswith(words)


def test_presets_are_offered_as_they_are_typed() -> None:
    assert offer_presets(NAMED) == "min 600, pot 1,200, all-in 5,000"
    for name in ("min", "half", "3/4", "pot", "all-in"):
        known = replace(NAMED, presets=(Preset(PRESET_NAMES[name], 700, 700),))
        assert read_order(f"r {name}", known) == Play(Act.RAISE, 700)
        assert offer_presets(known) == f"{name} 700"


PRESET_NAMES = {
    "min": "min",
    "half": "half",
    "3/4": "three_quarters",
    "pot": "pot",
    "all-in": "all_in",
}
