"""The audit deals draws out as the protocol's vectors have it, from a state with what is given."""

import json
from pathlib import Path
from typing import Any

import pytest

from audit_cli.tournament.dealing import deal_out, list_items
from audit_cli.tournament.draws import commit_draw, draw_order
from audit_cli.tournament.seats import sit
from audit_cli.tournament.state import Entrant, State
from audit_cli.tournament.structure import Level, Payout, Structure

CASES = json.loads(Path("proto/vectors/dealt_out.json").read_text())
STRUCTURE = Structure(
    rules={},
    seats=9,
    link_ms=0,
    stack=1,
    start_at=None,
    players_min=2,
    players_max=10_000,
    levels=(Level({}, 1, 0, 0),),
    level_by="time",
    late_levels=0,
    reentries=0,
    rebuy=None,
    add_on=None,
    take_over=False,
    buy_in=0,
    guarantee=0,
    payout=Payout("winner", 1, (), 0, ()),
    hand_for_hand=0,
    ties="share",
    redraw=(),
    deals=False,
)


def _state(case: dict[str, Any]) -> State:
    """Give a tournament in which just what a case gives is so."""
    given = case["given"]
    levels = (Level({}, given.get("unit", 1), 0, 0),)
    seats = given.get("seats", STRUCTURE.seats)
    structure = STRUCTURE._replace(levels=levels, seats=seats)
    state = State(case["tournament"], case["origin"], structure, case["expect"]["draw_commitment"])
    for name, number in given.get("entrants", {}).items():
        _enter(state, name, number)
    for number, taken in given.get("taken", {}).items():
        state.table(int(number))
        for seat in taken:
            # Of no entrant that is drawn.
            name = f"_{number}.{seat}"
            state.entrants[name] = Entrant(name, 0)
            sit(state, state.entrants[name], (int(number), seat), 1, 0)
    return state


def _enter(state: State, name: str, number: int) -> Entrant:
    entrant = state.entrants[name] = Entrant(name, number, is_in=True, stack=1)
    state.by_number[number] = name
    return entrant


def _drawn(case: dict[str, Any], state: State) -> dict[str, Any]:
    """Give the body of the draw, with the order that the audit makes."""
    body: dict[str, Any] = {"draw": case["draw"], "what": case["what"]}
    if case["what"] in ("break", "button", "race"):
        body["table"] = 100
    if case["what"] == "place":
        body["player"] = "new"
    items = list_items(state, body)
    assert items == case["expect"]["items"]
    secret, tournament = bytes.fromhex(case["secret"]), bytes.fromhex(case["tournament"])
    place = (case["origin"], tournament, case["draw"], secret)
    commitment = commit_draw(*place)
    assert commitment.hex() == case["expect"]["draw_commitment"]
    body["order"] = list(draw_order(*place, commitment, items))
    assert body["order"] == case["expect"]["order"]
    return body


def _cases(*kinds: str) -> list[Any]:
    return [
        pytest.param(case, id=f"{case['what']} {case['draw']}")
        for case in CASES
        if case["what"] in kinds
    ]


@pytest.mark.parametrize("case", _cases("seats", "redraw"))
def test_players_are_dealt_to_their_seats(case: dict[str, Any]) -> None:
    state = _state(case)
    for number in case["given"]["tables"]:
        state.table(number)
    planned = deal_out(state, _drawn(case, state))
    seated = [
        {
            "entrant": state.entrants[one.fields["player"]].number,
            "table": one.fields["table"],
            "seat": one.fields["seat"],
        }
        for one in planned
    ]
    assert seated == case["expect"]["dealt"]


@pytest.mark.parametrize("case", _cases("place"))
def test_a_late_player_is_dealt_the_first_place(case: dict[str, Any]) -> None:
    state = _state(case)
    _enter(state, "new", 9_999)
    (seated,) = deal_out(state, _drawn(case, state))
    dealt = case["expect"]["dealt"]
    assert (seated.fields["table"], seated.fields["seat"]) == (dealt["table"], dealt["seat"])


@pytest.mark.parametrize("case", _cases("break"))
def test_the_players_of_a_broken_table_are_dealt_out(case: dict[str, Any]) -> None:
    state = _state(case)
    for seat, name in case["given"]["broken"].items():
        sit(state, state.entrants[name], (100, int(seat)), 1, 0)
    *moves, broken = deal_out(state, _drawn(case, state))
    assert broken.kind == "table_broken"
    dealt = [
        {
            "entrant": state.entrants[one.fields["player"]].number,
            "table": one.fields["table"],
            "seat": one.fields["seat"],
        }
        for one in moves
    ]
    assert dealt == case["expect"]["dealt"]


@pytest.mark.parametrize("case", _cases("button"))
def test_the_high_card_has_the_button(case: dict[str, Any]) -> None:
    state = _state(case)
    for seat, entrant in enumerate(list(state.entrants.values()), 1):
        sit(state, entrant, (100, seat), 1, 0)
    assert _drawn(case, state)["order"][0] == case["expect"]["dealt"]


@pytest.mark.parametrize("case", _cases("race"))
def test_the_chips_of_a_race_are_dealt_out(case: dict[str, Any]) -> None:
    state = _state(case)
    for one in case["given"]["players"]:
        entrant = _enter(state, one["player"], one["entrant"])
        sit(state, entrant, (100, one["seat"]), one["stack"], 0)
        entrant.unit = one["unit"]
    (colored_up,) = deal_out(state, _drawn(case, state))
    before = {one["seat"]: one["stack"] for one in case["given"]["players"]}
    after = before | {one["seat"]: one["stack"] for one in colored_up.fields["stacks"]}
    dealt = {one["seat"]: one["stack"] for one in case["expect"]["dealt"]["stacks"]}
    assert after == before | dealt
