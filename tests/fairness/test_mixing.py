"""The mix binds everything that goes into a deck, and takes links by seat."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.fairness.mixing import Beacon, Link, mix
from dealer_service.fairness.refusal import FairnessError, Reason
from tests.support.known_answers import vectors

GAME = bytes(16)
COMMITMENT = b"\x01" * 32
ANN = Link(2, "ann", b"\x02" * 32)
BOB = Link(7, "bob", b"\x03" * 32)
BEACON = Beacon(b"\x04" * 32, 5, b"\x06" * 32)


def links_of(case: dict[str, Any]) -> list[Link]:
    return [Link(x["seat"], x["player"], bytes.fromhex(x["link"])) for x in case["links"]]


def beacon_of(case: dict[str, Any]) -> Beacon | None:
    beacon = case["beacon"]
    if beacon is None:
        return None
    return Beacon(
        bytes.fromhex(beacon["chain"]), beacon["round"], bytes.fromhex(beacon["randomness"])
    )


@pytest.mark.parametrize("case", vectors("deal.json"), ids=lambda case: case["game"])
def test_the_mix_is_the_vectors(case: dict[str, Any]) -> None:
    mixed = mix(
        case["origin"],
        bytes.fromhex(case["game"]),
        case["hand"],
        bytes.fromhex(case["expect"]["hand_commitment"]),
        links_of(case),
        beacon=beacon_of(case),
    )
    assert mixed.hex() == case["expect"]["mix"]


@given(st.permutations([Link(seat, f"p{seat}", bytes([seat]) * 32) for seat in range(1, 11)]))
def test_links_may_come_in_any_order(links: list[Link]) -> None:
    ordered = sorted(links, key=lambda link: link.seat)
    assert mix("a", GAME, 1, COMMITMENT, links) == mix("a", GAME, 1, COMMITMENT, ordered)


def test_every_input_changes_the_mix() -> None:
    mixes = [
        mix("a", GAME, 1, COMMITMENT, [ANN, BOB]),
        mix("b", GAME, 1, COMMITMENT, [ANN, BOB]),
        mix("a", b"\x01" * 16, 1, COMMITMENT, [ANN, BOB]),
        mix("a", GAME, 2, COMMITMENT, [ANN, BOB]),
        mix("a", GAME, 1, bytes(32), [ANN, BOB]),
        mix("a", GAME, 1, COMMITMENT, []),
        mix("a", GAME, 1, COMMITMENT, [ANN]),
        mix("a", GAME, 1, COMMITMENT, [ANN, replace(BOB, seat=8)]),
        mix("a", GAME, 1, COMMITMENT, [ANN, replace(BOB, player="cat")]),
        mix("a", GAME, 1, COMMITMENT, [ANN, replace(BOB, link=bytes(32))]),
        mix("a", GAME, 1, COMMITMENT, [ANN, BOB], beacon=BEACON),
        mix("a", GAME, 1, COMMITMENT, [ANN, BOB], beacon=replace(BEACON, round=6)),
        mix("a", GAME, 1, COMMITMENT, [ANN, BOB], beacon=replace(BEACON, chain=bytes(32))),
        mix("a", GAME, 1, COMMITMENT, [ANN, BOB], beacon=replace(BEACON, randomness=bytes(32))),
    ]
    assert len(set(mixes)) == len(mixes)


@pytest.mark.parametrize(
    ("links", "beacon", "reason"),
    [
        ([ANN, replace(BOB, seat=2)], None, Reason.SEAT_TWICE),
        ([ANN, replace(BOB, player="ann")], None, Reason.PLAYER_TWICE),
        ([replace(ANN, seat=0)], None, Reason.BAD_NUMBER),
        ([replace(ANN, seat=256)], None, Reason.BAD_NUMBER),
        ([replace(ANN, link=bytes(31))], None, Reason.BAD_LENGTH),
        ([replace(ANN, player="a b")], None, Reason.BAD_PLAYER),
        ([], replace(BEACON, chain=bytes(31)), Reason.BAD_LENGTH),
        ([], replace(BEACON, randomness=bytes(33)), Reason.BAD_LENGTH),
        ([], replace(BEACON, round=-1), Reason.BAD_NUMBER),
        ([], replace(BEACON, round=2**64), Reason.BAD_NUMBER),
    ],
)
def test_what_is_no_link_or_beacon_is_refused(
    links: list[Link], beacon: Beacon | None, reason: Reason
) -> None:
    with pytest.raises(FairnessError) as refused:
        mix("a", GAME, 1, COMMITMENT, links, beacon=beacon)
    assert refused.value.reason is reason


def test_a_commitment_of_another_length_is_refused() -> None:
    with pytest.raises(FairnessError) as refused:
        mix("a", GAME, 1, bytes(31), [])
    assert refused.value.reason is Reason.BAD_LENGTH


def test_a_link_is_in_no_repr() -> None:
    assert "\\x02" not in repr(ANN)
    assert "ann" in repr(ANN)
