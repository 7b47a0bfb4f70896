"""The audit's own draws give the bytes and orders of the protocol's vectors."""

import json
from pathlib import Path
from typing import Any

import pytest

from audit_cli import drbg
from audit_cli.derive import StreamExhaustedError
from audit_cli.tournament.draws import STREAM_BYTES, commit_draw, draw_order, seed_draw, shuffle

CASES = json.loads(Path("proto/vectors/draw.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['players'])} players")
def test_a_draw_is_that_of_the_vectors(case: dict[str, Any]) -> None:
    tournament, secret = bytes.fromhex(case["game"]), bytes.fromhex(case["secret"])
    place = (case["origin"], tournament, case["draw"], secret)
    commitment = commit_draw(*place)
    assert commitment.hex() == case["expect"]["draw_commitment"]
    seed = seed_draw(*place, commitment)
    assert seed.hex() == case["expect"]["draw_seed"]
    first = bytes.fromhex(case["expect"]["first_bytes"])
    assert drbg.stream(seed, STREAM_BYTES).startswith(first)
    listed = sorted(case["players"])
    order = draw_order(*place, commitment, range(len(listed)))
    assert [listed[number] for number in order] == case["expect"]["order"]


def test_numbers_that_would_favour_some_are_dropped() -> None:
    """Of three, 65,535 is dropped and the next number taken."""
    assert shuffle((7, 8, 9), bytes.fromhex("ffff 0002 0001")) == (7, 8, 9)


def test_a_stream_that_runs_out_is_an_error() -> None:
    with pytest.raises(StreamExhaustedError):
        shuffle((7, 8, 9), bytes.fromhex("ffff 0002"))
