"""`decks_plain`, `decks_numpy`, `decks_numba`: derived decks of one core, engine by engine.

A deck is all of a laboratory's hand: its secret, commitment and mix, HKDF, the generator's key
stream, the ceremony, and the draws and bytes used told beside it. Beside it stands the standard
library's shuffle of 52 from the operating system's source.
"""

import time
from random import SystemRandom

from audit_cli.rng.engines.choose import engine
from tests.bench.figure import Figure, Goal, measure_in_turn

ALL = "decks"
_YARDSTICK = "SystemRandom().shuffle of 52"
PLAIN = Goal("decks_plain", "decks/s", _YARDSTICK, "higher", 1)
NUMPY = Goal("decks_numpy", "decks/s", _YARDSTICK, "higher", 2.8)
NUMBA = Goal("decks_numba", "decks/s", _YARDSTICK, "higher", 30)
NAMES = (PLAIN.name, NUMPY.name, NUMBA.name)
SECRET = bytes(range(32))
SHUFFLES = 3_000
_DECKS = {PLAIN.name: 3_000, NUMPY.name: 16_384, NUMBA.name: 163_840}


def measure(*, quick: bool, names: frozenset[str]) -> list[Figure]:
    """Measure decks a second of CPU time for the engines that are asked for."""
    return [_measure(goal, quick) for goal in (PLAIN, NUMPY, NUMBA) if goal.name in names]


def _measure(goal: Goal, quick: bool) -> Figure:
    dealing = engine(goal.name.removeprefix("decks_"))
    count = _DECKS[goal.name] // (6 if quick else 1)
    # What is compiled, or loaded, is so once and for all.
    dealing.lab(SECRET, 0, 1)

    def own() -> float:
        began = time.process_time()
        assert dealing.lab(SECRET, 0, count).count == count
        return count / (time.process_time() - began)

    def other() -> float:
        shuffle = SystemRandom().shuffle
        began = time.process_time()
        for _ in range(SHUFFLES):
            shuffle(list(range(52)))
        return SHUFFLES / (time.process_time() - began)

    return measure_in_turn(goal, own, other, rounds=3 if quick else 11)
