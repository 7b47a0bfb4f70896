"""Tournaments of every kind, by chance, on a store that fails again and again: audits hold."""

import pytest

from tests.support.audits import tell
from tests.support.event_chance import Chance
from tests.support.event_checks import require_one_unit
from tests.support.event_floor import audit

SEEDS = (14, 17, 20, 25, 33, 41)


@pytest.mark.parametrize("seed", SEEDS)
async def test_whatever_tournament_it_is_its_audit_holds(seed: int) -> None:
    await require_honest(seed)


@pytest.mark.night
@pytest.mark.parametrize("hundred", range(1, 6))
async def test_hundreds_of_tournaments_by_chance_hold_too(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * (hundred + 1)):
        await require_honest(seed)


async def require_honest(seed: int) -> None:
    chance = Chance(seed)
    evening = await chance.run()
    report = await audit(evening)
    assert report.exit_status() == 0, tell(report)
    require_one_unit(evening.id, evening.committer.written)
