"""What a client sees of a tournament's table, and what it refuses (PROTOCOL.md 6.3, 8, 11)."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from dealer_service.client.lines import read_line
from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.client.sent import ChipsSent, LeaveSent, SeatAsked
from dealer_service.client.view import TableView, Viewer
from dealer_service.rules import entry as e
from dealer_service.rules.state import list_pots
from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import TableState
from tests.support.simulator import RULES, Simulator, passive
from tests.support.streams import Stream, stream_of
from tests.support.tournament_tables import (
    FIXED_LIMIT,
    LEVELS,
    POT_LIMIT,
    TABLE_RULES,
    play_table,
)

TABLES = {"no limit": TABLE_RULES, "pot limit": POT_LIMIT, "fixed limit": FIXED_LIMIT}
ANN = "p1"


@lru_cache
def played(name: str, players: int) -> Simulator:
    return play_table(seed=players, players=players, rules=TABLES[name], hands=8)


def told_to(table: Simulator, player: str | None) -> Stream:
    """Tell a player of a table for which it asked for no seat and for no chips."""
    stream = stream_of(table, player)
    own = (SeatAsked, LeaveSent, ChipsSent)
    stream.sent = [one for one in stream.sent if not isinstance(one, own)]
    return stream


def reason(stream: Stream) -> Reason | None:
    refused = stream.judge()
    return refused.reason if refused else None


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("players", [2, 7])
def test_no_table_is_refused_by_anyone(name: str, players: int) -> None:
    table = played(name, players)
    for player in (None, *table.clients):
        assert told_to(table, player).judge() is None, player


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("players", [2, 7])
def test_the_view_keeps_the_same_books_as_the_rules(name: str, players: int) -> None:
    """Stacks, pots, rules of the level, and who is the house's own, after every line."""
    table = played(name, players)
    viewer = Viewer(table.state.opened.game, None)
    state: TableState | None = None
    for index, line in enumerate(table.lines):
        viewer.apply(read_line(index, line))
        state = evolve(state, *table.log[index])
        _same(viewer.table(), state, table.log[index][1])


def _same(view: TableView, state: TableState, entry: e.Entry) -> None:
    rules = state.rules
    assert view.rules["big_blind"] == rules.big_blind
    assert view.rules["chip_unit"] == rules.chip_unit
    assert view.rules.get("ante", {}).get("amount") == (rules.ante and rules.ante.amount)
    if rules.limits is not None:
        assert view.rules["limits"]["big_bet"] == rules.limits.big_bet
    assert view.level == (state.level.level if state.level else 0)
    assert {s.seat for s in view.seats if s.house} == {
        number for number, seat in state.seats.items() if seat.house
    }
    seen = {seat.seat: seat for seat in view.seats}
    if state.play is None:
        assert {n: seat.stack for n, seat in seen.items()} == {
            n: seat.stack for n, seat in state.seats.items()
        }
        assert {n for n, seat in seen.items() if seat.state == "sitting_out"} == {
            n for n, seat in state.seats.items() if seat.sitting_out
        }
        return
    for chair in state.play.chairs:
        assert seen[chair.seat].stack == chair.stack, entry
        assert seen[chair.seat].live is not chair.folded
    if isinstance(entry, e.Acted | e.Posted):
        pots = list_pots(state.play)
        assert sum(pot.amount for pot in view.pots) == sum(pot.amount for pot in pots)


def one_hand(*, away: str = "", anchored: bool = True) -> Simulator:
    """Play one hand of three; `away` sits out before it."""
    table = Simulator(rules=TABLE_RULES)
    table.level, table.button = LEVELS[0], 1
    for seat in (1, 2, 3):
        table.give_seat(f"p{seat}", seat, 5_000, anchored=anchored)
    if away:
        table.sit_out(away)
    table.play_hand(choose=passive)
    return table


def change_own_seat(stream: Stream, **fields: object) -> None:
    opened = stream.transcript.find("hand_opened")
    seats = [one | fields if one["player"] == ANN else one for one in opened.body["seats"]]
    stream.transcript.change(opened.index, seats=seats)


def test_an_absent_player_is_told_of_its_hand_and_owes_no_link() -> None:
    stream = told_to(one_hand(away=ANN), ANN)
    verifier = stream.verifier()
    for now, message in stream.messages():
        verifier.receive(message, now)
        assert verifier.link_due is None
    assert verifier.own is not None
    assert verifier.own.anchor is not None
    assert stream.judge() is None


def test_a_hand_that_opens_with_the_player_absent_who_is_there_is_refused() -> None:
    """Else a dealer could fold for whom it likes."""
    stream = told_to(one_hand(), ANN)
    change_own_seat(stream, state="absent")
    assert reason(stream) is Reason.NOT_MINE


