"""The rule cases about tournaments come out as they say: places, races, balancing, last tables."""

from dataclasses import replace
from typing import Any

import pytest

from dealer_service.rules.tournament.balancing import balance, is_redraw_due
from dealer_service.rules.tournament.entry import (
    Drawn,
    DrawWhat,
    Moved,
    MoveWhy,
    TableBroken,
    Ties,
)
from dealer_service.rules.tournament.placing import place_busted
from dealer_service.rules.tournament.racing import find_race, run_race
from dealer_service.rules.tournament.state import (
    Bust,
    Ended,
    Entrant,
    Phase,
    Seat,
    Standing,
    Table,
    TournamentState,
)
from dealer_service.rules.tournament.step import StepKind
from tests.support.rule_cases import CASES
from tests.support.tournament_desk import Desk, level, structure


def cases(kind: str) -> pytest.MarkDecorator:
    found = [case for case in CASES if case["kind"] == kind]
    assert found
    return pytest.mark.parametrize("case", found, ids=lambda case: case["id"])


def running(**changes: Any) -> TournamentState:
    return replace(Desk(structure()).state, phase=Phase.RUNNING, level=1, **changes)


def entrant(player: str, number: int = 1) -> Entrant:
    return Entrant(player, number, anchors=False, house=False, standing=Standing.PLAYING)


@cases("ranking")
def test_who_busts_is_ranked_and_paid_as_the_rule_cases_say(case: dict[str, Any]) -> None:
    """Of one table by the stacks at the hand's start; in a round hand for hand tables tie."""
    given, expect = case["given"], case["expect"]
    in_round = len({one["table"] for one in given["busts"]}) > 1
    busted = tuple(
        Bust(one["player"], one["table"], one["start"], Ended(7, 1, in_round))
        for one in given["busts"]
    )
    prizes = [given["prizes"].get(place, 0) for place in range(1, max(given["prizes"]) + 1)]
    state = running(
        registration_open=False,
        busted=busted,
        players_in=given["players_left_before"] - len(busted),
        prizes=tuple(prizes),
        entrants={one.player: entrant(one.player) for one in busted},
    )
    placed = {one.player: one for one in place_busted(state)}
    for player, place in expect.get("places", {}).items():
        assert placed[player].place == place
    assert {player: one.prize for player, one in placed.items()} == expect["paid"]


def test_by_stacks_those_who_bust_in_one_round_do_not_tie() -> None:
    """TO-03 with the other house rule: the greatest stack takes the last paid place."""
    (case,) = (case for case in CASES if case["id"] == "TO-03")
    busted = tuple(
        Bust(one["player"], one["table"], one["start"], Ended(7, 1, in_round=True))
        for one in case["given"]["busts"]
    )
    state = running(busted=busted, players_in=49, prizes=(0,) * 49 + (600,))
    played = replace(state.structure, ties=Ties.STACKS)
    placed = place_busted(replace(state, opened=replace(state.opened, structure=played)))
    assert [(one.player, one.place, one.prize) for one in placed] == [
        ("C", 52, 0),
        ("A", 51, 0),
        ("B", 50, 600),
    ]


@cases("color_up")
def test_odd_chips_are_raced_as_the_rule_cases_say(case: dict[str, Any]) -> None:
    """The order of the cards there is an order of seats here: the high card comes first."""
    given, expect = case["given"], case["expect"]
    unit, old = given["into"], given["remove"]
    seats = {
        seat: Seat(f"p{seat}", 1_000 + old * odd, old, 0, 0)
        for seat, odd in given["odd_chips"].items()
    }
    table = Table(1, "00" * 16, seats)
    state = running(entrants={one.player: entrant(one.player, n) for n, one in seats.items()})
    played = replace(state.structure, levels=(level(unit),))
    state = replace(state, opened=replace(state.opened, structure=played))
    race = find_race(state, table)
    assert race is not None
    assert race.chips == expect["new_chips"]
    assert sorted(race.items) == sorted(
        seat for seat, odd in given["odd_chips"].items() for _ in range(odd)
    )
    cards = sorted(
        ((high(card), seat) for seat, dealt in given["cards"].items() for card in dealt),
        reverse=True,
    )
    stacks = {
        one.seat: one.stack for one in run_race(state, table, race, [seat for _, seat in cards])
    }
    for seat, one in seats.items():
        won = expect["awarded"].get(seat, 0)
        assert stacks[seat] == one.stack - one.stack % unit + won * unit
        assert expect["lost"].get(seat, 0) in {0, one.stack - stacks[seat]}


def high(card: str) -> tuple[int, int]:
    return "23456789TJQKA".index(card[0]), "cdhs".index(card[1])


@cases("balance")
def test_who_moves_and_whereto_is_as_the_rule_cases_say(case: dict[str, Any]) -> None:
    given, expect = case["given"], case["expect"]
    seats = len(given["to"]["seats"]) + len(given["to"]["empty"])
    tables = {
        number: Table(
            number,
            f"{number:032x}",
            {seat: Seat(f"p{number}-{seat}", 1_000, 25, 0, 0) for seat in one["seats"]},
            hand=1,
            big_blind=one["bb"],
        )
        for number, one in ((1, given["from"]), (2, given["to"]))
    }
    state = running(tables=tables)
    rules = replace(state.structure.rules, seats=seats)
    played = replace(state.structure, rules=rules)
    way = balance(replace(state, opened=replace(state.opened, structure=played)))
    assert way is not None
    assert (way.from_table, way.from_seat, way.table) == (1, expect["moves"], 2)
    assert way.seat in expect["to_seat_any_of"]


@cases("level")
def test_the_last_table_is_combined_as_the_rule_cases_say(case: dict[str, Any]) -> None:
    """Five and five play as nine at one new table, with seats and button drawn anew."""
    given, expect = case["given"], case["expect"]
    size = given["event_size"]
    players = sum(given["tables"].values())
    played = structure(seats=size, players_max=players, redraw=(1,))
    desk = Desk(played, [f"p{number:02}" for number in range(players)])
    desk.settle()
    sizes = [len(table.seats) for table in desk.state.open_tables]
    assert sizes == list(given["tables"].values())
    desk.start_hand(2)
    loser, winner = (one.player for one in list(desk.state.tables[2].seats.values())[:2])
    desk.end_hand(2, {loser: 0, winner: 2_000})
    assert is_redraw_due(desk.state) is expect["combine"]
    desk.settle()
    (table,) = desk.state.open_tables
    assert len(table.seats) == expect["final_table"]
    drawn = [one for one in desk.all(Drawn) if one.what is DrawWhat.REDRAW]
    assert bool(drawn) is expect["redraw_seats"]
    assert {one.why for one in desk.all(Moved)} == {MoveWhy.REDRAW}
    assert [one.table for one in desk.all(TableBroken)] == [1, 2]
    buttons = [one.table for one in desk.all(Drawn) if one.what is DrawWhat.BUTTON]
    assert (buttons[-1] == table.table) is expect["redraw_button"]
    step = desk.due()
    assert step is not None
    assert (step.kind, step.table) == (StepKind.START_HAND, table.table)
