"""Where the button and the blinds stand when a cash hand opens (section 8).

The button moves to the next seat dealt in, stays after a void, and begins on the lowest seat.
"Left" is the next higher seat number, and after the highest the lowest.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Positions:
    """The seats of the button and the blinds; heads-up the button has the small blind."""

    button: int
    small_blind: int
    big_blind: int


def place_button(dealt_in: Sequence[int], last: int, *, stays: bool) -> Positions:
    """Place button and blinds for two or more seats, given in rising order.

    `last` is the last hand's button, 0 where there was none; `stays` whether that hand was void.
    """
    # Where there was no button, the first seat to the left of 0 is the lowest.
    button = last if stays and last in dealt_in else next_left(dealt_in, last)
    small_blind = button if len(dealt_in) == 2 else next_left(dealt_in, button)
    return Positions(button, small_blind, next_left(dealt_in, small_blind))


def next_left(seats: Sequence[int], seat: int) -> int:
    """Give the first of `seats` (rising, one at least) to the left of `seat`."""
    return next((other for other in seats if other > seat), seats[0])
