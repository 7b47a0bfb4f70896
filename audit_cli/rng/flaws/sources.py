"""Right shuffles with a poor source of numbers: F06-F11 and F17."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.flaws.chance import BATCH, PASS, Chance, as_hands, independent, one_pass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from audit_cli.rng.flaws.chance import Deal, Plant
    from audit_cli.rng.hands import Hands

_STEPS: Final = DECK_SIZE - 1
_RANGES32: Final = np.array(PASS, dtype=np.uint32)[:, None]
_RANGES16: Final = np.array(PASS, dtype=np.uint16)[:, None]
#: Milliseconds of a day: what a seed from the clock can be.
DAY_MS: Final = 86_400_000


def _powers(multiplier: int, increment: int, steps: int) -> tuple[NDArray[np.uint32], ...]:
    """Return (a, c), so that step k + 1 from x is a[k] x + c[k] modulo 2^32."""
    factors = np.empty(steps, dtype=np.uint32)
    offsets = np.empty(steps, dtype=np.uint32)
    a, c = 1, 0
    for k in range(steps):
        a, c = a * multiplier & 0xFFFF_FFFF, (c * multiplier + increment) & 0xFFFF_FFFF
        factors[k], offsets[k] = a, c
    return factors, offsets


def _jump(multiplier: int, increment: int, steps: int, state: int) -> int:
    """Return an LCG's state modulo 2^32 after `steps` steps, by squaring its map."""
    while steps:
        if steps & 1:
            state = (state * multiplier + increment) & 0xFFFF_FFFF
        increment = increment * (multiplier + 1) & 0xFFFF_FFFF
        multiplier = multiplier * multiplier & 0xFFFF_FFFF
        steps >>= 1
    return state


def running_lcg(name: str, multiplier: int, increment: int, shift: int, mask: int) -> Plant:
    """Return the plant whose draws are (x >> shift & mask) % n of one LCG that runs on.

    Modulo 2^32; a smaller modulus is the low bits of this one.
    """

    def plant(seed: bytes, first: int, count: int) -> Iterator[Hands]:
        factors, offsets = _powers(multiplier, increment, _STEPS * BATCH)
        start = int(Chance(seed, name, 0).words32(1)[0])
        state = np.uint32(_jump(multiplier, increment, first * _STEPS, start))
        for at in range(first, first + count, BATCH):
            size = min(BATCH, first + count - at)
            words = factors[: size * _STEPS] * state
            words += offsets[: size * _STEPS]
            state = words[-1]
            words = (words >> np.uint32(shift)) & np.uint32(mask)
            draws = (words.reshape(size, _STEPS).T % _RANGES32).astype(np.uint8)
            yield as_hands(one_pass(draws), draws, first=at)

    return plant


def short_modulo(bits: int) -> Deal:
    """F07 and F08: an ideal number of 15 or 16 bits modulo n, without dropping any."""

    def deal(chance: Chance, count: int) -> Hands:
        draws = draw_short_modulo(chance, count, bits)
        return as_hands(one_pass(draws), draws)

    return deal


def draw_short_modulo(chance: Chance, count: int, bits: int) -> NDArray[np.uint8]:
    """Return the draws of F07 or F08 alone, (51, count)."""
    words = chance.words16(_STEPS, count) >> np.uint16(16 - bits)
    return (words % _RANGES16).astype(np.uint8)


def _expand(seeds: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the draws of one pass that follow from each seed alone, (51, count).

    Each step is a word of SplitMix64 (Steele, Lea and Flood 2014), scaled by its high half.
    """
    draws = np.empty((_STEPS, len(seeds)), dtype=np.uint8)
    state = seeds * np.uint64(0xD1342543DE82EF95)
    for row, n in enumerate(PASS):
        state = state + np.uint64(0x9E3779B97F4A7C15)
        word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word ^= word >> np.uint64(31)
        draws[row] = ((word >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)
    return draws


def small_seed(space: int) -> Deal:
    """F10: each deck follows from a seed of `space` values."""

    def deal(chance: Chance, count: int) -> Hands:
        draws = _expand(chance.words64(count) % np.uint64(space))
        return as_hands(one_pass(draws), draws)

    return deal


def seed_again(one_in: int) -> Deal:
    """F11: one hand in `one_in` has the seed of an earlier hand, as after a snapshot."""

    def deal(chance: Chance, count: int) -> Hands:
        seeds = chance.words64(count)
        again = np.nonzero(chance.chosen(count, one_in))[0]
        again = again[again > 0]
        for hand, word in zip(again, chance.words64(len(again)), strict=True):
            seeds[hand] = seeds[int(word % np.uint64(hand))]
        draws = _expand(seeds)
        return as_hands(one_pass(draws), draws)

    return deal


def rc4_stream(keys: NDArray[np.uint8], length: int) -> NDArray[np.uint8]:
    """Return the first bytes of RC4 under each key: keys (16, count), stream (length, count)."""
    count = keys.shape[1]
    state = np.repeat(np.arange(256, dtype=np.uint8)[:, None], count, axis=1)
    flat, hands = state.reshape(-1), np.arange(count)
    j = np.zeros(count, dtype=np.uint8)
    for i in range(256):
        here = state[i].copy()
        j = j + here + keys[i % len(keys)]
        at = j.astype(np.intp) * count + hands
        state[i] = flat[at]
        flat[at] = here
    j = np.zeros(count, dtype=np.uint8)
    stream = np.empty((length, count), dtype=np.uint8)
    for step in range(length):
        i = (step + 1) % 256
        here = state[i].copy()
        j = j + here
        at = j.astype(np.intp) * count + hands
        there = flat[at]
        flat[at] = here
        state[i] = there
        stream[step] = flat[(here + there).astype(np.intp) * count + hands]
    return stream


def draw_from_bytes(stream: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the draws of one pass by the protocol's `below` (3.2) from streams of 128 bytes.

    (51, count). IndexError where a stream is too short, in about one of 10^30.
    """
    count = stream.shape[1]
    hands, at = np.arange(count), np.zeros(count, dtype=np.intp)
    draws = np.empty((_STEPS, count), dtype=np.uint8)
    for row, n in enumerate(PASS):
        limit = 256 - 256 % n
        x = stream[at, hands]
        dropped = np.nonzero(x >= limit)[0] if limit < 256 else hands[:0]
        while len(dropped):
            at[dropped] += 1
            x[dropped] = stream[at[dropped], dropped]
            dropped = dropped[x[dropped] >= limit]
        at += 1
        draws[row] = x % np.uint8(n)
    return draws


def rc4(chance: Chance, count: int) -> Hands:
    """F17: RC4 with a new key for each hand, no byte dropped at its beginning."""
    draws = draw_from_bytes(rc4_stream(chance.bytes8(16, count), 128))
    return as_hands(one_pass(draws), draws)


#: F06: MSVC's rand() % n: 15 bits of an LCG that runs on.
plant_msvc = running_lcg("F06", 214_013, 2_531_011, 16, 0x7FFF)
plant_fifteen_bits = independent("F07", short_modulo(15))
plant_sixteen_bits = independent("F08", short_modulo(16))
#: F09: x % n of an LCG modulo 2^31, whose low bits hardly change.
plant_low_bits = running_lcg("F09", 1_103_515_245, 12_345, 0, 0x7FFF_FFFF)
plant_seed_16 = independent("F10a", small_seed(1 << 16))
plant_seed_day = independent("F10b", small_seed(DAY_MS))
plant_seed_32 = independent("F10c", small_seed(1 << 32))
plant_seed_again = independent("F11", seed_again(10_000))
plant_rc4 = independent("F17", rc4)
