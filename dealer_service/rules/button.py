"""Where the button and the blinds stand when a cash hand opens (section 8).

The moving button goes to the next seat dealt in, stays after a void, and begins on the lowest
seat. With the dead button the big blind moves on instead, and small blind and button follow where
it was, whoever sits there or nobody (TDA 2024 rules 32 and 34-B). "Left" is the next higher seat
number, and after the highest the lowest.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Positions:
    """The seats of the button and the blinds; heads-up the button has the small blind.

    A small blind that nobody posts is dead: its seat stands in `dead_small_blind` alone.
    """

    button: int
    small_blind: int | None
    big_blind: int
    dead_small_blind: int | None = None

    @property
    def small_seat(self) -> int:
        """Where the small blind stands, a dead one too."""
        seat = self.dead_small_blind if self.small_blind is None else self.small_blind
        assert seat is not None
        return seat


@dataclass(frozen=True, slots=True)
class LastHand:
    """Positions of the hand that opened last, and the seats dealt into it, rising."""

    positions: Positions
    dealt_in: tuple[int, ...]


def place_button(dealt_in: Sequence[int], last: int, *, stays: bool) -> Positions:
    """Place button and blinds for two or more seats, given in rising order.

    `last` is the last hand's button, 0 where there was none; `stays` whether that hand was void.
    """
    # Where there was no button, the first seat to the left of 0 is the lowest.
    button = last if stays and last in dealt_in else next_left(dealt_in, last)
    small_blind = button if len(dealt_in) == 2 else next_left(dealt_in, button)
    return Positions(button, small_blind, next_left(dealt_in, small_blind))


def place_dead_button(dealt_in: Sequence[int], last: LastHand, *, void: bool) -> Positions:
    """Place them by the dead button, for two or more seats in rising order, after another hand.

    `void` says that the last hand was void.
    """
    before = last.positions
    if void:
        if _stand_as_before(dealt_in, last):
            return before
        return place_button(dealt_in, before.button, stays=True)
    if len(dealt_in) == 2:
        return _place_heads_up(dealt_in, before.big_blind)
    big = next_left(dealt_in, before.big_blind)
    small = before.big_blind
    button = before.small_seat
    if button == big:
        button = next_right(dealt_in, small)
    if small in dealt_in:
        return Positions(button, small, big)
    return Positions(button, None, big, small)


def next_left(seats: Sequence[int], seat: int) -> int:
    """Give the first of `seats` (rising, one at least) to the left of `seat`."""
    return next((other for other in seats if other > seat), seats[0])


def next_right(seats: Sequence[int], seat: int) -> int:
    """Give the first of `seats` (rising, one at least) to the right of `seat`."""
    return next((other for other in reversed(seats) if other < seat), seats[-1])


def is_passed(seat: int, start: int, end: int) -> bool:
    """Say whether a blind that went clockwise from `start` to `end` came to `seat` or passed it."""
    if start < end:
        return start < seat <= end
    return start != end and (seat > start or seat <= end)


def _place_heads_up(dealt_in: Sequence[int], last_big: int) -> Positions:
    one, other = dealt_in
    if last_big in dealt_in:
        big = other if last_big == one else one
    else:
        big = next_left(dealt_in, last_big)
    small = other if big == one else one
    return Positions(small, small, big)


def _stand_as_before(dealt_in: Sequence[int], last: LastHand) -> bool:
    if (len(dealt_in) == 2) != (len(last.dealt_in) == 2):
        return False
    before = last.positions
    stood = (before.button, before.small_seat, before.big_blind)
    return all((seat in dealt_in) == (seat in last.dealt_in) for seat in stood)
