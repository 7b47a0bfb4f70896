"""`deal_derive`: whole deals, from fresh bytes to the root, beside the standard library's shuffle.

A deal is what a hand needs before its first card: the secret, its commitment, the mix over six
links, the deck by the whole ceremony, 52 salts, 52 leaves, and the tree with its root.
"""

import os
import time
from random import SystemRandom

from dealer_service.fairness.commitment import hand_commitment
from dealer_service.fairness.deck import derive
from dealer_service.fairness.mixing import Link, mix
from dealer_service.fairness.randomness import draw_secret
from tests.bench.figure import Figure, Goal, measure_in_turn

GOAL = Goal("deal_derive", "deals/s", "SystemRandom().shuffle of 52", "higher", 0.3)
DEALS = 600
ORIGIN = "dealer.example.com"
GAME = bytes(range(16))


def measure(*, quick: bool = False) -> Figure:
    """Measure deals a second of CPU time."""
    count = DEALS // 6 if quick else DEALS
    links = [Link(seat, f"player-{seat}", os.urandom(32)) for seat in range(1, 7)]

    def own() -> float:
        began = time.process_time()
        for hand in range(1, count + 1):
            secret = draw_secret(os.urandom)
            commitment = hand_commitment(ORIGIN, GAME, hand, secret)
            mixed = mix(ORIGIN, GAME, hand, commitment, links)
            assert len(derive(secret, mixed).root) == 32
        return count / (time.process_time() - began)

    def other() -> float:
        shuffle = SystemRandom().shuffle
        began = time.process_time()
        for _ in range(count):
            shuffle(list(range(52)))
        return count / (time.process_time() - began)

    return measure_in_turn(GOAL, own, other, rounds=3 if quick else 11)
