"""How the intermediate house player decides: by cards and price."""

import pytest

from dealer_service.bots.choosing import Choice
from dealer_service.bots.intermediate import choose
from dealer_service.client import Act, Span
from tests.support.spots import table, turn

SOBER = 0.99
BLUFFING = 0.01


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
