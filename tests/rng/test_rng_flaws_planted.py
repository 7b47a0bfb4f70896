"""Planted flaws: each is the flaw that its name says, the same from the same seed anywhere."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from audit_cli.hashing import tagged_hash
from audit_cli.rng.flaws import chance, rigged, shuffles, sources, streams
from audit_cli.rng.flaws.bounds import Bound, WrongBound
from audit_cli.rng.flaws.chance import BATCH, PASS, Chance, Deal, Plant
from audit_cli.rng.raw.complexity import profile

SEED = bytes(range(32))
PLANTS: dict[str, Plant] = {"correct": chance.correct} | {
    name.removeprefix("plant_"): plant
    for module in (shuffles, sources, rigged)
    for name, plant in vars(module).items()
    if name.startswith("plant_")
}


def decks(plant: Plant, count: int = 400, first: int = 0) -> NDArray[np.uint8]:
    return np.concatenate([hands.decks for hands in plant(SEED, first, count)])


@pytest.mark.parametrize("name", PLANTS)
def test_every_hand_is_a_deck(name: str) -> None:
    planted = decks(PLANTS[name])
    assert planted.dtype == np.uint8
    assert planted.shape == (400, 52)
    assert (np.sort(planted, axis=1) == np.arange(52)).all()


@pytest.mark.parametrize("name", PLANTS)
def test_a_seed_plants_the_same_hands_again(name: str) -> None:
    assert (decks(PLANTS[name]) == decks(PLANTS[name])).all()


@pytest.mark.parametrize("name", PLANTS)
def test_batches_follow_each_other_without_a_gap(name: str) -> None:
    batches = list(PLANTS[name](SEED, 100, BATCH + 5))
    assert [(hands.first, hands.count) for hands in batches] == [(100, BATCH), (100 + BATCH, 5)]


@pytest.mark.parametrize("name", PLANTS)
def test_told_draws_are_those_that_made_the_deck(name: str) -> None:
    for hands in PLANTS[name](SEED, 0, 100):
        assert hands.sizes == PASS
        if hands.draws is not None:
            assert hands.draws.shape == (100, 51)
            made = chance.one_pass(np.ascontiguousarray(hands.draws.T)).T
            assert (hands.decks == made).all()


def test_a_pass_is_the_shuffle_of_the_protocol() -> None:
    draws = Chance(SEED, "pass", 0).draws(3)
    for column in range(3):
        deck = list(range(52))
        for i, j in zip(range(51, 0, -1), draws[:, column].tolist(), strict=True):
            deck[i], deck[j] = deck[j], deck[i]
        assert chance.one_pass(draws)[:, column].tolist() == deck


def test_draws_are_below_their_ranges_and_reach_all_of_them() -> None:
    draws = Chance(SEED, "draws", 0).draws(5_000)
    for n, row in zip(PASS, draws, strict=True):
        assert set(row.tolist()) == set(range(n))


def test_a_word_that_would_tip_the_scale_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The low halves of 52 times 0 and 330382100 are below 2^32 mod 52 = 48."""
    words = [np.array([[0, 330_382_100, 2**32 - 1]]), np.array([0, 7]), np.array([2**31 + 1])]
    monkeypatch.setattr(Chance, "words32", lambda *_: words.pop(0).astype(np.uint32))
    drawn = Chance(SEED, "again", 0).below(np.array([52], dtype=np.uint64), 3)
    assert drawn.tolist() == [[26, 0, 51]]
    assert not words


def test_modulo_of_a_byte_keeps_every_byte() -> None:
    draws = Chance(SEED, "F02", 0).bytes8(51, 400) % np.array(PASS, dtype=np.uint8)[:, None]
    assert (decks(shuffles.plant_byte_modulo) == chance.one_pass(draws).T).all()


def test_sattolo_makes_one_cycle() -> None:
    for deck in decks(shuffles.plant_sattolo, 50):
        at, steps = int(deck[0]), 1
        while at:
            at, steps = int(deck[at]), steps + 1
        assert steps == 52


def test_the_last_card_stays() -> None:
    assert (decks(shuffles.plant_last_stays)[:, 51] == 51).all()


def test_the_last_card_can_not_stay() -> None:
    assert 51 not in decks(shuffles.plant_first_draw_short, 5_000)[:, 51]
    assert 51 in decks(chance.correct, 5_000)[:, 51]


def test_a_cut_only_turns_the_deck() -> None:
    steps = np.diff(decks(shuffles.plant_cut_only).astype(int), axis=1) % 52
    assert (steps == 1).all()


def rising(deck: NDArray[np.uint8]) -> int:
    where: list[int] = np.argsort(deck).tolist()
    return 1 + sum(later < here for here, later in pairwise(where))


@pytest.mark.parametrize("riffles", [1, 2, 3])
def test_riffles_leave_no_more_rising_sequences_than_packets(riffles: int) -> None:
    found = [rising(deck) for deck in shuffles.riffled(Chance(SEED, "riffle", 0), 200, riffles)]
    assert max(found) == 2**riffles


def test_a_kept_deck_is_riffled_from_where_it_lay() -> None:
    planted = decks(shuffles.plant_kept_deck, BATCH + 2)
    for before, after in ((planted[5], planted[6]), (planted[BATCH - 1], planted[BATCH])):
        place = np.argsort(before)
        assert rising(place[after]) <= 8


@pytest.mark.parametrize(
    ("plant", "space"), [(shuffles.plant_byte_keys, 256), (shuffles.plant_short_keys, 65_536)]
)
def test_equal_keys_keep_their_order(plant: Plant, space: int) -> None:
    """A tie turns a coin's one half into certainty: 1/2 + 1/(2 x space) of all pairs rise."""
    planted = decks(plant, 4_000).astype(int)
    share = float(np.mean(np.diff(planted, axis=1) > 0))
    assert (share > 0.5 + 0.25 / 256) == (space == 256)


