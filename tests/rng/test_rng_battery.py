"""The battery on ideal decks, which it leaves alone, and on others, where all of it stirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from audit_cli.rng.battery import filters, power
from audit_cli.rng.battery.families import FAMILIES, missing
from audit_cli.rng.battery.judge import STATISTICS, judge, measure_size, planned
from audit_cli.rng.battery.statistic import Sample, Size, Statistic
from audit_cli.rng.counting.tables import SHUFFLE, TABLES, quota
from audit_cli.rng.counting.waits import begin_waits, count_waits
from audit_cli.rng.hands import DRAWS
from audit_cli.rng.outcome import Outcome, Tail
from audit_cli.rng.second_level import judge_blocks
from tests.support.ideal_decks import add_up, count_blocks, count_decks, shuffle_ideally

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = [one.name for one in STATISTICS]


def find(outcomes: tuple[Outcome, ...], name: str) -> Outcome:
    return next(one for one in outcomes if one.test == name)


def statistic(name: str) -> Statistic:
    return next(one for one in STATISTICS if one.name == name)


def test_each_test_has_a_name_of_its_own() -> None:
    assert len(set(NAMES)) == len(NAMES)


def test_what_is_planned_is_what_is_judged() -> None:
    chance = np.random.default_rng(101)
    for decks in (200, 1000, 20_000):
        counts = count_decks(shuffle_ideally(chance, decks))
        for blocks in (False, True):
            names = tuple(one.test for one in judge(counts, blocks=blocks))
            assert names == planned(decks, decks)


def test_a_thousand_decks_or_more_are_looked_at_from_every_side() -> None:
    assert set(NAMES) - set(planned(1_000_000, 10_000)) == set()
    few = set(NAMES) - set(planned(10_000, 10_000))
    assert few == {"S17.card"}
    assert set(NAMES) - set(planned(100_000, 100_000)) == set()


def test_without_draws_only_what_needs_them_is_missing() -> None:
    lost = set(planned(1_000_000, 10_000)) - set(planned(1_000_000, 10_000, with_draws=False))
    assert {name.partition(".")[0] for name in lost} == {"S22", "S23"}


def test_the_size_of_chunks_is_read_from_the_counts() -> None:
    blocks = list(count_blocks(np.random.default_rng(102), 3, 500))
    assert measure_size(add_up(blocks)) == Size(1500, 500)


def test_p_values_of_ideal_blocks_are_uniform() -> None:
    """Blocks so small that every statistic is coarse; the chance of the smallest is 1 in 1,000."""
    found = judge_blocks(count_blocks(np.random.default_rng(103), 150, 1000))
    assert len(found) > 45
    assert all(len(one.values) == 150 for one in found)
    assert min(one.p for one in found) > 1e-3 / len(found)
    assert max(one.p for one in found) > 0.5


def test_ideal_blocks_added_up_are_left_alone() -> None:
    blocks = list(count_blocks(np.random.default_rng(104), 20, 2000))
    outcomes = judge(add_up(blocks))
    assert min(one.two_sided for one in outcomes) > 0.01 / len(outcomes)


def test_statistics_do_not_depend_on_how_counts_are_ordered_or_who_added_them() -> None:
    blocks = list(count_blocks(np.random.default_rng(105), 4, 1000))
    turned = dict(reversed(list(add_up(blocks[::-1]).items())))
    assert judge(turned) == judge(add_up(blocks))
    assert judge(turned, blocks=True) == judge(add_up(blocks), blocks=True)


@pytest.fixture(scope="module")
def of_few_decks() -> tuple[Outcome, ...]:
    """Seeds too short by far: 12 decks that come again and again."""
    chance = np.random.default_rng(106)
    return judge(count_decks(shuffle_ideally(chance, 12)[chance.integers(12, size=40_000)]))


@pytest.mark.parametrize(
    "name", [name for name in NAMES if not name.startswith("S23") and not name.endswith(".r")]
)
def test_decks_of_a_short_seed_stir_every_test(
    name: str, of_few_decks: tuple[Outcome, ...]
) -> None:
    assert find(of_few_decks, name).two_sided < 1e-6


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 5])
def test_a_first_card_that_stays_shows_as_a_correlation(lag: int) -> None:
    chance = np.random.default_rng(107)
    decks = shuffle_ideally(chance, 5000)
    for hand in range(lag, len(decks)):
        if chance.random() < 0.2:
            decks[hand] = decks[hand - lag]
    outcome = find(judge(count_decks(decks)), f"S4.{lag}.r")
    assert outcome.p < 1e-6
    assert outcome.statistic > 0


def draw(d: Callable[[int], list[float]], decks: int, share: float = 1.0) -> Sample:
    """Counts of draws that are off as `d` says, or a share of it."""
    chance = np.random.default_rng(108)
    tables = [chance.multinomial(decks, (1 + share * np.array(d(n))) / n) for n in SHUFFLE]
    return Sample({"draws": np.concatenate(tables)}, Size(decks, decks))


@pytest.mark.parametrize(
    ("name", "d", "decks"),
    [
        ("S23.modulo8", lambda n: filters.modulo(n, 2**8), 700),
        ("S23.modulo15", lambda n: filters.modulo(n, 2**15), 10_000_000),
        ("S23.modulo16", lambda n: filters.modulo(n, 2**16), 40_000_000),
        ("S23.bound", filters.one_too_many, 3000),
        ("S23.last", filters.never_last, 300),
        ("S22", lambda n: filters.modulo(n, 2**8), 20_000),
        ("S22.draw", filters.one_too_many, 200_000),
    ],
)
def test_draws_that_are_off_show(name: str, d: Callable[[int], list[float]], decks: int) -> None:
    assert statistic(name).measure(draw(d, decks)).p < 1e-4
    assert statistic(name).measure(draw(d, decks, 0.0)).p > 1e-3


@pytest.mark.parametrize("n", [2, 3, 7, 13, 51, 52])
def test_a_modulo_is_off_as_its_words_are(n: int) -> None:
    seen = np.bincount(np.arange(256) % n, minlength=n) / 256
    assert (1 + np.array(filters.modulo(n, 256))) / n == pytest.approx(seen)
    taken = np.arange(256 // n * n + 1) % n
    seen = np.bincount(taken, minlength=n) / len(taken)
    assert (1 + np.array(filters.one_too_many(n))) / n == pytest.approx(seen)


def test_all_draws_of_a_deck_are_split_by_their_ranges() -> None:
    chance = np.random.default_rng(109)
    decks = 2000
    counts = np.concatenate([chance.multinomial(decks, [1 / n] * n) for n in DRAWS])
    sample = Sample({"draws": counts}, Size(decks, decks))
    measured = statistic("S22").measure(sample)
    assert measured.df == sum(DRAWS) - len(DRAWS)
    assert 1e-3 < measured.p < 1 - 1e-3
    with pytest.raises(ValueError, match="100 cells"):
        statistic("S22").measure(Sample({"draws": counts[:100]}, Size(decks, decks)))


def test_waits_of_many_chunks_have_their_law_although_each_begins_anew() -> None:
    chance = np.random.default_rng(110)
    chunk, chunks = 1500, 300
    counts = {
        name: np.zeros(TABLES[name], np.int64)
        for name in ("coupon_card", "coupon_rank", "coupon_suit", "gap")
    }
    for _ in range(chunks):
        cards = chance.integers(52, size=chunk).astype(np.uint8)
        count_waits(cards, begin_waits(chunk), counts)
    assert int(counts["coupon_card"].sum()) == chunks * quota("coupon_card", chunk)
    sample = Sample(counts, Size(chunk * chunks, chunk))
    for name in ("S17.card", "S17.rank", "S17.suit", "S18"):
        assert 1e-3 < statistic(name).measure(sample).p < 1 - 1e-3


@pytest.mark.parametrize(
    ("name", "table", "cell"),
    [
        ("S2", "successor", (7, 7)),
        ("S3", "joint", (3, 3)),
        ("S6", "fixed", (51,)),
        ("S7", "cycles", (0,)),
        ("S10", "rising", (0,)),
    ],
)
def test_what_can_not_be_is_never_put_down_to_chance(
    name: str, table: str, cell: tuple[int, ...]
) -> None:
    counts = dict(count_decks(shuffle_ideally(np.random.default_rng(111), 3000)))
    counts[table] = counts[table].copy()
    counts[table][cell] += 1
    assert find(judge(counts), name).p == 0


def test_the_named_families_are_answered_for() -> None:
    covered = {key for one in STATISTICS for key in one.covers}
    assert covered <= set(FAMILIES)
    # What is left comes from duplicates, the second level and the raw bits.
    assert set(missing(covered)) == {"GLI.duplicates", "PA.ks", "PA.poisson", "NIGC.spectral"}


@pytest.mark.parametrize(
    ("decks", "name", "words"),
    [
        (9_200_000, "S1", "cells off by 0.1 % (root mean square)"),
        (31_000_000, "S1c.card", "one cell off by 1 %"),
        (350_000, "S8.mean", "a mean off by 0.1 %"),
        (260_000, "S9.mean", "a mean off by 0.1 %"),
        (5_500_000, "S7.mean", "a mean off by 0.1 %"),
        (390_001, "S4.1.r", "a correlation of 0.01"),
        (46_000_000, "S14.seat", "one pair of hole cards off by 10 %"),
        (10_000_000, "S21.wins", "one seat forced to win 0.096 % of hands"),
        (10_000_000, "S21.aces", "one seat dealt two aces in 0.014 % more of hands"),
        (4_950_000, "S23.modulo15", "100 % of the bias of 15 bits modulo n"),
    ],
)
def test_words_say_what_would_have_been_seen(decks: int, name: str, words: str) -> None:
    """At the sample sizes of the certification text's table of power."""
    assert statistic(name).detectable(Size(decks, decks)) == words


