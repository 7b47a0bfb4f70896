"""What a client sees of the house rules, and what it refuses of them (PROTOCOL.md 4, 9.8, 11)."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from dealer_service.client.lines import read_line
from dealer_service.client.refusing import Reason
from dealer_service.client.sent import PreferSent, PreSelectSent
from dealer_service.client.view import TableView, Viewer
from dealer_service.rules import entry as e
from dealer_service.rules.ahead import PreAct
from dealer_service.rules.hand import Decision
from dealer_service.rules.state import list_pots
from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import TableState
from tests.support.simulator import (
    HOUSE_LIFE,
    HOUSES,
    RULES,
    Move,
    Simulator,
    passive,
    play_game,
)
from tests.support.streams import Stream, stream_of

ANN, BEN = "ann", "ben"


@lru_cache
def lively(house: str, players: int) -> Simulator:
    return play_game(
        seed=players, hands=15, players=players, habits=HOUSE_LIFE, rules=HOUSES[house]
    )


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("players", [2, 5])
def test_no_game_under_house_rules_is_refused_by_anyone(house: str, players: int) -> None:
    game = lively(house, players)
    for player in (None, *game.clients):
        assert stream_of(game, player).judge() is None, player


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("players", [2, 5])
def test_the_view_keeps_the_same_books_as_the_rules(house: str, players: int) -> None:
    """Stacks, bets, boards and pots after every line, dead money and second boards too."""
    game = lively(house, players)
    viewer = Viewer(game.state.opened.game, None)
    state: TableState | None = None
    for index, line in enumerate(game.lines):
        viewer.apply(read_line(index, line))
        state = evolve(state, *game.log[index])
        view = viewer.table()
        if state.play is None:
            assert {s.seat: s.stack for s in view.seats} == {
                number: seat.stack for number, seat in state.seats.items()
            }
        else:
            _same_hand(view, state, game.log[index][1])


def _same_hand(view: TableView, state: TableState, entry: e.Entry) -> None:
    assert state.play is not None
    seen = {seat.seat: seat for seat in view.seats}
    for chair in state.play.chairs:
        assert seen[chair.seat].stack == chair.stack, entry
    assert view.board == state.play.layout.board
    assert view.second_board == (state.play.layout.second or ())
    if isinstance(entry, e.Acted | e.Posted):
        assert sum(pot.amount for pot in view.pots) == sum(
            pot.amount for pot in list_pots(state.play)
        )


def all_in(_game: Simulator, due: Decision) -> Move:
    bounds = due.bet or due.raise_
    if bounds is not None:
        return (e.Act.BET if due.bet else e.Act.RAISE), bounds.max
    return passive(_game, due)


def twice(*, streets: int = 0, player: str = ANN) -> Stream:
    """Tell a hand that two run twice, all-in after so many streets."""
    game = Simulator(rules=replace(RULES, runs=2, choices=e.ChoicesCount.AT_ONCE))
    for name in (ANN, BEN):
        game.sit(name, stack=5_000)
        game.prefer(name, e.Choice.RUNS)

    def choose(game: Simulator, due: Decision) -> Move:
        assert game.state.play is not None
        return (all_in if game.state.play.betting.street >= streets else passive)(game, due)

    game.play_hand(choose=choose)
    assert any(isinstance(entry, e.RunsAgreed) for _, entry in game.log)
    return stream_of(game, player)


@pytest.mark.parametrize("streets", [0, 1, 2])
def test_the_rest_of_the_board_goes_out_twice(streets: int) -> None:
    stream = twice(streets=streets)
    assert stream.judge() is None
    boards = [
        position["board"]
        for one in stream.transcript.all("dealt")
        for position in one.body["positions"]
        if "board" in position
    ]
    shared = (0, 3, 4)[streets]
    assert boards == [1] * 5 + [2] * (5 - shared)


def second_board_first(dealt: list[Any]) -> tuple[int, dict[str, Any]]:
    return dealt[1].index, {"positions": _to(dealt[1], 2)}


def second_board_on_the_first(dealt: list[Any]) -> tuple[int, dict[str, Any]]:
    return dealt[4].index, {"positions": _to(dealt[4], 1)}


def _to(one: Any, board: int) -> list[dict[str, Any]]:
    return [each | {"board": board} if "board" in each else each for each in one.body["positions"]]


@pytest.mark.parametrize("change", [second_board_first, second_board_on_the_first])
def test_boards_in_another_order_are_refused(
    change: Callable[[list[Any]], tuple[int, dict[str, Any]]],
) -> None:
    stream = twice()
    index, fields = change(stream.transcript.all("dealt"))
    stream.transcript.change(index, **fields)
    refused = stream.judge()
    assert refused is not None
    assert refused.reason is Reason.POSITION


def test_a_second_board_that_nobody_agreed_to_is_refused() -> None:
    stream = twice(player=BEN)
    stream.transcript.delete(stream.transcript.find("runs_agreed").index)
    refused = stream.judge()
    assert refused is not None
    assert refused.reason is Reason.POSITION


def omaha() -> Stream:
    game = Simulator(rules=HOUSES["omaha"])
    for name in (ANN, BEN):
        game.sit(name, stack=5_000)
    game.play_hand(choose=passive)
    return stream_of(game, ANN)


def test_omaha_deals_as_many_rounds_as_hole_cards() -> None:
    stream = omaha()
    assert stream.judge() is None
    assert len(stream.transcript.find("dealt").body["positions"]) == 8
    dealt = stream.transcript.find("dealt")
    stream.transcript.change(dealt.index, positions=dealt.body["positions"][:4])
    refused = stream.judge()
    assert refused is not None
    assert refused.reason is Reason.POSITION


def reason_without(stream: Stream, kind: type) -> Reason | None:
    stream.sent = [one for one in stream.sent if not isinstance(one, kind)]
    refused = stream.judge()
    return refused.reason if refused else None


def test_choices_that_the_client_never_sent_are_refused() -> None:
    assert reason_without(twice(), PreferSent) is Reason.NOT_MINE


def test_an_opening_with_other_choices_than_the_clients_is_refused() -> None:
    stream = twice()
    opened = stream.transcript.find("hand_opened")
    seats = [one | {"choices": ["runs", "show"]} for one in opened.body["seats"]]
    stream.transcript.change(opened.index, seats=seats)
    refused = stream.judge()
    assert refused is not None
    assert refused.reason is Reason.NOT_MINE


def test_an_agreement_without_the_clients_choice_is_refused() -> None:
    """It is taken back before it counts, and the dealer runs the hand twice all the same."""
    stream = twice()
    stream.sent.append(PreferSent("request-0", ""))
    agreed = stream.transcript.find("runs_agreed")
    body = {"seat": 1, "player": ANN, "choices": []}
    stream.transcript.insert(agreed.index, agreed.at, "preferred", body)
    refused = stream.judge()
    assert refused is not None
    assert (refused.reason, "agrees" in refused.detail) == (Reason.NOT_MINE, True)


def test_a_straddle_that_the_client_did_not_choose_is_refused() -> None:
    game = Simulator(rules=HOUSES["omaha"])
    for name in (ANN, BEN, "cleo"):
        game.sit(name, stack=5_000)
    game.play_hand(choose=passive)
    stream = stream_of(game, ANN)
    opened = stream.transcript.find("hand_opened")
    stream.transcript.change(opened.index, straddle_seat=1)
    refused = stream.judge()
    assert refused is not None
    assert (refused.reason, "straddles" in refused.detail) == (Reason.NOT_MINE, True)


def acted_ahead() -> Stream:
    game = Simulator()
    for name in (BEN, ANN, "cleo"):
        game.sit(name, stack=5_000)
    game.open_hand()
    game.give_links()
    game.commit_deck()
    game.choose_ahead(ANN, PreAct.CALL_ANY)
    game.act(e.Act.CALL)
    stream = stream_of(game, ANN)
    acted = stream.transcript.find("acted", where=lambda body: body["by"] == "pre_action")
    assert (acted.body["seat"], acted.body["act"]) == (2, "call")
    return stream


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ([PreSelectSent(1, "call")], None),
        ([PreSelectSent(1, "call_any")], None),
        ([PreSelectSent(1, "check_fold")], Reason.NOT_MINE),
        ([PreSelectSent(2, "call")], Reason.NOT_MINE),
        ([], Reason.NOT_MINE),
    ],
    ids=str,
)
def test_an_act_ahead_is_the_clients_if_it_chose_it_for_the_hand(
    sent: list[PreSelectSent], reason: Reason | None
) -> None:
    stream = acted_ahead()
    stream.sent = [one for one in stream.sent if not isinstance(one, PreSelectSent)] + [*sent]
    refused = stream.judge()
    assert (refused.reason if refused else None) is reason


def test_a_clock_that_acts_inside_the_time_bank_is_refused() -> None:
    game = Simulator(rules=replace(RULES, time_bank=e.TimeBankRule(10_000, 0, 10_000)))
    for name in (ANN, BEN):
        game.sit(name, stack=5_000)
    game.open_hand()
    game.give_links()
    game.commit_deck()
    assert game.decision is not None
    player = game.state.seats[game.decision.seat].player
    game.time_out()
    stream = stream_of(game, player)
    assert stream.judge() is None
    acted = stream.transcript.find("acted")
    stream.transcript.move_time(acted.index, acted.at - 1)
    refused = stream.judge()
    assert refused is not None
    assert refused.reason is Reason.NOT_MINE