def test_msvc_numbers_are_those_of_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chance, "words32", lambda *_: np.array([1], dtype=np.uint32))
    (hands,) = sources.plant_msvc(SEED, 0, 1)
    assert hands.draws is not None
    numbers = [41, 18_467, 6_334, 26_500, 19_169]
    assert hands.draws[0, :5].tolist() == [x % n for x, n in zip(numbers, PASS, strict=False)]


@pytest.mark.parametrize("plant", [sources.plant_msvc, sources.plant_low_bits])
def test_a_generator_runs_on_from_chunk_to_chunk(plant: Plant) -> None:
    assert (decks(plant, 40, 60) == decks(plant, 100)[60:]).all()


def test_low_bits_of_an_lcg_take_turns() -> None:
    """The lowest bit changes with every step, so that draws two steps apart agree in it."""
    (hands,) = sources.plant_low_bits(SEED, 0, 6)
    assert hands.draws is not None
    lowest = hands.draws[:, ::2] % 2  # of the even ranges
    assert (lowest == lowest[:, :1]).all()
    assert (np.diff(lowest[:, 0].astype(int)) != 0).all()


@pytest.mark.parametrize(("space", "most"), [(1, 1), (7, 7)])
def test_a_small_seed_leaves_few_decks(space: int, most: int) -> None:
    deal = sources.small_seed(space)
    dealt = deal(Chance(SEED, "few", 0), 500).decks
    assert len(np.unique(dealt, axis=0)) == most


def test_a_seed_that_comes_again_gives_an_earlier_deck() -> None:
    dealt = sources.seed_again(10)(Chance(SEED, "again", 0), 1_000).decks
    repeats = 1_000 - len(np.unique(dealt, axis=0))
    assert 60 < repeats < 140


def test_rc4_is_rc4() -> None:
    """RFC 6229, the key of 128 bits 0x0102...10."""
    key = np.arange(1, 17, dtype=np.uint8)[:, None]
    stream = sources.rc4_stream(np.repeat(key, 2, axis=1), 272)
    assert stream[:16, 1].tobytes().hex() == "9ac7cc9a609d1ef7b2932899cde41b97"
    assert stream[240:256, 0].tobytes().hex() == "065902e4b620f6cc36c8589f66432f2b"


def test_bytes_are_dropped_as_the_protocol_says() -> None:
    """255 is dropped for n = 52 and taken for n = 51."""
    stream = np.zeros((128, 2), dtype=np.uint8)
    stream[:3, 0] = [255, 250, 207]
    stream[:2, 1] = [3, 254]
    draws = sources.draw_from_bytes(stream)
    assert draws[:2].tolist() == [[207 % 52, 3], [0, 254 % 51]]


def test_the_first_seat_never_holds_two_aces_where_they_are_redrawn() -> None:
    def pairs(plant: Plant) -> int:
        held = decks(plant, 20_000)[:, list(rigged.HOLE)] >= 48
        return int(held.all(axis=1).sum())

    assert pairs(rigged.plant_redrawn_aces) == 0
    assert pairs(chance.correct) > 50


def test_the_first_seat_is_given_an_ace() -> None:
    deal: Deal = rigged.given_ace(1)
    held = deal(Chance(SEED, "ace", 0), 500).decks[:, list(rigged.HOLE)] >= 48
    assert held.any(axis=1).all()


def test_mersenne_numbers_are_those_of_its_authors() -> None:
    """A twist of the state that the key leaves, against Python's own generator."""
    numbers = streams.mersenne(SEED, 2_000).view("<u4").tolist()
    spread = np.random.PCG64(int.from_bytes(tagged_hash("flaw", SEED, b"F19"), "big"))
    key = spread.random_raw(312).astype("<u8").view("<u4").tolist()
    python = Random()
    python.setstate((3, (*key, 624), None))
    assert numbers == [python.getrandbits(32) for _ in range(2_000)]


def test_xorshift_states_follow_from_two() -> None:
    """V8's step: the next state is a XOR of shifts of the two before."""
    states = streams.xorshift(SEED, 100).view("<u8").tolist()
    mask = (1 << 64) - 1
    for one, other, following in zip(states, states[1:], states[2:], strict=False):
        shifted = one ^ ((one << 23) & mask)
        assert following == shifted ^ (shifted >> 17) ^ other ^ (other >> 26)


def test_linear_generators_have_the_complexity_of_their_state() -> None:
    """F18 from 1,024 bits, F19 from 45,000: bit 0 of each number."""
    one = streams.xorshift(SEED, 1_024)[::8] & np.uint8(1)
    assert profile(one).complexity == streams.XORSHIFT_BITS
    other = streams.mersenne(SEED, 45_000)[::4] & np.uint8(1)
    assert profile(other).complexity == streams.MERSENNE_BITS


def test_wrong_bounds_change_what_they_should_alone() -> None:
    """A byte at the bound is taken by the late bound, one before it is dropped by the early."""
    draws = {
        bound: WrongBound(bound).deal(0, crafted).draws
        for bound, crafted in (
            (Bound.LATE, _stream(208)),
            (Bound.EARLY, _stream(207)),
            (Bound.NONE, _stream(255)),
        )
    }
    first = {bound: int(drawn[0, 0]) for bound, drawn in draws.items() if drawn is not None}
    assert first == {Bound.LATE: 0, Bound.EARLY: 1, Bound.NONE: 255 % 52}


def _stream(first: int) -> NDArray[np.uint8]:
    return np.array([[first, *([1] * 1_023)]], dtype=np.uint8)
