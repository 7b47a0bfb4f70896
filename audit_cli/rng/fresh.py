"""Hands that no secret repeats: of the operating system's source, or of a dealer.

The operating system's have a fresh secret each, and the origin, mix and deck that the laboratory's
have, in a game drawn for the occasion. A dealer's are not believed: commitment, mix, deck, bytes
used and root are all made again from the secret, and the first that differs is named.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.derive import StreamExhaustedError, derive_deck
from audit_cli.hashing import commit_hand, mix_hand
from audit_cli.rng.hands_file import Records
from audit_cli.rng.lab import ORIGIN
from audit_cli.rng.remote import SECRET_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from audit_cli.rng.hands import Engine
    from audit_cli.rng.remote import Remote, Told

GAME_BYTES: Final = 16
BATCH: Final = 4_096
SYSTEM: Final = "a fresh secret of the operating system for each hand"


class DealerDiffersError(Exception):
    """A dealer told a hand that its secret does not give; says which, and what of it differs."""


def system_seeds(
    count: int, entropy: Callable[[int], bytes] = os.urandom
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return secrets and mixes of `count` fresh hands, (n, 32) each, of a game of their own."""
    game = entropy(GAME_BYTES)
    # One read for each hand, as a dealer reads.
    secrets = [entropy(SECRET_BYTES) for _ in range(count)]
    mixes = [
        mix_hand(ORIGIN, game, hand, commit_hand(ORIGIN, game, hand, secret), (), None)
        for hand, secret in enumerate(secrets, 1)
    ]
    return _rows(secrets), _rows(mixes)


def system_hands(engine: Engine, count: int) -> Iterator[Records]:
    """Give `count` hands of the operating system, some at a time."""
    for first in range(0, count, BATCH):
        secrets, mixes = system_seeds(min(BATCH, count - first))
        yield Records(secrets, mixes, engine.derive(first, secrets, mixes).decks)


def dealer_hands(remote: Remote, count: int) -> Iterator[Records]:
    """Give `count` hands of a dealer in certification mode, derived again; calls when it must.

    RemoteError where it can not be read, DealerDiffersError, also for hands of another origin than
    the one that it describes.
    """
    said = remote.describe()
    for begun in range(0, count, said.most_hands):
        for told in remote.hands(min(said.most_hands, count - begun)):
            if told.origin != said.origin:
                raise _differs(told, told.hand, "origin", "what the dealer describes")
            require_derived(told)
            yield Records(told.secrets, told.mixes, told.decks)


def require_derived(told: Told) -> None:
    """Make all that a dealer told again from its secrets. DealerDiffersError."""
    for at in range(told.count):
        hand = told.hand + at
        secret, commitment = bytes(told.secrets[at]), bytes(told.commitments[at])
        mix = bytes(told.mixes[at])
        if commit_hand(told.origin, told.game, hand, secret) != commitment:
            raise _differs(told, hand, "commitment")
        if mix_hand(told.origin, told.game, hand, commitment, (), None) != mix:
            raise _differs(told, hand, "mix")
        try:
            deck = derive_deck(secret, mix)
        except StreamExhaustedError:
            raise _differs(told, hand, "deck") from None
        if bytes(deck.cards) != bytes(told.decks[at]):
            raise _differs(told, hand, "deck")
        if deck.ceremony.bytes_used != told.used[at]:
            raise _differs(told, hand, "number of bytes used")
        if deck.root != bytes(told.roots[at]):
            raise _differs(told, hand, "root")


def _differs(
    told: Told, hand: int, what: str, due: str = "what its secret gives"
) -> DealerDiffersError:
    words = f"hand {hand:,} of game {told.game.hex()}: its {what} is not {due}"
    return DealerDiffersError(words)


def _rows(values: list[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(values), np.uint8).reshape(len(values), SECRET_BYTES)
