"""Who sits where in a hand: seats are numbers, and "left" is the next higher one, round and round.

In a hand the seats dealt in stand in one order, clockwise from the left of the button, which may
be an empty seat: the order of dealing, of acting after the flop, and of odd chips.
"""

from bisect import bisect_right
from collections.abc import Iterable


def clockwise(seats: Iterable[int], after: int) -> tuple[int, ...]:
    """Order seats clockwise, beginning with the first to the left of the seat `after`."""
    rising = sorted(seats)
    first = bisect_right(rising, after)
    return tuple(rising[first:] + rising[:first])


def start_at(order: tuple[int, ...], seat: int) -> tuple[int, ...]:
    """Turn an order so that it begins with one of its seats."""
    index = order.index(seat)
    return order[index:] + order[:index]
