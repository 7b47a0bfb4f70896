"""Both counters count what the tables say, as a slow and plain reading of them does."""

from random import Random

import numpy as np
import pytest

from audit_cli.rng.counting.choose import tallier
from audit_cli.rng.counting.tables import SHUFFLE, TABLES, first_cells, quota, shapes
from audit_cli.rng.counting.waits import ORDER
from audit_cli.rng.hands import DRAWS, Hands
from audit_cli.rng.measured import Measured
from tests.support.odd_decks import as_array, odd_decks, shuffled_decks
from tests.support.plain_counts import count_plainly, describe

COUNTERS = pytest.mark.parametrize("native", [False, True], ids=["numpy", "numba"])

# Half of the odd ones at the chunk's end, where guesses are scored.
MIXED = [*odd_decks(), *shuffled_decks(2600), *odd_decks()]
ROTATED = [odd_decks()[8 + at % 52] for at in range(3000)]


def measure(decks: list[list[int]], *, native: bool) -> Measured:
    counting = tallier(0, len(decks), draws=False, native=native)
    counting.add(Hands(0, as_array(decks)))
    return counting.finish()


@COUNTERS
@pytest.mark.parametrize("decks", [MIXED, ROTATED], ids=["mixed", "rotated"])
def test_every_table_is_what_a_plain_reading_of_it_counts(
    decks: list[list[int]], native: bool
) -> None:
    plain = count_plainly(decks, {wait: quota(wait, len(decks)) for wait in ORDER})
    counts = measure(decks, native=native).counts
    assert set(counts) == set(TABLES) - {"draws"}
    for name, table in counts.items():
        cells = {tuple(cell): int(table[tuple(cell)]) for cell in np.argwhere(table).tolist()}
        assert cells == plain.get(name, {}), name


@COUNTERS
def test_tables_have_the_shapes_that_are_told(native: bool) -> None:
    counts = measure(MIXED, native=native).counts
    assert {name: table.shape for name, table in counts.items()} == shapes(draws=False)
    assert {table.dtype for table in counts.values()} == {np.dtype(np.int64)}


@COUNTERS
def test_sorted_and_reversed_decks_stand_at_the_ends(native: bool) -> None:
    new = list(range(52))
    counts = measure([new, new[::-1]], native=native).counts
    ends = {
        name: np.flatnonzero(counts[name]).tolist()
        for name in ("fixed", "cycles", "inversions", "descents", "rising", "runs", "lis")
    }
    assert ends == {
        "fixed": [0, 52],
        "cycles": [26, 52],
        "inversions": [0, 1326],
        "descents": [0, 51],
        "rising": [1, 52],
        "runs": [1],
        "lis": [1, 52],
    }


def test_the_plain_reading_knows_decks_whose_numbers_are_known() -> None:
    riffled = [card for pair in zip(range(26), range(26, 52), strict=True) for card in pair]
    found = describe(riffled)
    assert (found["rising"], found["descents"], found["lis"]) == (2, 25, 27)
    assert found["inversions"] == 25 * 26 // 2


@COUNTERS
def test_known_draws_are_counted_each_in_its_own_cells(native: bool) -> None:
    random = Random(1)
    draws = np.array([[random.randrange(n) for n in DRAWS] for _ in range(300)], np.uint8)
    draws[0], draws[1] = 0, [n - 1 for n in DRAWS]
    counting = tallier(0, 300, native=native)
    counting.add(Hands(0, as_array(shuffled_decks(300)), draws))
    table = counting.finish().counts["draws"]
    expected = [draws[:, k].tolist().count(v) for k, n in enumerate(DRAWS) for v in range(n)]
    assert table.tolist() == expected
    assert first_cells(DRAWS)[:3] == (0, 52, 103)


@COUNTERS
def test_the_draws_of_decks_alone_are_those_by_which_one_shuffle_makes_them(native: bool) -> None:
    random = Random(2)
    draws = [[random.randrange(n) for n in SHUFFLE] for _ in range(300)]
    draws += [[0] * 51, [n - 1 for n in SHUFFLE]]
    decks = []
    for row in draws:
        deck = list(range(52))
        for n, j in zip(SHUFFLE, row, strict=True):
            deck[n - 1], deck[j] = deck[j], deck[n - 1]
        decks.append(deck)
    counting = tallier(0, len(decks), sizes=SHUFFLE, native=native)
    counting.add(Hands(0, as_array(decks)))
    table = counting.finish().counts["draws"]
    expected = [sum(row[k] == v for row in draws) for k, n in enumerate(SHUFFLE) for v in range(n)]
    assert table.tolist() == expected


def test_both_counters_give_the_same_figures_bit_for_bit() -> None:
    """Over enough hands that every part of both is used, pieces and waits carried over too."""
    random = np.random.default_rng(3)
    hands = 20_000
    decks = random.permuted(np.tile(np.arange(52, dtype=np.uint8), (hands, 1)), axis=1)
    draws = np.stack([random.integers(0, n, hands, dtype=np.uint8) for n in DRAWS], axis=1)
    both = []
    for native in (False, True):
        counting = tallier(0, hands, native=native)
        counting.add(Hands(0, decks, draws))
        both.append(counting.finish())
    first, second = both
    assert set(first.counts) == set(second.counts) == set(TABLES)
    for name in TABLES:
        assert np.array_equal(first.counts[name], second.counts[name]), name
    assert np.array_equal(first.digests, second.digests)
    assert first.sha256 == second.sha256


@COUNTERS
def test_a_deck_that_lacks_a_card_is_named(native: bool) -> None:
    decks = shuffled_decks(9000)
    decks[8500][3] = decks[8500][4]
    counting = tallier(70, len(decks), draws=False, native=native)
    with pytest.raises(ValueError, match="hand 8570 does not hold each of the 52 cards once"):
        counting.add(Hands(70, as_array(decks)))


def test_of_each_chunk_as_many_waits_count_as_surely_end_in_it() -> None:
    """Every wait for all cards is 52 hands here; those behind the quota are left out."""
    counts = measure(ROTATED, native=False).counts
    assert np.flatnonzero(counts["coupon_card"]).tolist() == [52]
    assert counts["coupon_card"].sum() == quota("coupon_card", 3000) < 3000 // 52
    assert quota("coupon_card", 100) == 0
