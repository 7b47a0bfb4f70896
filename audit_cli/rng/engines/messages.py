"""The hashed messages of a hand with room for what differs from hand to hand.

Every message here has one length for all hands (links and beacon are none, in the laboratory), so
that a batch of them is an array.
"""

from __future__ import annotations

from typing import Final

from audit_cli.hashing import framed, u8
from audit_cli.rng.engines.drawing import DECK_INFO
from audit_cli.rng.lab import GAME, ORIGIN

_ORIGIN: Final = ORIGIN.encode("ascii")

#: Bytes of the HMAC key block that comes before a message (RFC 2104).
KEY_BLOCK: Final = 64


def _message(label: bytes, *parts: bytes) -> bytes:
    """Return what H(label, parts...) hashes (protocol 1)."""
    return b"".join(map(framed, (b"cutcard/v1/" + label, *parts)))


def secret_message(secret: bytes) -> bytes:
    """Return the message of a laboratory's hand secret, without the hand at `SECRET_INDEX`."""
    return _message(b"lab", secret, bytes(8))


SECRET_INDEX: Final = slice(58, 66)

#: `hand_commitment` of a laboratory's hand.
COMMIT_MESSAGE: Final = _message(b"hand-commit", _ORIGIN, GAME, bytes(8), bytes(32))
COMMIT_HAND: Final = slice(57, 65)
COMMIT_SECRET: Final = slice(69, 101)

#: `mix` of a laboratory's hand: no links, no beacon.
MIX_MESSAGE: Final = _message(b"mix", _ORIGIN, GAME, bytes(8), bytes(32), u8(0), u8(0))
MIX_HAND: Final = slice(49, 57)
MIX_COMMITMENT: Final = slice(61, 93)

#: The two messages of HKDF-Expand behind the key block (RFC 5869 2.3); the second begins with the
#: 32 bytes of the first one's hash.
FIRST_EXPAND: Final = DECK_INFO + u8(1)
SECOND_EXPAND: Final = bytes(32) + DECK_INFO + u8(2)
