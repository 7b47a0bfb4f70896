"""Who is where: left of a seat, the button, the blinds (protocol 8).

"Left" is the next higher seat number, and after the highest the lowest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def clockwise(seats: Iterable[int], after: int) -> tuple[int, ...]:
    """`seats` beginning with the first to the left of seat `after`; `after` itself comes last."""
    rising = sorted(seats)
    return tuple(
        [seat for seat in rising if seat > after] + [seat for seat in rising if seat <= after]
    )


def place_button(dealt_in: Sequence[int], last: int, *, stays: bool) -> int:
    """Return the button's seat; `last` is the last one (0: none yet), `stays` after a void."""
    if last == 0:
        return min(dealt_in)
    if stays and last in dealt_in:
        return last
    return clockwise(dealt_in, last)[0]


def place_blinds(dealt_in: Sequence[int], button: int) -> tuple[int, int]:
    """Return the seats of small and big blind; heads-up the button has the small one."""
    order = clockwise(dealt_in, button)
    if len(order) == 2:
        return button, order[0]
    return order[0], order[1]
