"""The three levels of house players: always legal, from what a client sees, and of rising skill."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.bots import beginner, intermediate, professional
from dealer_service.bots.choosing import Choice, Strategy
from dealer_service.bots.level import Level
from dealer_service.bots.strategies import STRATEGIES
from dealer_service.client import Act, Decision, Span, TableView
from tests.support.duels import play_deals
from tests.support.spots import spots, table, turn

LEVELS = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES.keys())
RAISE = Span(200, 10_000)


@LEVELS
@given(spots(), st.floats(0, 1, exclude_max=True))
def test_every_choice_is_one_that_the_turn_allows(
    strategy: Strategy, spot: tuple[Decision, TableView], mood: float
) -> None:
    decision, view = spot
    choice = strategy(decision, view, lambda: mood)
    bounds = {Act.BET: decision.bet, Act.RAISE: decision.raise_to}.get(choice.act)
    if choice.act in {Act.BET, Act.RAISE}:
        assert bounds is not None
        assert bounds.low <= choice.to <= bounds.high
    elif choice.act is Act.CHECK:
        assert decision.may_check
    else:
        assert decision.call
        assert choice.to == 0


@LEVELS
def test_it_knows_nothing_but_the_turn_and_the_players_own_view(strategy: Strategy) -> None:
    assert list(inspect.signature(strategy).parameters) == ["decision", "view", "chance"]


@LEVELS
def test_it_never_folds_where_checking_is_free(strategy: Strategy) -> None:
    assert strategy(turn(0), table("7s 2h"), lambda: 0.99) == Choice(Act.CHECK)
    assert strategy(turn(0), table("7s 2h", "Qd 9c 4h"), lambda: 0.99) == Choice(Act.CHECK)


def test_there_is_a_strategy_for_each_level() -> None:
    assert list(STRATEGIES) == list(Level)


@pytest.mark.parametrize("big_blinds", [100, 12])
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (intermediate.choose, beginner.choose),
        (professional.choose, intermediate.choose),
        (professional.choose, beginner.choose),
    ],
    ids=["intermediate-beginner", "professional-intermediate", "professional-beginner"],
)
def test_the_higher_level_wins_of_the_lower(
    better: Strategy, worse: Strategy, big_blinds: int
) -> None:
    won, lost = play_deals([better, worse], deals=600, seed=8, big_blinds=big_blinds)
    assert won > 0 > lost


@pytest.mark.parametrize(
    ("cards", "call", "expected"),
    [
        ("Qs Qh", 100, Choice(Act.RAISE, 200)),  # the least that is allowed
        ("9s 9h", 900, Choice(Act.CALL)),
        ("As 2h", 900, Choice(Act.CALL)),
        ("Ks Th", 2_000, Choice(Act.CALL)),
        ("Ks Th", 2_001, Choice(Act.FOLD)),  # more than a fifth of the stack
        ("Ts Th", 9_000, Choice(Act.CALL)),
        ("9s 7h", 100, Choice(Act.FOLD)),
    ],
)
def test_a_beginner_likes_to_see_the_flop(cards: str, call: int, expected: Choice) -> None:
    view = table(cards, bets=(0, call))
    assert beginner.choose(turn(call, raise_to=RAISE), view, lambda: 0.0) == expected


@pytest.mark.parametrize(
    ("cards", "call", "expected"),
    [
        ("Qs Jh", 300, Choice(Act.CALL)),  # a pair is worth the pot
        ("Qs Jh", 301, Choice(Act.FOLD)),
        ("7s 6h", 20, Choice(Act.FOLD)),  # whatever the price
        ("Qs 9h", 100, Choice(Act.RAISE, 350)),
    ],
)
def test_a_beginner_calls_with_whatever_it_has_hit(cards: str, call: int, expected: Choice) -> None:
    view = table(cards, "Qd 9c 4h", bets=(0, call))
    assert beginner.choose(turn(call, raise_to=RAISE), view, lambda: 0.0) == expected


@pytest.mark.parametrize(
    ("cards", "button", "expected"),
    [
        ("Js 8s", 1, Choice(Act.RAISE, 250)),  # two are behind
        ("Js 8s", 4, Choice(Act.FOLD)),  # five are
        ("As Kh", 4, Choice(Act.RAISE, 250)),
    ],
)
def test_a_professional_opens_by_its_position(cards: str, button: int, expected: Choice) -> None:
    """It sits in seat 1 of six, everybody before it has folded, and the big blind is 100."""
    view = table(cards, bets=(0, 50, 100, 0, 0, 0), button=button)
    choice = professional.choose(turn(100, raise_to=RAISE), view, lambda: 0.99)
    assert choice == expected


@pytest.mark.parametrize(
    ("cards", "stack", "expected"),
    [
        ("Qs 9s", 1_000, Choice(Act.RAISE, 1_000)),
        ("8s 5h", 1_000, Choice(Act.FOLD)),
        ("Qs 9s", 10_000, Choice(Act.RAISE, 250)),
    ],
)
def test_a_short_professional_goes_all_in_or_folds(
    cards: str, stack: int, expected: Choice
) -> None:
    view = table(cards, bets=(0, 50, 100), stack=stack)
    choice = professional.choose(turn(100, raise_to=Span(200, stack)), view, lambda: 0.99)
    assert choice == expected


def test_a_professional_bets_when_a_lone_opponent_checked_one_time_in_three() -> None:
    view, decision = table("7s 6h", "Qd 9c 2h"), turn(0, bet=Span(100, 9_000))
    moods = iter(range(100))
    chosen = [professional.choose(decision, view, lambda: next(moods) / 100) for _ in range(100)]
    assert chosen == [Choice(Act.BET, 150)] * 33 + [Choice(Act.CHECK)] * 67


def test_a_professional_leaves_no_small_rest_behind_a_bet() -> None:
    view = table("As Ah", "Qd 9c 2h", pot=1_200, stack=1_000)
    choice = professional.choose(turn(0, bet=Span(100, 1_000)), view, lambda: 0.99)
    assert choice == Choice(Act.BET, 1_000)
