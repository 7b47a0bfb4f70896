"""What a tournament asks of the dealer that takes it over, and what it says when that is not so."""

from dataclasses import replace

import pytest

from dealer_service.rules.entry import BeaconRule, LogProof, RuleSet
from dealer_service.store.api import LostLog, SignedAt
from dealer_service.store.memory import MemoryStore
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.tables.recovery import CannotRecover
from tests.support.event_floor import CROWD, FREEZE_OUT, Evening

USUAL = FREEZE_OUT.rules
PUBLISHED = replace(USUAL, log_proof=LogProof.BEFORE_CARDS)
BEACON = replace(USUAL, beacon=BeaconRule("5b" * 32))


@pytest.mark.parametrize(
    ("rules", "reason"),
    [(PUBLISHED, Reason.LOG_NOT_PUBLISHED), (BEACON, Reason.BEACON_UNKNOWN)],
    ids=["log", "beacon"],
)
async def test_one_without_tables_is_not_taken_over_where_its_hands_could_not_be_dealt(
    rules: RuleSet, reason: Reason
) -> None:
    evening = Evening(MemoryStore())
    event = await evening.open(replace(FREEZE_OUT, rules=rules))
    await evening.register("ann")
    assert isinstance(evening.store, MemoryStore)
    with pytest.raises(StoreError, match=f"tournament {event}") as caught:
        evening.restarted(evening.store.reopened())
    assert caught.value.reason is reason


async def test_one_that_lacks_a_table_says_how_to_start() -> None:
    evening = Evening(MemoryStore(), seed=4)
    event = await evening.open(CROWD)
    await evening.register(*(f"p{number}" for number in range(10)))
    await evening.play(lambda: any(True for _ in evening.deciding()))
    assert isinstance(evening.store, MemoryStore)
    store = evening.store.reopened()
    store.mark_lost([LostLog(store.group(event)[2].log, SignedAt(10_000, bytes(32)))])
    with pytest.raises(CannotRecover, match=f"table 2 of tournament {event} .*--accept-restore"):
        evening.restarted(store)
