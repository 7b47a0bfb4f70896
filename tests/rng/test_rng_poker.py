"""Many hands at once are ranked as one hand is by the verifier's own ranking."""

from collections import Counter
from itertools import combinations
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from audit_cli.poker.ranking import measure
from audit_cli.rng.counting.poker import BLANK, CATEGORY_SHIFT, KEYS, evaluator

# C(52, 5) hands by category, high card first.
FIVES = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40)


def rank(hands: NDArray[np.uint8]) -> NDArray[np.int32]:
    keys = KEYS[hands].sum(axis=1) + BLANK
    return evaluator(hands.shape[1]).rank(keys, np.ascontiguousarray(hands.T))


def pack(cards: list[int]) -> int:
    """The verifier's strength in the bits of the evaluator's."""
    category, *ranks = measure(cards)
    return category << CATEGORY_SHIFT | sum(r << (16 - 4 * at) for at, r in enumerate(ranks))


def every(size: int, category: int, random: Random, wanted: int) -> list[list[int]]:
    """Hands of a category, built around five cards that have it."""
    cores = {
        8: lambda r, s: [4 * (r % 9 + k) + s for k in range(5)],
        7: lambda r, s: [*range(4 * r, 4 * r + 4), 4 * ((r + 1) % 13) + s],
        6: lambda r, s: [*range(4 * r, 4 * r + 3), *(4 * ((r + 5) % 13) + k for k in (s, s ^ 1))],
        5: lambda r, s: [4 * ((r + k) % 13) + s for k in (0, 2, 4, 6, 9)],
        4: lambda r, s: [4 * (r % 9 + k) + (s + k) % 4 for k in range(5)],
        3: lambda r, s: [
            *(4 * r + (s + k) % 4 for k in range(3)),
            4 * ((r + 2) % 13),
            4 * ((r + 7) % 13) + 1,
        ],
        2: lambda r, s: [
            4 * r + s,
            4 * r + (s ^ 1),
            4 * ((r + 3) % 13),
            4 * ((r + 3) % 13) + 1,
            4 * ((r + 8) % 13) + 2,
        ],
        1: lambda r, s: [
            4 * r + s,
            4 * r + (s ^ 1),
            *(4 * ((r + k) % 13) + k % 4 for k in (2, 5, 9)),
        ],
        0: lambda r, s: [4 * ((r + k) % 13) + (s + k) % 4 for k in (0, 2, 5, 7, 11)],
    }
    hands: list[list[int]] = []
    while len(hands) < wanted:
        core = cores[category](random.randrange(13), random.randrange(4))
        left = [card for card in range(52) if card not in core]
        hands.append(random.sample([*core, *random.sample(left, size - 5)], size))
    return hands


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("category", range(9))
def test_hands_of_every_category_have_the_strength_that_the_verifier_gives(
    size: int, category: int
) -> None:
    hands = every(size, category, Random(size), 1500)
    assert rank(np.array(hands, np.uint8)).tolist() == [pack(hand) for hand in hands]
    assert any(measure(hand)[0] == category for hand in hands)


@pytest.mark.parametrize("size", [5, 7])
def test_any_hands_have_the_strength_that_the_verifier_gives(size: int) -> None:
    random = Random(7)
    hands = [random.sample(range(52), size) for _ in range(20_000)]
    assert rank(np.array(hands, np.uint8)).tolist() == [pack(hand) for hand in hands]


def test_all_hands_of_five_cards_fall_into_the_categories_as_they_should() -> None:
    hands = np.fromiter(combinations(range(52), 5), dtype="(5,)u1", count=2_598_960)
    strengths = rank(hands)
    counts = Counter((strengths >> CATEGORY_SHIFT).tolist())
    assert tuple(counts[category] for category in range(9)) == FIVES
    assert len(np.unique(strengths)) == 7462
