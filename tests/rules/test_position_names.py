"""What seats are called, by how many are dealt in."""

from dataclasses import replace

import pytest

from dealer_service.rules.position_names import name_positions
from tests.support.simulator import RULES, Simulator

NAMES = {
    2: "BTN BB",
    3: "BTN SB BB",
    4: "BTN SB BB CO",
    5: "BTN SB BB UTG CO",
    6: "BTN SB BB UTG HJ CO",
    7: "BTN SB BB UTG LJ HJ CO",
    8: "BTN SB BB UTG UTG+1 LJ HJ CO",
    9: "BTN SB BB UTG UTG+1 UTG+2 LJ HJ CO",
    10: "BTN SB BB UTG UTG+1 UTG+2 UTG+3 LJ HJ CO",
}


@pytest.mark.parametrize("players", NAMES)
def test_seats_are_named_by_how_many_are_dealt_in(players: int) -> None:
    game = Simulator(rules=replace(RULES, seats=10))
    for number in range(players):
        game.sit(f"p{number}")
    game.open_hand()
    assert game.state.play is not None
    names = name_positions(game.state.play.frame)
    assert " ".join(names[seat] for seat in sorted(names)) == NAMES[players]


def test_a_dead_button_and_a_dead_small_blind_are_nobodys_names() -> None:
    game = Simulator(rules=RULES)
    for number in range(4):
        game.sit(f"p{number}")
    game.open_hand()
    assert game.state.play is not None
    frame = game.state.play.frame
    dead = replace(frame, button=10, small_blind_seat=None)
    names = name_positions(dead)
    assert {"BTN", "SB"}.isdisjoint(names.values())
    assert names[frame.big_blind_seat] == "BB"
