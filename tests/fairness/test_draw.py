"""A tournament's draws: commitment, seed and order are those of the vectors (14.2)."""

import json
from pathlib import Path
from typing import Any

import pytest

from dealer_service.fairness.draw import (
    STREAM_BYTES,
    below2,
    draw_commitment,
    draw_order,
    draw_seed,
    opens_draw_commitment,
)
from dealer_service.fairness.drbg import seeded_stream
from dealer_service.fairness.refusal import FairnessError, Reason

CASES = json.loads((Path(__file__).parents[2] / "proto/vectors/draw.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['players'])} players")
def test_a_draw_is_that_of_the_vectors(case: dict[str, Any]) -> None:
    origin, tournament, draw = case["origin"], bytes.fromhex(case["game"]), case["draw"]
    secret, expect = bytes.fromhex(case["secret"]), case["expect"]
    commitment = draw_commitment(origin, tournament, draw, secret)
    assert commitment.hex() == expect["draw_commitment"]
    seed = draw_seed(origin, tournament, draw, secret, commitment)
    assert seed.hex() == expect["draw_seed"]
    assert seeded_stream(seed, STREAM_BYTES).startswith(bytes.fromhex(expect["first_bytes"]))
    names = sorted(case["players"])
    order = draw_order(origin, tournament, draw, secret, commitment, range(len(names)))
    assert [names[place] for place in order] == expect["order"]


def test_a_commitment_is_opened_by_its_own_secret_alone() -> None:
    place = ("dealer.example.com", bytes(16), 3)
    commitment = draw_commitment(*place, bytes(32))
    assert opens_draw_commitment(commitment, *place, bytes(32))
    assert not opens_draw_commitment(commitment, *place, bytes(31) + b"\x01")
    assert not opens_draw_commitment(commitment, "dealer.example.com", bytes(16), 4, bytes(32))


def test_numbers_that_would_favour_some_are_dropped() -> None:
    """65,535 is the one number above the multiples of 3, and the next one counts."""
    assert below2(3, bytes.fromhex("ffff 0005"), 0) == (2, 4)
    assert below2(3, bytes.fromhex("fffe"), 0) == (2, 2)


def test_a_stream_that_runs_out_is_an_error() -> None:
    with pytest.raises(FairnessError) as refused:
        below2(3, bytes.fromhex("ffff"), 0)
    assert refused.value.reason is Reason.STREAM_EXHAUSTED


@pytest.mark.parametrize("draw", [0, 2**64])
def test_draws_are_numbered_from_one(draw: int) -> None:
    with pytest.raises(FairnessError) as refused:
        draw_commitment("dealer.example.com", bytes(16), draw, bytes(32))
    assert refused.value.reason is Reason.BAD_NUMBER


def test_a_list_of_ten_thousand_is_drawn_and_no_longer_one() -> None:
    place = ("dealer.example.com", bytes(16), 1, bytes(32), bytes(32))
    order = draw_order(*place, range(10_000))
    assert sorted(order) == list(range(10_000))
    assert order != tuple(range(10_000))
    with pytest.raises(FairnessError):
        draw_order(*place, range(10_001))
