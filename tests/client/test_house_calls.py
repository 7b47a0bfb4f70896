"""The client's calls for house rules, on a real dealer: choices, acts ahead, voids, presets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from cutcard.v1 import entry_pb2
from dealer_service.access.roles import Role
from dealer_service.client import (
    Act,
    Acted,
    BlindsChopped,
    CallRefusedError,
    CardsDealt,
    Choice,
    Dealer,
    GameClosed,
    MyTurn,
    PreAct,
    Seat,
    TableChanged,
)
from tests.support.house import House, keeping_house

Kind = TypeVar("Kind")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with keeping_house(tmp_path) as running:
        yield running


async def sit(house: House, **rules: Any) -> tuple[Dealer, str, list[Seat]]:
    """Seat ann and ben at a game that is still paused."""
    operator = await house.connect("operator", Role.OPERATOR)
    game = await house.open_game(operator, **rules)
    seats = []
    for name in ("ann", "ben"):
        dealer = await house.connect(name)
        seats.append(await dealer.sit(game, stack=10_000, directory=house.folder / name))
    return operator, game, seats


async def hear(seat: Seat, kind: type[Kind], fits: Callable[[Kind], bool] = lambda _: True) -> Kind:
    """Read a seat's events up to one of a kind."""
    async with asyncio.timeout(30):
        async for event in seat:
            if isinstance(event, kind) and fits(event):
                return event
    message = f"the seat ended without a {kind.__name__}"
    raise AssertionError(message)


async def first_turn(seats: list[Seat]) -> tuple[Seat, Seat, MyTurn]:
    """Wait until somebody is to act, and give that seat, the other and the turn."""
    waits = [asyncio.create_task(hear(seat, MyTurn)) for seat in seats]
    done, rest = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    (turn,) = [task.result() for task in done]
    to_act = next(seat for seat in seats if seat.number == turn.decision.seat)
    (other,) = [seat for seat in seats if seat is not to_act]
    return to_act, other, turn


async def test_an_act_ahead_is_done_in_its_turn(house: House) -> None:
    operator, game, seats = await sit(house)
    await operator.operator.resume(game)
    to_act, other, turn = await first_turn(seats)
    await other.pre_select(PreAct.CHECK_FOLD)
    await to_act.act(Act.CALL, decision=turn.decision)
    acted = await hear(to_act, Acted, lambda event: event.turn == 2)
    assert (acted.act, acted.by, acted.seat) == ("check", "pre_action", other.number)
    assert other.refused is None


async def test_a_turn_has_its_bets_by_name(house: House) -> None:
    operator, game, seats = await sit(house)
    await operator.operator.resume(game)
    _, _, turn = await first_turn(seats)
    assert (turn.decision.call, turn.decision.call_to) == (50, 100)
    names = [preset.name for preset in turn.decision.presets]
    assert names[0] == "min"
    assert names[-1] == "all_in"


async def test_choices_go_along_into_the_game_that_goes_on(house: House) -> None:
    operator, game, seats = await sit(house, max_hands=1)
    ann = seats[0]
    await ann.prefer(Choice.SHOW)
    await operator.operator.resume(game)
    to_act, _, turn = await first_turn(seats)
    await to_act.act(Act.FOLD, decision=turn.decision)
    await hear(ann, GameClosed)
    await hear(ann, TableChanged, lambda event: event.kind == "preferred")
    assert ann.game != game
    assert ann.view.me is not None
    assert ann.view.me.choices == ("show",)


async def test_the_blinds_are_chopped_where_both_chose_it(house: House) -> None:
    operator, game, seats = await sit(house, chop="blinds", choices="before_links")
    for seat in seats:
        await seat.prefer(Choice.CHOP)
    await operator.operator.resume(game)
    chopped = await hear(seats[0], BlindsChopped)
    assert chopped.seats == (1, 2)


@pytest.mark.parametrize("cards", [4, 6])
async def test_omahas_cards_are_dealt_and_told_once(house: House, cards: int) -> None:
    rules = {"variant": "omaha", "hole_cards": cards, "structure": "pot_limit"}
    operator, game, seats = await sit(house, **rules)
    await operator.operator.resume(game)
    dealt = await hear(seats[0], CardsDealt)
    assert len(set(dealt.cards)) == cards


async def test_a_refused_choice_says_what_is_offered(house: House) -> None:
    _, _, seats = await sit(house)
    with pytest.raises(CallRefusedError, match="this table offers no runs: choose of show"):
        await seats[0].prefer(Choice.RUNS)


async def test_an_operator_ends_no_hand_that_is_not_open(house: House) -> None:
    operator, game, _ = await sit(house)
    with pytest.raises(CallRefusedError) as refused:
        await operator.operator.void_hand(game, 1)
    assert refused.value.refusal.reason == "HAND_NOT_OPEN"


async def test_an_operator_opens_a_game_by_house_rules(house: House) -> None:
    operator = await house.connect("operator", Role.OPERATOR)
    rules = entry_pb2.RuleSet(
        structure="fixed_limit",
        ante=entry_pb2.AnteRule(kind="each", amount=1),
        straddle=entry_pb2.StraddleRule(),
        rake=entry_pb2.RakeRule(
            per_ten_thousand=500, caps=[entry_pb2.RakeCap(players=2, cap=3)], no_flop_no_drop=True
        ),
        time_bank=entry_pb2.TimeBankRule(start_ms=1, max_ms=2),
    )
    opened = (await operator.operator.open_game(rules)).rules
    assert (opened.limits.small_bet, opened.limits.big_bet, opened.limits.cap) == (2, 4, 4)
    assert (opened.straddle.kind, opened.straddle.min_raise) == ("under_the_gun", "double")
    assert opened.choices == "before_links"
    assert opened.rake == rules.rake
    assert not opened.HasField("hole_cards")
    assert not opened.HasField("return_ms")
