"""A chunk's figures do not depend on its batches; what is no part of it is refused."""

from hashlib import sha256

import numpy as np
import pytest

from audit_cli.rng.counting.choose import tallier
from audit_cli.rng.counting.digests import FIVES, HASH_BITS, digest, place_fives
from audit_cli.rng.counting.tables import SHUFFLE
from audit_cli.rng.hands import DRAWS, Hands
from audit_cli.rng.measured import Measured, Tallier
from tests.support.odd_decks import as_array, odd_decks, shuffled_decks

DECKS = as_array([*odd_decks(), *shuffled_decks(4700), *odd_decks()])
DRAWN = np.stack(
    [np.random.default_rng(4).integers(0, n, len(DECKS), dtype=np.uint8) for n in DRAWS], axis=1
)
FIRST = 1000


def add(counting: Tallier, first: int, last: int) -> None:
    counting.add(Hands(FIRST + first, DECKS[first:last], DRAWN[first:last]))


def measure(batch: int, *, native: bool) -> Measured:
    counting = tallier(FIRST, len(DECKS), native=native)
    for first in range(0, len(DECKS), batch):
        add(counting, first, min(first + batch, len(DECKS)))
    return counting.finish()


@pytest.mark.parametrize(
    ("batch", "native"), [(1, True), (7, True), (1000, True), (7, False), (1000, False)]
)
def test_batches_of_any_size_give_the_same_figures(batch: int, native: bool) -> None:
    whole = measure(len(DECKS), native=native)
    parts = measure(batch, native=native)
    for name, table in whole.counts.items():
        assert np.array_equal(table, parts.counts[name]), name
    assert np.array_equal(whole.digests, parts.digests)
    assert (parts.first, parts.hands, parts.sha256) == (FIRST, len(DECKS), whole.sha256)


def test_single_hands_give_the_same_figures_with_numpy() -> None:
    both = []
    for batch in (1, 300):
        counting = tallier(0, 300, draws=False)
        for first in range(0, 300, batch):
            counting.add(Hands(first, DECKS[first : first + batch]))
        both.append(counting.finish())
    for name, table in both[0].counts.items():
        assert np.array_equal(table, both[1].counts[name]), name


def test_the_hash_is_of_the_decks_bytes() -> None:
    assert measure(1000, native=True).sha256 == sha256(DECKS.tobytes()).hexdigest()


def test_a_chunk_may_be_one_hand_or_none() -> None:
    counting = tallier(0, 1, draws=False)
    counting.add(Hands(0, DECKS[:1]))
    counts = counting.finish().counts
    assert counts["matches"].sum() == counts["serial"].sum() == counts["guess_hits"].sum() == 0
    assert counts["decks"].tolist() == [1]
    assert tallier(0, 0).finish().hands == 0


def test_hands_that_are_not_contiguous_in_memory_are_counted_alike() -> None:
    both = []
    for decks in (DECKS[::2], np.ascontiguousarray(DECKS[::2])):
        counting = tallier(0, len(decks), draws=False)
        counting.add(Hands(0, decks))
        both.append(counting.finish())
    assert both[0].sha256 == both[1].sha256
    assert np.array_equal(both[0].digests, both[1].digests)


REFUSED = [
    (Hands(FIRST + 1, DECKS[:1], DRAWN[:1]), "does not follow"),
    (Hands(FIRST, DECKS[:11], DRAWN[:11]), "11 hands do not fit the last 10"),
    (Hands(FIRST, DECKS[:1, :51], DRAWN[:1]), "not 52 cards"),
    (Hands(FIRST, np.full((1, 52), 52, np.uint8), DRAWN[:1]), "a number from 0 to 51"),
    (Hands(FIRST, DECKS[:1]), "draws are not known"),
    (Hands(FIRST, DECKS[:1], DRAWN[:1, :51], sizes=SHUFFLE), "not of the ranges"),
    (Hands(FIRST, DECKS[:2], DRAWN[:1]), "not of the ranges"),
    (Hands(FIRST, DECKS[:1], np.full((1, 157), 52, np.uint8)), "not below its range"),
]


@pytest.mark.parametrize(("hands", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_no_next_batch_is_refused(hands: Hands, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tallier(FIRST, 10).add(hands)


def test_a_chunk_with_hands_missing_has_no_figures() -> None:
    counting = tallier(FIRST, 10)
    add(counting, 0, 9)
    with pytest.raises(ValueError, match="9 hands of a chunk of 10"):
        counting.finish()


def test_a_place_is_that_of_the_first_five_cards_among_all() -> None:
    place = 0
    for deck in DECKS[::50].tolist():
        place, left = 0, list(range(52))
        for card in deck[:5]:
            place = place * len(left) + left.index(card)
            left.remove(card)
        assert place_fives(np.array([deck], np.uint8)).tolist() == [place]
    assert place_fives(as_array([list(range(51, -1, -1))])).tolist() == [FIVES - 1]


def test_digests_tell_decks_apart_that_differ_in_two_cards_alone() -> None:
    deck = shuffled_decks(1)[0]
    decks = [deck]
    for one in range(52):
        for two in range(one):
            other = list(deck)
            other[one], other[two] = other[two], other[one]
            decks.append(other)
    digests = digest(as_array(decks))
    assert len(np.unique(digests)) == len(decks) == 1327
    assert np.array_equal(digests >> np.uint64(HASH_BITS), place_fives(as_array(decks)))
    assert np.array_equal(digest(as_array([deck, deck])), digests[[0, 0]])
