"""A deck sealed under one root, and the openings that prove single cards of it.

Protocol sections 4.5 and 5. Each position's leaf hides its card behind a 16-byte salt and binds
it to the mix, hence to the origin, game and hand. The root is the RFC 6962 tree root over the 52
leaves. An opening shows one card and proves nothing about any other.
"""

import hmac
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from dealer_service.fairness.cards import DECK_SIZE
from dealer_service.fairness.commitment import framed
from dealer_service.fairness.drbg import stream
from dealer_service.fairness.refusal import FairnessError, Reason, require_length
from dealer_service.fairness.shuffle import STREAM_BYTES, Ceremony, perform

SALT_BYTES: Final = 16
HASH_BYTES: Final = 32

_LEAF_HEAD: Final = b"\x00" + framed(b"cutcard/v1/card")
# What stands between the mix and the salt: F(u8(p)), F(u8(card)) and the salt's length.
_CARD_PARTS: Final = tuple(
    tuple(
        framed(bytes([position])) + framed(bytes([card])) + SALT_BYTES.to_bytes(4, "big")
        for card in range(DECK_SIZE)
    )
    for position in range(DECK_SIZE)
)


@dataclass(frozen=True, slots=True)
class Opening:
    """One position opened: card (0 to 51), salt (16 bytes) and inclusion path, leaf to root."""

    position: int
    card: int = field(repr=False)
    salt: bytes = field(repr=False)
    proof: tuple[bytes, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class SealedDeck:
    """A hand's 52 cards, top first, their salts, and the tree whose root seals them.

    `levels[0]` are the leaves, the last level is the root alone; a node without a sibling stands
    on the next level unchanged, which gives the tree of RFC 6962 2.1. Only mix and root may
    leave the dealer before the reveal, and an `Opening` to whom its position was dealt.
    """

    mix: bytes
    cards: tuple[int, ...] = field(repr=False)
    salts: tuple[bytes, ...] = field(repr=False)
    levels: tuple[tuple[bytes, ...], ...] = field(repr=False)

    @property
    def leaves(self) -> tuple[bytes, ...]:
        """The 52 leaf hashes, by position."""
        return self.levels[0]

    @property
    def root(self) -> bytes:
        """The `deck_root` of the transcript."""
        return self.levels[-1][0]

    def opening(self, position: int) -> Opening:
        """Open one position, 0 to 51; FairnessError BAD_POSITION otherwise."""
        if not 0 <= position < DECK_SIZE:
            message = f"a deck has the positions 0 to 51, and not {position}"
            raise FairnessError(Reason.BAD_POSITION, message)
        proof: list[bytes] = []
        index = position
        for level in self.levels[:-1]:
            if index ^ 1 < len(level):
                proof.append(level[index ^ 1])
            index >>= 1
        return Opening(position, self.cards[position], self.salts[position], tuple(proof))


def derive(hand_secret: bytes, mix: bytes) -> SealedDeck:
    """Derive the hand's deck from its 32-byte secret and mix (protocol section 4)."""
    return derive_shown(hand_secret, mix)[1]


def derive_shown(hand_secret: bytes, mix: bytes) -> tuple[Ceremony, SealedDeck]:
    """Derive the hand's deck, and show the ceremony that gave it."""
    ceremony = perform(stream(hand_secret, mix, "deck", STREAM_BYTES))
    salts = stream(hand_secret, mix, "salts", STREAM_BYTES)
    return ceremony, seal(ceremony.deck, salts, mix)


def seal(cards: tuple[int, ...], salt_stream: bytes, mix: bytes) -> SealedDeck:
    """Salt 52 cards with the first 832 bytes of `salt_stream` and build the tree over them."""
    require_length("the mix", mix, HASH_BYTES)
    head = _LEAF_HEAD + framed(mix)
    salts = tuple([salt_stream[i : i + 16] for i in range(0, DECK_SIZE * 16, 16)])
    leaves = tuple(
        [
            sha256(head + parts[card] + salt).digest()
            for parts, card, salt in zip(_CARD_PARTS, cards, salts, strict=True)
        ]
    )
    levels = [leaves]
    while len(level := levels[-1]) > 1:
        levels.append(_level_above(level))
    return SealedDeck(mix, cards, salts, tuple(levels))


def card_leaf(mix: bytes, position: int, card: int, salt: bytes) -> bytes:
    """Hash one position's leaf (protocol section 4.5); FairnessError for what cannot be one."""
    require_length("the mix", mix, HASH_BYTES)
    require_length("the salt", salt, SALT_BYTES)
    if not 0 <= position < DECK_SIZE:
        message = f"a deck has the positions 0 to 51, and not {position}"
        raise FairnessError(Reason.BAD_POSITION, message)
    if not 0 <= card < DECK_SIZE:
        message = "a card's number is 0 to 51"
        raise FairnessError(Reason.BAD_CARD, message)
    return sha256(_LEAF_HEAD + framed(mix) + _CARD_PARTS[position][card] + salt).digest()


def verify_opening(root: bytes, mix: bytes, opening: Opening) -> bool:
    """Say whether `opening` proves its card under `root` in a tree of exactly 52 leaves.

    Anything malformed (a length, a position, a card, a hash too many or too few) is False.
    """
    try:
        node = card_leaf(mix, opening.position, opening.card, opening.salt)
    except FairnessError:
        return False
    index, width = opening.position, DECK_SIZE
    path = iter(opening.proof)
    while width > 1:
        if index ^ 1 < width:
            sibling = next(path, b"")
            if len(sibling) != HASH_BYTES:
                return False
            left, right = (sibling, node) if index & 1 else (node, sibling)
            node = sha256(b"\x01" + left + right).digest()
        index, width = index >> 1, (width + 1) >> 1
    return next(path, None) is None and hmac.compare_digest(node, root)


def _level_above(level: tuple[bytes, ...]) -> tuple[bytes, ...]:
    pairs = zip(level[::2], level[1::2], strict=False)
    nodes = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
    if len(level) % 2:
        nodes.append(level[-1])
    return tuple(nodes)