def test_a_hand_that_opens_with_the_player_there_who_is_away_is_refused() -> None:
    stream = told_to(one_hand(away=ANN), ANN)
    change_own_seat(stream, state="in")
    assert reason(stream) is Reason.NOT_MINE


def test_a_cash_game_that_leaves_the_player_out_as_sitting_out_is_refused() -> None:
    game = Simulator(rules=RULES)
    for name in (ANN, "p2", "p3"):
        game.sit(name)
    game.play_hand(choose=passive)
    stream = stream_of(game, ANN)
    change_own_seat(stream, state="sitting_out")
    assert reason(stream) is Reason.NOT_MINE


def test_an_act_as_absent_for_a_player_that_is_there_is_refused() -> None:
    stream = told_to(one_hand(), ANN)
    acted = next(one for one in stream.transcript.all("acted") if one.body["seat"] == 1)
    stream.transcript.change(acted.index, act="fold", by="absent", to=0)
    assert reason(stream) is Reason.NOT_MINE


def test_a_seat_that_is_taken_with_an_anchor_is_refused() -> None:
    stream = told_to(one_hand(), ANN)
    taken = stream.transcript.find("seat_taken")
    stream.transcript.change(taken.index, anchor="11" * 32)
    assert reason(stream) is Reason.NOT_MINE


def newcomer(wait_ms: int, *, anchored: bool) -> Stream:
    """Let a player come in the middle of a hand, and the next one open so long afterwards."""
    table = one_hand(anchored=False)
    table.open_hand()
    table.commit_deck()
    came = table.now
    table.give_seat("p7", 7, 5_000, anchored=anchored)
    while table.decision is not None:
        table.act(*passive(table, table.decision))
    table.now += table.state.rules.pause_ms
    table.end_hand()
    table.now = came + wait_ms
    table.open_hand()
    return told_to(table, "p7")


@pytest.mark.parametrize(
    ("anchors", "anchored", "wait_ms", "expected"),
    [
        (True, False, 2_999, Reason.NO_TIME_TO_ANCHOR),
        (True, False, 3_000, None),
        (True, True, 2_999, None),
        (False, False, 2_999, None),
    ],
)
def test_a_player_that_gives_links_has_time_to_anchor_at_its_table(
    *, anchors: bool, anchored: bool, wait_ms: int, expected: Reason | None
) -> None:
    stream = newcomer(wait_ms, anchored=anchored)
    stream.anchors = anchors
    assert reason(stream) is expected


def without_level(stream: Stream) -> None:
    opened = stream.transcript.find("hand_opened")
    body = {name: value for name, value in opened.body.items() if name != "level"}
    stream.transcript.put(opened.index, opened.at, "hand_opened", body)


def with_a_race_in_a_hand(stream: Stream) -> None:
    dealt = stream.transcript.find("dealt")
    race = {"unit": 25, "stacks": [{"seat": 1, "stack": 25}]}
    stream.transcript.insert(dealt.index, dealt.at, "colored_up", race)


def with_a_link_of_who_is_absent(stream: Stream) -> None:
    committed = stream.transcript.find("deck_committed")
    links: list[Any] = [{"link": "11" * 32, "seat": 1}, *committed.body["links"]]
    stream.transcript.change(committed.index, links=links)


CHANGES: list[tuple[Callable[[Stream], None], Reason]] = [
    (without_level, Reason.LINE),
    (with_a_race_in_a_hand, Reason.LINE),
    (with_a_link_of_who_is_absent, Reason.MIX),
]


@pytest.mark.parametrize(("change", "expected"), CHANGES)
def test_a_line_that_no_table_of_a_tournament_has_is_refused(
    change: Callable[[Stream], None], expected: Reason
) -> None:
    stream = told_to(one_hand(away=ANN), None)
    change(stream)
    assert reason(stream) is expected


@pytest.mark.parametrize("kind", ["level", "colored_up"])
def test_what_is_a_tournaments_alone_is_refused_in_another_game(kind: str) -> None:
    game = Simulator(rules=RULES)
    for name in (ANN, "p2"):
        game.sit(name)
    game.play_hand(choose=passive)
    stream = stream_of(game, None)
    opened = stream.transcript.find("hand_opened")
    if kind == "level":
        level = {"level": 1, "small_blind": 50, "big_blind": 100, "chip_unit": 1}
        stream.transcript.change(opened.index, level=level)
    else:
        race = {"unit": 25, "stacks": [{"seat": 1, "stack": 25}]}
        stream.transcript.insert(opened.index, opened.at, "colored_up", race)
    assert reason(stream) is Reason.LINE


def test_a_race_names_seats_that_are_taken() -> None:
    viewer = Viewer("00" * 16, None)
    line = b'{"at":1,"colored_up":{"stacks":[{"seat":1,"stack":25}],"unit":25}}'
    with pytest.raises(ProtocolBreach) as refused:
        viewer.apply(read_line(0, line))
    assert refused.value.reason is Reason.LINE
