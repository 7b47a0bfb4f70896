"""A random source that is wrong in a way which only counting shows."""

import os
from itertools import count

from dealer_service.fairness.randomness import Entropy


def make_biased() -> Entropy:
    """Give a source that makes each seventh byte a zero, the first one too.

    A window of 512 bytes counts its first byte alone, and 512 is one more than a multiple of
    seven: the first window of a start begins with a zero, and one of any seven later on. So it is
    found always, and not five times of seven.
    """
    places = count()
    return lambda size: bytes(0 if next(places) % 7 == 0 else one for one in os.urandom(size))
