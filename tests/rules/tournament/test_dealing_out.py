"""What comes out of a draw is dealt out as the vectors say (14.2, 14.8)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dealer_service.fairness.draw import draw_commitment, draw_order
from dealer_service.rules.tournament.dealing_out import (
    deal_broken,
    deal_place,
    deal_race,
    deal_seats,
    list_places,
    list_players,
)
from dealer_service.rules.tournament.racing import find_race, run_race
from dealer_service.rules.tournament.state import Entrant, Seat, Standing, Table, TournamentState
from tests.support.tournament_desk import Desk, level, structure

_FILE = Path(__file__).parents[3] / "proto/vectors/dealt_out.json"
CASES: list[dict[str, Any]] = json.loads(_FILE.read_text("utf-8"))


def cases(*kinds: str) -> pytest.MarkDecorator:
    found = [case for case in CASES if case["what"] in kinds]
    return pytest.mark.parametrize("case", found, ids=lambda case: case["tournament"][:6])


def draw(case: dict[str, Any], items: tuple[int, ...]) -> tuple[int, ...]:
    """Draw the list, which is that of the vector."""
    tournament, secret = bytes.fromhex(case["tournament"]), bytes.fromhex(case["secret"])
    commitment = draw_commitment(case["origin"], tournament, case["draw"], secret)
    assert commitment.hex() == case["expect"]["draw_commitment"]
    assert list(items) == case["expect"]["items"]
    order = draw_order(case["origin"], tournament, case["draw"], secret, commitment, items)
    assert list(order) == case["expect"]["order"]
    return order


def state_with(entrants: dict[str, int]) -> TournamentState:
    found = {
        name: Entrant(name, number, anchors=False, house=False, standing=Standing.PLAYING)
        for name, number in entrants.items()
    }
    return replace(Desk(structure()).state, entrants=found)


def table_of(number: int, seats: dict[int, str]) -> Table:
    taken = {seat: Seat(player, 1_000, 25, 0, 0) for seat, player in sorted(seats.items())}
    return Table(number, "00" * 16, taken)


def tables_of(case: dict[str, Any]) -> list[Table]:
    taken = case["given"]["taken"].items()
    return [table_of(int(n), {seat: f"x{n}{seat}" for seat in seats}) for n, seats in taken]


@cases("seats", "redraw")
def test_seats_are_dealt_round_the_tables(case: dict[str, Any]) -> None:
    given = case["given"]
    order = draw(case, list_players(state_with(given["entrants"]), given["entrants"]))
    dealt = [(one["entrant"], one["table"], one["seat"]) for one in case["expect"]["dealt"]]
    assert deal_seats(order, given["tables"]) == dealt


@cases("place")
def test_a_late_player_gets_a_seat_at_the_smallest_tables(case: dict[str, Any]) -> None:
    order = draw(case, list_places(tables_of(case), case["given"]["seats"]))
    dealt = case["expect"]["dealt"]
    assert deal_place(order) == (dealt["table"], dealt["seat"])


@cases("break")
def test_players_of_a_broken_table_go_where_the_fewest_are(case: dict[str, Any]) -> None:
    given = case["given"]
    broken = table_of(99, {int(seat): name for seat, name in given["broken"].items()})
    order = draw(case, list_players(state_with(given["entrants"]), given["entrants"]))
    names = {number: name for name, number in given["entrants"].items()}
    ways = deal_broken(order, names, broken, tables_of(case), given["seats"])
    dealt = [
        {"entrant": given["entrants"][way.player], "table": way.table, "seat": way.seat}
        for way in ways
    ]
    assert dealt == case["expect"]["dealt"]
    assert all(broken.seats[way.from_seat].player == way.player for way in ways)


@cases("button")
def test_the_high_card_has_the_button(case: dict[str, Any]) -> None:
    entrants = case["given"]["entrants"]
    order = draw(case, list_players(state_with(entrants), entrants))
    assert order[0] == case["expect"]["dealt"]


@cases("race")
def test_odd_chips_are_raced(case: dict[str, Any]) -> None:
    players, expect = case["given"]["players"], case["expect"]
    unit = case["given"]["unit"]
    base = state_with({one["player"]: one["entrant"] for one in players})
    played = replace(base.structure, levels=(level(unit),))
    state = replace(base, opened=replace(base.opened, structure=played), level=1)
    seats = {one["seat"]: Seat(one["player"], one["stack"], one["unit"], 0, 0) for one in players}
    table = Table(1, "00" * 16, dict(sorted(seats.items())))
    race = find_race(state, table)
    assert race is not None
    order = draw(case, race.items)
    assert race.chips == expect["dealt"]["chips"]
    assert list(deal_race(order, race.chips)) == expect["dealt"]["won"]
    stacks = [{"seat": one.seat, "stack": one.stack} for one in run_race(state, table, race, order)]
    assert stacks == expect["dealt"]["stacks"]


def test_the_vectors_have_cases_of_each_draw() -> None:
    kinds = {"seats", "redraw", "place", "break", "button", "race"}
    assert {case["what"] for case in CASES} == kinds
