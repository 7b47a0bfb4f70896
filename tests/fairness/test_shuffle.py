"""The ceremony follows its vectors, draws without bias and never runs on without bytes."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.fairness.cards import card_name
from dealer_service.fairness.drbg import seeded_stream
from dealer_service.fairness.refusal import FairnessError, Reason
from dealer_service.fairness.shuffle import STREAM_BYTES, below, perform
from tests.support.known_answers import vectors


def names(deck: tuple[int, ...]) -> str:
    return " ".join(map(card_name, deck))


@pytest.mark.parametrize("case", vectors("deal.json"), ids=lambda case: case["game"])
def test_each_step_is_the_vectors(case: dict[str, Any]) -> None:
    expect = case["expect"]
    done = perform(seeded_stream(bytes.fromhex(expect["deck_seed"]), STREAM_BYTES))
    assert names(done.after_first_shuffle) == expect["after_first_shuffle"]
    assert done.cut == expect["cut"]
    assert names(done.after_second_shuffle) == expect["after_second_shuffle"]
    assert list(done.thirds) == expect["thirds"]
    assert done.restack == expect["restack"]
    assert names(done.deck) == expect["deck"]
    assert done.bytes_used == expect["bytes_used"]
    assert done.bytes_rejected == expect["bytes_rejected"]


@given(st.binary(min_size=STREAM_BYTES, max_size=STREAM_BYTES))
def test_every_step_keeps_the_52_cards(stream: bytes) -> None:
    try:
        done = perform(stream)
    except FairnessError as refused:
        assert refused.reason is Reason.STREAM_EXHAUSTED  # noqa: PT017 - either outcome is right
        return
    for deck in (done.after_first_shuffle, done.after_second_shuffle, done.deck):
        assert sorted(deck) == list(range(52))
    assert 20 <= done.cut <= 32
    assert sum(done.thirds) == 52
    assert done.bytes_used - done.bytes_rejected == 157


@pytest.mark.parametrize("n", range(1, 257))
def test_every_value_below_n_is_drawn_by_equally_many_bytes(n: int) -> None:
    """The bytes at or above the largest multiple of n are dropped and the next one is taken."""
    kept = Counter[int]()
    dropped = 0
    for x in range(256):
        value, after = below(n, bytes([x, 0]), 0)
        if after == 1:
            kept[value] += 1
        else:
            dropped += 1
            assert x >= 256 - 256 % n
    assert set(kept) == set(range(n))
    assert set(kept.values()) == {256 // n}
    assert dropped == 256 % n


def test_dropped_bytes_are_skipped_one_by_one() -> None:
    assert below(52, bytes([255, 208, 207]), 0) == (207 % 52, 3)


@pytest.mark.parametrize("size", [0, 51, 156])
def test_running_out_of_bytes_is_an_error(size: int) -> None:
    with pytest.raises(FairnessError) as refused:
        perform(bytes(size))
    assert refused.value.reason is Reason.STREAM_EXHAUSTED


def test_a_stream_of_dropped_bytes_alone_runs_out() -> None:
    with pytest.raises(FairnessError) as refused:
        perform(b"\xff" * STREAM_BYTES)
    assert refused.value.reason is Reason.STREAM_EXHAUSTED


def test_157_bytes_are_enough_when_none_is_dropped() -> None:
    done = perform(bytes(157))
    assert (done.bytes_used, done.bytes_rejected) == (157, 0)


def test_no_third_stays_where_it_was() -> None:
    """A stream of zeroes, but for the cut into thirds, leaves all else the same."""
    for a, b, t in product(range(5), range(5), range(2)):
        stream = bytes(51 + 1 + 51) + bytes([a, b, t])
        # j = i throughout the last shuffle: nothing moves after the restack.
        stream += bytes(range(51, 0, -1))
        done = perform(stream)
        first, second, _ = done.thirds
        before = done.after_second_shuffle
        parts = before[:first], before[first : first + second], before[first + second :]
        order = (2, 0, 1) if t else (1, 2, 0)
        assert done.restack == ("CAB" if t else "BCA")
        assert done.deck == sum((parts[i] for i in order), ())


def test_the_ceremony_shows_no_card() -> None:
    assert repr(perform(bytes(157))) == "Ceremony()"
