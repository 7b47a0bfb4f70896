"""From a hand's secret and mix to its deck, salts, leaves and root: section 4 of the protocol.

`derive_deck` is the one path, for the checks and for the `derive` command alike. Cards are
numbers 0 to 51 (4 x rank + suit) and, in text, two characters (`2c` ... `As`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from operator import length_hint
from struct import Struct
from typing import TYPE_CHECKING, Protocol

from audit_cli import drbg
from audit_cli.hashing import framed, hkdf_expand, hmac_sha256, u8
from audit_cli.merkle import inclusion_path, tree_levels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DECK_SIZE = 52
STREAM_BYTES = 1024
SALT_BYTES = 16

CARDS = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
CARD_NUMBERS = {card: number for number, card in enumerate(CARDS)}

_DECK_INFO = framed(b"cutcard/v1/deck")
_SALTS_INFO = framed(b"cutcard/v1/salts")
_LEAF_HEAD = b"\0" + framed(b"cutcard/v1/card")
_FRAMED_BYTE = tuple(framed(u8(number)) for number in range(DECK_SIZE))
# What stands before the salt in a leaf, for each position and card.
_PLACED_CARD = tuple(
    tuple(place + card + SALT_BYTES.to_bytes(4, "big") for card in _FRAMED_BYTE)
    for place in _FRAMED_BYTE
)
_SPLIT_SALTS = Struct(f"{SALT_BYTES}s" * DECK_SIZE).unpack
# The first byte value that below(n) drops.
_LIMITS = tuple(256 - 256 % n if n else 0 for n in range(DECK_SIZE + 1))
# For each step of a shuffle what below(i + 1) gives for a byte, or None where it drops it.
_SHUFFLE = tuple(
    (n - 1, (*range(n),) * (256 // n) + (None,) * (256 % n)) for n in range(DECK_SIZE, 1, -1)
)


class DerivedDeck(Protocol):
    """What the checks ask of a deck: its root, its card numbers in dealing order, its salts."""

    @property
    def root(self) -> bytes:
        """`deck_root`, 32 bytes."""
        ...

    @property
    def cards(self) -> Sequence[int]:
        """The 52 card numbers."""
        ...

    def salt(self, position: int) -> bytes:
        """Return the salt of a position, 16 bytes."""
        ...


class StreamExhaustedError(Exception):
    """The deck needed more than the 1,024 bytes of its stream: no deck, never a second Generate."""


@dataclass(frozen=True, slots=True)
class Ceremony:
    """Each step of the shuffle: card numbers from the top, with the cuts between."""

    after_first_shuffle: tuple[int, ...] = field(repr=False)
    cut: int
    after_second_shuffle: tuple[int, ...] = field(repr=False)
    thirds: tuple[int, int, int]
    restack: str
    deck: tuple[int, ...] = field(repr=False)
    bytes_used: int
    bytes_rejected: int


@dataclass(frozen=True, slots=True)
class Deck:
    """A derived deck. `levels` is the Merkle tree by height; position 0 is dealt first."""

    seed: bytes = field(repr=False)
    ceremony: Ceremony = field(repr=False)
    salt_bytes: bytes = field(repr=False)
    levels: list[list[bytes]] = field(repr=False)

    @property
    def cards(self) -> tuple[int, ...]:
        """The 52 card numbers in dealing order."""
        return self.ceremony.deck

    @property
    def salts(self) -> tuple[bytes, ...]:
        """The 52 salts, 16 bytes each."""
        return tuple(map(self.salt, range(DECK_SIZE)))

    @property
    def leaves(self) -> list[bytes]:
        """The 52 leaf hashes."""
        return self.levels[0]

    @property
    def root(self) -> bytes:
        """`deck_root`, 32 bytes."""
        return self.levels[-1][0]

    def salt(self, position: int) -> bytes:
        """Return the salt of a position, 16 bytes."""
        return self.salt_bytes[position * SALT_BYTES : (position + 1) * SALT_BYTES]

    def proof(self, position: int) -> list[bytes]:
        """Return the inclusion path of a position, leaf to root."""
        return inclusion_path(self.levels, position)


def _shuffle(deck: list[int], stream: Iterator[int]) -> None:
    """Shuffle in place by the next bytes (protocol 4.3)."""
    for i, below in _SHUFFLE:
        for byte in stream:
            j = below[byte]
            if j is not None:
                deck[i], deck[j] = deck[j], deck[i]
                break
        else:
            raise StopIteration


def _below(n: int, stream: Iterator[int]) -> int:
    """`below(n)` (protocol 4.2) by the next bytes."""
    limit = _LIMITS[n]
    for byte in stream:
        if byte < limit:
            return byte % n
    raise StopIteration


def run_ceremony(stream: bytes) -> Ceremony:
    """Shuffle, cut, shuffle, thirds, shuffle (protocol 4.3 and 4.4) from the bytes of a stream.

    Raises StreamExhaustedError where the bytes run out.
    """
    rest = iter(stream)
    try:
        deck = list(range(DECK_SIZE))
        _shuffle(deck, rest)
        first = tuple(deck)
        cut = 20 + _below(13, rest)
        deck = deck[cut:] + deck[:cut]
        _shuffle(deck, rest)
        second = tuple(deck)
        a, b = 15 + _below(5, rest), 15 + _below(5, rest)
        turned = _below(2, rest)
        deck = deck[a + b :] + deck[: a + b] if turned else deck[a:] + deck[:a]
        _shuffle(deck, rest)
    except StopIteration:
        message = f"the deck needs more than the {len(stream)} bytes of its stream"
        raise StreamExhaustedError(message) from None
    used = len(stream) - length_hint(rest)
    # Three shuffles take 51 draws each, the cuts four; every other byte was dropped.
    rejected = used - 3 * (DECK_SIZE - 1) - 4
    thirds = (a, b, DECK_SIZE - a - b)
    restack = "CAB" if turned else "BCA"
    return Ceremony(first, cut, second, thirds, restack, tuple(deck), used, rejected)


def hash_card(mix: bytes, position: int, card: int, salt: bytes) -> bytes:
    """`card_leaf` (protocol 4.5) of one opened position, 32 bytes."""
    return sha256(
        _LEAF_HEAD + framed(mix) + _FRAMED_BYTE[position] + _FRAMED_BYTE[card] + framed(salt)
    ).digest()


def derive_deck(secret: bytes, mix: bytes) -> Deck:
    """Return the whole deck of a hand from its secret and mix, 32 bytes each.

    Raises StreamExhaustedError in the case that the protocol calls an error (4.2).
    """
    prk = hmac_sha256(mix, secret)
    seed = hkdf_expand(prk, _DECK_INFO, drbg.SEED_BYTES)
    ceremony = run_ceremony(drbg.stream(seed, STREAM_BYTES))
    salts = drbg.stream(hkdf_expand(prk, _SALTS_INFO, drbg.SEED_BYTES), STREAM_BYTES)
    salts = salts[: DECK_SIZE * SALT_BYTES]
    # All leaves begin alike: they go on from copies of one hash.
    begin = sha256(_LEAF_HEAD + framed(mix)).copy
    leaves: list[bytes] = []
    add = leaves.append
    each = _SPLIT_SALTS(salts)
    for placed_card, card, salt in zip(_PLACED_CARD, ceremony.deck, each, strict=True):
        leaf = begin()
        leaf.update(placed_card[card] + salt)
        add(leaf.digest())
    return Deck(seed, ceremony, salts, tree_levels(leaves))
