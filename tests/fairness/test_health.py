"""The health tests of SP 800-90B 4.4: their cutoffs, and where they fail a source."""

import os
from fractions import Fraction
from math import ceil, comb

import pytest
from hypothesis import given
from hypothesis import strategies as some

from dealer_service.fairness.health import (
    ALPHA_LOG2,
    BEGIN,
    ENTROPY_BITS,
    PROPORTION_CUTOFF,
    REPETITION_CUTOFF,
    WINDOW,
    Failing,
    Progress,
    follow,
)


def distinct(size: int, start: int = 0) -> bytes:
    return bytes((start + index) % 256 for index in range(size))


def split(data: bytes, sizes: list[int]) -> list[bytes]:
    parts, at = [], 0
    for size in sizes:
        parts.append(data[at : at + size])
        at += size
    return [*parts, data[at:]]


def follow_all(parts: list[bytes], progress: Progress = BEGIN) -> Progress | Failing:
    for part in parts:
        after = follow(progress, part)
        if isinstance(after, Failing):
            return after
        progress = after
    return progress


def plainly(data: bytes) -> Failing | None:
    """Run both tests as the standard writes them down: a sample at a time."""
    last, run = -1, 0
    first, seen, same = -1, 0, 0
    for byte in data:
        run = run + 1 if byte == last else 1
        last = byte
        if run >= REPETITION_CUTOFF:
            return Failing.REPETITION
    for byte in data:
        if seen in (0, WINDOW):
            first, seen, same = byte, 0, 0
        seen += 1
        same += byte == first
        if same >= PROPORTION_CUTOFF:
            return Failing.PROPORTION
    return None


class TestCutoffs:
    def test_of_the_repetition_count_test(self) -> None:
        """4.4.1: C = 1 + ceil(-log2(alpha) / H)."""
        assert 1 + ceil(-ALPHA_LOG2 / ENTROPY_BITS) == REPETITION_CUTOFF

    def test_of_the_adaptive_proportion_test(self) -> None:
        """4.4.2: C = 1 + critbinom(W, 2^-H, 1 - alpha), by exact fractions."""
        chance, alpha = Fraction(1, 2**ENTROPY_BITS), Fraction(1, 2**-ALPHA_LOG2)

        def reaches(cutoff: int) -> Fraction:
            return sum(
                (
                    comb(WINDOW, hits) * chance**hits * (1 - chance) ** (WINDOW - hits)
                    for hits in range(cutoff, WINDOW + 1)
                ),
                Fraction(0),
            )

        assert reaches(PROPORTION_CUTOFF) <= alpha < reaches(PROPORTION_CUTOFF - 1)


class TestRepetition:
    @pytest.mark.parametrize("run", [1, 2, REPETITION_CUTOFF - 1])
    def test_a_shorter_run_passes(self, run: int) -> None:
        assert isinstance(follow(BEGIN, b"ab" + b"x" * run + b"cd"), Progress)

    @pytest.mark.parametrize("byte", [b"\x00", b"\n", b"x", b"\xff"])
    def test_six_equal_bytes_fail_wherever_they_stand(self, byte: bytes) -> None:
        run = byte * REPETITION_CUTOFF
        for data in (run, b"ab" + run, run + b"ab", b"ab" + run + b"ab", run * 20):
            assert follow(BEGIN, data) is Failing.REPETITION

    @pytest.mark.parametrize("first", range(1, REPETITION_CUTOFF))
    def test_a_run_goes_on_from_one_answer_to_the_next(self, first: int) -> None:
        parts = [b"ab" + b"x" * first, b"x" * (REPETITION_CUTOFF - first) + b"ab"]
        assert follow_all(parts) is Failing.REPETITION

    def test_a_run_goes_on_through_answers_of_one_byte(self) -> None:
        assert follow_all([b"x"] * (REPETITION_CUTOFF - 1)) != Failing.REPETITION
        assert follow_all([b"x"] * REPETITION_CUTOFF) is Failing.REPETITION


class TestProportion:
    def test_a_value_that_comes_too_often_in_a_window_fails(self) -> None:
        spread = b"".join(b"x" + distinct(20, 130) for _ in range(PROPORTION_CUTOFF))
        assert follow(BEGIN, spread) is Failing.PROPORTION
        # One time less within the window is what chance may do.
        assert isinstance(follow(BEGIN, spread[21:] + distinct(100)), Progress)

    def test_what_counts_is_the_windows_first_value(self) -> None:
        data = b"a" + b"".join(b"x" + distinct(5, 130) for _ in range(PROPORTION_CUTOFF))
        assert isinstance(follow(BEGIN, data), Progress)

    def test_a_new_window_begins_after_512_samples(self) -> None:
        progress = follow(BEGIN, distinct(WINDOW))
        assert isinstance(progress, Progress)
        after = follow(progress, b"z")
        assert isinstance(after, Progress)
        assert (after.first, after.seen, after.same) == (ord("z"), 1, 1)


@given(
    some.binary(max_size=64).map(lambda seed: (seed * 64)[:1400]),
    some.lists(some.integers(0, 70), max_size=30),
)
def test_answers_of_any_length_are_tested_as_the_standard_says(
    data: bytes, sizes: list[int]
) -> None:
    """The way that takes whole answers fails exactly what a sample at a time fails."""
    found = follow_all(split(data, sizes))
    assert isinstance(found, Failing) is (plainly(data) is not None)


def test_nothing_of_a_tested_byte_shows() -> None:
    progress = follow(BEGIN, os.urandom(32))
    assert repr(progress) == "Progress(seen=32)"
    assert follow(BEGIN, b"") == BEGIN
