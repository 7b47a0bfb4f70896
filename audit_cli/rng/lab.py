"""The laboratory's hands: a run of decks that one secret of 32 bytes repeats anywhere.

Deck i (from 0) has hand_secret = H("lab", secret, u64(i)) and is hand i + 1 of the game of sixteen
zero bytes under the origin `lab`, without links and without a beacon. A dealer has no such path.

Where a run's secret is named and not drawn, the secret of its confirmation follows from it, so that
one secret repeats all of it: H("lab-confirmation", secret).
"""

from __future__ import annotations

from typing import Final

from audit_cli.hashing import commit_hand, mix_hand, tagged_hash, u64

ORIGIN: Final = "lab"
GAME: Final = bytes(16)


def confirm_lab(secret: bytes) -> bytes:
    """Return the confirmation's secret where a run's was named: H("lab-confirmation", secret)."""
    return tagged_hash("lab-confirmation", secret)


def hand_secret(secret: bytes, index: int) -> bytes:
    """Return the hand secret of deck `index`, 32 bytes."""
    return tagged_hash("lab", secret, u64(index))


def hand_mix(index: int, secret: bytes) -> bytes:
    """Return the mix of deck `index` from its own hand secret, 32 bytes."""
    commitment = commit_hand(ORIGIN, GAME, index + 1, secret)
    return mix_hand(ORIGIN, GAME, index + 1, commitment, (), None)


def commit_lab(secret: bytes) -> bytes:
    """Return what a plan says of a secret that it does not yet tell: H("lab-commit", secret)."""
    return tagged_hash("lab-commit", secret)
