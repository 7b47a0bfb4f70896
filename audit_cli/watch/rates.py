"""How likely so many voids are by chance: an exact tail of the binomial distribution.

Voids happen: a link that does not come, a beacon that is late. A dealer that throws away hands
which it dislikes has more of them than that explains. What is expected is the auditor's to say;
the level is shared among all games that are judged together, so that many games do not make one
of them look bad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from audit_cli.watch.grammar import GameSeen

#: How seldom a dealer that does nothing wrong is called out of line, over all that is judged.
LEVEL: Final = 1e-6
#: Terms of a tail that are smaller than this part of its sum so far change nothing.
_NEGLIGIBLE: Final = 1e-17


def tail(hands: int, voids: int, rate: float) -> float:
    """Return the probability of at least `voids` of `hands`, each void with probability `rate`.

    `rate` is between 0 and 1, both excluded. 1.0 where there are no more voids than expected.
    """
    if voids <= hands * rate:
        return 1.0
    log_choose = math.lgamma(hands + 1) - math.lgamma(voids + 1) - math.lgamma(hands - voids + 1)
    term = math.exp(log_choose + voids * math.log(rate) + (hands - voids) * math.log1p(-rate))
    odds = rate / (1 - rate)
    total = 0.0
    for count in range(voids, hands + 1):
        total += term
        term *= (hands - count) / (count + 1) * odds
        # Above the mean each term is smaller than the one before.
        if term <= total * _NEGLIGIBLE:
            break
    return min(1.0, total)


def out_of_line(games: Iterable[GameSeen], rate: float) -> list[tuple[str, int, int]]:
    """Return what has more voids than chance explains: (game, hands, voids), "" for all together.

    A hand counts when its deck or its void is there.
    """
    judged = [(one.game, one.committed + one.voids, one.voids) for one in games]
    judged.append(("", sum(one[1] for one in judged), sum(one[2] for one in judged)))
    level = LEVEL / len(judged)
    return [one for one in judged if tail(one[1], one[2], rate) < level]
