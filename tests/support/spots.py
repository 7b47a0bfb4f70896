"""Turns and tables as a house player may be shown them."""

from typing import Any

from hypothesis import strategies as st

from dealer_service.client import Decision, Pot, SeatView, Span, TableView
from dealer_service.fairness.cards import CARD_NAMES


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
    cards: str,
    board: str = "",
    *,
    pot: int = 300,
    bets: tuple[int, ...] = (0, 0),
    stack: int = 10_000,
    button: int = 1,
) -> TableView:
    rules: dict[str, Any] = {"big_blind": 100, "structure": "no_limit"}
    seats = tuple(
        SeatView(number, f"p{number}", stack, bet=bet, state="in")
        for number, bet in enumerate(bets, 1)
    )
    return TableView(
        game="",
        hand=1,
        button=button,
        street="",
        board=tuple(board.split()),
        seats=seats,
        pots=(Pot(pot, tuple(seat.seat for seat in seats)),),
        seat=1,
        cards=tuple(cards.split()),
        decision=None,
        rules=rules,
    )


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
