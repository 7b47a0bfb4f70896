"""Pairs that came again are counted exactly, whatever the memory and however many they are."""

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from audit_cli.rng.counting.digests import FIVES, HASH_BITS, digest
from audit_cli.rng.counting.duplicates import (
    NAMED,
    DigestFile,
    Duplicates,
    confirm,
    count_duplicates,
    find_duplicates,
)
from tests.support.odd_decks import as_array, shuffled_decks

HANDS = 300_000
SMALL, LARGE = 1 << 17, 1 << 30


def random_digests(count: int, seed: int) -> NDArray[np.uint64]:
    random = np.random.default_rng(seed)
    places = random.integers(0, FIVES, count, dtype=np.uint64)
    places <<= np.uint64(HASH_BITS)
    places |= random.integers(0, 1 << HASH_BITS, count, np.uint64)
    return places


def write(folder: Path, digests: NDArray[np.uint64], size: int) -> list[DigestFile]:
    files = []
    for first in range(0, len(digests), size):
        path = folder / f"{first}.u64"
        path.write_bytes(digests[first : first + size].astype("<u8").tobytes())
        files.append(DigestFile(path, first))
    return files


def find_plainly(digests: NDArray[np.uint64]) -> Duplicates:
    """The same with a dict; all groups, for where there are few."""
    fives = Counter((digests >> np.uint64(HASH_BITS)).tolist())
    hands = defaultdict(list)
    for hand, one in enumerate(digests.tolist()):
        hands[one].append(hand)
    again = sorted(one for one, group in hands.items() if len(group) > 1)
    return Duplicates(
        len(digests),
        sum(count * (count - 1) // 2 for count in fives.values()),
        sum(len(hands[one]) * (len(hands[one]) - 1) // 2 for one in again),
        tuple(tuple(hands[one][:NAMED]) for one in again[:NAMED]),
        len(again) <= NAMED and all(len(hands[one]) <= NAMED for one in again),
    )


def test_many_hands_in_a_little_memory_agree_with_a_dict(tmp_path: Path) -> None:
    digests = random_digests(HANDS, 5)
    digests[[200_000, 299_999, 30]] = digests[[7, 9, 9]]
    plain = find_plainly(digests)
    assert plain.equal_pairs == 4
    assert plain.groups
    assert plain.whole
    files = write(tmp_path, digests, 50_000)
    assert find_duplicates(files, tmp_path, memory=SMALL) == plain
    assert find_duplicates(files, tmp_path, memory=LARGE) == plain
    assert count_duplicates(digests) == plain
    assert sorted(tmp_path.iterdir()) == sorted(file.path for file in files)


CROWDED = {
    "one deck again and again": lambda d: np.full_like(d, d[0]),
    "two decks in turn": lambda d: np.where(np.arange(len(d)) % 2, d[0], d[1]),
    "one five, many decks": lambda d: (
        d & np.uint64((1 << HASH_BITS) - 1) | d[0] >> np.uint64(HASH_BITS) << np.uint64(HASH_BITS)
    ),
    "a thousand decks": lambda d: d[np.arange(len(d)) % 1000],
    "neighbouring digests": lambda d: d[0] + np.arange(len(d), dtype=np.uint64) % np.uint64(5000),
    "the lowest and the highest": lambda d: np.where(
        np.arange(len(d)) % 3, np.uint64(0), np.uint64((FIVES << HASH_BITS) - 1)
    ),
}


@pytest.mark.parametrize("crowd", CROWDED.values(), ids=CROWDED.keys())
def test_crowds_that_no_division_thins_are_counted_all_the_same(
    crowd: object, tmp_path: Path
) -> None:
    assert callable(crowd)
    digests = crowd(random_digests(20_000, 6)).astype(np.uint64)
    plain = find_plainly(digests)
    files = write(tmp_path, digests, 9_000)
    assert find_duplicates(files, tmp_path, memory=32 * 500) == plain
    assert count_duplicates(digests) == plain


def test_no_hands_and_one_hand_have_no_pairs(tmp_path: Path) -> None:
    assert find_duplicates([], tmp_path) == Duplicates(0, 0, 0)
    files = write(tmp_path, random_digests(1, 7), 1)
    assert find_duplicates(files, tmp_path) == Duplicates(1, 0, 0)


def test_hands_are_named_by_their_own_numbers(tmp_path: Path) -> None:
    digests = random_digests(10, 8)
    digests[9] = digests[2]
    (file,) = write(tmp_path, digests, 10)
    assert find_duplicates([DigestFile(file.path, 500)], tmp_path).groups == ((502, 509),)


def test_decks_whose_digests_only_happen_to_be_equal_are_taken_out() -> None:
    decks = [bytes(deck) for deck in shuffled_decks(3)]
    found = Duplicates(9, 4, 4, ((0, 4, 8), (1, 5)))
    dealt = {0: decks[0], 4: decks[1], 8: decks[0], 1: decks[2], 5: decks[2]}
    assert confirm(found, dealt.__getitem__) == 2


def test_decks_that_came_again_are_found_by_their_digests() -> None:
    decks = shuffled_decks(500)
    decks[480] = list(decks[20])
    found = count_duplicates(digest(as_array(decks)))
    assert found.groups == ((20, 480),)
    assert confirm(found, lambda hand: bytes(decks[hand])) == 1


def test_a_file_that_was_cut_is_refused(tmp_path: Path) -> None:
    (file,) = write(tmp_path, random_digests(10, 9), 10)
    file.path.write_bytes(file.path.read_bytes()[:-3])
    with pytest.raises(ValueError, match=r"0\.u64 does not hold a whole number of digests"):
        find_duplicates([file], tmp_path)


@pytest.mark.parametrize("memory", [32, LARGE])
def test_a_file_of_something_else_is_refused(memory: int, tmp_path: Path) -> None:
    digests = random_digests(10, 10)
    digests[3] = 2**64 - 1
    with pytest.raises(ValueError, match="is no digest of a deck"):
        find_duplicates(write(tmp_path, digests, 10), tmp_path, memory=memory)
