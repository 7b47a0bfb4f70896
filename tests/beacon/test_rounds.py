"""Which network a chain hash names, and which of its rounds a hand mixes in."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.beacon.rounds import QUICKNET, QUICKNET_CHAIN, Network, Round
from dealer_service.fairness.refusal import FairnessError, Reason
from tests.support import drand
from tests.support.drand import quicknet

KNOWN = quicknet()
WALKTHROUGH = KNOWN["other_network"]


def network_of(told: dict[str, object]) -> Network:
    return Network(
        public_key=bytes.fromhex(str(told["public_key"])),
        genesis=int(str(told["genesis_time"])),
        period=int(str(told["period"])),
        group_hash=bytes.fromhex(str(told["groupHash"])),
        name=str(told["beaconID"]),
    )


def test_quicknet_is_built_in() -> None:
    assert network_of(KNOWN["chain"]) == QUICKNET
    assert QUICKNET.chain.hex() == QUICKNET_CHAIN == KNOWN["chain"]["hash"]


def test_a_chain_hash_is_of_all_that_a_network_is() -> None:
    assert network_of(WALKTHROUGH).chain.hex() == WALKTHROUGH["hash"]
    others = (
        replace(QUICKNET, genesis=QUICKNET.genesis + 1),
        replace(QUICKNET, period=4),
        replace(QUICKNET, group_hash=bytes(32)),
        replace(QUICKNET, name="other"),
        replace(QUICKNET, public_key=network_of(WALKTHROUGH).public_key),
    )
    assert len({QUICKNET.chain, *(one.chain for one in others)}) == 6


def test_the_default_network_has_no_name_in_its_hash() -> None:
    default = replace(QUICKNET, name="default")
    parts = (b"\0\0\0\3", QUICKNET.genesis.to_bytes(8, "big"))
    hashed = b"".join((*parts, QUICKNET.public_key, QUICKNET.group_hash))
    assert default.chain == hashlib.sha256(hashed).digest()


@pytest.mark.parametrize("case", KNOWN["rounds"], ids=lambda case: str(case["round"]))
def test_real_rounds_have_their_time_and_randomness(case: dict[str, object]) -> None:
    one = Round(int(str(case["round"])), bytes.fromhex(str(case["signature"])))
    assert one.randomness.hex() == case["randomness"]
    assert QUICKNET.due_at(one.number) == 1000 * int(str(case["time"]))


@given(at=st.integers(0, 2**43))
def test_a_hands_round_is_the_first_due_six_seconds_on_or_later(at: int) -> None:
    number = QUICKNET.round_of(at)
    assert QUICKNET.due_at(number) >= at + 6000
    assert number == 1 or QUICKNET.due_at(number - 1) < at + 6000


@pytest.mark.parametrize(
    ("opened_at", "number"),
    [
        (0, 1),
        (1_692_803_367_000 - 6000, 1),
        (1_692_803_367_000 - 5999, 2),
        (1_692_803_367_000 - 3000, 2),
        (1_692_803_367_000, 3),
        (1_692_803_367_001, 4),
    ],
)
def test_a_round_that_is_due_just_then_counts(opened_at: int, number: int) -> None:
    assert QUICKNET.round_of(opened_at) == number


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"public_key": bytes(95)}, Reason.BAD_LENGTH),
        ({"public_key": b"\xc0" + bytes(95)}, Reason.BAD_NUMBER),
        ({"group_hash": bytes(31)}, Reason.BAD_LENGTH),
        ({"period": 0}, Reason.BAD_NUMBER),
        ({"period": 2**32}, Reason.BAD_NUMBER),
        ({"genesis": -1}, Reason.BAD_NUMBER),
        ({"genesis": 2**63}, Reason.BAD_NUMBER),
    ],
)
def test_what_can_be_no_network_is_refused(changed: dict[str, Any], reason: Reason) -> None:
    with pytest.raises(FairnessError) as refused:
        replace(QUICKNET, **changed)
    assert refused.value.reason is reason


def test_the_tests_own_network_is_what_it_says() -> None:
    assert drand.public_key(drand.SECRET) == drand.PUBLIC_KEY