def test_power_is_what_it_is_called() -> None:
    """Noncentral chi-squares drawn by numpy, at the bound of alpha 1e-4."""
    for df in (1, 8, 1325):
        needed = power.noncentrality(df)
        bound = stats.chi2.isf(power.ALPHA, df)
        found = np.random.default_rng(112).noncentral_chisquare(df, needed, size=20_000)
        assert (found > bound).mean() == pytest.approx(power.POWER, abs=0.003)


def test_brief_outcomes_have_no_words_and_no_cells_but_the_same_tests() -> None:
    counts = count_decks(shuffle_ideally(np.random.default_rng(113), 2000))
    whole, brief = judge(counts), judge(counts, blocks=True)
    assert all(not one.detectable and not one.cells for one in brief)
    assert all(one.detectable for one in whole)
    assert [one.statistic for one in whole] == [one.statistic for one in brief]
    assert all(one.tail in {Tail.UPPER, Tail.TWO_SIDED} for one in whole)


def test_cells_hold_all_that_was_counted_and_all_that_was_expected() -> None:
    outcomes = judge(count_decks(shuffle_ideally(np.random.default_rng(114), 2000)))
    with_cells = [one for one in outcomes if one.cells and not one.test.startswith("S21")]
    assert len(with_cells) > 15
    for one in with_cells:
        assert sum(cell.observed for cell in one.cells) == one.samples
        assert sum(cell.expected for cell in one.cells) == pytest.approx(one.samples)
    assert [cell.label for cell in find(outcomes, "S15").cells][:2] == ["high card", "pair"]
