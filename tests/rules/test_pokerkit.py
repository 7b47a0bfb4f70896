"""No-limit hands beside PokerKit: every difference is one that pokerkit_differences.md explains.

`make nightly` sets CUTCARD_POKERKIT_HANDS to play many more.
"""

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.support.beside_pokerkit import Kind, play_beside

HANDS = int(os.environ.get("CUTCARD_POKERKIT_HANDS", "500"))
PART = 125
EXPLAINED = Path(__file__).parents[1] / "data" / "pokerkit_differences.md"


@pytest.mark.parametrize("first", range(0, HANDS, PART))
def test_hands_beside_pokerkit_differ_only_as_explained(first: int) -> None:
    kinds: Counter[Kind | None] = Counter()
    for seed in range(first, min(first + PART, HANDS)):
        difference = play_beside(Random(seed))
        if difference is not None:
            assert difference.kind is not None, (seed, difference)
        kinds[difference.kind if difference else None] += 1
    # Most hands agree to the end, or the comparison would say little.
    assert kinds[None] > 0.7 * kinds.total()


def test_every_kind_of_difference_is_explained_and_no_other() -> None:
    text = EXPLAINED.read_text(encoding="utf-8")
    headings = {line[3:] for line in text.splitlines() if line.startswith("## ")}
    assert headings == {*Kind, "A check that decides nothing"}
