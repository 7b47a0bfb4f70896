"""The state of a game, folded from its lines: what is before the last opening is hardly read."""

from collections.abc import Iterable
from typing import Final

from dealer_service.rules.entry import GameOpened, HandVoid
from dealer_service.rules.table import fold, fold_from
from dealer_service.rules.table_state import TableState
from dealer_service.tables.lines import decode

OPENS: Final = b',"hand_opened":{'
VOIDS: Final = b',"hand_void":{'
TOURNAMENT_OPENS: Final = b',"tournament_opened":{'
"""What a line of the kind holds, and no other."""


def fold_lines(lines: Iterable[bytes]) -> TableState | None:
    """Fold lines from a log's first on; None where there are none. ImpossibleEntry as `fold`."""
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        return None
    tail: list[bytes] = []
    voids: list[bytes] = []
    for line in rest:
        if OPENS in line:
            tail.clear()
        elif VOIDS in line:
            voids.append(line)
        tail.append(line)
    at, opened = decode(first)
    if not tail or OPENS not in tail[0] or not isinstance(opened, GameOpened):
        return fold([(at, opened), *map(decode, tail)])
    void_hands = [void.hand for _, void in map(decode, voids) if isinstance(void, HandVoid)]
    entries = [decode(line) for line in tail]
    number = getattr(entries[0][1], "hand", 0)
    return fold_from(at, opened, entries, tuple(hand for hand in void_hands if hand < number))
