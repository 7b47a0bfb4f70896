"""How a house player decides: always legally, by cards and price, from what a client sees."""

import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.bots import strategy
from dealer_service.bots.strategy import Choice, choose
from dealer_service.client import Act, Decision, Pot, SeatView, Span, TableView
from dealer_service.fairness.cards import CARD_NAMES

SOBER = 0.99
BLUFFING = 0.01


def turn(call: int = 0, bet: Span | None = None, raise_to: Span | None = None) -> Decision:
    return Decision(
        hand=1,
        turn=1,
        seat=1,
        may_check=call == 0,
        call=call,
        bet=bet,
        raise_to=raise_to,
        no_raise_because="",
        deadline=0,
    )


def table(
    cards: str, board: str = "", *, pot: int = 300, bets: tuple[int, ...] = (0, 0)
) -> TableView:
    rules: dict[str, Any] = {"big_blind": 100}
    seats = tuple(
        SeatView(number, f"p{number}", 10_000, bet=bet, state="in")
        for number, bet in enumerate(bets, 1)
    )
    return TableView(
        game="",
        hand=1,
        button=1,
        street="",
        board=tuple(board.split()),
        seats=seats,
        pots=(Pot(pot, tuple(seat.seat for seat in seats)),),
        seat=1,
        cards=tuple(cards.split()),
        decision=None,
        rules=rules,
    )


RAISE = Span(200, 10_000)


@pytest.mark.parametrize(
    ("cards", "bets", "call", "expected"),
    [
        ("As Ah", (0, 100), 100, Choice(Act.RAISE, 300)),
        ("As Ks", (0, 100), 100, Choice(Act.RAISE, 300)),
        ("As Ah", (0, 600), 600, Choice(Act.RAISE, 1_800)),
        ("Ts Th", (0, 600), 600, Choice(Act.CALL)),
        ("9s 9h", (0, 400), 400, Choice(Act.CALL)),
        ("9s 9h", (0, 700), 700, Choice(Act.FOLD)),
        ("6s 5s", (0, 100), 100, Choice(Act.CALL)),
        ("6s 5s", (0, 300), 300, Choice(Act.FOLD)),
        ("7s 2h", (50, 100), 50, Choice(Act.FOLD)),
        ("As Ah", (0, 9_000), 9_000, Choice(Act.RAISE, 10_000)),
    ],
)
def test_before_the_flop_points_decide_by_the_price(
    cards: str, bets: tuple[int, int], call: int, expected: Choice
) -> None:
    view = table(cards, bets=bets)
    assert choose(turn(call, raise_to=RAISE), view, lambda: SOBER) == expected


@pytest.mark.parametrize(
    ("cards", "call", "pot", "expected"),
    [
        ("As Ah", 0, 300, Choice(Act.BET, 200)),
        ("7s 2h", 0, 300, Choice(Act.CHECK)),
        ("Qs Qh", 100, 400, Choice(Act.RAISE, 466)),
        ("Qs Jh", 100, 400, Choice(Act.CALL)),
        ("6s 5h", 400, 700, Choice(Act.FOLD)),
        ("Ks Jh", 20, 700, Choice(Act.CALL)),  # the price is good enough for a draw
    ],
)
def test_with_a_board_the_pots_odds_decide(
    cards: str, call: int, pot: int, expected: Choice
) -> None:
    view = table(cards, "Qd 9c 4h", pot=pot, bets=(0, call))
    bounds = {"bet": Span(100, 9_000)} if call == 0 else {"raise_to": RAISE}
    assert choose(turn(call, **bounds), view, lambda: SOBER) == expected


def test_one_time_in_twenty_it_plays_as_though_its_hand_were_better() -> None:
    view, decision = table("7s 6h", bets=(0, 300)), turn(300, raise_to=RAISE)
    moods = iter(range(100))
    chosen = [choose(decision, view, lambda: next(moods) / 100).act for _ in range(100)]
    assert chosen == [Act.CALL] * 5 + [Act.FOLD] * 95


def test_against_more_players_it_wants_a_better_hand() -> None:
    decision = turn(0, bet=Span(100, 9_000))
    alone = choose(decision, table("Qs Jh", "Qd 9c 4h"), lambda: SOBER)
    crowd = choose(decision, table("Qs Jh", "Qd 9c 4h", bets=(0,) * 6), lambda: SOBER)
    assert (alone.act, crowd.act) == (Act.BET, Act.CHECK)


def test_it_never_folds_where_checking_is_free() -> None:
    assert choose(turn(0), table("7s 2h"), lambda: SOBER) == Choice(Act.CHECK)


def test_it_knows_nothing_but_the_turn_and_the_players_own_view() -> None:
    assert list(inspect.signature(strategy.choose).parameters) == ["decision", "view", "chance"]


@st.composite
def spots(draw: st.DrawFn) -> tuple[Decision, TableView]:
    """Draw a turn with bounds as the rules may have them, and a table to it."""
    deck = draw(st.permutations(list(CARD_NAMES)))
    board = deck[2 : 2 + draw(st.sampled_from([0, 3, 4, 5]))]
    call = draw(st.sampled_from([0, 0, 1, 50, 100, 900, 10_000]))
    low = draw(st.integers(1, 10_000))
    bounds = draw(st.none() | st.builds(Span, st.just(low), st.integers(low, 20_000)))
    decision = turn(call, **({"raise_to": bounds} if call else {"bet": bounds}))
    bets = draw(st.lists(st.integers(0, 20_000), min_size=2, max_size=10))
    view = table(
        " ".join(deck[:2]), " ".join(board), pot=draw(st.integers(1, 90_000)), bets=tuple(bets)
    )
    return decision, view


@given(spots(), st.floats(0, 1, exclude_max=True))
def test_every_choice_is_one_that_the_turn_allows(
    spot: tuple[Decision, TableView], mood: float
) -> None:
    decision, view = spot
    choice = choose(decision, view, lambda: mood)
    bounds = {Act.BET: decision.bet, Act.RAISE: decision.raise_to}.get(choice.act)
    if choice.act in {Act.BET, Act.RAISE}:
        assert bounds is not None
        assert bounds.low <= choice.to <= bounds.high
    elif choice.act is Act.CHECK:
        assert decision.may_check
    else:
        assert decision.call
        assert choice.to == 0
