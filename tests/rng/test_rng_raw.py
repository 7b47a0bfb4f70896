"""The raw tests: exact chances by exhaustion, what they find, and what they say together."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from itertools import groupby, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli.rng.outcome import Level, Outcome
from audit_cli.rng.raw import complexity, counts, excursions, patterns, rank, templates
from audit_cli.rng.raw.figure import windows
from audit_cli.rng.raw.fips import FipsBlocks, fips_blocks
from audit_cli.rng.raw.judge import judge_raw, nist_rows, raw_tests
from audit_cli.rng.raw.lanes import LANES, LANES_BYTES, LanesResult, measure_lanes
from audit_cli.rng.raw.sequence import (
    SEQUENCE_BYTES,
    SEQUENCE_HANDS,
    SERIES,
    SequenceResult,
    measure_sequence,
)

# A dozen in every run, and as many as one has time for at night: 1,000 take two minutes.
SEQUENCES = int(os.environ.get("CUTCARD_RAW_SEQUENCES", "12"))
ALL_OF_TEN = [np.array(bits, np.uint8) for bits in product((0, 1), repeat=10)]
bit_lists = st.lists(st.integers(0, 1), min_size=16, max_size=200)


def random_bytes(seed: int, count: int) -> np.ndarray:
    return np.random.Generator(np.random.PCG64(seed)).integers(0, 256, count, np.uint8)


def registers(bits: list[int]) -> int:
    """Return the linear complexity by the textbook: lists, one coefficient at a time."""
    c, b = [1] + [0] * len(bits), [1] + [0] * len(bits)
    length, since = 0, 1
    for n in range(len(bits)):
        if sum(c[i] & bits[n - i] for i in range(length + 1)) % 2 == 0:
            since += 1
            continue
        kept = c[:]
        for i in range(len(bits) + 1 - since):
            c[i + since] ^= b[i]
        if 2 * length <= n:
            length, b, since = n + 1 - length, kept, 1
        else:
            since += 1
    return length


@given(bit_lists)
def test_both_ways_to_the_complexity_agree_with_the_textbook(bits: list[int]) -> None:
    array = np.array(bits, np.uint8)
    expected = registers(bits)
    assert complexity.profile(array).complexity == expected
    rows = np.stack([array, array[::-1]])
    assert complexity.block_complexities(rows).tolist() == [expected, registers(bits[::-1])]


def test_chances_of_complexities_and_of_rises_are_exact() -> None:
    profiles = [complexity.profile(bits) for bits in ALL_OF_TEN]
    for length, count in Counter(one.complexity for one in profiles).items():
        assert complexity.complexity_chance(10, length) == count / 1024
    for jumps in range(7):
        share = sum(one.jumps >= jumps for one in profiles) / 1024
        assert complexity.at_least_jumps(10, jumps) == pytest.approx(share, abs=1e-15)


def test_the_tail_of_a_complexity_adds_up_what_is_as_unlikely() -> None:
    chances = {each: complexity.complexity_chance(10, each) for each in range(11)}
    for length, chance in chances.items():
        tail = sum(other for other in chances.values() if other <= chance)
        assert complexity.complexity_tail(10, length) == pytest.approx(tail)


def test_chances_of_the_seven_classes_are_those_of_all_words() -> None:
    words = np.array(list(product((0, 1), repeat=14)), np.uint8)
    deviations = complexity.deviations(complexity.block_complexities(words), 14)
    edges = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    found = np.bincount(np.searchsorted(edges, deviations), minlength=7) / len(words)
    assert complexity.complexity_chances(14) == pytest.approx(found.tolist())


@given(bit_lists, st.integers(1, 16))
def test_windows_are_read_round_the_end(bits: list[int], length: int) -> None:
    twice = bits + bits
    expected = [int("".join(map(str, twice[at : at + length])), 2) for at in range(len(bits))]
    assert windows(np.array(bits, np.uint8), length).tolist() == expected


def test_chances_of_longest_runs_are_exact() -> None:
    longest = Counter(
        max((len(list(run)) for bit, run in groupby(bits.tolist()) if bit), default=0)
        for bits in ALL_OF_TEN
    )
    found = counts.longest_run_chances(10, 1, 4)
    expected = [
        sum(count for run, count in longest.items() if run <= 1),
        longest[2],
        longest[3],
        sum(count for run, count in longest.items() if run >= 4),
    ]
    assert found == pytest.approx([each / 1024 for each in expected])


def test_chances_of_overlapping_templates_are_exact() -> None:
    found = Counter(min(5, sum(bits[at : at + 3].all() for at in range(8))) for bits in ALL_OF_TEN)
    expected = [found[k] / 1024 for k in range(6)]
    assert templates.overlapping_chances(10, 3) == pytest.approx(expected)


def test_templates_that_overlap_themselves_are_left_out() -> None:
    assert templates.aperiodic_templates(3) == ("001", "011", "100", "110")
    assert len(templates.aperiodic_templates(9)) == 148


@given(st.lists(st.integers(0, 1), min_size=80, max_size=400))
def test_templates_are_counted_as_the_document_moves_its_window(bits: list[int]) -> None:
    text = "".join(map(str, bits))
    words = templates.aperiodic_templates(4)
    figures = templates.non_overlapping_templates(np.array(bits, np.uint8), words)
    size = len(bits) // 8
    for word, figure in zip(words, figures, strict=True):
        blocks = (text[k * size : (k + 1) * size] for k in range(8))
        assert figure.counts == tuple(block.count(word) for block in blocks)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=32, max_size=32))
def test_ranks_of_many_matrices_are_those_of_each(rows: list[int]) -> None:
    bits = np.array([[int(bit) for bit in f"{row:032b}"] for row in rows], np.uint8)
    rows_of = rank.rank_of(rows)
    assert rank.matrix_ranks(bits.ravel()) == (
        int(rows_of == 32),
        int(rows_of == 31),
        int(rows_of < 31),
    )


def test_chances_of_ranks_are_exact() -> None:
    ranks = Counter(rank.rank_of([word & 7, word >> 3 & 7, word >> 6]) for word in range(512))
    for lacking in range(4):
        assert rank.rank_chance(3, lacking) == pytest.approx(ranks[3 - lacking] / 512)
        tail = sum(ranks[3 - more] for more in range(lacking, 4)) / 512
        assert rank.deficiency_tail(3, lacking) == pytest.approx(tail)


def test_gaps_of_words_are_counted_as_the_document_does() -> None:
    bits = np.unpackbits(random_bytes(1, 300))
    maurer = patterns.Maurer(3, 20, 2.4016068, 1.901)
    words = [int("".join(map(str, bits[at : at + 3])), 2) for at in range(0, 2400 - 2, 3)]
    last: dict[int, int] = {}
    total = 0.0
    for number, word in enumerate(words, 1):
        if number > 20:
            total += math.log2(number - last.get(word, 0))
        last[word] = number
    figure = patterns.universal(bits, maurer)
    assert figure.counts == pytest.approx((len(words) - 20, total))


@pytest.mark.parametrize("n", [6, 10])
def test_the_chance_of_few_cycles_is_exact(n: int) -> None:
    for least in (1, 2, 3, 4):
        few = sum(
            excursions.visits(excursions.walk_of(np.array(bits, np.uint8))).cycles < least
            for bits in product((0, 1), repeat=n)
        )
        assert excursions.chance_of_few_cycles(n, least) == pytest.approx(few / 2**n)


def test_visits_are_counted_cycle_by_cycle() -> None:
    bits = np.unpackbits(random_bytes(2, 4000))
    walk = excursions.walk_of(bits)
    seen = excursions.visits(walk)
    cycles: list[list[int]] = [[]]
    for place in walk.tolist():
        if place == 0:
            cycles.append([])
        else:
            cycles[-1].append(place)
    if not cycles[-1]:
        cycles.pop()
    assert seen.cycles == len(cycles)
    for x in excursions.STATES:
        by_visits = Counter(min(cycle.count(x), 5) for cycle in cycles)
        assert seen.classes[x] == tuple(by_visits[k] for k in range(6))
    for x in excursions.VARIANT_STATES:
        assert seen.totals[x] == sum(cycle.count(x) for cycle in cycles)


@pytest.mark.parametrize("x", [1, -2, 3, 9])
def test_chances_of_visits_in_a_number_of_cycles_add_up_to_one(x: int) -> None:
    """The mid-p halves meet: below, at and above what was seen are all there is."""
    cycles = 40
    middle = []
    for total in range(cycles * 40):
        seen = excursions.Visits(cycles, {x: total}, {})
        middle.append(excursions.exact_variant(seen, x).p)
    peak = int(np.argmax(middle))
    assert middle[peak] <= 1
    rises = np.diff(middle)
    assert (rises[:peak] >= 0).all()
    assert (rises[peak:] <= 1e-12).all()


def test_the_exact_visits_are_those_of_simulated_cycles() -> None:
    """In one cycle, state 2 is not visited with chance 3/4, and k times with (1/16) (3/4)^(k-1)."""
    for total, below in ((0, 0.0), (1, 0.75), (2, 0.75 + 1 / 16)):
        here = 0.75 if total == 0 else (1 / 16) * 0.75 ** (total - 1)
        mid = below + here / 2
        seen = excursions.Visits(1, {2: total}, {})
        assert excursions.exact_variant(seen, 2).p == pytest.approx(2 * min(mid, 1 - mid))


def test_runs_are_not_judged_where_ones_are_far_too_many() -> None:
    assert counts.runs(np.array([1] * 90 + [0] * 10, np.uint8)) is None


def test_a_block_too_short_for_a_longest_run_is_refused() -> None:
    with pytest.raises(ValueError, match="128 bits or more"):
        counts.longest_run(np.zeros(127, np.uint8))


def test_a_sequence_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="125,000 bytes, not 10"):
        measure_sequence(np.zeros(10, np.uint8))
    with pytest.raises(ValueError, match="384,000 bytes, not 10"):
        measure_lanes(np.zeros(10, np.uint8))


@pytest.fixture(scope="module")
def sequences() -> list[SequenceResult]:
    return [measure_sequence(random_bytes(40 + k, SEQUENCE_BYTES)) for k in range(SEQUENCES)]


@pytest.fixture(scope="module")
def lanes() -> LanesResult:
    return measure_lanes(random_bytes(3, LANES_BYTES))


def test_a_result_goes_through_json_and_back(
    sequences: list[SequenceResult], lanes: LanesResult
) -> None:
    for result in sequences:
        assert SequenceResult.from_json(json.loads(json.dumps(result.to_json()))) == result
    assert LanesResult.from_json(json.loads(json.dumps(lanes.to_json()))) == lanes


def test_a_sequence_is_the_first_bytes_of_123_streams(sequences: list[SequenceResult]) -> None:
    streams = np.zeros((SEQUENCE_HANDS, 1024), np.uint8)
    streams.ravel()[:SEQUENCE_BYTES] = random_bytes(40, SEQUENCE_BYTES)
    streams.ravel()[SEQUENCE_BYTES:] = 255
    assert measure_sequence(streams) == sequences[0]


def test_good_bytes_are_not_suspected(sequences: list[SequenceResult], lanes: LanesResult) -> None:
    outcomes = judge_raw(sequences, lanes)
    assert all(outcome.two_sided > 1e-4 for outcome in outcomes)
    assert all(outcome.level is Level.RAW for outcome in outcomes)


def test_the_names_of_outcomes_are_known_before_the_data(
    sequences: list[SequenceResult], lanes: LanesResult
) -> None:
    assert tuple(one.test for one in judge_raw(sequences, lanes)) == raw_tests()
    assert tuple(one.test for one in judge_raw(sequences)) == raw_tests(lanes=False)
    empty = measure_sequence(np.zeros(SEQUENCE_BYTES, np.uint8))
    assert tuple(one.test for one in judge_raw([empty])) == raw_tests(lanes=False)


def test_the_order_of_sequences_does_not_matter(sequences: list[SequenceResult]) -> None:
    assert judge_raw(sequences) == judge_raw(sequences[::-1])


def test_no_sequence_can_not_be_judged() -> None:
    with pytest.raises(ValueError, match="no sequence"):
        judge_raw([])


def least_p(outcomes: tuple[Outcome, ...], test: str) -> float:
    return min(one.two_sided for one in outcomes if one.test.startswith(test))


def test_few_cycles_leave_the_excursions_out(sequences: list[SequenceResult]) -> None:
    at = 188 - 26
    for result in sequences:
        few = result.cycles < 500
        assert all((p is None) == few for p in result.p[at:])
        assert all(p is not None for p in result.p[:at])


@pytest.mark.parametrize(
    ("test", "spoiled"),
    [
        ("SP800-22.2.1.", lambda bits, chance: bits | (chance < 0.01)),
        ("SP800-22.2.3.", lambda bits, chance: np.where(chance < 0.01, np.roll(bits, 1), bits)),
        ("SP800-22.2.6.", lambda bits, chance: np.where(chance < 0.3, np.roll(bits, 64), bits)),
        ("SP800-22.2.11.", lambda bits, chance: np.where(chance < 0.03, np.roll(bits, 8), bits)),
    ],
)
def test_what_a_test_is_for_is_found(test: str, spoiled: object) -> None:
    assert callable(spoiled)
    generator = np.random.Generator(np.random.PCG64(4))
    results = []
    for seed in range(6):
        bits = np.unpackbits(random_bytes(100 + seed, SEQUENCE_BYTES))
        changed = spoiled(bits, generator.random(len(bits))).astype(np.uint8)
        results.append(measure_sequence(np.packbits(changed)))
    assert least_p(judge_raw(results), test) < 1e-6


def xorshift128(count: int) -> np.ndarray:
    """Return 64-bit words of xorshift128+, the sum of its two halves."""
    mask = 2**64 - 1
    s0, s1 = 0x0123456789ABCDEF, 0xFEDCBA9876543210
    words = np.empty(count, "<u8")
    for at in range(count):
        s0, s1 = s1, s0 ^ (s0 << 23 & mask)
        s1 ^= (s1 >> 17) ^ s0 ^ (s0 >> 26)
        words[at] = (s0 + s1) & mask
    return words.view(np.uint8)


def test_one_bit_of_xorshift128_needs_128_cells() -> None:
    found = measure_lanes(xorshift128(LANES_BYTES // 8))
    by_name = {lane.name: one for lane, one in zip(LANES, found.profiles, strict=True)}
    assert by_name["bit 0 of byte 0 of 8"].complexity == 128
    outcomes = judge_raw([measure_sequence(random_bytes(40, SEQUENCE_BYTES))], found)
    assert least_p(outcomes, "GF2.complexity") < 1e-10


def test_one_bit_of_the_mersenne_twister_needs_19937_cells() -> None:
    twister = np.random.MT19937(7)
    words = twister.random_raw(LANES_BYTES // 4).astype("<u4")
    found = measure_lanes(words.view(np.uint8))
    by_name = {lane.name: one for lane, one in zip(LANES, found.profiles, strict=True)}
    assert by_name["bit 0 of byte 0 of 4"].complexity == 19_937
    outcomes = judge_raw([measure_sequence(random_bytes(40, SEQUENCE_BYTES))], found)
    assert least_p(outcomes, "GF2.complexity") < 1e-10


def test_a_matrix_shows_a_small_linear_state() -> None:
    """A register of 89 cells, all of whose bits are used."""
    bits = np.zeros(LANES_BYTES * 8, np.uint8)
    bits[:89] = np.unpackbits(random_bytes(5, 12))[:89]
    for at in range(89, 1024 * 1024, 38):
        end = min(at + 38, 1024 * 1024)
        bits[at:end] = bits[at - 89 : end - 89] ^ bits[at - 38 : end - 38]
    found = measure_lanes(np.packbits(bits))
    assert found.deficiency == 1024 - 89
    outcomes = judge_raw([measure_sequence(random_bytes(40, SEQUENCE_BYTES))], found)
    assert least_p(outcomes, "GF2.rank") < 1e-10


def test_nists_own_bands_are_told_beside(sequences: list[SequenceResult]) -> None:
    rows = nist_rows(sequences[:12] * 5)
    assert len(rows) == 188
    first = rows[0]
    assert (first.sequences, first.least, first.most) == (60, 58, 60)
    assert first.uniformity is not None
    assert nist_rows(sequences[:12])[0].uniformity is None
    assert [row.series for row in rows] == [name for names in SERIES.values() for name in names]


def test_blocks_of_fips_140_are_judged_by_its_limits() -> None:
    good = np.unpackbits(random_bytes(6, 2500 * 50))
    assert fips_blocks(good) == FipsBlocks(50, (0, 0, 0, 0))
    all_ones = np.ones(20_000, np.uint8)
    assert fips_blocks(all_ones) == FipsBlocks(1, (1, 1, 1, 1))
    long_run = good[:20_000].copy()
    long_run[5000:5026] = 1
    assert fips_blocks(long_run).failed[3] == 1
    long_run[5025] = long_run[4999] = 0
    assert fips_blocks(long_run).failed[3] == 0
    alternating = np.tile(np.array([0, 1], np.uint8), 10_000)
    assert fips_blocks(alternating) == FipsBlocks(1, (0, 1, 1, 0))
