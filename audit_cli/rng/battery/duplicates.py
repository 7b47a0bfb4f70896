"""S19: decks that come again, and first five cards that come again as often as they should.

Two decks in their order share the first five cards with chance 1/311,875,200, and pairs of decks
are independent of each other two by two: so the number of such pairs among N decks has the mean
and variance of a binomial over N (N - 1) / 2 pairs exactly. While five cards come again seldom it
is Poisson's; later it is normal. Two whole decks agree with chance 1/52!, which is never.
"""

from __future__ import annotations

from math import log, log2, sqrt
from typing import Final

from audit_cli.rng.battery.chance import normal_two_sided, poisson_two_sided
from audit_cli.rng.outcome import Level, Outcome, Tail

FIVES: Final = 52 * 51 * 50 * 49 * 48
FIVE: Final = "S19.five"
DECK: Final = "S19.deck"
SECRET: Final = "S19.secret"  # noqa: S105  (the name of a test)

#: What the plan's family gets from here; the other two are exact checks.
NAMES: Final = (FIVE,)

# A pair count has Poisson's skewness as long as few decks share five cards; at so many pairs
# either law is normal to far more digits than a test can tell.
_MANY_PAIRS: Final = 100_000


def judge_duplicates(
    decks: int, five_pairs: int, equal_decks: int, equal_secrets: int | None = None
) -> tuple[Outcome, ...]:
    """Return the outcomes on duplicates among all decks of a run.

    `five_pairs` is the number of pairs of decks with the same first five cards in order,
    `equal_decks` and `equal_secrets` those of pairs that agree as a whole (None: not known).
    """
    expected, deviation = _law(decks)
    z = (five_pairs - expected) / deviation if deviation else 0.0
    poisson = expected < _MANY_PAIRS
    found = [
        Outcome(
            test=FIVE,
            title="pairs of decks with the same first five cards",
            level=Level.DECK,
            covers=("GLI.duplicates", "PA.poisson"),
            samples=decks,
            statistic=float(five_pairs) if poisson else z,
            df=None,
            null=f"Poisson, mean {expected:.6g}" if poisson else "normal",
            tail=Tail.TWO_SIDED,
            p=poisson_two_sided(five_pairs, expected) if poisson else normal_two_sided(z),
            detectable=_words(decks),
        ),
        _never(DECK, "decks that are equal", decks, equal_decks),
    ]
    if equal_secrets is not None:
        found.append(_never(SECRET, "hand secrets that are equal", decks, equal_secrets))
    return tuple(found)


def count_pairs(decks: int, statistic: float) -> int:
    """Return the number of pairs with the same first five cards that gave a statistic of FIVE."""
    expected, deviation = _law(decks)
    return round(statistic if expected < _MANY_PAIRS else expected + statistic * deviation)


def _law(decks: int) -> tuple[float, float]:
    """Return mean and deviation of the number of such pairs among so many decks."""
    expected = decks * (decks - 1) / 2 / FIVES
    return expected, sqrt(expected * (1 - 1 / FIVES))


def _never(test: str, title: str, samples: int, pairs: int) -> Outcome:
    return Outcome(
        test=test,
        title=title,
        level=Level.DECK,
        covers=("GLI.duplicates",),
        samples=samples,
        statistic=float(pairs),
        df=None,
        null="none in the life of the universe",
        tail=Tail.EXACT,
        p=0.0 if pairs else 1.0,
        detectable=_words(samples) if test == DECK else "",
    )


def _words(decks: int) -> str:
    """Return how small a space of seeds would have shown with chance 0.99.

    A repeat among N of s seeds has chance 1 - exp(-N^2 / 2s).
    """
    return f"seeds of {log2(decks * decks / (2 * log(100))):.1f} bits or fewer"
