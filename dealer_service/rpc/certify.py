"""CertifyService: fresh hands with their secrets, for a laboratory; of a dealer without games.

Each hand is made by the very functions that deal a game's: a secret through the gate, its
commitment, the mix, the deck and its root. What is told can be told because nothing else is at
stake: no player, no game and no store is behind it. Hands are made some at a time, in a thread, and
only when those before were taken.
"""

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from cutcard.v1 import certify_pb2
from dealer_service.access.roles import Caller
from dealer_service.fairness.commitment import hand_commitment
from dealer_service.fairness.deck import derive_shown
from dealer_service.fairness.mixing import mix
from dealer_service.fairness.randomness import Entropy, draw_game, draw_secret
from dealer_service.fairness.refusal import FairnessError
from dealer_service.rpc.validate import MAX_HANDS
from dealer_service.tables.refused import Refused, ServiceReason, refused, stopping

BATCH: Final = 256
"""So many hands go in one message, some 60 KiB."""


@dataclass(frozen=True, slots=True)
class About:
    """What the dealer says of itself: its key, versions, fingerprint, tests passed, and source."""

    origin: str
    verifier: str
    version: str
    rng_core: int
    fingerprint: str
    known_answers: tuple[str, ...]
    source: str


@dataclass(slots=True)
class Certify:
    """Deals hands that are told; `executor` has the threads in which they are made."""

    about: About
    entropy: Entropy = field(repr=False)
    executor: Executor
    is_over: bool = False

    async def describe(self, _caller: Caller, _asked: certify_pb2.DescribeRequest) -> bytes:
        """Say which generator it is."""
        about = self.about
        message = certify_pb2.DescribeResponse(
            origin=about.origin,
            key=about.verifier,
            version=about.version,
            rng_core=about.rng_core,
            fingerprint=about.fingerprint,
            known_answers=about.known_answers,
            source=about.source,
            most_hands=MAX_HANDS,
        )
        return message.SerializeToString()

    async def deal_hands(
        self, _caller: Caller, asked: certify_pb2.DealHandsRequest
    ) -> AsyncGenerator[bytes, None]:
        """Deal fresh hands of a game of their own."""
        loop = asyncio.get_running_loop()
        try:
            game = draw_game(self.entropy)
            for first in range(1, asked.count + 1, BATCH):
                if self.is_over:
                    raise stopping()
                count = min(BATCH, asked.count + 1 - first)
                deal = partial(deal_some, self.about.origin, game, first, count, self.entropy)
                yield await loop.run_in_executor(self.executor, deal)
        except FairnessError:
            raise _randomness_failed() from None


def deal_some(origin: str, game: bytes, first: int, count: int, entropy: Entropy) -> bytes:
    """Deal hands `first`, … of a game, without links, and write them as a DealHandsResponse.

    FairnessError where the source fails.
    """
    message = certify_pb2.DealHandsResponse(origin=origin, game=game.hex())
    for hand in range(first, first + count):
        secret = draw_secret(entropy)
        commitment = hand_commitment(origin, game, hand, secret)
        mixed = mix(origin, game, hand, commitment, ())
        ceremony, deck = derive_shown(secret, mixed)
        message.hands.add(
            hand=hand,
            secret=secret,
            commitment=commitment,
            mix=mixed,
            cards=bytes(deck.cards),
            bytes_used=ceremony.bytes_used,
            deck_root=deck.root,
        )
    return message.SerializeToString()


def _randomness_failed() -> Refused:
    message = "the source of randomness fails, and no hand is dealt without: call again later"
    return refused(ServiceReason.RANDOMNESS_FAILED, message)
