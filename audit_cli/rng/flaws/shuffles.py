"""Shuffles that are wrong however good their random numbers are: F01-F05 and F12-F16."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.flaws.chance import (
    BATCH,
    PASS,
    Chance,
    as_hands,
    fresh,
    independent,
    one_pass,
    swap,
)
from audit_cli.rng.hands import Hands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from audit_cli.rng.flaws.chance import Deal

_LAST: Final = DECK_SIZE - 1
_BYTE: Final = np.uint8(0xFF)
_PLACE: Final = np.uint32(63)
_PLACE_BITS: Final = np.uint32(6)


def swap_with_any(chance: Chance, count: int) -> Hands:
    """F01: each position swaps with any of the 52, so that 52^52 ways share 52! decks."""
    places = chance.below(np.full(DECK_SIZE, DECK_SIZE, dtype=np.uint64), count)
    decks, hands = fresh(count), np.arange(count)
    for i in range(DECK_SIZE):
        swap(decks, i, places[i], hands)
    return as_hands(decks)


def byte_modulo(chance: Chance, count: int) -> Hands:
    """F02: a byte modulo n, without dropping any."""
    ranges = np.array(PASS, dtype=np.uint8)[:, None]
    draws = chance.bytes8(_LAST, count) % ranges
    return as_hands(one_pass(draws), draws)


def sattolo(chance: Chance, count: int) -> Hands:
    """F03: j < i in place of j <= i: no card may stay, and the permutation is one cycle."""
    draws = chance.below(np.arange(_LAST, 0, -1, dtype=np.uint64), count)
    return as_hands(one_pass(draws))


def last_stays(chance: Chance, count: int) -> Hands:
    """F04: the pass begins one position late, and the last card never moves."""
    draws = chance.draws(count)
    draws[0] = _LAST
    return as_hands(one_pass(draws), draws)


def first_draw_short(chance: Chance, count: int) -> Hands:
    """F05: the first draw is below 51, and the last card can not stay where it is."""
    draws = chance.draws(count)
    draws[0] = chance.below(np.array([_LAST], dtype=np.uint64), count)[0]
    return as_hands(one_pass(draws), draws)


def cut_only(chance: Chance, count: int) -> Hands:
    """F12: a fresh deck, cut somewhere."""
    cut = chance.below(np.array([DECK_SIZE], dtype=np.uint64), count)
    return as_hands((fresh(count) + cut) % np.uint8(DECK_SIZE))


def riffled(chance: Chance, count: int, riffles: int) -> NDArray[np.uint8]:
    """Return fresh decks after so many riffles (Gilbert, Shannon, Reeds), (count, 52).

    k riffles are one with 2^k packets: each place takes a packet at random, and the packets' cards
    keep their order (Bayer and Diaconis 1992, lemma 1). `riffles` is at most 16.
    """
    packets = (chance.words16(count, DECK_SIZE) >> np.uint16(16 - riffles)).astype(np.uint32)
    order = _sort_with_places(packets)
    decks = np.empty_like(order)
    cards = np.broadcast_to(np.arange(DECK_SIZE, dtype=np.uint8), order.shape)
    np.put_along_axis(decks, order.astype(np.intp), cards, axis=1)
    return decks


def _sort_with_places(keys: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return each row's places in the order of their keys; equal keys keep their order."""
    tagged = (keys << _PLACE_BITS) | np.arange(DECK_SIZE, dtype=np.uint32)
    tagged.sort(axis=1)
    return (tagged & _PLACE).astype(np.uint8)


def plant_kept_deck(seed: bytes, first: int, count: int) -> Iterator[Hands]:
    """F13: the deck of the hand before, riffled three times; hand `first` has a fresh deck's."""
    chance = Chance(seed, "F13", first)
    deck = np.arange(DECK_SIZE, dtype=np.uint8)
    for at in range(first, first + count, BATCH):
        moves = riffled(chance, min(BATCH, first + count - at), 3)
        decks = np.empty_like(moves)
        for hand, move in enumerate(moves):
            deck = deck[move]
            decks[hand] = deck
        yield Hands(at, decks, sizes=PASS)


def fresh_riffled(riffles: int) -> Deal:
    """F14: a fresh deck for each hand, riffled a few times."""

    def deal(chance: Chance, count: int) -> Hands:
        return Hands(0, riffled(chance, count, riffles), sizes=PASS)

    return deal


def random_comparator(chance: Chance, count: int) -> Hands:
    """F15: a binary insertion sort of a fresh deck whose comparison is a coin."""
    decks = fresh(count)
    places = np.arange(DECK_SIZE, dtype=np.intp)[:, None]
    for i in range(1, DECK_SIZE):
        low, high = np.zeros(count, dtype=np.intp), np.full(count, i, dtype=np.intp)
        while (low < high).any():
            middle = (low + high) // 2
            before = chance.bytes8(count) > _BYTE // 2
            going = low < high
            high = np.where(going & before, middle, high)
            low = np.where(going & ~before, middle + 1, low)
        moved = decks[: i + 1].copy()
        rows = places[: i + 1]
        decks[: i + 1] = np.where(rows > low, np.roll(moved, 1, axis=0), moved)
        decks[low, np.arange(count)] = moved[i]
    return as_hands(decks)


def sorted_by_keys(bits: int) -> Deal:
    """F16: sorted by random keys of 8 or 16 bits; cards with equal keys keep their order."""

    def deal(chance: Chance, count: int) -> Hands:
        short = chance.bytes8 if bits == 8 else chance.words16
        keys = short(count, DECK_SIZE).astype(np.uint32)
        return Hands(0, _sort_with_places(keys), sizes=PASS)

    return deal


plant_swap_with_any = independent("F01", swap_with_any)
plant_byte_modulo = independent("F02", byte_modulo)
plant_sattolo = independent("F03", sattolo)
plant_last_stays = independent("F04", last_stays)
plant_first_draw_short = independent("F05", first_draw_short)
plant_cut_only = independent("F12", cut_only)
plant_seven_riffles = independent("F14a", fresh_riffled(7))
plant_ten_riffles = independent("F14b", fresh_riffled(10))
plant_random_comparator = independent("F15", random_comparator)
plant_byte_keys = independent("F16a", sorted_by_keys(8))
plant_short_keys = independent("F16b", sorted_by_keys(16))
