"""How often Python looks for garbage in the dealer's process.

Nearly all that an act makes is freed when nothing refers to it any more. What the collector looks
for besides, objects that refer to each other in a ring, is rare; at its usual pace it looks through
whatever is young after every 700 new objects, which took a seventh of an act's time.
"""

import gc
from typing import Final

THRESHOLDS: Final = (10_000, 20, 10)


def collect_seldom() -> None:
    """Set the pace, and leave out what was there before: modules, which stay to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
