"""Labelled hashes, the hand's commitment, and the chains of players' links.

Protocol sections 2 and 3. Every part of a hash stands behind its own length and every hash has
a label, so no two different inputs share an encoding and no hash can serve another purpose.
"""

import hmac
import re
from hashlib import sha256
from typing import Final

from dealer_service.fairness.refusal import FairnessError, Reason, require_length, require_range

GAME_BYTES: Final = 16
SECRET_BYTES: Final = 32
LINK_BYTES: Final = 32
MAX_U64: Final = 2**64 - 1

_ORIGIN = re.compile(r"[a-z0-9./-]{1,128}")
_PLAYER = re.compile(r"[A-Za-z0-9._-]{1,64}")


def framed(value: bytes) -> bytes:
    """F(x) of protocol section 2: `value` behind its length, four bytes, big-endian."""
    return len(value).to_bytes(4, "big") + value


def u8(number: int) -> bytes:
    """One byte; FairnessError BAD_NUMBER outside 0 to 255."""
    require_range("a one-byte number", number, 0, 255)
    return number.to_bytes(1, "big")


def u64(number: int) -> bytes:
    """Eight bytes, big-endian; FairnessError BAD_NUMBER outside 0 to 2^64 - 1."""
    require_range("an eight-byte number", number, 0, MAX_U64)
    return number.to_bytes(8, "big")


def labelled_hash(label: str, *parts: bytes) -> bytes:
    """H(label, p1, p2, ...) of protocol section 2: 32 bytes."""
    name = b"cutcard/v1/" + label.encode("ascii")
    return sha256(b"".join((framed(name), *map(framed, parts)))).digest()


def hand_commitment(origin: str, game: bytes, hand: int, hand_secret: bytes) -> bytes:
    """Commit to a hand's secret before anyone's link is known (protocol section 3.1)."""
    require_length("the hand secret", hand_secret, SECRET_BYTES)
    place = (origin_bytes(origin), game_bytes(game), hand_bytes(hand))
    return labelled_hash("hand-commit", *place, hand_secret)


def opens_commitment(
    commitment: bytes, origin: str, game: bytes, hand: int, hand_secret: bytes
) -> bool:
    """Say whether `hand_secret` is the secret that `commitment` commits to."""
    return hmac.compare_digest(commitment, hand_commitment(origin, game, hand, hand_secret))


def next_link(origin: str, game: bytes, player: str, link: bytes) -> bytes:
    """Give the value that comes after `link` in a player's chain (protocol section 3.2)."""
    require_length("a link", link, LINK_BYTES)
    place = (origin_bytes(origin), game_bytes(game), player_bytes(player))
    return labelled_hash("seat-link", *place, link)


def follows(origin: str, game: bytes, player: str, *, link: bytes, anchor: bytes) -> bool:
    """Say whether `link` is the value before `anchor`, as a link for the hand must be."""
    return hmac.compare_digest(next_link(origin, game, player, link), anchor)


def chain(origin: str, game: bytes, player: str, seed: bytes, length: int) -> tuple[bytes, ...]:
    """Build a chain of `length` values from a fresh 32-byte seed; the last is the anchor.

    A chain of n values serves n - 1 hands, from the back to the front.
    """
    require_range("the length of a chain", length, 2, MAX_U64)
    require_length("the seed of a chain", seed, LINK_BYTES)
    place = (origin_bytes(origin), game_bytes(game), player_bytes(player))
    head = b"".join((framed(b"cutcard/v1/seat-link"), *map(framed, place), b"\x00\x00\x00\x20"))
    values = [seed]
    for _ in range(length - 1):
        values.append(sha256(head + values[-1]).digest())
    return tuple(values)


def origin_bytes(origin: str) -> bytes:
    """Encode a dealer's name, 1 to 128 of [a-z0-9./-] without "/games/", else BAD_ORIGIN."""
    if _ORIGIN.fullmatch(origin) is None or "/games/" in origin:
        message = 'an origin is 1 to 128 characters of [a-z0-9./-], without "/games/"'
        raise FairnessError(Reason.BAD_ORIGIN, message)
    return origin.encode("ascii")


def player_bytes(player: str) -> bytes:
    """Encode a player's name, 1 to 64 of [A-Za-z0-9._-], else BAD_PLAYER."""
    if _PLAYER.fullmatch(player) is None:
        message = "a player's name is 1 to 64 characters of [A-Za-z0-9._-]"
        raise FairnessError(Reason.BAD_PLAYER, message)
    return player.encode("ascii")


def game_bytes(game: bytes) -> bytes:
    """Check that a game's id has 16 bytes, else BAD_GAME."""
    if len(game) != GAME_BYTES:
        message = f"a game's id has {GAME_BYTES} bytes, not {len(game)}"
        raise FairnessError(Reason.BAD_GAME, message)
    return game


def hand_bytes(hand: int) -> bytes:
    """Encode a hand's number, 1 or more, as eight bytes, else BAD_NUMBER."""
    require_range("a hand's number", hand, 1, MAX_U64)
    return hand.to_bytes(8, "big")
