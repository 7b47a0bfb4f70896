"""No tournament ever stands still, whatever it is played by and whatever is asked of it when.

`CUTCARD_TOURNAMENTS` says how many are played; `make nightly` plays more.
"""

import os
from typing import Final

import pytest

from dealer_service.rules.tournament.entry import EndReason, PayoutKind
from dealer_service.rules.tournament.state import TournamentState
from tests.support.chance_events import Event, play_by_chance

EVENTS: Final = 8 * int(os.environ.get("CUTCARD_TOURNAMENTS", "48"))
BATCH: Final = 48


def check_money(event: Event) -> None:
    """What came in less what went out is the fees, less what the house added."""
    state, structure = event.state, event.structure
    if structure.payout.kind is PayoutKind.POINTS:
        assert event.came == event.went == 0
        return
    if not state.has_started:
        assert event.came == event.went
        return
    taken = structure.buy_in * state.entries + state.spent
    pool = max(structure.guarantee, taken)
    assert event.came - event.went == structure.fee * state.entries - (pool - taken)


def check_places(state: TournamentState) -> None:
    prizes = sum(one.prize for one in state.entrants.values())
    assert state.registration_open or prizes == sum(state.prizes)
    if state.end is EndReason.FINISHED:
        assert all(one.place for one in state.entrants.values() if one.counts)


@pytest.mark.parametrize("batch", range(-(-EVENTS // BATCH)))
def test_no_tournament_ever_stands_still(batch: int) -> None:
    for seed in range(batch * BATCH, min(EVENTS, (batch + 1) * BATCH)):
        event = play_by_chance(seed)
        check_money(event)
        check_places(event.state)
